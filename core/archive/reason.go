package archive

import (
	"fmt"
	"strconv"
)

// A Reason is why an archive is refused. Each is an error of its own: errors.Is(err, archive.Duplicate).
type Reason string

// The reasons, by what is wrong: the container, what a container may not hold, names, sizes, the inventory.
const (
	NotArchive    Reason = "this is not such an archive"
	Truncated     Reason = "the archive is cut short"
	DataBefore    Reason = "there are bytes before the archive"
	DataAfter     Reason = "there are bytes after the archive's end"
	DataBetween   Reason = "there are bytes that belong to no file"
	Overlap       Reason = "two entries share the same bytes"
	HeadersDiffer Reason = "the entry's own header and the directory disagree"
	Damaged       Reason = "the data are damaged"

	Encrypted   Reason = "the entry is encrypted"
	Method      Reason = "the compression method is not supported"
	Feature     Reason = "a feature of the format is not supported"
	Link        Reason = "the entry is a link"
	Special     Reason = "the entry is neither a file nor a folder"
	EmptyFolder Reason = "the folder holds no file"

	PathEncoding  Reason = "the name is not valid UTF-8"
	PathControl   Reason = "the name has a control character"
	PathBackslash Reason = "the name has a backslash"
	PathAbsolute  Reason = "the path is absolute"
	PathDrive     Reason = "the name has a colon, as drive letters have"
	PathParent    Reason = "the path leaves the folder"
	PathSegment   Reason = "the path has an empty or dot segment"
	PathLong      Reason = "the path is too long"
	PathCharacter Reason = "the name has a character that not every system takes"
	PathReserved  Reason = "the name is not possible on every system"

	Duplicate     Reason = "the name occurs twice"
	CaseCollision Reason = "two names differ by letter case only"
	FileAndFolder Reason = "the name is both a file's and a folder's"

	ArchiveTooLarge Reason = "the archive is too large"
	TooManyFiles    Reason = "there are too many files"
	FileTooLarge    Reason = "the file is too large"
	TotalTooLarge   Reason = "the files are too large together"
	RatioTooHigh    Reason = "the files are too large for so small an archive"
	SizeDiffers     Reason = "the file is not as long as its header says"

	NoInventory     Reason = "there is no INVENTORY.json"
	InventoryForm   Reason = "the inventory is not of its form"
	Missing         Reason = "the file is in the inventory, but not in the archive"
	Unlisted        Reason = "the file is in the archive, but not in the inventory"
	InventorySize   Reason = "the file's size is not that of the inventory"
	InventoryHash   Reason = "the file's SHA-256 is not that of the inventory"
	SumsDiffer      Reason = "SHA256SUMS and the inventory disagree"
	StudyHasNoFiles Reason = "the study that the inventory names has no folder here"
)

func (r Reason) Error() string { return string(r) }

// hint is what a person can do about it.
func (r Reason) hint() string {
	switch r {
	case NotArchive:
		return "give a .zip or .tar.zst made by build pack"
	case Truncated, Damaged, DataAfter, DataBefore, SizeDiffers:
		return "download or copy it again"
	case ArchiveTooLarge, TooManyFiles, FileTooLarge, TotalTooLarge:
		return "the limits are far above a study's needs, so look where it comes from"
	case PathCharacter, PathReserved, PathLong, CaseCollision:
		return "rename the file before packing"
	case Unlisted, EmptyFolder, Missing, NoInventory:
		return "pack the study again, or take the archive as it was published"
	}
	return "do not use it; take the archive as it was published"
}

// An Error says which entry of an archive is refused and why.
type Error struct {
	Reason Reason
	Path   string // the entry's name as it stands in the archive, empty where the error is not about one
	Detail string // the values at fault, may be empty
}

// Error quotes the name, so that nothing in it can act on a terminal or pass for other text.
func (e *Error) Error() string {
	s := "archive: "
	if e.Path != "" {
		name := e.Path
		if len(name) > 2*MaxPath {
			name = name[:2*MaxPath] + "..."
		}
		s += strconv.QuoteToASCII(name) + ": "
	}
	s += string(e.Reason)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Hint is what a person can do about it.
func (e *Error) Hint() string { return e.Reason.hint() }

// Unwrap gives the Reason to errors.Is.
func (e *Error) Unwrap() error { return e.Reason }

func refuse(r Reason, path, detail string, args ...any) error {
	return &Error{r, path, fmt.Sprintf(detail, args...)}
}
