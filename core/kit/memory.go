package kit

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"time"

	"retrace/core/order"
)

// Memory is a read-only file system held in memory, from path to content: what a browser gives to the engine.
type Memory map[string][]byte

// Open implements fs.FS.
func (m Memory) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if data, ok := m[name]; ok {
		return &memoryFile{memoryInfo{name: name, size: int64(len(data))}, bytes.NewReader(data)}, nil
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	entries := map[string]memoryInfo{}
	for p, data := range m {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		if first, _, nested := strings.Cut(rest, "/"); nested {
			entries[first] = memoryInfo{name: first, dir: true}
		} else {
			entries[rest] = memoryInfo{name: rest, size: int64(len(data))}
		}
	}
	if len(entries) == 0 && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	list := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		list = append(list, fs.FileInfoToDirEntry(e))
	}
	order.Sort(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return &memoryDir{memoryInfo{name: name, dir: true}, list}, nil
}

// ReadFile implements fs.ReadFileFS without a copy; callers must not change the content.
func (m Memory) ReadFile(name string) ([]byte, error) {
	if data, ok := m[name]; ok {
		return data, nil
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

type memoryInfo struct {
	name string
	size int64
	dir  bool
}

func (i memoryInfo) Name() string       { return i.name[strings.LastIndexByte(i.name, '/')+1:] }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) IsDir() bool        { return i.dir }
func (i memoryInfo) Sys() any           { return nil }
func (i memoryInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type memoryFile struct {
	info memoryInfo
	*bytes.Reader
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *memoryFile) Close() error               { return nil }

type memoryDir struct {
	info memoryInfo
	list []fs.DirEntry
}

func (d *memoryDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *memoryDir) Close() error               { return nil }
func (d *memoryDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (d *memoryDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		list := d.list
		d.list = nil
		return list, nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	list := d.list[:min(n, len(d.list))]
	d.list = d.list[len(list):]
	return list, nil
}
