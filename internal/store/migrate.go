package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the texts of the numbered migrations, the first at 0.
func migrations(files fs.FS) ([]string, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, len(names))
	for i, name := range names { // Glob sorts them
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s: number %d is missing or taken", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// migrate brings the schema up to date. Each step and its number are one
// transaction, so that a crash leaves no step half done. A schema newer than
// this program knows is refused and not touched.
func migrate(ctx context.Context, conn *sql.Conn, d dialect, path string) error {
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	var at int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
		return err
	}
	if at > len(steps) {
		return fault.New(fault.Conflict, "store.Open", fmt.Sprintf(
			"%s was written by a newer OpenClaw (schema %d, this one knows %d); run the newer version, or set OPENCLAW_STATE_DIR to another directory",
			path, at, len(steps)))
	}
	for n := at; n < len(steps); n++ {
		if err := step(ctx, conn, d, steps[n], n+1); err != nil {
			return fmt.Errorf("migration %d: %w", n+1, err)
		}
	}
	return nil
}

func step(ctx context.Context, conn *sql.Conn, d dialect, text string, number int) error {
	if _, err := conn.ExecContext(ctx, d.begin); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, d.schema(text)+";PRAGMA user_version = "+strconv.Itoa(number))
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // the first error is the one to report
	}
	return err
}
