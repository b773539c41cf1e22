package fs

import "io/fs"

const nonblock = 0

func links(fs.FileInfo) uint64 { return 1 }
