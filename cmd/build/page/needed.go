package page

import (
	"encoding/json"
	"slices"
	"strings"

	"retrace/core/study"
)

// needed lists the files that every replay of a study reads: study.json and what it names, but for vectors and for texts that
// are there for people, and the manifests and seals that all this is checked by. It takes no replay to know them: a study
// reads nothing that its protocol doesn't name.
func needed(st *study.Study) ([]string, error) {
	own := st.Protocol.ID + "/study.json"
	data, err := st.Kit.Read(own)
	if err != nil {
		return nil, err
	}
	var protocol any
	if err := json.Unmarshal(data, &protocol); err != nil {
		return nil, err
	}
	p := st.Protocol
	apart := []string{"", p.Document, p.Notes, p.Collection.Vectors, p.Questions.Vectors}
	files := []string{own}
	for _, text := range texts(protocol, nil) {
		if st.Kit.Has(text) && !slices.Contains(apart, text) {
			files = append(files, text)
		}
	}
	for _, m := range st.Kit.Manifests() {
		files = append(files, m.Path)
	}
	for _, f := range st.Kit.Files() {
		if strings.HasPrefix(f.Path, p.ID+"/seals/") {
			files = append(files, f.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// texts appends every text of a JSON value.
func texts(value any, list []string) []string {
	switch v := value.(type) {
	case string:
		return append(list, v)
	case []any:
		for _, inner := range v {
			list = texts(inner, list)
		}
	case map[string]any:
		for _, inner := range v { // in any order: the list is sorted
			list = texts(inner, list)
		}
	}
	return list
}
