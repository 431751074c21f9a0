package show

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var minusZero = math.Copysign(0, -1)

func TestText(t *testing.T) {
	const thin = "\u202f"
	for _, c := range []struct {
		style Style
		x     float64
		want  string
	}{
		// Shares: four decimals, halves to even as strconv has it (0.00005 is a little above its half in binary).
		{Measure, 0.3211954365079365, "0.3212"},
		{Measure, 1, "1.0000"},
		{Measure, 0, "0.0000"},
		{Measure, minusZero, "0.0000"},
		{Measure, -0.00004, "−0.0000"},
		{Measure, 0.00005, "0.0001"},
		{Measure, 1e-300, "0.0000"},
		{Measure, 0.99994, "0.9999"},
		{Measure, 0.3102083333333333, "0.3102"},
		{Measure, 0, "0.0000"},
		{Measure, 1, "1.0000"},
		// Differences carry a sign unless they are zero.
		{Change, 0.0009044312169312169, "+0.0009"},
		{Change, -0.24, "−0.2400"},
		{Change, 0, "0.0000"},
		{Change, minusZero, "0.0000"},
		{Change, -0.00004, "−0.0000"},
		{Change, 1e-300, "+0.0000"},
		{Change, -0.007343460648148148, "−0.0073"},
		{Change, 0, "0.0000"},
		{Change, -1, "−1.0000"},
		// Probabilities: a power of ten below one in ten thousand.
		{P, 0.00009999000099990002, "1.0 × 10⁻⁴"},
		{P, 2.650383032617651e-16, "2.7 × 10⁻¹⁶"},
		{P, 1e-300, "1.0 × 10⁻³⁰⁰"},
		{P, 5e-324, "4.9 × 10⁻³²⁴"},
		{P, 0.0001, "0.0001"},
		{P, 0.849015098490151, "0.8490"},
		{P, 1, "1.0000"},
		{P, 0, "0.0000"},
		// Settings as short as they are.
		{Plain, 0.15, "0.15"},
		{Plain, 1, "1"},
		{Plain, minusZero, "0"},
		{Plain, 201, "201"},
		{Plain, 12345, "12345"},
		// Counts, thousands apart.
		{Integer, 0, "0"},
		{Integer, minusZero, "0"},
		{Integer, 999, "999"},
		{Integer, 3000, "3" + thin + "000"},
		{Integer, 77295, "77" + thin + "295"},
		{Integer, 1234567, "1" + thin + "234" + thin + "567"},
		{Integer, -1234, "−1" + thin + "234"},
		{Integer, 100000, "100" + thin + "000"},
		{Integer, 1<<53 - 1, "9" + thin + "007" + thin + "199" + thin + "254" + thin + "740" + thin + "991"},
		{Integer, 1e300, "1e+300"}, // not through int64, which would differ by machine
		{Integer, -1e19, "−1e+19"},
	} {
		if got := c.style.Text(c.x); got != c.want {
			t.Errorf("style %d: %v is %q, want %q", c.style, c.x, got, c.want)
		}
	}
	if got := Count(math.MinInt64); got != "−9"+thin+"223"+thin+"372"+thin+"036"+thin+"854"+thin+"775"+thin+"808" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	style := func(path string) Style { return map[string]Style{"mrr10": Measure, "n": Change}[path] }
	got, err := Numbers([]byte(`{"a":{"b.c":[1,{"p":0.5}],"d":null,"e":"7"},"mrr10":0.25,"z":[],"y":{},"n":-0.0001,"t":true}`), style)
	want := []Number{{`a["b.c"].0`, "1", "1"}, {`a["b.c"].1.p`, "0.5", "0.5"}, {"mrr10", "0.25", "0.2500"}, {"n", "-0.0001", "−0.0001"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, broken := range []string{"", "{", `{"a":1e999}`, `{"a":[1,}`, "nul"} {
		if _, err := Numbers([]byte(broken), style); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
	if got, err := Numbers([]byte("3"), style); err != nil || len(got) != 1 || got[0].Path != "" {
		t.Errorf("%v, %v", got, err)
	}
}

// A metric is a share, a mean or a difference that isn't of a single item in a list.
func TestIsMetric(t *testing.T) {
	for _, c := range []struct {
		style Style
		path  string
		want  bool
	}{{Measure, "methods.bm25.ndcg10", true}, {Change, "contrasts.primary.difference", true}, {Integer, "methods.bm25.hits1", false},
		{P, "contrasts.primary.p", false}, {Plain, "development.lock.teleport", false}, {Measure, "families.3.baseline", false}} {
		if got := c.style.IsMetric(c.path); got != c.want {
			t.Errorf("%s: %v", c.path, got)
		}
	}
}
