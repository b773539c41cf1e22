//go:build unix

package secret

import (
	"io/fs"
	"os"
	"syscall"
)

// exposed tells what is wrong with the rights of a file: that others may do
// what bits say, or that it belongs to somebody who is neither us nor root; ""
// is nothing.
func exposed(info fs.FileInfo, bits fs.FileMode) string {
	mode := info.Mode().Perm() & bits
	switch st, ok := info.Sys().(*syscall.Stat_t); {
	case mode&0o022 != 0:
		return "others may write it"
	case mode&0o044 != 0:
		return "others may read it"
	case ok && int64(st.Uid) != int64(os.Getuid()) && st.Uid != 0:
		return "it belongs to another user"
	}
	return ""
}
