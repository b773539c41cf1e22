package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/feature"
)

// Checks look at the database of a state directory without changing it.
func Checks(stateDir string) []feature.Check {
	return []feature.Check{
		{Name: "database", Run: func(ctx context.Context) []feature.Finding { return checkDatabase(ctx, stateDir) }},
		{Name: "set aside", Run: func(context.Context) []feature.Finding { return checkAside(stateDir) }},
	}
}

// checkDatabase reads all of the database.
func checkDatabase(ctx context.Context, dir string) []feature.Finding {
	path := filepath.Join(dir, FileName)
	st, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // there was no start yet
	}
	var out []feature.Finding
	if err == nil && st.Mode().Perm()&0o077 != 0 {
		out = append(out, feature.Finding{
			Severity: "warning", Text: FileName + " can be read by other users of this computer",
			Mend: "chmod 600 " + path, Fix: func(context.Context) error { return os.Chmod(path, 0o600) },
		})
	}
	if err == nil {
		err = integrity(ctx, path)
	}
	if err != nil {
		out = append(out, feature.Finding{
			Severity: "error", Text: fmt.Sprintf("%s is damaged: %v", FileName, err),
			Mend: "restart the gateway with `openclaw gateway restart`: it sets the file aside and rebuilds it from the files beside it",
		})
	}
	return out
}

func integrity(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(path, "busy_timeout(5000)", "query_only(1)"))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(quickCheck(ctx, conn), conn.Close())
	}
	return errors.Join(err, db.Close())
}

// checkAside lists what was damaged and kept.
func checkAside(dir string) []feature.Finding {
	var out []feature.Finding
	for _, pattern := range []string{
		FileName + ".damaged.*", "agents/*/sessions/*.bad.*", "credentials/*.bad.*", "devices/*.bad.*", "nodes/*.bad.*",
		"cron/*.bad.*", queueDir + "/*.bad.*", "agents/*/sessions/*.torn.*",
	} {
		names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))) // the patterns are well formed
		for _, n := range names {
			rel, err := filepath.Rel(dir, n)
			if err != nil {
				rel = n
			}
			out = append(out, feature.Finding{
				Severity: "warning", Text: filepath.ToSlash(rel) + " holds what could not be read of a damaged file",
				Mend: "look whether something in it is missed, then delete it",
			})
		}
	}
	return out
}
