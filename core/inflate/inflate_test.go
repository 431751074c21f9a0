package inflate

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func pack(t testing.TB, data []byte, level int) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Streams that Python 3.11's zlib made, by zlib.compressobj(level, DEFLATED, -15, 9, strategy): level 0 for the stored block, Z_FIXED
// for fixed codes, Z_HUFFMAN_ONLY for codes of the block's own.
func TestOtherTools(t *testing.T) {
	for name, c := range map[string]struct{ packed, want string }{
		"stored":            {"010600f9ff6f6e650a6f6e", "one\non"},
		"fixed":             {"cbcf4be5cacf0300", "one\non"},
		"fixed with a copy": {"cb48cdc9c9d751c840a200", "hello, hello, hello"},
		"nothing":           {"0300", ""},
		"own codes": {"05c1310100000c02a0ac3813d8ff18c89ccac89ccac89ccac89ccac89ccac89ccac89ccac89ccac89ccac89ccac89ccac89cca3c",
			strings.Repeat("abracadabra", 12)},
	} {
		packed, err := hex.DecodeString(c.packed)
		if err != nil {
			t.Fatal(err)
		}
		out, rest, err := Bytes(append(packed, "rest"...), 132)
		if err != nil || string(out) != c.want || string(rest) != "rest" {
			t.Errorf("%s: %q, %q, %v", name, out, rest, err)
		}
	}
}

// What compress/flate packed comes out again, at every level, with what follows left over.
func TestRoundTrip(t *testing.T) {
	random := make([]byte, 200_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for _, data := range [][]byte{nil, {0}, []byte("hello, hello, hello"), bytes.Repeat([]byte{7}, 1_000_000), random,
		[]byte(strings.Repeat("Two questions, one answer; one question, two answers.\n", 5000)), bytes.Repeat(random[:40_000], 3)} {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			packed := pack(t, data, level)
			out, rest, err := Bytes(append(packed, "more"...), len(data))
			if err != nil || !bytes.Equal(out, data) || string(rest) != "more" {
				t.Errorf("%d bytes at level %d: %d bytes, rest %q, %v", len(data), level, len(out), rest, err)
			}
			if len(data) > 0 {
				if _, _, err := Bytes(packed, len(data)-1); !errors.Is(err, ErrLong) {
					t.Errorf("%d bytes at level %d under a limit: %v", len(data), level, err)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "bb", "abc", "the same again ", "\x00\xff"})).Draw(t, "pieces"), ""))
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, rapid.IntRange(-2, 9).Draw(t, "level"))
		w.Write(data)
		w.Close()
		if out, rest, err := Bytes(b.Bytes(), len(data)); err != nil || !bytes.Equal(out, data) || len(rest) > 0 {
			t.Fatalf("%q, %v", out, err)
		}
	})
}

func TestEveryCutIsTruncated(t *testing.T) {
	packed := pack(t, []byte(strings.Repeat("one two three ", 40)+"\x00\x01\x02four"), 9)
	for n := range packed {
		if _, _, err := Bytes(packed[:n], 1<<20); !errors.Is(err, ErrTruncated) {
			t.Errorf("%d of %d bytes: %v", n, len(packed), err)
		}
	}
}

// FuzzBytes: what compress/flate takes is taken and gives the same; what it refuses is refused.
func FuzzBytes(f *testing.F) {
	f.Add([]byte("\x03\x00"))
	f.Add([]byte("\x01\x06\x00\xf9\xffone\non"))
	for level := -2; level <= 9; level++ {
		f.Add(pack(f, []byte("hello, hello, hello; \x00 0123456789 hello"), level))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		out, rest, err := Bytes(data, limit)
		source := bytes.NewReader(data)
		want, theirs := io.ReadAll(io.LimitReader(flate.NewReader(source), limit+1))
		switch {
		case errors.Is(err, ErrLong):
			if len(want) <= limit && theirs == nil {
				t.Fatalf("too long, flate gives %d bytes", len(want))
			}
		case (err == nil) != (theirs == nil):
			t.Fatalf("%v, flate %v", err, theirs)
		case err == nil && (!bytes.Equal(out, want) || source.Len() != len(rest)):
			t.Fatalf("%d bytes and %d left, flate %d and %d", len(out), len(rest), len(want), source.Len())
		}
	})
}

func BenchmarkBytes(b *testing.B) {
	var text strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	for text.Len() < 4<<20 {
		text.WriteString([]string{"alpha ", "beta ", "gamma ", "delta ", "epsilon ", "zeta\n", "7", "42 "}[r.IntN(8)])
	}
	packed := pack(b, []byte(text.String()), 6)
	b.Run("own", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for range b.N {
			if _, _, err := Bytes(packed, 1<<30); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("flate", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for range b.N {
			if _, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
