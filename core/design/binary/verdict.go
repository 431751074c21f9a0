package binary

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// Verdict says what the methods did on the last split.
func (b *Spec) Verdict(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	var r Results
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a binary study: %w", err)
	}
	last := b.Splits[len(b.Splits)-1]
	v := sentence{spec: b, protocol: p, split: last, result: r.Splits[last.Name]}
	v.same(r.Same)
	for _, m := range p.Methods {
		held, ok := v.result.Methods[m.Name]
		if !ok || slices.Contains(v.said, m.Name) {
			continue
		}
		v.method(m.Name, held)
	}
	v.Words(".")
	v.undefined()
	return v.Parts, nil
}

type sentence struct {
	verdict.Sentence
	spec     *Spec
	protocol *study.Protocol
	split    Split
	result   SplitResult
	said     []string // methods that another one stands for
	begun    bool
}

// same says which methods returned exactly what another one does.
func (v *sentence) same(list []SameResult) {
	for i, same := range list {
		last := len(same.Methods) - 1
		v.Words(v.protocol.Label(same.Methods[last]) + " returned exactly what " + lower(v.protocol.Label(same.Methods[0])) + " does for all ")
		v.Number(numpath.Of("same", fmt.Sprint(i), "needs"), show.Integer, float64(same.Needs))
		v.Words(" needs. ")
		v.said = append(v.said, same.Methods[:last]...)
	}
}

// method says what a method scored: means over the needs for which a measure is defined.
func (v *sentence) method(name string, held MethodResult) {
	path := func(key string) string { return numpath.Of("splits", v.split.Name, "methods", name, key) }
	if v.begun {
		v.Words("; ")
	} else {
		v.Words("On the ")
		v.Number(path("defined"), show.Integer, float64(held.Defined))
		v.Words(" " + v.split.Spoken() + " needs that have a relevant passage, ")
	}
	v.begun = true
	v.Words(v.protocol.Label(name) + " has ")
	for i, spec := range v.spec.Measures {
		switch {
		case i == 0:
		case i == len(v.spec.Measures)-1:
			v.Words(" and ")
		default:
			v.Words(", ")
		}
		v.Words(spec.Spoken() + " ")
		if value := held.Means[spec.Key]; value != nil {
			v.Number(path(spec.Key), show.Measure, *value)
		} else {
			v.Words("undefined")
		}
		if spec.Always() && v.result.Needs > held.Defined {
			v.Words(" (over all ")
			v.Number(numpath.Of("splits", v.split.Name, "needs"), show.Integer, float64(v.result.Needs))
			v.Words(" needs)")
		}
	}
}

// undefined says what methods returned for needs without a relevant passage.
func (v *sentence) undefined() {
	first := true
	for _, m := range v.protocol.Methods {
		held := v.result.Methods[m.Name]
		if slices.Contains(v.said, m.Name) || len(held.Undefined) == 0 {
			continue
		}
		if first {
			v.Words(" Where nothing is relevant, ")
		} else {
			v.Words(" and ")
		}
		v.Words(v.protocol.Label(m.Name) + " returns ")
		for i, u := range held.Undefined {
			if i > 0 {
				v.Words(", ")
			}
			v.Number(numpath.Of("splits", v.split.Name, "methods", m.Name, "undefined", fmt.Sprint(i), "candidates"), show.Integer, float64(u.Candidates))
		}
		if first {
			v.Words(" passages all the same")
		}
		first = false
	}
	if !first {
		v.Words(".")
	}
}

// lower puts a label inside a sentence: "the scan" for Scan; an abbreviation stays.
func lower(label string) string {
	if strings.ToUpper(label) == label {
		return label
	}
	return "the " + strings.ToLower(label)
}
