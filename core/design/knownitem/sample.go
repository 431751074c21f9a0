package knownitem

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/records"
	"retrace/core/show"
	"retrace/core/study"
)

// eligible reports whether a document may be a target.
func (k *Spec) eligible(c *collection.Collection, doc int) bool {
	return collection.Words(c.Docs[doc].Text) >= k.Sample.MinWords
}

// A SampleResult says what drawing the sample again gave.
type SampleResult struct {
	Eligible    int          `json:"eligible"` // documents
	Bands       []BandResult `json:"bands"`
	Families    int          `json:"families"`
	Development int          `json:"development"` // families
	Test        int          `json:"test"`        // families
	Questions   int          `json:"questions"`
	Reproduced  bool         `json:"reproduced"` // the draw gives the targets' file, line by line
}

// A BandResult is one band of sequential IDs.
type BandResult struct {
	First    int `json:"first"`
	Last     int `json:"last"`
	Eligible int `json:"eligible"`
	Drawn    int `json:"drawn"`
}

// drawSample draws targets and split again from the seed and compares them with the targets' file; a difference is an
// error that names the family.
func (k *Loaded) drawSample() (SampleResult, error) {
	docs := k.study.Collection.Docs
	result := SampleResult{Families: len(k.families), Questions: len(k.study.Questions)}
	drawn, bands, err := k.spec.draw(k.study.Protocol.Seed, k.study.Collection)
	if err != nil {
		return SampleResult{}, err
	}
	result.Bands = bands
	for _, b := range bands {
		result.Eligible += b.Eligible
	}
	fail := func(line int, format string, args ...any) (SampleResult, error) {
		return SampleResult{}, records.Errorf(k.spec.Targets, line, drawHint, format, args...)
	}
	for i, f := range k.families {
		if d := drawn[i]; f.Target != d.target || f.Band != d.band {
			return fail(f.Line, "family %s: the draw gives target %s of band %d, the file %s of band %d", f.ID, docs[d.target].ID, d.band, docs[f.Target].ID, f.Band)
		}
	}
	for i, f := range k.families {
		if drawn[i].dev != (f.Split == development) {
			return fail(f.Line, "family %s: the draw and the file disagree on its split, %s in the file", f.ID, f.Split)
		}
		if drawn[i].dev {
			result.Development++
		} else {
			result.Test++
		}
	}
	result.Reproduced = true
	return result, nil
}

const drawHint = "targets and split follow from the seed by the protocol's rule; check both, or let `build draw` write the file"

// A drawnFamily is one line of the targets' file.
type drawnFamily struct {
	target int // document
	band   int // from 1
	dev    bool
}

// draw draws the sample: families in ascending ID, and the bands of documents that they are from.
func (k *Spec) draw(seed uint64, c *collection.Collection) ([]drawnFamily, []BandResult, error) {
	spec := k.Sample
	// Bands are of sequential numbers: the place in ascending order of ID, from 1.
	var bands []BandResult
	var drawn []int // documents: band 1's in the order drawn, then band 2's, …
	for b, stream := range spec.BandStreams {
		band := BandResult{First: b*spec.BandWidth + 1, Last: (b + 1) * spec.BandWidth}
		var eligible []int
		for d := band.First - 1; d < min(band.Last, c.Len()); d++ {
			if k.eligible(c, d) {
				eligible = append(eligible, d)
			}
		}
		if len(eligible) < spec.PerBand {
			return nil, nil, records.Errorf(k.Targets, 0, "lower sample.minWords or sample.perBand, or make bands wider", "band %d (%d–%d) has %d eligible documents, fewer than the %d to be drawn", b+1, band.First, band.Last, len(eligible), spec.PerBand)
		}
		for _, i := range exact.NewStream(seed, stream).Draw(spec.PerBand, len(eligible)) {
			drawn = append(drawn, eligible[i])
		}
		band.Eligible, band.Drawn = len(eligible), spec.PerBand
		bands = append(bands, band)
	}
	// The i-th of the permutation becomes family i.
	families := make([]drawnFamily, len(drawn))
	for i, j := range exact.NewStream(seed, spec.FamilyStream).Draw(len(drawn), len(drawn)) {
		families[i] = drawnFamily{target: drawn[j], band: j/spec.PerBand + 1}
	}
	for _, i := range exact.NewStream(seed, spec.DevelopmentStream).Draw(spec.Development, len(families)) {
		families[i].dev = true
	}
	return families, bands, nil
}

// Targets draws the sample of a study, whose targets need not exist yet, and returns the targets' file:
// families F1, F2, … with leading zeros, so that they sort.
func Targets(designs study.Designs, fsys fs.FS, id string) (file string, data []byte, err error) {
	s, err := study.Open(designs, fsys, id)
	if err != nil {
		return "", nil, err
	}
	k := Of(s.Protocol)
	if k == nil {
		return "", nil, records.Errorf(id+"/study.json", 0, "other designs draw their splits whenever they are loaded, or have none",
			"only %s studies draw targets", Key)
	}
	families, _, err := k.draw(s.Protocol.Seed, s.Collection)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(strings.Join(targetColumns, "\t") + "\n")
	width := len(strconv.Itoa(len(families)))
	for i, f := range families {
		split := test
		if f.dev {
			split = development
		}
		fmt.Fprintf(&b, "F%0*d\t%s\t%d\t%s\n", width, i+1, s.Collection.Docs[f.target].ID, f.band, split)
	}
	return k.Targets, []byte(b.String()), nil
}

// sampleRows explain the draw.
func (k *Loaded) sampleRows() []study.Row {
	row := func(what string, value func() int) study.Row {
		return study.Row{Shape: "sample." + what, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.sampleNode(x, what, value()), nil
		}}
	}
	band := func(what string, value func(BandResult) int) study.Row {
		return study.Row{Shape: "sample.bands.*." + what, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			i, ok := x.Index(2, len(k.sample.Bands))
			if !ok {
				return nil, nil
			}
			return k.sampleNode(x, fmt.Sprintf("band %d, %s", i+1, what), value(k.sample.Bands[i])), nil
		}}
	}
	return []study.Row{
		row("eligible", func() int { return k.sample.Eligible }), row("families", func() int { return k.sample.Families }),
		row("development", func() int { return k.sample.Development }), row("test", func() int { return k.sample.Test }),
		row("questions", func() int { return k.sample.Questions }),
		band("first", func(b BandResult) int { return b.First }), band("last", func(b BandResult) int { return b.Last }),
		band("eligible", func(b BandResult) int { return b.Eligible }), band("drawn", func(b BandResult) int { return b.Drawn }),
	}
}

func (k *Loaded) sampleNode(x *study.Explainer, what string, value int) *explain.Node {
	node := x.Number("sample: "+what, float64(value),
		fmt.Sprintf("Targets were drawn from the documents with at least %d words, so many from each band of sequential IDs, and split into "+
			"development and test families. The draw was run again from the seed and gives %s, line by line.", k.spec.Sample.MinWords, k.spec.Targets),
		"partial Fisher–Yates, PCG streams of the protocol", (*exact.Stream).Draw)
	node.Inputs = []explain.Input{{Label: "targets", Where: k.spec.Targets},
		{Label: "seed and streams", Text: strconv.FormatUint(k.study.Protocol.Seed, 10), Path: "protocol"}}
	return node
}
