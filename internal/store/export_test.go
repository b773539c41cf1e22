package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
)

// SetSchema makes the database look as if another version had written it.
func SetSchema(t *testing.T, dir string, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, FileName)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("PRAGMA user_version = %d", n)); err != nil {
		t.Fatal(err)
	}
}

// SetRoom lets the database grow to n pages, as a disk that fills up does.
func SetRoom(ctx context.Context, d *DB, n int) error {
	return d.w.do(ctx, true, func(ctx context.Context, w *writer) error {
		_, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n))
		return err
	})
}

// FollowAccess looks at the files about who may write, as the running gateway
// does now and then.
func FollowAccess(ctx context.Context, d *DB) { d.followAccess(ctx) }
