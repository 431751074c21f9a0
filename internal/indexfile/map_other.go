//go:build !unix

package indexfile

import "os"

// mapFile reads a file where there is no memory map.
func mapFile(path string) (data []byte, unmap func() error, err error) {
	data, err = os.ReadFile(path)
	return data, func() error { return nil }, err
}
