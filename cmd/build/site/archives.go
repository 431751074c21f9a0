package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"retrace/cmd/build/pack"
	"retrace/cmd/build/page"
	"retrace/core/kit"
	"retrace/core/records"
)

// archiveFile is one container of an archive in archives/index.json.
type archiveFile struct {
	Name   string `json:"name"` // to save it under
	URL    string `json:"url"`  // relative to archives/index.json, content-addressed
	Type   string `json:"type"`
	SHA256 string `json:"sha256"` // hex
	Bytes  int    `json:"bytes"`
}

// archiveEntry is a study's sealed archive.
type archiveEntry struct {
	Study    string        `json:"study"`
	Identity string        `json:"identity"` // SHA-256 of INVENTORY.json, the same in both containers
	Files    []archiveFile `json:"files"`    // .zip, then .tar.zst
}

// archiveIndex is archives/index.json, of which web/src/views/archive.ts reads studies and identities.
type archiveIndex struct {
	Format   int            `json:"format"`   // 1; another number when readers of 1 would misread it
	Archives []archiveEntry `json:"archives"` // by study
}

// publishArchives packs each study and puts its archive into out. A study without a date of publication has none (an
// archive states the date, and no clock may give it), nor has one whose
// study.json says what an archive can't; a note says so.
func publishArchives(
	files map[string][]byte, studies []string, out map[string][]byte,
) (archives map[string]page.Archive, notes []string, err error) {
	index := archiveIndex{Format: 1, Archives: []archiveEntry{}}
	archives = map[string]page.Archive{}
	for _, study := range studies {
		var words struct{ Published string }
		if err := json.Unmarshal(files[study+"/study.json"], &words); err != nil {
			return nil, nil, fmt.Errorf("site: %s/study.json: %w", study, err)
		}
		if words.Published == "" {
			notes = append(notes, fmt.Sprintf("%s has no archive here: its study.json states no date of publication (\"published\")",
				study))
			continue
		}
		packed, err := pack.Build(kit.Memory(files), study, pack.Options{})
		if err != nil {
			// Words that an archive must not have, such as control characters in a title, need not keep the page from being
			// read; a file that was changed after it was sealed must.
			var words *records.Error
			if !errors.As(err, &words) || words.File != study+"/study.json" || !sound(files, study) {
				return nil, nil, fmt.Errorf("site: archive of %s: %w", study, err)
			}
			notes = append(notes, fmt.Sprintf("%s has no archive here: %v", study, err))
			continue
		}
		entry := archiveEntry{Study: study, Identity: packed.Identity}
		shown := page.Archive{Identity: packed.Identity}
		for _, container := range []struct {
			ext  string
			data []byte
		}{{".zip", packed.Zip}, {".tar.zst", packed.TarZst}} {
			sum := sha256.Sum256(container.data)
			hash := hex.EncodeToString(sum[:])
			address := path.Join(ArchiveFilesDir, study+"."+hash[:16]+container.ext)
			out[address] = container.data
			mediaType, _ := MediaType(address)
			entry.Files = append(entry.Files, archiveFile{study + container.ext, strings.TrimPrefix(address, "archives/"), mediaType,
				hash, len(container.data)})
			shown.Files = append(shown.Files, page.ArchiveFile{Name: study + container.ext, Address: address, SHA256: hash,
				Bytes: int64(len(container.data))})
		}
		index.Archives = append(index.Archives, entry)
		archives[study] = shown
	}
	data, err := json.MarshalIndent(index, "", " ")
	out["archives/index.json"] = append(data, '\n')
	return archives, notes, err
}

// sound reports whether a study's study.json is the one that its manifest lists.
func sound(files map[string][]byte, study string) bool {
	k, err := kit.Open(kit.Memory(files), study)
	if err != nil {
		return false
	}
	_, err = k.Read(study + "/study.json")
	return err == nil
}
