package lanes

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/encoder"
	"retrace/core/exact"
	"retrace/core/graph"
	"retrace/core/rank"
	"retrace/core/walk"
)

// TestSameBits holds every kernel of this machine to plain Go: all numbers of rows, panels odd and even, values of all
// magnitudes, subnormal and infinite ones among them, strides wider than the rows, and nothing written beyond.
func TestSameBits(t *testing.T) {
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rows, depth := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.OneOf(rapid.IntRange(0, 70),
					rapid.IntRange(190, 400)).Draw(t, "depth")
				panels := rapid.IntRange(0, 5).Draw(t, "panels")
				aStride, outStride := depth+rapid.IntRange(0, 3).Draw(t, "a gap"), panels*encoder.Columns+rapid.IntRange(0, 3).Draw(t,
					"out gap")
				s := exact.NewStream(rapid.Uint64().Draw(t, "seed"), 1)
				wild := rapid.Bool().Draw(t, "wild")
				values := func(n int) []float32 {
					out := make([]float32, n)
					for i := range out {
						if wild && s.IntN(8) == 0 { // any exponent, without not-a-numbers
							out[i] = math.Float32frombits(uint32(s.IntN(0x7f800000 + 1)))
						} else {
							out[i] = float32(s.IntN(1<<24)-1<<23) * 0x1p-20
						}
					}
					return out
				}
				a, b := values(rows*aStride), values(panels*depth*encoder.Columns)
				want := values(rows * outStride)
				got := append([]float32{}, want...)
				encoder.Multiply(want, outStride, a, aStride, rows, depth, b)
				k.Multiply(got, outStride, a, aStride, rows, depth, b)
				for i := range want {
					if x, y := math.Float32bits(got[i]), math.Float32bits(want[i]); x != y && !(got[i] != got[i] && want[i] != want[i]) {
						t.Fatalf("value %d: %x, plain Go gives %x", i, x, y)
					}
				}
			})
		})
	}
}

// TestSameGELU goes through all sizes of float32, both signs, and lengths that leave a rest.
func TestSameGELU(t *testing.T) {
	for _, k := range All() {
		var values []float32
		for bits := uint32(0); bits <= 0x7f800000; bits += 0x4321 {
			values = append(values, math.Float32frombits(bits), math.Float32frombits(bits|1<<31))
		}
		for x := float32(-8); x < 8; x += 0x1p-10 {
			values = append(values, x)
		}
		values = append(values, float32(math.NaN()), 1, -1)
		for cut := range 9 {
			some := append([]float32{}, values[cut:]...)
			if cut > 0 {
				some = some[:1000+cut]
			}
			k.GELU(some)
			for i, got := range some {
				want := exact.GELU32(values[cut+i])
				if math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
					t.Fatalf("%s: GELU(%v) = %v, want %v", k.Name, values[cut+i], got, want)
				}
			}
		}
	}
}

// TestSameSpread holds every step of a walk that this machine can do to plain Go's, over whole walks: random graphs both
// directed and not, nodes without neighbours among them, and batches that leave lanes empty.
func TestSameSpread(t *testing.T) {
	for i, spread := range spreads() {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 40).Draw(t, "n")
			node := rapid.IntRange(0, n-1)
			var links []collection.Link
			for range rapid.IntRange(0, 120).Draw(t, "links") {
				links = append(links, collection.Link{Source: node.Draw(t, "source"), Target: node.Draw(t, "target")})
			}
			g := graph.Undirected(n, links)
			if rapid.Bool().Draw(t, "directed") {
				g = graph.Directed(n, links)
			}
			seeds := make([][]rank.Hit, rapid.IntRange(0, walk.Lanes).Draw(t, "questions"))
			got, want := make([]*rank.Scores, len(seeds)), make([]*rank.Scores, len(seeds))
			for q := range seeds {
				got[q], want[q] = rank.New(n), rank.New(n)
				for _, d := range rapid.SliceOfNDistinct(node, 0, min(n, 5), rapid.ID[int]).Draw(t, "seeds") {
					seeds[q] = append(seeds[q], rank.Hit{Doc: d, Score: rapid.Float64Range(0.01, 1).Draw(t, "mass")})
				}
			}
			teleport, steps := rapid.Float64Range(0, 1).Draw(t, "teleport"), rapid.IntRange(0, 25).Draw(t, "steps")
			w := walk.NewPageRank(g)
			w.Run(seeds, teleport, steps, want)
			w.Spread = spread
			w.Run(seeds, teleport, steps, got)
			for q := range seeds {
				for d, x := range got[q].Value {
					if y := want[q].Value[d]; math.Float64bits(x) != math.Float64bits(y) {
						t.Fatalf("step %d, question %d, node %d: %v, plain Go gives %v", i, q, d, x, y)
					}
				}
			}
		})
	}
}

// TestOrder holds plain Go itself to the stated order, with sums whose rounding shows it: 1 is lost beside 2²⁴ when added
// to it, but not before it; and a product is rounded before it is added, so that (1 + 2⁻¹²)² loses 2⁻²⁴.
func TestOrder(t *testing.T) {
	for _, k := range All() {
		for _, c := range []struct {
			start   float32
			a, b    []float32
			want    float32
			because string
		}{
			{0, []float32{0x1p24, 1, 1, -0x1p24}, []float32{1, 1, 1, 1}, 0, "left to right"},
			{0, []float32{1, 1, 0x1p24, -0x1p24}, []float32{1, 1, 1, 1}, 2, "left to right"},
			{0x1p24, []float32{1, 1}, []float32{1, 1}, 0x1p24, "the start comes first"},
			{-1, []float32{1 + 0x1p-12}, []float32{1 + 0x1p-12}, 0x1p-11, "the product is rounded"},
		} {
			for _, rows := range []int{1, 4, 12, 17} {
				out, a := make([]float32, rows*encoder.Columns), make([]float32, 0, rows*len(c.a))
				for range rows {
					a = append(a, c.a...)
				}
				for i := range out {
					out[i] = c.start
				}
				panel := make([]float32, len(c.b)*encoder.Columns)
				for i := range panel {
					panel[i] = c.b[i/encoder.Columns]
				}
				k.Multiply(out, encoder.Columns, a, len(c.a), rows, len(c.a), panel)
				for i, x := range out {
					if x != c.want {
						t.Fatalf("%s, %d rows, value %d: %v, want %v: %s", k.Name, rows, i, x, c.want, c.because)
					}
				}
			}
		}
	}
}

// Both products of a layer of all-MiniLM-L6-v2 between 384 and 1,536 values, for 512 word pieces.
func BenchmarkMultiply(b *testing.B) {
	const rows, narrow, wide = 512, 384, 1536
	a, panels, out := make([]float32, rows*wide), make([]float32, narrow*wide), make([]float32, rows*wide)
	for i := range a {
		a[i] = float32(i%17) - 8
	}
	for i := range panels {
		panels[i] = float32(i%13) - 6
	}
	for _, k := range All() {
		b.Run(k.Name, func(b *testing.B) {
			for range b.N {
				k.Multiply(out, wide, a, narrow, rows, narrow, panels)
				k.Multiply(out, narrow, a, wide, rows, wide, panels)
			}
			b.ReportMetric(2*float64(b.N)*rows*narrow*wide/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

func BenchmarkGELU(b *testing.B) {
	values := make([]float32, 1536)
	for _, k := range All() {
		b.Run(k.Name, func(b *testing.B) {
			for range b.N {
				for i := range values {
					values[i] = float32(i-768) / 128
				}
				k.GELU(values)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/value")
		})
	}
}
