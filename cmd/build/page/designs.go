package page

import (
	"fmt"

	"retrace/core/design/adhoc"
	"retrace/core/design/binary"
	"retrace/core/design/graded"
	"retrace/core/design/knownitem"
)

// A designPage is what a design's article consists of.
type designPage struct {
	template string // in templates/
	words    designWords
	// build makes what the template shows, and what the script needs for the design's views; nothing where the study has
	// nothing but numbers to show.
	build func(a *article) (shown bool, err error)
}

// designWords name things as the design's readers do.
type designWords struct {
	Documents string // what is searched
	Asked     string // what for
	Last      string // what a replay computes last
}

// designPages is the table of designs, by their keys in study.json.
var designPages = map[string]designPage{
	knownitem.Key: {"known-item", designWords{"documents", "questions", "p-value"}, buildKnownItem},
	graded.Key:    {"graded", designWords{"documents", "tasks", "p-value"}, buildGraded},
	binary.Key:    {"binary", designWords{"passages", "needs", "mean"}, buildBinary},
	adhoc.Key:     {"adhoc", designWords{"documents", "topics", "p-value"}, buildAdhoc},
}

func (a *article) buildDesign() error {
	d, ok := designPages[a.Protocol.Design]
	if !ok {
		return fmt.Errorf("no page is built for studies of the design %q: add a row to designPages in cmd/build/page", a.Protocol.Design)
	}
	a.Words = d.words
	shown, err := d.build(a)
	if a.Content = d.template; !shown {
		a.Content, a.Example = "plain", "PATH"
	}
	return err
}

func buildKnownItem(a *article) (shown bool, err error) {
	if len(knownitem.Of(a.Protocol).Contrasts) == 0 {
		return false, nil
	}
	if a.Known, err = newKnownItem(a, a.data.Results); err != nil {
		return false, err
	}
	a.Example = "contrasts." + a.Known.Primary.Name + ".difference"
	a.data.Views.KnownItem = a.Known.embedded(a)
	return true, nil
}

func buildGraded(a *article) (shown bool, err error) {
	if len(graded.Of(a.Protocol).Contrasts) == 0 {
		return false, nil
	}
	if a.Graded, err = newGradedStudy(a, a.data.Results); err != nil {
		return false, err
	}
	a.Example = "contrasts." + a.Graded.Spec.Contrasts[0].Name + ".difference"
	a.data.Views.Graded = a.Graded.embedded(a)
	return true, nil
}

func buildBinary(a *article) (shown bool, err error) {
	if a.Binary, err = newBinaryStudy(a, a.data.Results); err != nil {
		return false, err
	}
	spec := a.Binary.Spec
	last := spec.Splits[len(spec.Splits)-1]
	a.Example = fmt.Sprintf("splits.%s.methods.%s.%s", last.Name, a.Protocol.Methods[0].Name, spec.Measures[0].Key)
	a.data.Views.Binary = a.Binary.Embedded(a)
	return true, nil
}
