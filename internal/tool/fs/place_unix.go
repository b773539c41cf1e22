//go:build unix

package fs

import (
	"io/fs"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

func links(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // 16 bits on darwin
	}
	return 1
}
