//go:build unix

package config

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockDir takes the lock of all writers of a directory's configuration. It
// dies with the process and leaves no file behind.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return func() { _ = f.Close() }, nil // a file system without locks
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, errors.New("another process is writing the configuration; try again")
		case <-tick.C:
		}
	}
}
