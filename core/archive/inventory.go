package archive

import (
	"bytes"
	"encoding/json"
	"strings"

	"retrace/core/kit"
)

const (
	inventoryName   = "INVENTORY.json"
	inventoryFormat = "retrace archive 1"
	inventoryMax    = 1 << 20 // bytes: more than 4,096 entries of the longest kind take
	sumsName        = "SHA256SUMS"
)

// An Inventory lists every file of an archive but itself. As JSON it is canonical (RFC 8785): the fields below stand in the
// order of their names, and paths, the only strings that vary, are of ASCII that needs no escape.
type Inventory struct {
	Draft  bool    `json:"draft,omitempty"` // the study's stages were not all sealed
	Files  []Entry `json:"files"`           // in byte order of their paths
	Format string  `json:"format"`          // "retrace archive 1"
	Study  string  `json:"study"`           // the name of the study's folder
}

// An Entry is one line of an inventory.
type Entry struct {
	Bytes  int64  `json:"bytes"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal digits
}

func newInventory(meta Meta, files []File) Inventory {
	v := Inventory{Draft: meta.Draft, Files: []Entry{}, Format: inventoryFormat, Study: meta.ID}
	for _, f := range sorted(files) {
		v.Files = append(v.Files, Entry{int64(len(f.Data)), f.Path, kit.Hash(f.Data)})
	}
	return v
}

func (v Inventory) encode() []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("archive: inventory: " + err.Error()) // strings and numbers always encode
	}
	return data
}

// parseInventory takes canonical bytes alone: what it read must give the same bytes again. That leaves no room for
// unknown or double fields, another order, or trailing text.
func parseInventory(data []byte) (Inventory, error) {
	var v Inventory
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, refuse(InventoryForm, inventoryName, "%v", err)
	}
	if v.Format != inventoryFormat {
		return v, refuse(InventoryForm, inventoryName, "format %+q, not %q", v.Format, inventoryFormat)
	}
	for i, e := range v.Files {
		if i > 0 && v.Files[i-1].Path >= e.Path {
			return v, refuse(InventoryForm, inventoryName, "%+q is out of order or twice there", e.Path)
		}
	}
	if v.Files == nil || !bytes.Equal(v.encode(), data) {
		return v, refuse(InventoryForm, inventoryName, "not canonical JSON")
	}
	return v, nil
}

// check compares the inventory with the files, which are sorted and without the inventory itself.
func (v Inventory) check(files []File) error {
	i := 0
	for _, e := range v.Files {
		if i < len(files) && files[i].Path < e.Path {
			return refuse(Unlisted, files[i].Path, "")
		}
		if i == len(files) || files[i].Path != e.Path {
			return refuse(Missing, e.Path, "")
		}
		i++
	}
	if i < len(files) {
		return refuse(Unlisted, files[i].Path, "")
	}
	study := false
	for i, e := range v.Files {
		f := files[i]
		if int64(len(f.Data)) != e.Bytes {
			return refuse(InventorySize, f.Path, "%d bytes, not %d", len(f.Data), e.Bytes)
		}
		if got := kit.Hash(f.Data); got != e.SHA256 {
			return refuse(InventoryHash, f.Path, "%s, not %.80q", got, e.SHA256)
		}
		if f.Path == sumsName && string(f.Data) != sums(v.Files) {
			return refuse(SumsDiffer, sumsName, "")
		}
		study = study || strings.HasPrefix(f.Path, v.Study+"/")
	}
	if !study {
		return refuse(StudyHasNoFiles, inventoryName, "%+.80q", v.Study)
	}
	return nil
}

// sums is SHA256SUMS as sha256sum (GNU coreutils) writes and checks it: digits, two spaces, path.
func sums(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Path != sumsName {
			b.WriteString(e.SHA256 + "  " + e.Path + "\n")
		}
	}
	return b.String()
}
