//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import "golang.org/x/sys/unix"

// hush turns the echo of a terminal off, before a question is on the screen
// that a fast hand or a paste could answer while it is still on. It returns
// what turns it on again.
func hush(fd uintptr) (restore func()) {
	old, err := unix.IoctlGetTermios(int(fd), getTermios)
	if err != nil {
		return func() {}
	}
	quiet := *old
	quiet.Lflag &^= unix.ECHO
	_ = unix.IoctlSetTermios(int(fd), setTermios, &quiet) // with it on, the read turns it off
	return func() { _ = unix.IoctlSetTermios(int(fd), setTermios, old) }
}
