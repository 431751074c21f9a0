//go:build unix

package indexfile

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile returns a file's bytes by memory map.
func mapFile(path string) (data []byte, unmap func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil, nil, fmt.Errorf("%s: %d bytes: not a file that can be mapped", path, info.Size())
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
