//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

// inode tells a replaced file from an untouched one.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino) //nolint:unconvert // narrower on some systems
	}
	return 0
}
