package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"retrace/core/author"
	"retrace/core/records"
)

const (
	startName    = "START-HERE.txt"
	citationName = "CITATION.cff"
	crateName    = "ro-crate-metadata.json"
)

// Assemble adds to a study's files (the folders r01/…, concepts/… and so on, and the texts of its licences at LicencePath)
// the files that explain, cite, describe and list them, and returns all in byte order of their paths, ready for Write.
func Assemble(meta Meta, files []File) ([]File, error) {
	if err := meta.Check(); err != nil {
		return nil, err
	}
	files = sorted(files)
	have := map[string]bool{}
	for _, f := range files {
		have[f.Path] = true
	}
	for _, name := range []string{startName, citationName, crateName, sumsName, inventoryName} {
		if have[name] {
			return nil, records.Errorf(name, 0, "leave it out", "is made by packing")
		}
	}
	for _, licence := range []string{meta.DataLicence, meta.CodeLicence} {
		if !have[LicencePath(licence)] {
			return nil, records.Errorf(meta.ID+"/study.json", 0, "add it as "+LicencePath(licence)+" in the kit's root folder", "no text of licence %s", licence)
		}
	}
	files = append(files, File{citationName, citation(meta)})
	files = sorted(append(files, File{startName, startHere(meta, files)}))
	files = sorted(append(files, File{crateName, crate(meta, files)}))
	files = sorted(append(files, File{sumsName, []byte(sums(newInventory(meta, files).Files))}))
	return sorted(append(files, File{inventoryName, newInventory(meta, files).encode()})), nil
}

// describe says what a file is, by its place.
func describe(name string) string {
	switch name {
	case startName:
		return "this text"
	case citationName:
		return "how to cite the study (Citation File Format 1.2.0)"
	case crateName:
		return "description for machines (RO-Crate 1.1, JSON-LD)"
	case sumsName:
		return "SHA-256 of the files, for sha256sum -c"
	case inventoryName:
		return "path, size and SHA-256 of every other file"
	}
	folder, base := path.Split(name)
	switch {
	case strings.HasPrefix(name, "LICENSES/"):
		return "text of a licence"
	case base == "PROTOCOL.md":
		return "the rules of the study, in words"
	case base == "NOTES.md":
		return "how the data were made and what to beware of"
	case base == "study.json":
		return "the rules as data, for the program"
	case base == "manifest.json":
		return "path, size and SHA-256 of the folder's files"
	case strings.HasSuffix(folder, "/seals/"):
		return "seal: hashes of what was fixed at this stage"
	case strings.HasSuffix(folder, "/frozen/") && base == "results.json":
		return "the frozen results, every number, as canonical JSON"
	case strings.HasSuffix(folder, "/frozen/"):
		return "frozen with the results"
	case strings.HasSuffix(base, ".f32"):
		return "vectors: 32-bit floating-point numbers, little-endian"
	}
	return "data, explained in PROTOCOL.md"
}

// mediaType is the file's format in IANA's words where it has one.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "application/json"
	case ".jsonl":
		return "application/jsonl"
	case ".tsv":
		return "text/tab-separated-values"
	case ".md":
		return "text/markdown"
	case ".cff":
		return "application/yaml"
	case ".f32":
		return "application/octet-stream"
	}
	return "text/plain"
}

// citation writes CITATION.cff. A JSON string is a YAML string, so quoting is JSON's.
func citation(m Meta) []byte {
	var b bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, quote(value)) }
	line("cff-version", "1.2.0")
	message, version := "If you use this study, please cite it as below.", m.Version
	if m.Draft {
		message, version = "This is a draft, not sealed: do not cite it.", m.Version+" (draft)"
	}
	line("message", message)
	line("type", "dataset")
	line("title", m.Title)
	b.WriteString("authors:\n")
	for _, a := range m.Authors {
		first := "  - "
		for _, f := range [][2]string{{"family-names", a.Family}, {"given-names", a.Given}, {"affiliation", a.Affiliation}, {"orcid", orcid(a)}, {"name", a.Name}} {
			if f[1] != "" { // "name" is CFF's for an entity, and for what may be one
				b.WriteString(first + f[0] + ": " + quote(f[1]) + "\n")
				first = "    "
			}
		}
	}
	line("abstract", m.Abstract)
	line("version", version)
	line("date-released", m.Published)
	line("license", m.DataLicence)
	return b.Bytes()
}

// orcid is an author's ORCID as an address, which CFF and RO-Crate want.
func orcid(a author.Author) string {
	if a.ORCID == "" {
		return ""
	}
	return "https://orcid.org/" + a.ORCID
}

// authorID is an author's @id in the crate.
func authorID(i int, a author.Author) string {
	return cmp.Or(orcid(a), fmt.Sprintf("#author-%d", i+1))
}

// authorEntities describe the i-th author, and the affiliation (RO-Crate 1.1, "People" and "Organizations as values").
func authorEntities(i int, a author.Author) []map[string]any {
	if !a.Person() {
		return []map[string]any{{"@id": authorID(i, a), "@type": "Organization", "name": a.Name}} // a plain name, too, as in CITATION.cff
	}
	o := map[string]any{"@id": authorID(i, a), "@type": "Person", "name": a.String()}
	for key, value := range map[string]string{"givenName": a.Given, "familyName": a.Family} {
		if value != "" {
			o[key] = value
		}
	}
	if a.Affiliation == "" {
		return []map[string]any{o}
	}
	id := fmt.Sprintf("#affiliation-%d", i+1)
	o["affiliation"] = map[string]any{"@id": id}
	return []map[string]any{o, {"@id": id, "@type": "Organization", "name": a.Affiliation}}
}

// quote is a JSON string without the escapes for HTML.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("archive: quote: " + err.Error()) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// crate writes ro-crate-metadata.json: the descriptor, the root with its required name, description, datePublished and
// license, a Dataset for each folder and a File for each file, and the entities they refer to
// (https://w3id.org/ro/crate/1.1, sections "Root Data Entity", "Data Entities", "Contextual Entities"). Hashes are left to
// INVENTORY.json: the RO-Crate 1.1 context has no term for SHA-256.
func crate(m Meta, files []File) []byte {
	type object = map[string]any
	ref := func(id string) object { return object{"@id": id} }
	var authors []object
	for i, a := range m.Authors {
		authors = append(authors, ref(authorID(i, a)))
	}

	root := object{
		"@id": "./", "@type": "Dataset", "identifier": m.ID, "name": m.Title, "description": m.Abstract + "\n\n" + m.Provenance,
		"version": m.Version, "datePublished": m.Published, "license": ref(spdx(m.DataLicence)),
		"author": compact(authors), "publisher": compact(authors),
	}
	if m.Draft {
		root["creativeWorkStatus"] = "Draft"
	}
	file := func(name string) object {
		o := object{"@id": name, "@type": "File", "name": path.Base(name), "description": describe(name), "encodingFormat": mediaType(name)}
		switch {
		case strings.HasPrefix(name, "LICENSES/"):
		case name == crateName, name == inventoryName, name == sumsName: // they name this file, or the one that does
		default:
			o["license"] = ref(spdx(m.DataLicence))
		}
		return o
	}

	var parts, entities, inside, inputs, results []object
	var folder object
	for _, f := range files {
		o := file(f.Path)
		o["contentSize"] = fmt.Sprint(len(f.Data))
		if top, _, ok := strings.Cut(f.Path, "/"); !ok {
			parts = append(parts, ref(f.Path))
		} else {
			if folder == nil || folder["@id"] != top+"/" {
				inside = nil
				folder = object{"@id": top + "/", "@type": "Dataset", "name": top, "description": describeFolder(m, top)}
				parts = append(parts, ref(top+"/"))
				entities = append(entities, folder)
			}
			inside = append(inside, ref(f.Path))
			folder["hasPart"] = compact(inside)
			switch {
			case strings.HasPrefix(f.Path, m.ID+"/frozen/"):
				results = append(results, ref(f.Path))
			case top != "LICENSES":
				inputs = append(inputs, ref(f.Path))
			}
		}
		entities = append(entities, o)
	}
	for _, name := range []string{sumsName, inventoryName} { // their sizes are not known yet: they cover this file
		parts = append(parts, ref(name))
		entities = append(entities, file(name))
	}
	root["hasPart"] = parts

	graph := []object{
		{"@id": crateName, "@type": "CreativeWork", "conformsTo": ref("https://w3id.org/ro/crate/1.1"), "about": ref("./")},
		root,
	}
	graph = append(graph, entities...)
	for i, a := range m.Authors {
		graph = append(graph, authorEntities(i, a)...)
	}
	graph = append(graph, licence(m.DataLicence, "the study's files"))
	if m.CodeLicence != m.DataLicence {
		graph = append(graph, licence(m.CodeLicence, "the program that computes the study"))
	}
	if len(results) > 0 {
		graph = append(graph,
			object{"@id": "#retrace", "@type": "SoftwareApplication", "name": "Retrace", "license": ref(spdx(m.CodeLicence)),
				"description": "The program that computes a study's results from its files; PROTOCOL.md states the same rules in words."},
			object{"@id": "#computation", "@type": "CreateAction", "name": "Computation of the frozen results",
				"instrument": ref("#retrace"), "agent": compact(authors), "object": compact(inputs), "result": compact(results)})
		root["mentions"] = ref("#computation")
	}

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	// Maps are encoded in order of their keys, so nothing here depends on the order of a map.
	if err := e.Encode(object{"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}); err != nil {
		panic("archive: crate: " + err.Error()) // strings always encode
	}
	return b.Bytes()
}

// compact writes a list of one as the one, as RO-Crate 1.1 recommends (appendix "RO-Crate JSON-LD").
func compact(refs []map[string]any) any {
	if len(refs) == 1 {
		return refs[0]
	}
	return refs
}

func spdx(licence string) string { return "https://spdx.org/licenses/" + licence }

func licence(id, of string) map[string]any {
	return map[string]any{"@id": spdx(id), "@type": "CreativeWork", "name": id,
		"description": "Licence of " + of + "; its text is " + LicencePath(id) + "."}
}

func describeFolder(m Meta, folder string) string {
	switch folder {
	case m.ID:
		return "The study: protocol, data, seals and frozen results."
	case "LICENSES":
		return "Texts of the licences."
	}
	return "A collection that the study uses and shares with others."
}

// startHere writes START-HERE.txt, for someone who has this archive and nothing else.
func startHere(m Meta, files []File) []byte {
	var b strings.Builder
	text := func(s string) {
		for paragraph := range strings.SplitSeq(s, "\n\n") {
			b.WriteString(wrap(paragraph, 78) + "\n\n")
		}
	}
	heading := func(s string) { b.WriteString(s + "\n" + strings.Repeat("-", utf8.RuneCountInString(s)) + "\n\n") }
	study := m.ID

	b.WriteString("START HERE\n==========\n\n")
	if m.Draft {
		text("THIS IS A DRAFT. Not every stage of the study was sealed when it was packed: data, rules or results may be missing, and " +
			"all of them may still change. It is no evidence of anything, and not to be cited.")
	} else {
		text("This is a study of information retrieval, kept so that anyone can compute each of its numbers again: the rules, the " +
			"data, and the results as they were first frozen.")
	}
	for _, line := range [][2]string{
		{"Study", study}, {"Title", m.Title}, {"Version", m.Version}, {"Published", m.Published}, {"Authors", m.names()},
		{"Licence", m.DataLicence + " for the data, see " + LicencePath(m.DataLicence)},
		{"", m.CodeLicence + " for the program, see " + LicencePath(m.CodeLicence)},
	} {
		fmt.Fprintf(&b, "  %-11s%s\n", line[0], line[1])
	}
	b.WriteString("\n")
	heading("What it is about")
	text(m.Abstract)

	heading("How to open it")
	text("You are reading it, so it is open. Read " + study + "/PROTOCOL.md next. Every file is plain text in UTF-8, save those whose " +
		"names end in .f32. Names tell the form:")
	b.WriteString("  .md      text with light mark-up (Markdown), readable as it is\n" +
		"  .json    one JSON value (RFC 8259)\n" +
		"  .jsonl   one JSON value on each line\n" +
		"  .tsv     columns separated by tab characters\n" +
		"  .f32     32-bit floating-point numbers (IEEE 754), lowest byte first, nothing\n" +
		"           else; the .json of the same name states rows and columns\n\n")

	heading("How to check that nothing was changed")
	text("SHA256SUMS lists the SHA-256 (FIPS 180-4) of every file but itself and INVENTORY.json. In this folder:")
	b.WriteString("  GNU/Linux   sha256sum -c SHA256SUMS\n" +
		"  macOS, BSD  shasum -a 256 -c SHA256SUMS\n" +
		"  Windows     certutil -hashfile FILE SHA256      (one file at a time)\n\n")
	text("INVENTORY.json lists path, size in bytes and SHA-256 of every file but itself. The SHA-256 of INVENTORY.json therefore " +
		"stands for the whole archive, whether it came as .zip or as .tar.zst: compare it with the one published with the study.")
	text("Inside the study's folders, manifest.json lists the files again, and the files in seals/ say which of them had been fixed " +
		"at which stage.")

	heading("How to compute the numbers again")
	text("With the program (Retrace): \"native replay ARCHIVE\" checks the archive, computes everything and says whether it is identical " +
		"to what was frozen; its page does the same with an archive that is dropped on it.")
	text("Without it: " + study + "/PROTOCOL.md states the rules, with those for ties, rounding and random numbers, and " + study +
		"/study.json says under \"readings\" what was made of its open points. What comes out is to be compared with " + study +
		"/frozen/results.json.")

	heading("Where it comes from")
	text("Published by: " + m.names() + ".")
	text(m.Provenance)
	text("PROTOCOL.md, and NOTES.md where there is one, say more of how the data were made and what the study does not show. " +
		crateName + " says which files the frozen results were computed from. To cite the study, use CITATION.cff.")

	heading("What each file is")
	list := append(sorted(files), File{Path: startName}, File{Path: crateName}, File{Path: sumsName}, File{Path: inventoryName})
	for _, f := range sorted(list) {
		fmt.Fprintf(&b, "  %s\n      %s\n", f.Path, describe(f.Path))
	}
	return []byte(b.String())
}

// wrap breaks a paragraph into lines of at most width characters where its words allow.
func wrap(paragraph string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(paragraph) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
