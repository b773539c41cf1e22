package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// write puts text at path at once: a service manager must never read half.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the system's own directory, public by custom
		return fault.Wrap(fault.Unavailable, "service.write", err)
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return fault.Wrap(fault.Unavailable, "service.write", err)
	}
	return fault.Wrap(fault.Unavailable, "service.write", os.Rename(tmp, path))
}

func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "service.remove", err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
