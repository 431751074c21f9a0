package synthetic

import (
	"math"
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	// Bijective base 26, as a spreadsheet names its columns: A, Z, AA, AZ, BA, ZZ, AAA.
	for rank, want := range map[int]string{0: "a", 25: "z", 26: "aa", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := word(rank); got != want {
			t.Errorf("word(%d) = %q, want %q", rank, got, want)
		}
	}
}

// Frequencies of the first words against their probabilities, within five standard deviations, and lengths against the
// uniform distribution from 30 to 90.
func TestDistribution(t *testing.T) {
	s := New(7)
	sum := 0.0
	for r := range Vocabulary {
		sum += 1 / float64(r+3)
	}
	counts, tokens, total := map[string]int{}, 0, 4000
	for d := range total {
		words := strings.Fields(string(s.AppendDocument(nil, d)))
		if len(words) < 30 || len(words) > 90 {
			t.Fatalf("document %d has %d words", d, len(words))
		}
		tokens += len(words)
		for _, w := range words {
			counts[w]++
		}
	}
	if mean := float64(tokens) / float64(total); math.Abs(mean-60) > 5*17.6/math.Sqrt(float64(total)) {
		t.Errorf("%.2f words a document", mean)
	}
	for r, w := range []string{"a", "b", "c", "d"} {
		p := 1 / float64(r+3) / sum
		if want := p * float64(tokens); math.Abs(float64(counts[w])-want) > 5*math.Sqrt(want) {
			t.Errorf("%q stands %d times, want about %.0f", w, counts[w], want)
		}
	}
}

func TestSameTexts(t *testing.T) {
	a, b := New(20261207), New(20261207)
	for _, n := range []int{0, 5, 999_999} {
		if x, y := string(a.AppendDocument(nil, n)), string(b.AppendDocument([]byte("x"), n)); "x"+x != y {
			t.Errorf("document %d: %q and %q", n, x, y)
		}
	}
	if New(1).Question(0) == a.Question(0) || a.Question(0) == a.Question(1) {
		t.Error("questions repeat")
	}
}
