package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a lock that ends with the process. It lies far behind the
// number in the file, which others may go on reading.
func lockFile(f *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 20}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

// syncDir does nothing: Windows writes names through.
func syncDir(string) error { return nil }
