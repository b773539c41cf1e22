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
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil { //nolint:gosec // below the home directory of who runs it
		return fault.Wrap(fault.Unavailable, "service.write", err)
	}
	return fault.Wrap(fault.Unavailable, "service.write", os.Rename(tmp, path))
}

// undo returns what puts path back to what it is now, for an installation that
// fails half-way.
func undo(path string) func() error {
	was, err := os.ReadFile(filepath.Clean(path))
	return func() error {
		switch {
		case err == nil:
			return write(path, string(was))
		case errors.Is(err, fs.ErrNotExist):
			return remove(path)
		}
		return fault.Wrap(fault.Unavailable, "service.undo", err)
	}
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
