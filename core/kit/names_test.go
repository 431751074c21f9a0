package kit

import "testing"

func TestUnwanted(t *testing.T) {
	for name, want := range map[string]string{
		"c/corpus.jsonl": "", "c/README.md": "", "c/deep/er/x.txt": "", "c/monkey.txt": "", "c/keys.tsv": "", "c/tokens.jsonl": "", "c/key/questions.jsonl": "",
		"c/environment.json": "", "c/secretary.txt": "", "c/notes#1.txt": "", "c/vectors.f32": "",
		".c/a.txt": "", "passwords/a.txt": "", // the kit's folders are named by their authors
		"c/.git": "hidden", "c/.git/config": "hidden", "c/.gitignore": "hidden", "c/.ipynb_checkpoints/a-checkpoint.ipynb": "hidden", "c/deep/.cache/x": "hidden",
		"c/.study.json.swp": "hidden", "c/.#study.json": "hidden",
		"c/__pycache__/a.cpython-312.pyc": "cache", "c/node_modules/a/index.js": "cache", "c/a.PYC": "cache", "c/study.json.part": "cache",
		"c/study.json~": "backup", "c/study.json.bak": "backup", "c/#study.json#": "backup", "c/~$protocol.docx": "backup", "c/a.swp": "backup", "c/a.ORIG": "backup",
		"c/.DS_Store": "system file", "c/Thumbs.db": "system file", "c/__MACOSX/a": "system file", "c/._a.txt": "system file", "c/desktop.ini": "system file",
		"c/server.pem": "may be a secret", "c/id_rsa": "may be a secret", "c/id_ed25519.pub": "may be a secret", "c/.env": "may be a secret",
		"c/.env.local": "may be a secret", "c/prod.env": "may be a secret", "c/credentials": "may be a secret", "c/Credentials.json": "may be a secret",
		"c/.git-credentials": "may be a secret", "c/.netrc": "may be a secret", "c/.aws/credentials": "hidden", "c/secrets.yaml": "may be a secret",
	} {
		if got := Unwanted(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestSystemFile(t *testing.T) {
	for name, want := range map[string]bool{"__MACOSX/r01/._a": true, ".DS_Store": true, "r01/Thumbs.db": true, "r01/a.txt": false, ".git/config": false} {
		if SystemFile(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestHoldsKey(t *testing.T) {
	for data, want := range map[string]bool{
		"-----BEGIN PRIVATE KEY-----\nMC4C\n": true, "-----BEGIN OPENSSH PRIVATE KEY-----\n": true, "-----BEGIN PGP PRIVATE KEY BLOCK-----\r\n": true,
		"-----BEGIN CERTIFICATE-----\n": false, "-----BEGIN PUBLIC KEY-----\n": false, "": false, "A PRIVATE KEY is kept.\n": false,
	} {
		if HoldsKey([]byte(data)) != want {
			t.Errorf("%q: %v", data, !want)
		}
	}
}
