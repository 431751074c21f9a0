package design_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"retrace/core/design"
	"retrace/core/study"
)

// Every number of results has an explanation that computes the same number, and what an explanation leads to has one
// too.
func TestEveryNumberIsExplained(t *testing.T) {
	for _, id := range []string{"first-baseline", "r02"} {
		s, err := design.Load(os.DirFS("../../kit"), id)
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Kit.Read(s.Protocol.FrozenResults(study.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := s.Numbers(results)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		follow := []string{}
		for _, n := range numbers {
			node, err := s.Explain(nil, n.Path)
			if err != nil {
				t.Errorf("%s: %s: %v", id, n.Path, err)
				continue
			}
			var want float64
			if err := json.Unmarshal([]byte(n.Value), &want); err != nil {
				t.Fatal(err)
			}
			if node.Value == nil || *node.Value != want {
				t.Errorf("%s: %s: explained as %v, the results have %s", id, n.Path, node.Value, n.Value)
			}
			if node.Text != n.Text || node.Sentence == "" || node.Source.Line == 0 {
				t.Errorf("%s: %s: text %q (shown as %q), sentence %q, source %+v", id, n.Path, node.Text, n.Text, node.Sentence, node.Source)
			}
			// One input of each kind is followed: they are many of a kind.
			for _, in := range node.Inputs[:min(2, len(node.Inputs))] {
				if in.Path != "" && !seen[in.Path] && len(follow) < 400 {
					seen[in.Path] = true
					follow = append(follow, in.Path)
				}
			}
		}
		for i := 0; i < len(follow); i++ {
			node, err := s.Explain(nil, follow[i])
			if err != nil {
				t.Errorf("%s: %s: %v", id, follow[i], err)
				continue
			}
			for _, in := range node.Inputs[:min(1, len(node.Inputs))] {
				if in.Path != "" && !seen[in.Path] && len(follow) < 500 {
					seen[in.Path] = true
					follow = append(follow, in.Path)
				}
			}
		}
		t.Logf("%s: %d numbers, %d more nodes", id, len(numbers), len(follow))
	}
}

// A task's difference leads to its two sides. The values of A03 were printed by an implementation in Python that was written
// from the protocol alone: typed 0.7845463160185409, baseline 0.929133477280255.
func TestTaskDifference(t *testing.T) {
	s, err := design.Load(os.DirFS("../../kit"), "r02")
	if err != nil {
		t.Fatal(err)
	}
	node, err := s.Explain(nil, "difference.A03.ndcg5")
	if err != nil {
		t.Fatal(err)
	}
	if want := 0.7845463160185409 - 0.929133477280255; node.Value == nil || math.Abs(*node.Value-want) > 1e-9 || len(node.Inputs) != 2 {
		t.Errorf("%v with %d inputs, want %v with 2", node.Text, len(node.Inputs), want)
	}
	for i, want := range []string{"0.7845", "0.9291"} {
		side, err := s.Explain(nil, node.Inputs[i].Path)
		if err != nil || side.Text != want || node.Inputs[i].Text != want {
			t.Errorf("side %d: %q and %v, want %s: %v", i, node.Inputs[i].Text, side, want, err)
		}
	}
	if node, err = s.Explain(nil, "difference.S02.ndcg5"); err != nil || node.Value != nil || node.Text != "undefined" {
		t.Errorf("a task without nDCG: %v, %v", node, err)
	}
	for _, path := range []string{"difference.A03.none", "difference.none.ndcg5"} {
		if _, err := s.Explain(nil, path); err == nil {
			t.Errorf("%s is explained", path)
		}
	}
}
