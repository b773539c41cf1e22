package config

import (
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// writeAtomic replaces the file at path by data: a temporary file beside it,
// synced, renamed over it, then the directory synced. Whoever reads sees the
// old file or the new one, and only the owner may read either.
func writeAtomic(path string, data []byte) (err error) {
	const op = "config.write"
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp") // made with mode 0600
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fault.Wrap(fault.Unavailable, op, err)
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	if d, openErr := os.Open(dir); openErr == nil {
		_ = d.Sync() // not every system can sync a directory
		_ = d.Close()
	}
	return nil
}
