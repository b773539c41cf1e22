//go:build !unix

package secret

import "io/fs"

// exposed has nothing to say where rights aren't in the mode of a file.
func exposed(fs.FileInfo, fs.FileMode) string { return "" }
