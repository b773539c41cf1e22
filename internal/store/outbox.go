package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
)

const outboxColumns = "o.body, o.state, o.tries, o.stored, o.next, o.reason, o.receipt"

// outRow is a message on its way into the outbox.
type outRow struct {
	out  msg.Outbound
	body string
	at   int64

	tries  int // made by another program
	reason string
}

func (d *DB) outRows(outs []msg.Outbound) ([]outRow, error) {
	rows := make([]outRow, len(outs))
	for i, o := range outs {
		if o.ID == "" {
			return nil, fault.New(fault.Internal, "store.PutOutbound", "an outbound message has no ID")
		}
		body, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		rows[i] = outRow{out: o, body: string(body), at: millis(d.now())}
	}
	return rows, nil
}

// put inserts r. A message that is stored already stays as it is, so that a
// caller may repeat itself.
func (r outRow) put(ctx context.Context, w *writer) error {
	next := int64(0)
	if !r.out.After.IsZero() {
		next = millis(r.out.After)
	}
	_, err := w.exec(ctx, `INSERT INTO outbox (id, channel, account, peer, state, body, stored, next)
		VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		string(r.out.ID), string(r.out.To.Channel), string(r.out.To.Account), string(r.out.To.Peer), r.body, r.at, next)
	return err
}

// PutOutbound stores messages to deliver, due now or when they say.
func (d *DB) PutOutbound(ctx context.Context, outs ...msg.Outbound) error {
	rows, err := d.outRows(outs)
	if err != nil || len(rows) == 0 {
		return err
	}
	return d.w.do(ctx, len(rows) == 1, func(ctx context.Context, w *writer) error {
		for _, r := range rows {
			if err := r.put(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// dueQuery steps from peer to peer over the index, so that a long backlog to
// one peer costs no more than a short one.
const dueQuery = `WITH RECURSIVE p (peer) AS (
	SELECT MIN(peer) FROM outbox WHERE channel = ? AND account = ? AND state IN ('waiting', 'sending')
	UNION ALL
	SELECT (SELECT MIN(x.peer) FROM outbox x
		WHERE x.channel = ? AND x.account = ? AND x.state IN ('waiting', 'sending') AND x.peer > p.peer)
	FROM p WHERE p.peer IS NOT NULL)
SELECT ` + outboxColumns + ` FROM p JOIN outbox o ON o.seq = (SELECT MIN(y.seq) FROM outbox y
	WHERE y.channel = ? AND y.account = ? AND y.state IN ('waiting', 'sending') AND y.peer = p.peer)
WHERE p.peer IS NOT NULL AND (o.state = 'sending' OR o.next <= ?) ORDER BY o.seq LIMIT ?`

// DueOutbound returns up to n messages of one account to send now: waiting ones
// that are due, and those in doubt from an earlier attempt; the first of
// each peer.
func (d *DB) DueOutbound(ctx context.Context, c id.Channel, a id.Account, now time.Time, n int) ([]outbox.Item, error) {
	ch, acc := string(c), string(a)
	return d.outbound(ctx, dueQuery, ch, acc, ch, acc, ch, acc, millis(now), n)
}

// Outbound returns one message.
func (d *DB) Outbound(ctx context.Context, o id.Delivery) (outbox.Item, bool, error) {
	items, err := d.outbound(ctx, "SELECT "+outboxColumns+" FROM outbox o WHERE o.id = ?", string(o))
	if err != nil || len(items) == 0 {
		return outbox.Item{}, false, err
	}
	return items[0], true, nil
}

// WaitsOutbound reports whether something waits or is in doubt for a peer.
func (d *DB) WaitsOutbound(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (waits bool, err error) {
	err = d.query(ctx, "SELECT 1 FROM outbox WHERE channel = ? AND account = ? AND peer = ? AND state IN ('waiting', 'sending') LIMIT 1",
		[]any{string(c), string(a), string(p)}, func(*sql.Rows) error { waits = true; return nil })
	return waits, err
}

// OpenOutbound lists what is waiting or in doubt.
func (d *DB) OpenOutbound(ctx context.Context) ([]outbox.Item, error) {
	return d.outbound(ctx, "SELECT "+outboxColumns+" FROM outbox o WHERE o.state IN ('waiting', 'sending') ORDER BY o.seq")
}

// FailedOutbound lists what was given up, newest first.
func (d *DB) FailedOutbound(ctx context.Context, n int) ([]outbox.Item, error) {
	return d.outbound(ctx, "SELECT "+outboxColumns+" FROM outbox o WHERE o.state = 'failed' ORDER BY o.seq DESC LIMIT ?", n)
}

func (d *DB) outbound(ctx context.Context, q string, args ...any) ([]outbox.Item, error) {
	var items []outbox.Item
	err := d.query(ctx, q, args, func(r *sql.Rows) error {
		var it outbox.Item
		var body, receipt []byte
		var stored, next int64
		if err := r.Scan(&body, &it.State, &it.Tries, &stored, &next, &it.Reason, &receipt); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &it.Out); err != nil {
			d.log.ErrorContext(ctx, "an outbox row cannot be read", "err", err)
			return nil
		}
		if len(receipt) > 0 {
			if err := json.Unmarshal(receipt, &it.Receipt); err != nil {
				return err
			}
		}
		it.Stored, it.Next = fromMillis(stored), fromMillis(next)
		items = append(items, it)
		return nil
	})
	return items, err
}

// SendingOutbound marks a message as handed to the network.
func (d *DB) SendingOutbound(ctx context.Context, o id.Delivery) error {
	return d.mark(ctx, o, "UPDATE outbox SET state = 'sending' WHERE id = ? AND state IN ('waiting', 'sending')", string(o))
}

// SentOutbound marks a message delivered.
func (d *DB) SentOutbound(ctx context.Context, o id.Delivery, r msg.Receipt) error {
	receipt, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return d.mark(ctx, o, "UPDATE outbox SET state = 'sent', receipt = ? WHERE id = ?", string(receipt), string(o))
}

// RetryOutbound counts an attempt that failed and sets the next one.
func (d *DB) RetryOutbound(ctx context.Context, o id.Delivery, next time.Time, reason string) error {
	return d.mark(ctx, o, `UPDATE outbox SET state = 'waiting', tries = tries + 1, next = ?, reason = ?
		WHERE id = ? AND state IN ('waiting', 'sending')`, millis(next), reason, string(o))
}

// FailOutbound gives a message up. An attempt that was under way counts.
func (d *DB) FailOutbound(ctx context.Context, o id.Delivery, reason string) error {
	return d.mark(ctx, o, `UPDATE outbox SET state = 'failed', reason = ?, tries = tries + CASE state WHEN 'sending' THEN 1 ELSE 0 END
		WHERE id = ? AND state <> 'sent'`, reason, string(o))
}

func (d *DB) mark(ctx context.Context, o id.Delivery, q string, args ...any) error {
	n, err := d.one(ctx, q, args...)
	if err == nil && n == 0 {
		return fault.New(fault.NotFound, "store.outbox", "no open message "+string(o))
	}
	return err
}

// ForgetOutbound removes messages sent before t. What failed stays listed
// until it is four times as old.
func (d *DB) ForgetOutbound(ctx context.Context, t time.Time) (int, error) {
	failed := t.Add(-3 * d.now().Sub(t))
	n, err := d.one(ctx, `DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox
		WHERE (state = 'sent' AND stored < ?) OR (state = 'failed' AND stored < ?) ORDER BY seq LIMIT 1000)`,
		millis(t), millis(failed))
	return int(n), err
}
