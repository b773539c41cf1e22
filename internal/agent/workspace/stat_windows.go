package workspace

import "io/fs"

const nonblock = 0

func inode(fs.FileInfo) uint64 { return 0 }
