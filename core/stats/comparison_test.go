package stats

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func close(a, b, relative float64) bool { return a == b || math.Abs(a-b) <= relative*math.Abs(b) }

// TestNormal: SciPy 1.17.1, scipy.stats.norm.cdf and norm.ppf.
func TestNormal(t *testing.T) {
	for x, want := range map[float64]float64{
		-10: 7.61985302416047e-24, -3.5: 0.00023262907903552502, -1.96: 0.024997895148220435, -1: 0.15865525393145707, -0.3: 0.3820885778110474,
		0: 0.5, 0.1: 0.539827837277029, 0.7: 0.758036347776927, 1.3: 0.9031995154143897, 2.5: 0.9937903346742238, 4.2: 0.9999866542509841,
		8: 0.9999999999999993, 50: 1, -50: 0,
	} {
		// x/√2 is rounded once, which moves Φ by x²·2⁻⁵³ at most: 1.1e-14 at −10, where both are right to 1e-14.
		if got := Normal(x); !close(got, want, max(1e-14, 2*x*x*0x1p-53)) {
			t.Errorf("Normal(%v) = %v, SciPy gives %v", x, got, want)
		}
	}
	for p, want := range map[float64]float64{
		1e-300: -37.0470962993612, 1e-10: -6.361340902404056, 0.001: -3.090232306167813, 0.025: -1.9599639845400545, 0.3: -0.5244005127080409,
		0.5: 0, 0.6: 0.2533471031357997, 0.8: 0.8416212335729143, 0.975: 1.959963984540054, 0.999999: 4.753424308817087,
		0: math.Inf(-1), 1: math.Inf(1),
	} {
		if got := NormalQuantile(p); !close(got, want, 1e-13) && math.Abs(got-want) > 1e-15 {
			t.Errorf("NormalQuantile(%v) = %v, SciPy gives %v", p, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-8, 8).Draw(t, "x")
		if got, want := Normal(x), math.Erfc(-x/math.Sqrt2)/2; !close(got, want, 1e-14) {
			t.Fatalf("Normal(%v) = %v, math.Erfc gives %v", x, got, want)
		}
	})
}

// TestBCa takes all 256 equally likely replicates of four values. NumPy 2.4.6 and SciPy 1.17.1 give, for the formulas of
// Efron & Tibshirani on the same replicates (111 below the mean, 24 equal to it), z0 = −0.04898, a = −0.04149 and the intervals
// below.
func TestBCa(t *testing.T) {
	s := Sample{Values: []float64{30, -10, 25, 50}, Den: 100}
	var replicates []float64
	for _, a := range s.Values {
		for _, b := range s.Values {
			for _, c := range s.Values {
				for _, d := range s.Values {
					replicates = append(replicates, (a+b+c+d)/400)
				}
			}
		}
	}
	for level, want := range map[float64][2]float64{0.95: {-0.0125, 0.4}, 0.8: {0.08117226490351345, 0.35}} {
		got, ok := BCa(s, replicates, level)
		if !ok || math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 {
			t.Errorf("%v: %v, %v, want %v", level, got, ok, want)
		}
	}
	for name, c := range map[string]struct {
		s          Sample
		replicates []float64
	}{
		"no replicates": {s, nil},
		"no variation":  {Sample{[]float64{1, 1}, 1}, []float64{1, 1}},
		"one side":      {Sample{[]float64{0, 1}, 1}, []float64{1, 1}},
	} {
		if got, ok := BCa(c.s, c.replicates, 0.95); ok {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCorrections: statsmodels 0.15.0, multipletests with bonferroni, fdr_bh and holm.
func TestCorrections(t *testing.T) {
	p := []float64{.01, .04, .03, .005, .5, .04}
	for name, c := range map[string]struct {
		got, want []float64
	}{
		"Bonferroni":         {Bonferroni(p), []float64{0.06, 0.24, 0.18, 0.03, 1, 0.24}},
		"Benjamini–Hochberg": {BenjaminiHochberg(p), []float64{0.03, 0.048, 0.048, 0.03, 0.5, 0.048}},
		"Holm":               {Holm(p), []float64{0.05, 0.12, 0.12, 0.03, 0.5, 0.12}},
	} {
		for i := range p {
			if !close(c.got[i], c.want[i], 1e-12) {
				t.Errorf("%s: %v, statsmodels gives %v", name, c.got, c.want)
				break
			}
		}
	}
	if len(Bonferroni(nil)) != 0 || len(BenjaminiHochberg(nil)) != 0 {
		t.Error("no p-values give some")
	}
}

// TestEffect: NumPy 2.4.6 mean and std(ddof=1), and SciPy's norm.ppf, on five differences; 2/2^5 by hand.
func TestEffect(t *testing.T) {
	s := Sample{[]float64{10, 20, -5, 30, 15}, 100}
	if d, ok := EffectSize(s); !ok || !close(d, 1.0817343730007583, 1e-13) {
		t.Errorf("d_z = %v, %v", d, ok)
	}
	if d, ok := Detectable(s, 0.05, 0.8); !ok || !close(d, 0.1621534677707185, 1e-13) {
		t.Errorf("detectable %v, %v", d, ok)
	}
	if p := SmallestP(s); p != 1./16 {
		t.Errorf("smallest p of five differences: %v", p)
	}
	if p := SmallestP(Sample{[]float64{0, 0, 3}, 1}); p != 1 {
		t.Errorf("smallest p of one difference: %v", p)
	}
	if p, err := SignFlipExact(Sample{[]float64{1, 2, 3, 4, 5}, 1}); p != SmallestP(Sample{[]float64{1, 2, 3, 4, 5}, 1}) || err != nil {
		t.Errorf("five differences of one sign have p = %v, %v", p, err)
	}
	for _, s := range []Sample{{nil, 1}, {[]float64{1}, 1}, {[]float64{2, 2}, 1}} {
		if d, ok := EffectSize(s); ok {
			t.Errorf("d_z of %v = %v", s.Values, d)
		}
	}
}

// TestAgreement: statsmodels 0.15.0 fleiss_kappa, and krippendorff 0.9.0 (PyPI), without and with missing grades.
func TestAgreement(t *testing.T) {
	full := [][]int{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {0, 0, 0}, {2, 1, 0}, {1, 1, 2}}
	missing := [][]int{{0, 0, 1}, {1, 1}, {2, 2, 1}, {0, 0, 0}, {2, 1}, {2}}
	if k, ok, err := Fleiss(full); !ok || err != nil || !close(k, 0.2211538461538462, 1e-13) {
		t.Errorf("Fleiss' κ = %v, %v, %v", k, ok, err)
	}
	for _, c := range []struct {
		units [][]int
		scale Scale
		want  float64
	}{
		{full, Nominal, 0.26442307692307687}, {full, Ordinal, 0.44232804232804235}, {full, IntervalScale, 0.4204545454545455},
		{missing, Nominal, 0.34545454545454557}, {missing, Ordinal, 0.6711538461538462}, {missing, IntervalScale, 0.64},
	} {
		if a, ok, err := Krippendorff(c.units, c.scale); !ok || err != nil || !close(a, c.want, 1e-13) {
			t.Errorf("Krippendorff's α (%s) = %v, %v, %v, want %v", c.scale, a, ok, err, c.want)
		}
	}
	if _, ok, _ := Krippendorff([][]int{{1, 1}, {1, 1}}, Nominal); ok {
		t.Error("α of one grade throughout is defined")
	}
	if _, ok, _ := Krippendorff([][]int{{1}, {2}, {1, 2}}, Nominal); ok {
		t.Error("α of one item is defined")
	}
	if _, _, err := Krippendorff(full, "ratio"); err == nil || !strings.Contains(err.Error(), "nominal, ordinal or interval") {
		t.Errorf("another scale: %v", err)
	}
	if _, _, err := Fleiss(missing); err == nil || !strings.Contains(err.Error(), "item 1 has 2 grades, the first 3") {
		t.Errorf("Fleiss of missing grades: %v", err)
	}
	// The order of assessors means nothing.
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 3), 1, 4), 2, 6).Draw(t, "units")
		shuffled := make([][]int, len(units))
		for i, u := range units {
			shuffled[i] = rapid.Permutation(u).Draw(t, "unit")
		}
		for _, scale := range []Scale{Nominal, Ordinal, IntervalScale} {
			a, okA, _ := Krippendorff(units, scale)
			b, okB, _ := Krippendorff(shuffled, scale)
			if okA != okB || math.Abs(a-b) > 1e-12 || a > 1 {
				t.Fatalf("%s: %v, shuffled %v", scale, a, b)
			}
		}
	})
}
