package proto

import (
	"encoding/json"

	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/study"
)

// ArchiveLimits are archive.DefaultLimits lowered to what each of some workers of one browser can hold at once: ten times a
// bundled study with its vectors.
func ArchiveLimits() archive.Limits {
	l := archive.DefaultLimits()
	l.Archive, l.File, l.Total = 64<<20, 64<<20, 96<<20
	return l
}

// ArchiveRequest stands for the bytes of an archive, which are handed over by AddArchive and not as JSON.
type ArchiveRequest struct{ Head }

// ArchiveResult says what an archive is whose every check has passed.
type ArchiveResult struct {
	Study       string     `json:"study"`
	Title       string     `json:"title"`
	Summary     string     `json:"summary"`
	Version     string     `json:"version"`
	Published   string     `json:"published"` // date as the study states it, may be empty
	DataLicence string     `json:"dataLicence"`
	CodeLicence string     `json:"codeLicence"`
	Identity    string     `json:"identity"` // SHA-256 of INVENTORY.json
	Bytes       int64      `json:"bytes"`    // of all files
	Files       []kit.File `json:"files"`    // ascending path
	Draft       bool       `json:"draft"`    // it says of itself that not every stage was sealed
	Ignored     []string   `json:"ignored"`  // what Finder, Explorer and their like left in it
	Frozen      bool       `json:"frozen"`   // it holds results that a replay can be compared with
}

// AddArchive checks a sealed archive, a zip as it was published, completely: container, names, sizes, inventory, manifests,
// seals and protocol. Then the session's files are the archive's and no others; after an error, what they were before.
// Nothing of data is kept.
func (s *Session) AddArchive(data []byte) (ArchiveResult, error) {
	if len(data) >= 4 && string(data[:4]) == "\x28\xb5\x2f\xfd" {
		return ArchiveResult{}, failf("bad-archive", "open the .zip of the same study, which holds the same files; build unpack and native replay take both",
			"archive: this is compressed by zstd, and only .zip can be read here")
	}
	c, err := archive.Read(data, ArchiveLimits())
	if err != nil {
		return ArchiveResult{}, err
	}
	if err := c.CheckKit(); err != nil {
		return ArchiveResult{}, err
	}
	files := kit.Memory{}
	for _, f := range c.Files() {
		files[f.Path] = f.Data
	}
	if !c.Draft() {
		if err := study.CheckSealed(s.designs, files, c.Study()); err != nil {
			return ArchiveResult{}, err
		}
	}
	p, k, err := study.ReadProtocol(s.designs, files, c.Study())
	if err != nil {
		return ArchiveResult{}, err
	}
	out := ArchiveResult{Study: p.ID, Title: p.Title, Summary: p.Summary, Version: p.Version, Published: p.Published, DataLicence: p.Licence.Data,
		CodeLicence: p.Licence.Code, Identity: c.Identity(), Draft: c.Draft(), Ignored: append([]string{}, c.Ignored()...), Files: []kit.File{}, Frozen: k.Has(p.FrozenResults(study.Options{}))}
	hashes := map[string]string{"INVENTORY.json": c.Identity()}
	for _, e := range c.Entries() {
		hashes[e.Path] = e.SHA256
	}
	for _, f := range c.Files() {
		out.Bytes += int64(len(f.Data))
		out.Files = append(out.Files, kit.File{Path: f.Path, Bytes: int64(len(f.Data)), SHA256: hashes[f.Path]})
	}
	*s = Session{designs: s.designs, files: files, fsys: files, studies: map[string]*study.Study{}}
	return out, nil
}

// HandleArchive is AddArchive with a reply in the form of Handle's, for hosts: kind "archive" and no ID.
func HandleArchive(s *Session, data []byte) []byte {
	return respond(reply{ID: json.RawMessage("null"), Kind: "archive"}, func(*reply) (any, error) { return s.AddArchive(data) })
}
