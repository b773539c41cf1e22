package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
)

// private closes a state directory that others may enter, and everything in it
// but workspaces: it was copied, or restored from a backup, without its modes.
// Behind a closed directory the modes of its files don't matter, so that nothing
// is walked then.
func private(ctx context.Context, dir string, log *slog.Logger) {
	const others = 0o077
	fi, err := os.Stat(dir)
	if runtime.GOOS == "windows" || err != nil || fi.Mode().Perm()&others == 0 {
		return
	}
	log.WarnContext(ctx, "the state directory was open to other users and is closed now", "dir", dir, "mode", fi.Mode().Perm().String())
	err = os.Chmod(dir, fi.Mode().Perm()&^others)
	root, oerr := os.OpenRoot(dir)
	if err = errors.Join(err, oerr); oerr == nil {
		defer root.Close()
		err = errors.Join(err, fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && !strings.Contains(p, "/") && strings.HasPrefix(p, "workspace") {
				return fs.SkipDir
			}
			if fi, err := d.Info(); err == nil && (d.IsDir() || d.Type().IsRegular()) && fi.Mode().Perm()&others != 0 {
				return root.Chmod(p, fi.Mode().Perm()&^others)
			}
			return nil
		}))
	}
	if err != nil {
		log.ErrorContext(ctx, "the state directory can't be closed to other users", "dir", dir, "err", err)
	}
}
