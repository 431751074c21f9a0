package digest

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// The example values are those of FIPS 180-2, appendix B, and of the empty message.
func TestExamples(t *testing.T) {
	for message, want := range map[string]string{
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	} {
		if got := Hex([]byte(message)); got != want {
			t.Errorf("Hex(%q) = %s, want %s", message, got, want)
		}
	}
}

// Every length around the borders of blocks and of the padding.
func TestPortable(t *testing.T) {
	data := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog. "), 10)
	for n := range data {
		if got, want := portable(data[:n]), sha256.Sum256(data[:n]); got != want {
			t.Fatalf("length %d: %x, want %x", n, got, want)
		}
	}
}

func FuzzPortable(f *testing.F) {
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := portable(data), sha256.Sum256(data); got != want {
			t.Fatalf("%x, want %x", got, want)
		}
	})
}
