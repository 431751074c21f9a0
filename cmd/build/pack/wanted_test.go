package pack

import (
	"encoding/json"
	"strings"
	"testing"

	"retrace/core/kit"
	"retrace/core/study/studytest"
)

// What a manifest lists by hand is packed only if its author named it there: a hidden file, or a private key whatever its
// name (its first line is that of RFC 7468).
func TestSecretsAreNotPackedUnlessTheirAuthorNamesThem(t *testing.T) {
	for name, text := range map[string]string{
		".env":      "PASSWORD=1\n",
		"notes.txt": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := studytest.Tiny()
			folder := studytest.ID
			file := folder + "/" + name
			m[file] = []byte(text)
			studytest.Manifests(m)
			if err := studytest.Freeze(m); err != nil {
				t.Fatal(err)
			}
			if _, _, err := gather(m, studytest.ID, "2026-12-01"); err == nil || !strings.HasPrefix(err.Error(), file+": ") {
				t.Errorf("error %v; want one about %s", err, file)
			}
			var manifest kit.Manifest
			if err := json.Unmarshal(m[folder+"/manifest.json"], &manifest); err != nil {
				t.Fatal(err)
			}
			manifest.Include = []string{file}
			data, err := json.Marshal(manifest)
			if err != nil {
				t.Fatal(err)
			}
			m[folder+"/manifest.json"] = data
			if _, files, err := gather(m, studytest.ID, "2026-12-01"); err != nil || len(files) == 0 {
				t.Errorf("named by its author: error %v", err)
			}
		})
	}
}
