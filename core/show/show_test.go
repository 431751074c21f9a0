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
		path string
		x    float64
		want string
	}{
		// Shares: four decimals, halves to even as strconv has it (0.00005 is a little above its half in binary).
		{"methods.bm25.mrr10", 0.3211954365079365, "0.3212"},
		{"methods.bm25.mrr10", 1, "1.0000"},
		{"methods.bm25.mrr10", 0, "0.0000"},
		{"methods.bm25.mrr10", minusZero, "0.0000"},
		{"methods.bm25.mrr10", -0.00004, "−0.0000"},
		{"methods.bm25.mrr10", 0.00005, "0.0001"},
		{"methods.bm25.mrr10", 1e-300, "0.0000"},
		{"methods.dense+graph.kinds.boundary.mrr10", 0.99994, "0.9999"},
		{"development.baselines.rrf", 0.3102083333333333, "0.3102"},
		{`development.settings["typed:hybrid:2:0.3"]`, 0, "0.0000"},
		{"families.3.graph", 1, "1.0000"},
		// Differences carry a sign unless they are zero.
		{"contrasts.primary.difference", 0.0009044312169312169, "+0.0009"},
		{"contrasts.primary.difference", -0.24, "−0.2400"},
		{"contrasts.primary.difference", 0, "0.0000"},
		{"contrasts.primary.difference", minusZero, "0.0000"},
		{"contrasts.primary.difference", -0.00004, "−0.0000"},
		{"contrasts.primary.difference", 1e-300, "+0.0000"},
		{"contrasts.primary.ci95.0", -0.007343460648148148, "−0.0073"},
		{"contrasts.primary.ci95.1", 0, "0.0000"},
		{"families.3.difference", -1, "−1.0000"},
		// Probabilities: a power of ten below one in ten thousand.
		{"contrasts.dense.p", 0.00009999000099990002, "1.0 × 10⁻⁴"},
		{"contrasts.dense.pExact", 2.650383032617651e-16, "2.7 × 10⁻¹⁶"},
		{"contrasts.dense.pExact", 1e-300, "1.0 × 10⁻³⁰⁰"},
		{"contrasts.dense.pExact", 5e-324, "4.9 × 10⁻³²⁴"},
		{"contrasts.dense.p", 0.0001, "0.0001"},
		{"contrasts.primary.p", 0.849015098490151, "0.8490"},
		{"contrasts.primary.p", 1, "1.0000"},
		{"contrasts.primary.p", 0, "0.0000"},
		// Settings as short as they are.
		{"development.lock.teleport", 0.15, "0.15"},
		{"development.lock.teleport", 1, "1"},
		{"development.lock.blend", minusZero, "0"},
		{"rewired.0.stream", 201, "201"},
		{"rewired.0.stream", 12345, "12345"},
		// Counts, thousands apart.
		{"graph.nodes", 0, "0"},
		{"graph.nodes", minusZero, "0"},
		{"graph.nodes", 999, "999"},
		{"graph.nodes", 3000, "3" + thin + "000"},
		{"rewired.0.attempts", 77295, "77" + thin + "295"},
		{"x", 1234567, "1" + thin + "234" + thin + "567"},
		{"x", -1234, "−1" + thin + "234"},
		{"x", 100000, "100" + thin + "000"},
		{"x", 1<<53 - 1, "9" + thin + "007" + thin + "199" + thin + "254" + thin + "740" + thin + "991"},
		{"x", 1e300, "1e+300"}, // not through int64, which would differ by machine
		{"x", -1e19, "−1e+19"},
		// What nothing is known of: whole numbers as counts, the rest as shares.
		{"x.y", 0.5, "0.5000"},
		{"x.y", -2.5, "−2.5000"},
		{"not a path..", 7, "7"},
	} {
		if got := Text(c.path, c.x); got != c.want {
			t.Errorf("%s: %v is %q, want %q", c.path, c.x, got, c.want)
		}
	}
	if got := Count(math.MinInt64); got != "−9"+thin+"223"+thin+"372"+thin+"036"+thin+"854"+thin+"775"+thin+"808" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	got, err := Numbers([]byte(`{"a":{"b.c":[1,{"p":0.5}],"d":null,"e":"7"},"mrr10":0.25,"z":[],"y":{},"n":-0.0001,"t":true}`))
	want := []Number{{`a["b.c"].0`, "1", "1"}, {`a["b.c"].1.p`, "0.5", "0.5000"}, {"mrr10", "0.25", "0.2500"}, {"n", "-0.0001", "−0.0001"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, broken := range []string{"", "{", `{"a":1e999}`, `{"a":[1,}`, "nul"} {
		if _, err := Numbers([]byte(broken)); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
	if got, err := Numbers([]byte("3")); err != nil || len(got) != 1 || got[0].Path != "" {
		t.Errorf("%v, %v", got, err)
	}
}
