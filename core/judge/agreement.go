package judge

// An Agreement says how far two judges agree on the same items.
type Agreement struct {
	Pairs        int
	Equal        int     // pairs with the same grade
	Kappa        float64 // quadratic-weighted Cohen's κ, 0 where undefined
	KappaDefined bool
	Matrix       [][]int // [grade of a][grade of b]
	Disagree     []int   // items with different grades, in their order
}

// Exact returns the share of pairs with the same grade; ok is false where there are none.
func (a Agreement) Exact() (share float64, ok bool) {
	if a.Pairs == 0 {
		return 0, false
	}
	return float64(a.Equal) / float64(a.Pairs), true
}

// Agree compares two judges' grades of the same items, each from 0 to top; it panics on other grades or lengths, which
// the parsers exclude.
//
// κ = 1 − Σ(a−b)² / expected Σ(a−b)² (Cohen 1968, doi:10.1037/h0026256), the expectation with the judges' own grade
// frequencies. It is computed in integers and divided once. It is undefined where both judges give one and the same
// grade throughout: then nothing but agreement could be expected.
func Agree(a, b []int, top int) Agreement {
	if len(a) != len(b) {
		panic("judge: two judges with different numbers of grades")
	}
	agreement := Agreement{Pairs: len(a), Matrix: make([][]int, top+1)}
	for g := range agreement.Matrix {
		agreement.Matrix[g] = make([]int, top+1)
	}
	countA, countB := make([]int64, top+1), make([]int64, top+1)
	observed := int64(0)
	for i := range a {
		agreement.Matrix[a[i]][b[i]]++
		countA[a[i]]++
		countB[b[i]]++
		observed += squared(a[i], b[i])
		if a[i] == b[i] {
			agreement.Equal++
		} else {
			agreement.Disagree = append(agreement.Disagree, i)
		}
	}
	expected := int64(0) // times the number of pairs
	for i, x := range countA {
		for j, y := range countB {
			expected += squared(i, j) * x * y
		}
	}
	if expected > 0 {
		agreement.KappaDefined = true
		agreement.Kappa = float64(expected-int64(len(a))*observed) / float64(expected)
	}
	return agreement
}

func squared(i, j int) int64 { return int64(i-j) * int64(i-j) }
