package session

import (
	"errors"
	"os"
	"syscall"
)

// datasync makes the contents of f durable; unlike a full sync it doesn't wait
// for its time stamps.
func datasync(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := c.Control(func(fd uintptr) {
		for {
			if failed = syscall.Fdatasync(int(fd)); !errors.Is(failed, syscall.EINTR) {
				return
			}
		}
	}); err != nil {
		return err
	}
	return failed
}
