//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package term

// hush does nothing where only the read itself turns the echo off.
func hush(uintptr) (restore func()) { return func() {} }
