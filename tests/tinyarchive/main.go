// Command tinyarchive writes archives of the small study of studytest into a folder, for tests of the page:
//
//	sound.zip, sound.tar.zst   its texts try to be markup and to turn the page around
//	altered.zip                one number of the frozen results is another, and every hash and seal is made to fit
//	unfrozen.zip               it has no frozen results
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"retrace/cmd/build/pack"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// title stands in study.json, where people cite it: control characters are refused there.
const title = `</h1><img src=x onerror=globalThis.taken=1> <script>globalThis.taken=1</script>`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tinyarchive FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tinyarchive:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	for name, change := range map[string]func(m kit.Memory) error{
		"sound": studytest.Freeze,
		"altered": func(m kit.Memory) error {
			if err := studytest.Freeze(m); err != nil {
				return err
			}
			delete(m, "tiny/seals/3-frozen.json")
			studytest.Edit(m, "tiny/frozen/results.json", `"isolated":0`, `"isolated":1`)
			studytest.Seal(m, study.SealFrozen, []string{"tiny/frozen/observations.jsonl", "tiny/frozen/results.json"}, nil)
			return nil
		},
		"unfrozen": func(kit.Memory) error { return nil },
	} {
		m := studytest.Tiny()
		studytest.Edit(m, studytest.ProtocolFile, "Do links help in a village?", title)
		studytest.Edit(m, studytest.CorpusFile, `"title":"Sail"`, `"title":"<b>Sail</b> \u202eliaS"`)
		if err := change(m); err != nil {
			return err
		}
		p, err := pack.Build(m, studytest.ID, pack.Options{Published: "2026-11-30", Draft: name == "unfrozen"})
		if err != nil {
			return err
		}
		for ext, data := range map[string][]byte{".zip": p.Zip, ".tar.zst": p.TarZst} {
			if err := os.WriteFile(filepath.Join(dir, name+ext), data, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
