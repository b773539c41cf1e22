package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
)

const putInboundSQL = "INSERT INTO inbox (key, body, stored) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"

const inboxColumns = "key, body, tries, done, result, reason"

// PutInbound stores in and reports whether it is new.
func (d *DB) PutInbound(ctx context.Context, in msg.Inbound) (bool, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return false, err
	}
	n, err := d.one(ctx, putInboundSQL, in.DedupeKey(), string(body), millis(d.now()))
	return n > 0, err
}

// OpenInbound returns what is stored but not done, in the order of arrival.
func (d *DB) OpenInbound(ctx context.Context) ([]inbox.Item, error) {
	return d.inbound(ctx, "SELECT "+inboxColumns+" FROM inbox WHERE done = 0 ORDER BY seq")
}

// PoisonedInbound lists what was set aside, oldest first.
func (d *DB) PoisonedInbound(ctx context.Context) ([]inbox.Item, error) {
	return d.inbound(ctx, "SELECT "+inboxColumns+" FROM inbox WHERE reason <> '' ORDER BY seq")
}

// Inbound returns one message by key.
func (d *DB) Inbound(ctx context.Context, key string) (inbox.Item, bool, error) {
	items, err := d.inbound(ctx, "SELECT "+inboxColumns+" FROM inbox WHERE key = ?", key)
	if err != nil || len(items) == 0 {
		return inbox.Item{}, false, err
	}
	return items[0], true, nil
}

func (d *DB) inbound(ctx context.Context, q string, args ...any) ([]inbox.Item, error) {
	var items []inbox.Item
	err := d.query(ctx, q, args, func(r *sql.Rows) error {
		var it inbox.Item
		var body, result []byte
		var done int64
		if err := r.Scan(&it.Key, &body, &it.Tries, &done, &result, &it.Reason); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &it.In); err != nil {
			d.log.ErrorContext(ctx, "an inbox row cannot be read", "key", it.Key, "err", err)
			return nil
		}
		it.Done = done != 0
		if len(result) > 0 {
			it.Result = result
		}
		items = append(items, it)
		return nil
	})
	return items, err
}

// TryInbound counts one more attempt at keys and returns the highest count.
func (d *DB) TryInbound(ctx context.Context, keys ...string) (tries int, err error) {
	err = d.w.do(ctx, len(keys) == 1, func(ctx context.Context, w *writer) error {
		tries = 0
		for _, k := range keys {
			var n int
			err := w.row(ctx, "UPDATE inbox SET tries = tries + 1 WHERE key = ? RETURNING tries", []any{k}, &n)
			if err == sql.ErrNoRows { //nolint:errorlint // Scan returns it bare
				continue
			}
			if err != nil {
				return err
			}
			tries = max(tries, n)
		}
		return nil
	})
	return tries, err
}

// UntryInbound takes one attempt at keys back.
func (d *DB) UntryInbound(ctx context.Context, keys ...string) error {
	return d.w.do(ctx, len(keys) == 1, func(ctx context.Context, w *writer) error {
		for _, k := range keys {
			if _, err := w.exec(ctx, "UPDATE inbox SET tries = tries - 1 WHERE key = ? AND tries > 0", k); err != nil {
				return err
			}
		}
		return nil
	})
}

// Finish marks messages done with their result, stores what is to be delivered
// and the session's entry, in one transaction.
func (d *DB) Finish(ctx context.Context, f inbox.Finished) error {
	rows, err := d.outRows(f.Outs)
	if err != nil {
		return err
	}
	n := len(f.Keys) + len(f.Dropped) + len(rows)
	if len(f.Tail.Data) > 0 {
		n++
	}
	var entry *sessionRow
	if f.Session != nil {
		n++
		if entry, err = rowOf(*f.Session); err != nil {
			return err
		}
	}
	next, err := inboundRows(f.Next)
	if err != nil {
		return err
	}
	n += len(next)
	if f.Event != nil || f.Overheard != nil || f.Told.Room != "" {
		n += 2
	}
	if n == 0 {
		return nil
	}
	now := millis(d.now())
	err = d.w.do(ctx, n == 1, func(ctx context.Context, w *writer) error {
		for _, k := range f.Keys {
			if _, err := w.exec(ctx, "UPDATE inbox SET done = ?, result = ? WHERE key = ? AND done = 0", now, string(f.Result), k); err != nil {
				return err
			}
		}
		for _, k := range f.Dropped {
			if _, err := w.exec(ctx, "UPDATE inbox SET done = ?, result = ?, reason = ? WHERE key = ? AND done = 0", now, string(f.Result), f.Reason, k); err != nil {
				return err
			}
		}
		for _, r := range rows {
			if err := r.put(ctx, w); err != nil {
				return err
			}
		}
		for _, r := range next {
			if _, err := w.exec(ctx, putInboundSQL, r.key, r.body, now); err != nil {
				return err
			}
		}
		if err := beside(ctx, w, f); err != nil {
			return err
		}
		if err := putTail(ctx, w, f.Tail); err != nil || entry == nil {
			return err
		}
		return entry.put(ctx, w)
	})
	if f.Event != nil {
		d.eventKeys.put(f.Event.Session) // also after an error: it may be there all the same
	}
	if err == nil && f.Session != nil {
		d.project.mark(sessionsFile(f.Session.Key.Agent()))
	}
	return err
}

// beside stores what isn't about the messages of f themselves.
func beside(ctx context.Context, w *writer, f inbox.Finished) error {
	if err := putOverheard(ctx, w, f.Overheard); err != nil {
		return err
	}
	if err := dropOverheard(ctx, w, f.Told); err != nil || f.Event == nil {
		return err
	}
	return putEvent(ctx, w, f.Event.Session, f.Event.Text, f.Event.At)
}

// inboundRow is a message as its row.
type inboundRow struct{ key, body string }

func inboundRows(ins []msg.Inbound) ([]inboundRow, error) {
	rows := make([]inboundRow, len(ins))
	for i, in := range ins {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		rows[i] = inboundRow{in.DedupeKey(), string(body)}
	}
	return rows, nil
}

// PoisonInbound sets a message aside with a reason.
func (d *DB) PoisonInbound(ctx context.Context, key, reason string) error {
	if reason == "" {
		reason = "unknown"
	}
	n, err := d.one(ctx, "UPDATE inbox SET done = ?, reason = ? WHERE key = ?", millis(d.now()), reason, key)
	if err == nil && n == 0 {
		return fault.New(fault.NotFound, "store.PoisonInbound", "no such message: "+key)
	}
	return err
}

// ForgetInbound removes messages done before t. It works in bites, so that
// the writer is never held for long.
func (d *DB) ForgetInbound(ctx context.Context, t time.Time) (int, error) {
	const bite = 500
	for total := 0; ; {
		n, err := d.one(ctx, `DELETE FROM inbox WHERE seq IN
			(SELECT seq FROM inbox WHERE done <> 0 AND done < ? ORDER BY seq LIMIT ?)`, millis(t), bite)
		total += int(n)
		if err != nil || n < bite {
			return total, err
		}
	}
}
