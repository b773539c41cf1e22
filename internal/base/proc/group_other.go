//go:build !linux

package proc

// Marked finds processes on Linux only.
func Marked(string, int) []int { return nil }

// KillMarked kills processes on Linux only.
func KillMarked(string) {}

// Harden does nothing here: other processes can't read our environment.
func Harden() error { return nil }
