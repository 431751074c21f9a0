// Package design is the table of designs: the kinds of studies that this engine knows.
package design

import (
	"io/fs"

	"retrace/core/design/adhoc"
	"retrace/core/design/binary"
	"retrace/core/design/graded"
	"retrace/core/design/knownitem"
	"retrace/core/study"
)

// All lists the designs, in the order in which messages name them.
var All = study.Designs{knownitem.Design, binary.Design, graded.Design, adhoc.Design}

// Load is study.Load with all designs.
func Load(fsys fs.FS, id string) (*study.Study, error) { return study.Load(All, fsys, id) }
