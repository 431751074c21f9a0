package dense

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const anyHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// file returns a vector file of rows and its sidecar, changed by edit if that is not nil.
func file(t testing.TB, rows [][]float32, edit func(s *Sidecar)) (vectors, sidecar []byte) {
	t.Helper()
	vectors = Bytes(rows...)
	sum := sha256.Sum256(vectors)
	s := Sidecar{Dimension: 2, Count: len(rows), DType: DType, Model: Model{"tiny", anyHash, anyHash}, SHA256: hex.EncodeToString(sum[:])}
	if edit != nil {
		edit(&s)
	}
	sidecar, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return vectors, sidecar
}

// unit has the lengths 1 (3-4-5 triangle) and 1.
var unit = [][]float32{{0.6, 0.8}, {-1, 0}}

func TestParse(t *testing.T) {
	vectors, sidecar := file(t, unit, nil)
	// 0.6 and 0.8 as IEEE 754 single precision, from any float converter: 3f19999a, 3f4ccccd; −1 is bf800000.
	if got, want := hex.EncodeToString(vectors), "9a99193f"+"cdcc4c3f"+"000080bf"+"00000000"; got != want {
		t.Errorf("bytes %s, want %s", got, want)
	}
	m, err := Parse(vectors, sidecar, 2)
	if err != nil {
		t.Fatal(err)
	}
	if m.Count() != 2 || m.Dimension() != 2 || m.Row(0)[1] != 0.8 || m.Row(1)[0] != -1 {
		t.Errorf("got %v", m)
	}
	if _, err := Parse(vectors, sidecar, -1); err != nil {
		t.Errorf("any count: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name string
		rows [][]float32
		edit func(s *Sidecar)
		cut  int // bytes off the end of the vectors
		want string
	}{
		{"another number of texts", unit[:1], nil, 0, "count is 1, but there are 2 texts"},
		{"another dimension", unit, func(s *Sidecar) { s.Dimension = 3 }, 0, "has 16 bytes, but its sidecar says 2 × 3 × 4 = 24"},
		{"cut off", unit, nil, 4, "has 12 bytes"},
		{"another file's sidecar", unit, func(s *Sidecar) { s.SHA256 = anyHash }, 0, "another file's sidecar"},
		{"not a number", [][]float32{{1, 0}, {0, nan}}, nil, 0, "vector 2 of 2: dimension 1 is NaN"},
		{"infinite", [][]float32{{inf, 0}, {0, 1}}, nil, 0, "vector 1 of 2: dimension 0 is -Inf"},
		{"too long", [][]float32{{1, 0}, {1, 0.01}}, nil, 0, "vector 2 of 2: its length is 1.00005"},
		{"zero", [][]float32{{1, 0}, {0, 0}}, nil, 0, "its length is 0"},
		{"no dimension", unit, func(s *Sidecar) { s.Dimension = 0 }, 0, "dimension is 0"},
		{"an overflowing size", unit, func(s *Sidecar) { s.Dimension, s.Count = 1<<40, 1<<40 }, 0, "dimension is 1099511627776"},
		{"a negative count", unit, func(s *Sidecar) { s.Count = -2 }, 0, "count is -2"},
		{"another type", unit, func(s *Sidecar) { s.DType = "float16" }, 0, `dtype is "float16"`},
		{"no hash of the model", unit, func(s *Sidecar) { s.Model.ONNXSHA256 = "" }, 0, "model.onnxSha256"},
		{"a hash in capitals", unit, func(s *Sidecar) { s.SHA256 = strings.ToUpper(s.SHA256) }, 0, "lower-case"},
	} {
		t.Run(c.name, func(t *testing.T) {
			vectors, sidecar := file(t, c.rows, c.edit)
			_, err := Parse(vectors[:len(vectors)-c.cut], sidecar, 2)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	vectors, sidecar := file(t, unit, nil)
	for _, s := range []string{"", "null", "[]", "{}", `{"color":1}`, string(sidecar) + "{}", `{"count":1,"count":2}`, strings.Replace(string(sidecar), ":2,", ":2.5,", 1)} {
		if _, err := Parse(vectors, []byte(s), 2); err == nil || !strings.HasPrefix(err.Error(), "dense: sidecar") {
			t.Errorf("sidecar %q: %v", s, err)
		}
	}
}

// TestDotOrder has a sum whose value depends on the order of its terms: 2⁶⁰ + 1 rounds to 2⁶⁰.
func TestDotOrder(t *testing.T) {
	big := float32(1 << 60)
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 2, 3}, []float32{4, 5, 6}, 32},
		{[]float32{big, 1, -big}, []float32{1, 1, 1}, 0},
		{[]float32{big, -big, 1}, []float32{1, 1, 1}, 1},
		{[]float32{3e38}, []float32{3e38}, float64(float32(3e38)) * float64(float32(3e38))}, // beyond float32
		{nil, nil, 0},
	} {
		if got := Dot(c.a, c.b); got != c.want {
			t.Errorf("Dot(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestScores: rows summed side by side have the bits of rows summed alone, whatever their number.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count, dimension := rapid.IntRange(0, 20).Draw(t, "count"), rapid.IntRange(1, 9).Draw(t, "dimension")
		values := rapid.Float32Range(-1, 1)
		m := &Matrix{Sidecar{Count: count}, dimension, rapid.SliceOfN(values, count*dimension, count*dimension).Draw(t, "rows")}
		query := rapid.SliceOfN(values, dimension, dimension).Draw(t, "query")
		for i, got := range m.Scores(query) {
			want := 0.0
			for j, x := range m.Row(i) {
				want += float64(float64(x) * float64(query[j]))
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("row %d: %v, alone %v", i, got, want)
			}
		}
	})
}

func TestCheckComparable(t *testing.T) {
	parse := func(edit func(s *Sidecar)) *Matrix {
		vectors, sidecar := file(t, unit, edit)
		m, err := Parse(vectors, sidecar, 2)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := parse(nil)
	if err := CheckComparable(a, parse(nil)); err != nil {
		t.Error(err)
	}
	other := parse(func(s *Sidecar) { s.Model.TokenizerSHA256 = strings.Repeat("0", 64) })
	if err := CheckComparable(a, other); err == nil || !strings.Contains(err.Error(), "different models") {
		t.Errorf("another tokenizer: %v", err)
	}
}

func TestCheckOrder(t *testing.T) {
	const hash = "a6e2b7a040683432de03a18fd8a1939a2fdf82585b364bfc874bdd4095c4cae1" // printf '1\n2\n' | sha256sum (GNU coreutils)
	if got := HashIDs([]string{"1", "2"}); got != hash {
		t.Errorf("HashIDs = %s, want %s", got, hash)
	}
	vectors, sidecar := file(t, unit, func(s *Sidecar) { s.Input = &Input{IDsSHA256: hash} })
	m, err := Parse(vectors, sidecar, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CheckOrder([]string{"1", "2"}); err != nil {
		t.Error(err)
	}
	for _, ids := range [][]string{{"2", "1"}, {"1"}, {"1", "2", "3"}} {
		if m.CheckOrder(ids) == nil {
			t.Errorf("%v taken for 1, 2", ids)
		}
	}
}

// FuzzParse looks for a panic, and for a matrix that breaks what Parse promises.
func FuzzParse(f *testing.F) {
	vectors, sidecar := file(f, unit, nil)
	f.Add(vectors, sidecar)
	f.Fuzz(func(t *testing.T, vectors, sidecar []byte) {
		m, err := Parse(vectors, sidecar, -1)
		if err == nil && m.Count()*m.Dimension()*4 != len(vectors) {
			t.Fatalf("%d × %d values in %d bytes", m.Count(), m.Dimension(), len(vectors))
		}
	})
}

// TestFrozen reads the studies' own vectors, where they are beside the project. The cosine of the first two
// documents is what Python prints for sum of products over numpy's float64 values, added one by one.
func TestFrozen(t *testing.T) {
	const folder = "../../../shared/data/concepts/"
	vectors, err := os.ReadFile(folder + "vectors.f32")
	if err != nil {
		t.Skip("the studies' vectors are not beside the project: ", err)
	}
	sidecar, err := os.ReadFile(folder + "vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(vectors, sidecar, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Dot(m.Row(0), m.Row(1)), 0.09592298495711139; got != want {
		t.Errorf("cosine %v, want %v", got, want)
	}
}

// BenchmarkScores scores 360 questions against 3,000 documents of 384 values.
func BenchmarkScores(b *testing.B) {
	const count, dimension = 3000, 384
	m := &Matrix{Sidecar{Count: count}, dimension, make([]float32, count*dimension)}
	for i := range m.rows {
		m.rows[i] = float32(i%97) / 97
	}
	scores := make([]float64, count)
	for b.Loop() {
		for q := range 360 {
			m.ScoresInto(scores, m.Row(q))
		}
	}
}
