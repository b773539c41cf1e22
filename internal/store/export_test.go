package store

import (
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
