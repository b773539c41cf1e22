package store

import (
	"context"
	"database/sql"
	"sync"
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

// eventKeys knows the sessions that may have system events: nearly none has, and
// each turn asks.
type eventKeys struct {
	mu   sync.Mutex
	keys map[id.SessionKey]bool // nil beside the process that owns the state: any may
	puts int                    // a look at the database that overlaps one says nothing
}

// may reports whether key may have events.
func (q *eventKeys) may(key id.SessionKey) (may bool, puts int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.keys == nil || q.keys[key], q.puts
}

func (q *eventKeys) put(key id.SessionKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.puts++
	if q.keys != nil {
		q.keys[key] = true
	}
}

// none notes that key had no event, unless one was put since may said puts.
func (q *eventKeys) none(key id.SessionKey, puts int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.puts == puts {
		delete(q.keys, key)
	}
}

// loadEventKeys finds the sessions that have system events.
func (d *DB) loadEventKeys(ctx context.Context) error {
	d.eventKeys.keys = map[id.SessionKey]bool{}
	return d.query(ctx, "SELECT DISTINCT key FROM system_events", nil, func(r *sql.Rows) error {
		var key id.SessionKey
		err := r.Scan(&key)
		d.eventKeys.keys[key] = true
		return err
	})
}

// PutSystemEvent queues text for the next prompt of key.
func (d *DB) PutSystemEvent(ctx context.Context, key id.SessionKey, text string, at time.Time) error {
	err := d.putSystemEvent(ctx, key, text, at)
	d.eventKeys.put(key) // also after an error: it may be there all the same
	return err
}

func (d *DB) putSystemEvent(ctx context.Context, key id.SessionKey, text string, at time.Time) error {
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error { return putEvent(ctx, w, key, text, at) })
}

func putEvent(ctx context.Context, w *writer, key id.SessionKey, text string, at time.Time) error {
	if _, err := w.exec(ctx, "INSERT INTO system_events (key, text, at) VALUES (?, ?, ?)", string(key), text, millis(at)); err != nil {
		return err
	}
	_, err := w.exec(ctx, `DELETE FROM system_events WHERE key = ? AND seq NOT IN
		(SELECT seq FROM system_events WHERE key = ? ORDER BY seq DESC LIMIT ?)`, string(key), string(key), maxSystemEvents)
	return err
}

// DropSystemEvents removes what is queued for key up to the event with this ID.
func (d *DB) DropSystemEvents(ctx context.Context, key id.SessionKey, upTo int64) error {
	_, err := d.one(ctx, "DELETE FROM system_events WHERE key = ? AND seq <= ?", string(key), upTo)
	return err
}

// SystemEvents returns what is queued for key and leaves it.
func (d *DB) SystemEvents(ctx context.Context, key id.SessionKey) ([]SystemEvent, error) {
	may, puts := d.eventKeys.may(key)
	if !may {
		return nil, nil
	}
	var es []SystemEvent
	err := d.query(ctx, "SELECT seq, text, at FROM system_events WHERE key = ? ORDER BY seq", []any{string(key)}, func(r *sql.Rows) error {
		e, err := scanEvent(r)
		es = append(es, e)
		return err
	})
	if err == nil && len(es) == 0 {
		d.eventKeys.none(key, puts)
	}
	return es, err
}

func scanEvent(r *sql.Rows) (e SystemEvent, err error) {
	var at int64
	err = r.Scan(&e.ID, &e.Text, &at)
	e.At = fromMillis(at)
	return e, err
}
