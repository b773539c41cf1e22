package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// damageError is what a check of the file found.
type damageError struct{ verdict string }

func (e *damageError) Error() string { return "database is damaged: " + e.verdict }

func isDamage(err error) bool {
	_, found := errors.AsType[*damageError](err)
	return found || sqliteDialect().damaged(err)
}

// check looks for damage before the first row is trusted. A large database is
// looked at by doctor only, because this reads all of it.
func check(ctx context.Context, conn *sql.Conn, path string) error {
	const most = 4 << 20
	if st, err := os.Stat(path); err != nil || st.Size() > most {
		return err
	}
	return quickCheck(ctx, conn)
}

func quickCheck(ctx context.Context, conn *sql.Conn) error {
	var verdict string
	if err := conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return &damageError{verdict}
	}
	return nil
}

// rebuild sets a damaged database aside and makes a new one. The files that
// are projected from it and the transcripts fill that again; of the queues,
// what can still be read is carried over.
func rebuild(ctx context.Context, o Options, cause error) (*DB, error) {
	path := filepath.Join(o.StateDir, FileName)
	aside := path + ".damaged." + fileTime(o.Now())
	for _, ext := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+ext, aside+ext); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(cause, err)
		}
	}
	d, err := open(ctx, o)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	saved, lost := d.salvage(ctx, aside)
	d.rebuilt = true
	o.Log.ErrorContext(ctx, "the database was damaged and has been set aside; it is rebuilt from the session, device and job files and the transcripts. Run `openclaw doctor`",
		"aside", filepath.Base(aside), "err", cause, "queued", saved, "unreadable", lost)
	return d, nil
}

// salvage copies what can be read of the rows that exist nowhere else.
func (d *DB) salvage(ctx context.Context, from string) (rows int, lost []string) {
	old, err := sql.Open("sqlite", dsn(from, "query_only(1)"))
	if err != nil {
		return 0, []string{"all"}
	}
	defer old.Close()
	for table, columns := range map[string]string{
		"inbox":         "key, body, stored, tries, done, result, reason",
		"outbox":        "id, channel, account, peer, state, body, tries, stored, next, reason, receipt",
		"sessions":      "key, agent, id, updated, label, spawned_by, search, entry",
		"channel_state": "channel, account, key, value",
		"system_events": "key, text, at",
		"pairings":      pairingColumns,
		"allowed":       "channel, account, peer, added",
		"records":       "kind, id, pos, body",
		"cooldowns":     "key, reason, until, count",
	} {
		n, err := d.copyRows(ctx, old, table, columns)
		rows += n
		if err != nil {
			lost = append(lost, table)
		}
	}
	return rows, lost
}

func (d *DB) copyRows(ctx context.Context, old *sql.DB, table, columns string) (n int, err error) {
	rows, err := old.QueryContext(ctx, "SELECT "+columns+" FROM "+table) //nolint:gosec // names from the list above
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s) ON CONFLICT DO NOTHING", table, columns, repeat(", ?", len(names)-1))
	for rows.Next() {
		values := make([]any, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		if _, err := d.one(ctx, insert, values...); err == nil {
			n++
		}
	}
	return n, rows.Err()
}
