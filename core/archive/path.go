package archive

import (
	"strings"
	"unicode/utf8"
)

// MaxPath is the longest path in bytes: what the name field of every tar header holds, and far below any system's limit.
const MaxPath = 100

// CheckPath tells whether path may be a file's in an archive: relative, with slashes, of letters, digits and the signs
// . _ - + = , @ ( ) alone, each segment a name that every common file system takes.
func CheckPath(path string) error {
	switch {
	case len(path) > MaxPath:
		return refuse(PathLong, path, "%d bytes, at most %d", len(path), MaxPath)
	case !utf8.ValidString(path):
		return refuse(PathEncoding, path, "")
	case strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return refuse(PathControl, path, "")
	case strings.Contains(path, `\`):
		return refuse(PathBackslash, path, "")
	case strings.HasPrefix(path, "/"):
		return refuse(PathAbsolute, path, "")
	case strings.Contains(path, ":"):
		return refuse(PathDrive, path, "")
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "..":
			return refuse(PathParent, path, "")
		case segment == "" || segment == ".":
			return refuse(PathSegment, path, "")
		}
	}
	if i := strings.IndexFunc(path, func(r rune) bool { return !portable(r) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(path[i:])
		return refuse(PathCharacter, path, "%+q", r)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasSuffix(segment, ".") {
			return refuse(PathReserved, path, "Windows drops the full stop at a name's end")
		}
		if reserved(segment) {
			return refuse(PathReserved, path, "%s is a device on Windows", segment)
		}
	}
	return nil
}

// CheckNames tells whether files of these paths can stand in one archive: each as CheckPath has it, none twice, none that
// differ by letter case only, none both a file's and a folder's, not too many.
func CheckNames(paths []string) error {
	in := NewIntake(DefaultLimits(), DefaultLimits().Archive)
	for _, path := range paths {
		if in.entries++; in.entries > in.limits.Files {
			return refuse(TooManyFiles, "", "more than %d", in.limits.Files)
		}
		if err := CheckPath(path); err != nil {
			return err
		}
		if in.names[strings.ToLower(path)] == path {
			return refuse(Duplicate, path, "")
		}
		if err := in.claim(path, path); err != nil {
			return err
		}
	}
	return nil
}

func portable(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+=,@()", r)
}

// reserved tells whether Windows takes the name for a device, whatever its ending.
func reserved(segment string) bool {
	base, _, _ := strings.Cut(strings.ToLower(segment), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
}
