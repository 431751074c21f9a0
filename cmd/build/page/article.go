package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"retrace/cmd/build/page/embedded"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/proto"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
	bundled "retrace/kit"
)

// An article is what a study's page says.
type article struct {
	ID       string
	Study    *study.Study
	Protocol *study.Protocol
	Numbers  numbers
	Verdict  []verdict.Part
	Frozen   []frozenResults // what a replay can be compared with: the results that it gives first, then those with vectors
	Files    []fileRow
	Document string        // the protocol in words
	Notes    string        // how the data came about, in words
	Content  string        // template of what stands between the head and the files: the design's, or "plain"
	Words    designWords   // of the design
	Known    *knownItem    // of a known-item study
	Graded   *gradedStudy  // of a graded study
	Binary   *binaryStudy  // of a binary study
	Adhoc    *adhocStudy   // of an adhoc study
	Example  string        // path of a number to explain
	Source   string        // what native is told to find the study: its ID where it is bundled, its archive, or its ID and --kit
	Late     bool          // a replay needs the vectors, which are loaded when it is asked for
	Stages   []string      // of a replay
	All      []show.Number // every frozen number, in the results' order

	address func(string) string
	data    embedded.Page
	written map[string]bool // paths of the numbers that the page's text holds
}

// frozenResults is one file of frozen results.
type frozenResults struct {
	Path, SHA256 string
	Numbers      int
	Vectors      bool // it holds what needs vectors
}

// fileRow is one file of the kit in the integrity panel.
type fileRow struct {
	kit.File
	Address string // below the site's root
	Load    string // "replay": every replay reads it; "vectors": only one with vectors; "": none
}

func newArticle(in Input, id string) (*article, error) {
	st, err := design.Load(in.Kit, id)
	if err != nil {
		return nil, err
	}
	a := &article{ID: id, Study: st, Protocol: st.Protocol, Numbers: numbers{}, written: map[string]bool{}, address: in.Address}
	a.data = embedded.Page{
		Study: id, Design: embedded.Design(st.Protocol.Design), Parts: st.PartsWithoutVectors(), Documents: st.Collection.Len(),
		Texts: map[string]string{}, Methods: []proto.MethodInfo{}, Vectors: []string{},
	}
	for _, step := range []func() error{a.readTexts, a.listMethods, a.listStages, a.readResults} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	a.listVectors()
	a.listFiles()
	if a.Verdict, err = st.Protocol.Spec.Verdict(st.Protocol, a.data.Results); err != nil {
		return nil, err
	}
	if err := a.buildDesign(); err != nil {
		return nil, err
	}
	if a.Example == "PATH" && len(a.All) > 0 {
		a.Example = a.All[0].Path
	}
	a.Source = source(in, id)
	a.data.Figures, err = figures(in.Kit, id)
	return a, err
}

// source says how native finds a study. Only those that it holds as they are here go by their ID alone.
func source(in Input, id string) string {
	name := id + "/manifest.json"
	here, err := fs.ReadFile(in.Kit, name)
	if held, missing := fs.ReadFile(bundled.FS, name); err == nil && missing == nil && bytes.Equal(here, held) {
		return id
	}
	if len(in.Archives[id].Files) > 0 {
		return id + ".zip"
	}
	return id + " --kit FOLDER"
}

// FromArchive reports whether the page's commands name the study's archive.
func (a *article) FromArchive() bool { return strings.HasSuffix(a.Source, ".zip") }

// FromKit reports whether they name a folder that the reader must have.
func (a *article) FromKit() bool { return strings.Contains(a.Source, "--kit") }

// readTexts reads what stands in words beside the protocol.
func (a *article) readTexts() error {
	for file, text := range map[string]*string{a.Protocol.Document: &a.Document, a.Protocol.Notes: &a.Notes} {
		if file == "" {
			continue
		}
		data, err := a.Study.Kit.Read(file)
		if err != nil {
			return err
		}
		*text = string(data)
	}
	return nil
}

func (a *article) listMethods() error {
	st := a.Study
	for _, m := range a.Protocol.Methods {
		a.data.Methods = append(a.data.Methods, proto.MethodInfo{
			Name: m.Name, Term: st.TermOf(m.Name), Role: m.Role, Label: m.Label, Note: m.Note, NeedsVectors: st.NeedsVectors(m.Name),
		})
	}
	return nil
}

func (a *article) listStages() error {
	r, err := a.Study.NewReplay(study.Options{WithoutVectors: a.data.Parts})
	if err != nil {
		return err
	}
	a.Stages = r.Stages()
	return nil
}

// readResults reads the frozen results, and lists with what a replay reads those that it is compared with.
func (a *article) readResults() (err error) {
	data := &a.data
	if data.Needs, err = needed(a.Study); err != nil {
		return err
	}
	options := []study.Options{{WithoutVectors: true}, {}}
	if !data.Parts {
		options = options[1:]
	}
	for _, o := range options {
		f, err := a.readFrozen(a.Protocol.FrozenResults(o))
		if err != nil {
			return err
		}
		f.Vectors = data.Parts && !o.WithoutVectors
		a.Frozen = append(a.Frozen, f)
		data.Frozen = append(data.Frozen, embedded.Frozen{Path: f.Path, SHA256: f.SHA256, Numbers: f.Numbers})
		if !f.Vectors {
			data.Needs = append(data.Needs, f.Path)
		}
	}
	slices.Sort(data.Needs)
	data.Needs = slices.Compact(data.Needs)
	return nil
}

// listVectors lists the files that only what needs vectors reads.
func (a *article) listVectors() {
	p, data := a.Protocol, &a.data
	if p.Collection.Vectors == "" {
		return
	}
	for _, f := range []string{p.Collection.Vectors, p.Questions.Vectors} {
		data.Vectors = append(data.Vectors, f, study.SidecarOf(f))
	}
	if data.Parts {
		data.Vectors = append(data.Vectors, a.Frozen[1].Path)
	} else {
		// Much to load for somebody who only reads: it waits until something is to be computed.
		data.Late, a.Late = true, true
	}
}

// readFrozen adds a file of frozen results to the article. Files are read in ascending order of what they hold: the last
// is the one that the page shows.
func (a *article) readFrozen(name string) (frozenResults, error) {
	data := &a.data
	content, err := a.Study.Kit.Read(name)
	if err != nil {
		return frozenResults{}, err
	}
	if data.Results != nil {
		if err := sameWhereBoth(a.Study, data.Results, content); err != nil {
			return frozenResults{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	data.Results = content
	if a.All, err = a.Study.Numbers(content); err != nil {
		return frozenResults{}, err
	}
	for _, n := range a.All {
		a.Numbers[n.Path] = n
		data.Texts[n.Path] = n.Text
	}
	return frozenResults{Path: name, SHA256: kit.Hash(content), Numbers: len(a.All)}, nil
}

// sameWhereBoth checks that the results without vectors are a part of those with them: the page marks a number as
// reproduced whichever replay gave it.
func sameWhereBoth(st *study.Study, part, whole []byte) error {
	a, err := st.Numbers(part)
	if err != nil {
		return err
	}
	b, err := st.Numbers(whole)
	if err != nil {
		return err
	}
	held := map[string]string{}
	for _, n := range b {
		held[n.Path] = n.Value
	}
	for _, n := range a {
		if held[n.Path] != n.Value {
			return fmt.Errorf("%s is %q here and %s in the results without vectors: freeze both again", n.Path, held[n.Path], n.Value)
		}
	}
	return nil
}

func (a *article) listFiles() {
	for _, f := range a.Study.Kit.Files() {
		row := fileRow{File: f, Address: a.address(f.Path)}
		switch {
		case slices.Contains(a.data.Needs, f.Path):
			row.Load = "replay"
		case slices.Contains(a.data.Vectors, f.Path):
			row.Load = "vectors"
		}
		a.Files = append(a.Files, row)
	}
}

// figures asks the engine for what figures draw beyond the results' numbers.
func figures(fsys fs.FS, id string) (result proto.FiguresResult, err error) {
	request, err := json.Marshal(proto.FiguresRequest{Head: proto.Head{ID: json.RawMessage("1"), Kind: "figures"}, Study: id})
	if err != nil {
		return result, err
	}
	var reply struct {
		Result *proto.FiguresResult
		Error  *proto.Error
	}
	reply.Result = &result
	if err := json.Unmarshal(proto.Handle(proto.NewSessionFS(design.All, fsys), request), &reply); err != nil {
		return result, err
	}
	if reply.Error != nil {
		return result, fmt.Errorf("figures: %s", reply.Error.Message)
	}
	return result, nil
}

// Data is the script's data as JSON into which no text of a kit can put markup: the encoder escapes <, > and &. It stands
// last in the page, and leaves out the texts of numbers that the page has shown before.
func (a *article) Data() (template.JS, error) {
	data := a.data
	data.Texts = map[string]string{}
	for path, text := range a.data.Texts {
		if !a.written[path] {
			data.Texts[path] = text
		}
	}
	text, err := json.Marshal(data)
	return template.JS(text), err
}

func (a *article) page(in Input, name string) *pageData {
	return &pageData{article: a, Frame: frame{Input: in, Root: Root(name), Title: plainText(a.Protocol.Title),
		Description: plainText(verdict.Text(a.Verdict)), Study: a.ID, Script: true}}
}

// Self is the article, for templates that look at it from inside a page.
func (a *article) Self() *article { return a }

// Num is the number at a path that keys make.
func (a *article) Num(keys ...any) (template.HTML, error) {
	p, err := joinPath(keys...)
	if err != nil {
		return "", err
	}
	a.written[p] = true
	return a.Numbers.html(p)
}

// Val is the number at a path that keys make, "undefined" where the results hold none.
func (a *article) Val(keys ...any) (template.HTML, error) {
	p, err := joinPath(keys...)
	if err != nil {
		return "", err
	}
	if _, ok := a.Numbers[p]; !ok {
		return undefined, nil
	}
	return a.Num(keys...)
}

func (a *article) pieces(list []verdict.Part) (template.HTML, error) {
	var b strings.Builder
	for _, p := range list {
		if p.Path == "" {
			b.WriteString(string(kitText(p.Text)))
			continue
		}
		number, err := a.Numbers.html(p.Path)
		if err != nil {
			return "", err
		}
		b.WriteString(string(number))
	}
	return template.HTML(b.String()), nil
}

// Apart reports whether the results that need vectors are replayed only when somebody asks for them.
func (a *article) Apart() bool { return a.data.Parts }

// longestExample is how many characters an example of a question may have.
const longestExample = 90

// Placeholder is one of the study's own questions, as an example of what can be asked: the first that isn't too long for
// the field; "" where all are.
func (a *article) Placeholder() string {
	for _, q := range a.Study.Questions {
		if text := plainText(q.Text); len([]rune(text)) <= longestExample {
			return text
		}
	}
	return ""
}

// lexical reports whether none of the methods uses embeddings.
func (a *article) lexical(names ...string) bool {
	return !slices.ContainsFunc(names, a.Study.NeedsVectors)
}

// Year is that of publication; "" where the protocol gives none.
func (a *article) Year() string { return a.Protocol.Published[:min(4, len(a.Protocol.Published))] }

// Sum is the size of the files that are loaded for a purpose; see fileRow.
func (a *article) Sum(load string) (n int64) {
	for _, f := range a.Files {
		if f.Load == load {
			n += f.Bytes
		}
	}
	return n
}

// Name is the last part of a file's path.
func (f fileRow) Name() string { return path.Base(f.Path) }
