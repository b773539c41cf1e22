//go:build !linux

package session

import "os"

// datasync makes the contents of f durable.
func datasync(f *os.File) error { return f.Sync() }
