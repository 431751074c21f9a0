package archive

import (
	"bytes"
	"io"
	"strings"

	"retrace/core/kit"
)

// An Intake takes the entries of a container one by one and holds each to the same rules, whichever container it is: names
// that are safe and distinct, sizes within the limits, as many bytes as announced; at the end, the inventory.
type Intake struct {
	limits     Limits
	room       int64 // bytes that all files may have
	beyond     Reason
	entries    int
	total      int64
	names      map[string]string // a path in lower case -> the path as written, with a slash at a folder's end
	folders    []string          // folders with entries of their own
	ownFolders map[string]bool
	files      []File
	wrapper    string   // a folder around everything, with its slash; empty where there is none
	ignored    []string // system files
}

// NewIntake starts the intake of an archive of the given size in bytes.
func NewIntake(limits Limits, archive int64) *Intake {
	room, beyond := limits.Room(archive)
	return &Intake{limits: limits, room: room, beyond: beyond, names: map[string]string{}, ownFolders: map[string]bool{}}
}

// Wrapped tells the intake the names of all entries before the first of them, so that it finds a folder that somebody put
// around everything, as Finder and Explorer do when they compress a folder. It is the one that holds the inventory.
func (in *Intake) Wrapped(names []string) {
	found := false
	for _, name := range names {
		folder, ok := strings.CutSuffix(name, inventoryName)
		if !ok || folder != "" && !strings.HasSuffix(folder, "/") || kit.SystemFile(name) {
			continue
		}
		if !found || len(folder) < len(in.wrapper) {
			found, in.wrapper = true, folder
		}
	}
}

// place returns an entry's name inside the wrapper; ok is false for what systems leave in archives, which is ignored.
func (in *Intake) place(name string) (inside string, ok bool, err error) {
	if in.entries++; in.entries > in.limits.Files {
		return "", false, refuse(TooManyFiles, "", "more than %d", in.limits.Files)
	}
	if kit.SystemFile(name) {
		in.ignored = append(in.ignored, name)
		return "", false, nil
	}
	inside, ok = strings.CutPrefix(name, in.wrapper)
	if !ok {
		return "", false, refuse(Unlisted, name, "it stands outside %+.80q", in.wrapper)
	}
	return inside, true, CheckPath(inside)
}

// Folder takes an entry for a folder, its name without the slash at the end. Such entries say nothing that the files' paths
// don't say, so they are checked and forgotten.
func (in *Intake) Folder(name string) error {
	if name+"/" == in.wrapper || in.wrapper != "" && strings.HasPrefix(in.wrapper, name+"/") {
		return nil
	}
	name, ok, err := in.place(name)
	if err != nil || !ok {
		return err
	}
	if in.ownFolders[name] {
		return refuse(Duplicate, name+"/", "")
	}
	if err := in.claim(name, name+"/"); err != nil {
		return err
	}
	in.ownFolders[name] = true
	in.folders = append(in.folders, name)
	return nil
}

// File takes a file whose header announces size bytes and reads them from r: never more than one byte beyond them.
func (in *Intake) File(name string, size int64, r io.Reader) error {
	name, ok, err := in.place(name)
	if err != nil || !ok {
		return err
	}
	if in.names[strings.ToLower(name)] == name {
		return refuse(Duplicate, name, "")
	}
	if err := in.claim(name, name); err != nil {
		return err
	}
	most := in.limits.File
	if name == inventoryName {
		most = min(most, inventoryMax)
	}
	switch {
	case size < 0 || size > most:
		return refuse(FileTooLarge, name, "%d bytes, at most %d", uint64(size), most)
	case size > in.room-in.total:
		return refuse(in.beyond, name, "%d bytes with those before it, at most %d", in.total+size, in.room)
	}
	var b bytes.Buffer
	b.Grow(int(min(size, 64<<10))) // a header's size is not believed: memory grows as bytes come
	n, err := io.Copy(&b, io.LimitReader(r, size+1))
	switch {
	case err != nil:
		return refuse(Damaged, name, "%v", err)
	case n > size:
		return refuse(SizeDiffers, name, "more than the %d bytes announced", size)
	case n < size:
		return refuse(SizeDiffers, name, "%d of %d bytes", n, size)
	}
	in.total += size
	in.files = append(in.files, File{name, b.Bytes()})
	return nil
}

// claim enters a path and the folders above it into the table of names. written is the path, for a folder with a slash.
func (in *Intake) claim(path, written string) error {
	for i := range path {
		if path[i] == '/' {
			if err := in.enter(path[:i], path[:i+1], path); err != nil {
				return err
			}
		}
	}
	return in.enter(path, written, path)
}

func (in *Intake) enter(path, written, entry string) error {
	key := strings.ToLower(path)
	before, seen := in.names[key]
	switch {
	case !seen:
		in.names[key] = written
	case before == written: // the same folder
	case strings.TrimSuffix(before, "/") == path:
		return refuse(FileAndFolder, entry, "%s", path)
	default:
		return refuse(CaseCollision, entry, "%s and %s", strings.TrimSuffix(before, "/"), path)
	}
	return nil
}

// Contents ends the intake: the files must be exactly those of the inventory, byte for byte.
func (in *Intake) Contents() (*Contents, error) {
	files := sorted(in.files)
	var list []byte
	listed := files[:0:0]
	for _, f := range files {
		if f.Path == inventoryName {
			list = f.Data
			continue
		}
		listed = append(listed, f)
	}
	if list == nil {
		return nil, refuse(NoInventory, "", "")
	}
	inventory, err := parseInventory(list)
	if err != nil {
		return nil, err
	}
	if err := inventory.check(listed); err != nil {
		return nil, err
	}
	for _, folder := range in.folders {
		if !holdsFile(files, folder) {
			return nil, refuse(EmptyFolder, folder+"/", "")
		}
	}
	c := newContents(files, inventory, kit.Hash(list))
	c.ignored = in.ignored
	return c, nil
}

func holdsFile(files []File, folder string) bool {
	for _, f := range files {
		if strings.HasPrefix(f.Path, folder+"/") {
			return true
		}
	}
	return false
}
