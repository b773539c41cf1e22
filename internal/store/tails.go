package store

import (
	"context"
	"database/sql"

	"github.com/openclaw-go/openclaw/internal/session"
)

// putTail stores the end of a transcript; an empty one is none.
func putTail(ctx context.Context, w *writer, t session.Tail) error {
	if len(t.Data) == 0 {
		return nil
	}
	_, err := w.exec(ctx, "INSERT INTO transcript_tails (session, path, pos, data) VALUES (?, ?, ?, ?)",
		string(t.Session), t.Path, t.At, string(t.Data))
	return err
}

// Tails returns the ends of transcripts that are kept, oldest first.
func (d *DB) Tails(ctx context.Context) ([]session.Tail, error) {
	var out []session.Tail
	err := d.query(ctx, "SELECT session, path, pos, data FROM transcript_tails ORDER BY seq", nil, func(r *sql.Rows) error {
		var t session.Tail
		err := r.Scan(&t.Session, &t.Path, &t.At, &t.Data)
		out = append(out, t)
		return err
	})
	return out, err
}

// TailMark is the number of the newest end that is kept, 0 when there is none.
func (d *DB) TailMark(ctx context.Context) (int64, error) {
	var mark int64
	err := d.query(ctx, "SELECT COALESCE(MAX(seq), 0) FROM transcript_tails", nil, func(r *sql.Rows) error { return r.Scan(&mark) })
	return mark, err
}

// DropTails removes the ends up to a number.
func (d *DB) DropTails(ctx context.Context, upTo int64) error {
	_, err := d.one(ctx, "DELETE FROM transcript_tails WHERE seq <= ?", upTo)
	return err
}
