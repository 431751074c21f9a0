package kit

import (
	"path"
	"strings"
)

// Unwanted says why a file of a kit is left out of its folder's manifest unless its author names it: "hidden", "system file",
// "cache", "backup" or "may be a secret"; it is empty for any other. name is the path from the kit's root of a file, or of a
// folder, whose content goes with it. The kit's own folders, which stand first in a path, are named by their authors.
func Unwanted(name string) string {
	_, inside, _ := strings.Cut(name, "/")
	for segment := range strings.SplitSeq(inside, "/") {
		if why := unwanted(strings.ToLower(segment)); why != "" {
			return why
		}
	}
	return ""
}

// patterns are what names look like that a person rarely means to publish, in lower case, by why; the first that fits counts.
var patterns = []struct {
	why  string
	like []string
}{
	{systemFile, []string{".ds_store", "._*", "__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin", "system volume information"}},
	{"may be a secret", []string{"*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.env", ".env*", "id_rsa*", "id_dsa*",
		"id_ecdsa*", "id_ed25519*", "credentials", "credentials.*", ".git-credentials", "secret.*", "secrets", "secrets.*", "client_secret*", "password*",
		"passwd*", "*htpasswd", "?netrc", ".npmrc", ".pypirc", "kaggle.json", "service-account*.json", "service_account*.json"}},
	{"hidden", []string{".*"}},
	{"cache", []string{"__pycache__", "node_modules", "cvs", "*.pyc", "*.pyo", "*.tmp", "*.temp", "*.part", "*.crdownload"}},
	{"backup", []string{"*~", "#*#", "~$*", "*.bak", "*.backup", "*.orig", "*.rej", "*.swp", "*.swo"}},
}

const systemFile = "system file"

// unwanted judges one segment of a path, in lower case.
func unwanted(segment string) string {
	for _, p := range patterns {
		for _, like := range p.like {
			if ok, _ := path.Match(like, segment); ok {
				return p.why
			}
		}
	}
	return ""
}

// SystemFile reports whether a path leads through what Finder, Explorer and their like leave in folders and archives.
func SystemFile(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if unwanted(strings.ToLower(segment)) == systemFile {
			return true
		}
	}
	return false
}

// HoldsKey reports whether a file begins as a private key does (RFC 7468, PKCS #8; OpenSSH's and OpenPGP's), whatever its name.
func HoldsKey(data []byte) bool {
	first, _, _ := strings.Cut(string(data[:min(len(data), 128)]), "\n")
	return strings.HasPrefix(first, "-----BEGIN ") && strings.Contains(first, "PRIVATE KEY")
}
