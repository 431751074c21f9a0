package archive

import (
	"strings"

	"retrace/core/kit"
	"retrace/core/records"
)

// CheckKit holds the contents against the study's own manifests and seals: the folders of kit files hold what their
// manifests list, byte for byte, no more and no less, and the seals form a chain. The inventory alone would let an archive
// pass whose files and inventory were both changed.
func (c *Contents) CheckKit() error {
	k, err := kit.Open(c.memory, c.Study())
	if err != nil {
		return err
	}
	entries := map[string]Entry{} // Read has held every file against its entry, so that nothing is hashed again
	for _, e := range c.inventory.Files {
		entries[e.Path] = e
	}
	for _, f := range k.Files() {
		if e, ok := entries[f.Path]; !ok || e.Bytes != f.Bytes || e.SHA256 != f.SHA256 {
			_, err := k.Read(f.Path) // says how
			return err
		}
	}
	if _, err := k.Seals(c.Study()); err != nil {
		return err
	}
	for _, f := range c.files {
		folder, name, inFolder := strings.Cut(f.Path, "/")
		if inFolder && folder != "LICENSES" && name != "manifest.json" && !k.Has(f.Path) {
			return records.Errorf(f.Path, 0, "do not use the archive: its makers did not vouch for the file", "in the archive, but in no manifest of study %s", c.Study())
		}
	}
	return nil
}

// Entries list every file but INVENTORY.json, in byte order of their paths, with the size and SHA-256 that Read found.
func (c *Contents) Entries() []Entry { return c.inventory.Files }
