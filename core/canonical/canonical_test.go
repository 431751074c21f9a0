package canonical

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

// The examples are those of RFC 8785: section 3.2.2 (whole), 3.2.3 (order of keys) and appendix B (numbers).
func TestExamples(t *testing.T) {
	for in, want := range map[string]string{
		`{
		  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
		  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
		  "literals": [null, true, false]
		}`: `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`: "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
	} {
		got, err := Transform([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("Transform(%s)\n got %s, %v\nwant %s", in, got, err, want)
		}
	}
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0", 0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000", 0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001", 0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555556: "333333333.3333334",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		if got := string(AppendNumber(nil, math.Float64frombits(bits))); got != want {
			t.Errorf("%#x: %s, want %s", bits, got, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, in := range []string{``, `{`, `[1,]`, `{"a":1,"a":2}`, `1 2`, "\"\xff\"", `1e999`, `nul`} {
		if got, err := Transform([]byte(in)); err == nil {
			t.Errorf("Transform(%q) = %s, want an error", in, got)
		}
	}
}

// TestAgainstJCS compares with the reference implementation's Go port on random values.
func TestAgainstJCS(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := []*rapid.Generator[any]{
			rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int64().AsAny(),
			rapid.Map(rapid.Uint64(), func(b uint64) any {
				if x := math.Float64frombits(b); !math.IsNaN(x) && !math.IsInf(x, 0) {
					return x
				}
				return 0.5
			}),
		}
		if depth > 0 {
			leaf = append(leaf, rapid.SliceOfN(value(depth-1), 0, 4).AsAny(), rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).AsAny())
		}
		return rapid.OneOf(leaf...)
	}
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(value(3).Draw(t, "value"))
		if err != nil {
			t.Skip()
		}
		got, err := Transform(data)
		want, err2 := jcs.Transform(data)
		if (err == nil) != (err2 == nil) || string(got) != string(want) {
			t.Fatalf("%s\n got %s, %v\nwant %s, %v", data, got, err, want, err2)
		}
	})
}

func FuzzTransform(f *testing.F) {
	f.Add([]byte(`{"b":[1e-7,"\u2028"],"a":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := Transform(data)
		if err != nil {
			return
		}
		twice, err := Transform(once)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%q → %q → %q: %v", data, once, twice, err)
		}
	})
}
