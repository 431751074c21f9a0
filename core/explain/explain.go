// Package explain holds what an explanation of a number is: a tree whose nodes name the number, its formula, its inputs
// and the function that computed it.
package explain

import (
	"reflect"
	"runtime"
	"strings"
)

// A Node explains one number, or one thing that numbers rest on.
type Node struct {
	Path     string   `json:"path"`     // asking for this path gives this node
	Title    string   `json:"title"`    // what it is, in a few words
	Text     string   `json:"text"`     // the value, formatted for people; empty for things without one
	Value    *float64 `json:"value"`    // the value unrounded, null where it is no number
	Sentence string   `json:"sentence"` // what it is, in one sentence
	Formula  string   `json:"formula"`  // how it follows from the inputs
	Inputs   []Input  `json:"inputs"`
	More     int      `json:"more"` // inputs that are left out of a long list
	Source   Source   `json:"source"`
	Citation string   `json:"citation"` // where the method is described
}

// An Input is one thing that a number was computed from.
type Input struct {
	Label string `json:"label"`
	Text  string `json:"text"`
	Path  string `json:"path"`  // to its own explanation; empty where it is given
	Where string `json:"where"` // file and line of a kit, where it is given there
}

// A Source is the function that computed a number.
type Source struct {
	Function string `json:"function"`
	File     string `json:"file"` // from the project's root
	Line     int    `json:"line"`
}

// SourceOf returns where a function stands. The compiler knows; nobody types line numbers.
func SourceOf(function any) Source {
	pc := reflect.ValueOf(function).Pointer()
	f := runtime.FuncForPC(pc)
	if f == nil {
		return Source{}
	}
	file, line := f.FileLine(pc)
	if i := strings.LastIndex(file, "/core/"); i >= 0 {
		file = file[i+1:]
	}
	name := strings.TrimSuffix(f.Name(), "-fm") // method values
	return Source{name[strings.LastIndexByte(name, '/')+1:], file, line}
}
