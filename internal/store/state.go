package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// ChannelState returns what a channel account keeps under key, "" when
// nothing.
func (d *DB) ChannelState(ctx context.Context, c id.Channel, a id.Account, key string) (value string, err error) {
	err = d.query(ctx, "SELECT value FROM channel_state WHERE channel = ? AND account = ? AND key = ?",
		[]any{string(c), string(a), key}, func(r *sql.Rows) error { return r.Scan(&value) })
	return value, err
}

// SetChannelState keeps value under key; "" removes it.
func (d *DB) SetChannelState(ctx context.Context, c id.Channel, a id.Account, key, value string) error {
	if value == "" {
		_, err := d.one(ctx, "DELETE FROM channel_state WHERE channel = ? AND account = ? AND key = ?", string(c), string(a), key)
		return err
	}
	_, err := d.one(ctx, `INSERT INTO channel_state (channel, account, key, value) VALUES (?, ?, ?, ?)
		ON CONFLICT (channel, account, key) DO UPDATE SET value = excluded.value`, string(c), string(a), key, value)
	return err
}

// SystemEvent is a line for the next prompt of a session.
type SystemEvent struct {
	ID   int64 // grows with arrival
	Text string
	At   time.Time
}

// maxSystemEvents bounds what waits for one session; the oldest go first.
const maxSystemEvents = 20

// PutSystemEvent queues text for the next prompt of key.
func (d *DB) PutSystemEvent(ctx context.Context, key id.SessionKey, text string, at time.Time) error {
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		if _, err := w.exec(ctx, "INSERT INTO system_events (key, text, at) VALUES (?, ?, ?)", string(key), text, millis(at)); err != nil {
			return err
		}
		_, err := w.exec(ctx, `DELETE FROM system_events WHERE key = ? AND seq NOT IN
			(SELECT seq FROM system_events WHERE key = ? ORDER BY seq DESC LIMIT ?)`, string(key), string(key), maxSystemEvents)
		return err
	})
}

// DropSystemEvents removes what is queued for key up to the event with this ID.
func (d *DB) DropSystemEvents(ctx context.Context, key id.SessionKey, upTo int64) error {
	_, err := d.one(ctx, "DELETE FROM system_events WHERE key = ? AND seq <= ?", string(key), upTo)
	return err
}

// SystemEvents returns what is queued for key and leaves it.
func (d *DB) SystemEvents(ctx context.Context, key id.SessionKey) ([]SystemEvent, error) {
	var es []SystemEvent
	err := d.query(ctx, "SELECT seq, text, at FROM system_events WHERE key = ? ORDER BY seq", []any{string(key)}, func(r *sql.Rows) error {
		e, err := scanEvent(r)
		es = append(es, e)
		return err
	})
	return es, err
}

func scanEvent(r *sql.Rows) (e SystemEvent, err error) {
	var at int64
	err = r.Scan(&e.ID, &e.Text, &at)
	e.At = fromMillis(at)
	return e, err
}
