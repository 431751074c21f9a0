package study

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// missing names the first field that study.json lacks, "" if it has all: the fields of a struct whose tags say neither
// omitempty nor omitzero, which are those that the JSON Schema requires. null counts as missing.
func missing(t reflect.Type, data json.RawMessage, at string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return missing(t.Elem(), data, at)
	case reflect.Slice, reflect.Array:
		var items []json.RawMessage
		if t.Elem().Kind() == reflect.Uint8 || json.Unmarshal(data, &items) != nil {
			return ""
		}
		for i, item := range items {
			if what := missing(t.Elem(), item, fmt.Sprintf("%s[%d]", at, i)); what != "" {
				return what
			}
		}
	case reflect.Struct:
		var held map[string]json.RawMessage
		if json.Unmarshal(data, &held) != nil {
			return ""
		}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" || name == "-" {
				continue
			}
			place := strings.TrimPrefix(at+"."+name, ".")
			value, ok := held[name]
			if !ok || string(value) == "null" {
				list := strings.Split(options, ",")
				if slices.Contains(list, "omitempty") || slices.Contains(list, "omitzero") {
					continue
				}
				return place
			}
			if what := missing(f.Type, value, place); what != "" {
				return what
			}
		}
	}
	return ""
}
