package paired

import "maps"

// An Axis is one key of a grid with its values, in the order that breaks ties.
type Axis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Points lists the settings of a grid, each a value by key, the last key moving fastest; one empty setting for no axes.
func Points(axes []Axis) []map[string]string {
	points := []map[string]string{{}}
	for _, axis := range axes {
		var next []map[string]string
		for _, p := range points {
			for _, v := range axis.Values {
				values := maps.Clone(p)
				values[axis.Key] = v
				next = append(next, values)
			}
		}
		points = next
	}
	return points
}

// Size counts the settings of a grid, but no further than one beyond limit.
func Size(axes []Axis, limit int) int {
	size := 1
	for _, axis := range axes {
		if size *= len(axis.Values); size == 0 || size > limit {
			return min(size, limit+1)
		}
	}
	return size
}

// Best returns the first of n candidates with the largest value. It is the selection rule of every design: a tie goes to
// what stands first.
func Best[V int64 | float64](n int, value func(i int) (V, error)) (best int, err error) {
	var top V
	for i := range n {
		v, err := value(i)
		if err != nil {
			return 0, err
		}
		if i == 0 || v > top {
			best, top = i, v
		}
	}
	return best, nil
}
