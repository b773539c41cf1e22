package store

import (
	"context"
	"database/sql"

	"github.com/openclaw-go/openclaw/internal/chat/inbox"
)

// putOverheard stores what was said beside the agent, and lets go of the oldest
// of its room. What several people say is stored side by side, so the time when
// it came is what orders it.
func putOverheard(ctx context.Context, w *writer, o *inbox.Overheard) error {
	if o == nil {
		return nil
	}
	if _, err := w.exec(ctx, "INSERT INTO overheard (room, sender, text, at) VALUES (?, ?, ?, ?)", o.Room, o.Sender, o.Text, millis(o.At)); err != nil {
		return err
	}
	_, err := w.exec(ctx, `DELETE FROM overheard WHERE room = ? AND seq NOT IN
		(SELECT seq FROM overheard WHERE room = ? ORDER BY at DESC, seq DESC LIMIT ?)`, o.Room, o.Room, max(o.Most, 0))
	return err
}

// dropOverheard removes what an agent was told.
func dropOverheard(ctx context.Context, w *writer, t inbox.Told) error {
	if t.Room == "" {
		return nil
	}
	_, err := w.exec(ctx, "DELETE FROM overheard WHERE room = ? AND seq <= ?", t.Room, t.UpTo)
	return err
}

// Overheard returns what was said in a room beside the agent, oldest first.
func (d *DB) Overheard(ctx context.Context, room string) ([]inbox.Overheard, error) {
	var out []inbox.Overheard
	err := d.query(ctx, "SELECT seq, room, sender, text, at FROM overheard WHERE room = ? ORDER BY at, seq", []any{room}, func(r *sql.Rows) error {
		var o inbox.Overheard
		var at int64
		err := r.Scan(&o.ID, &o.Room, &o.Sender, &o.Text, &at)
		o.At = fromMillis(at)
		out = append(out, o)
		return err
	})
	return out, err
}
