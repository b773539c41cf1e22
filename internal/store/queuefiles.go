package store

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/session"
)

// The queue of deliveries is handed over whole: when we stop, what waits is
// written to delivery-queue/, where OpenClaw looks for it; when we start, we
// take what is there and leave the directory empty.
const (
	queueDir     = "delivery-queue"
	kindExported = "exported-delivery"
	maxQueued    = 10_000
	maxGiven     = 200 // stopping must not take long; the rest waits for us
)

// queued is a file of delivery-queue/.
type queued struct {
	ID         string          `json:"id"`
	EnqueuedAt int64           `json:"enqueuedAt"`
	Channel    string          `json:"channel"`
	To         string          `json:"to"`
	AccountID  string          `json:"accountId,omitempty"`
	Payloads   []queuedPayload `json:"payloads"`
	ThreadID   json.RawMessage `json:"threadId,omitempty"`
	ReplyToID  json.RawMessage `json:"replyToId,omitempty"`
	Mirror     *queuedMirror   `json:"mirror,omitempty"`
	RetryCount int             `json:"retryCount"`
	LastError  string          `json:"lastError,omitempty"`
}

type queuedPayload struct {
	Text      string   `json:"text"`
	MediaURL  string   `json:"mediaUrl,omitempty"`
	MediaURLs []string `json:"mediaUrls,omitempty"`
}

type queuedMirror struct {
	SessionKey id.SessionKey `json:"sessionKey"`
}

// takeQueue takes over what waits in delivery-queue/.
func (d *DB) takeQueue(ctx context.Context) error {
	dir := filepath.Join(d.dir, queueDir)
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	exported, err := d.records(ctx, kindExported)
	if err != nil || len(names)+len(exported) == 0 {
		return err
	}
	ours := map[string]bool{} // exported and still there
	for _, n := range names {
		ours[strings.TrimSuffix(filepath.Base(n), ".json")] = true
	}
	for _, r := range exported {
		if !ours[r.id] {
			d.log.WarnContext(ctx, "a message that waited when the gateway stopped was delivered or removed by another program", "delivery", r.id)
			if _, err := d.one(ctx, "UPDATE outbox SET state = 'sent', reason = 'taken over by another program' WHERE id = ? AND state = 'waiting'", r.id); err != nil {
				return err
			}
		}
	}
	if err := d.takeQueued(ctx, names[:min(len(names), maxQueued)]); err != nil {
		return err
	}
	_, err = d.one(ctx, "DELETE FROM records WHERE kind = ?", kindExported)
	return err
}

func (d *DB) takeQueued(ctx context.Context, paths []string) error {
	var rows []outRow
	var taken []string
	for _, path := range paths {
		text, _, err := readBounded(path)
		if err != nil && !errors.Is(err, errShape) {
			return err
		}
		var q queued
		if err != nil || json.Unmarshal(text, &q) != nil || q.ID == "" || q.Channel == "" || q.To == "" {
			d.log.ErrorContext(ctx, "a queued delivery is damaged and has been set aside", "file", filepath.Base(path))
			if err := os.Rename(path, path+".bad."+fileTime(d.now())); err != nil {
				return err
			}
			continue
		}
		rs, err := d.outRows(q.messages())
		if err != nil {
			return err
		}
		for i := range rs {
			rs[i].tries, rs[i].reason = q.RetryCount, q.LastError
			if q.EnqueuedAt > 0 {
				rs[i].at = q.EnqueuedAt
			}
		}
		rows, taken = append(rows, rs...), append(taken, path)
	}
	if err := d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		for _, r := range rows {
			if err := r.put(ctx, w); err != nil {
				return err
			}
			if _, err := w.exec(ctx, "UPDATE outbox SET tries = ?, reason = ? WHERE id = ? AND tries < ?",
				r.tries, r.reason, string(r.out.ID), r.tries); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for _, path := range taken { // stored: nobody else may send it now
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// messages are the deliveries in q, one for each payload.
func (q queued) messages() []msg.Outbound {
	to := msg.Address{
		Channel: id.Channel(q.Channel), Account: id.Account(q.AccountID), Kind: msg.Direct, Thread: id.Thread(plainText(q.ThreadID)),
	}
	if to.Account == "" {
		to.Account = id.DefaultAccount
	}
	peer := strings.TrimPrefix(q.To, q.Channel+":")
	for prefix, kind := range map[string]msg.PeerKind{"user:": msg.Direct, "channel:": msg.Channel, "group:": msg.Group} {
		if rest, ok := strings.CutPrefix(peer, prefix); ok {
			peer, to.Kind = rest, kind
			break
		}
	}
	if strings.HasPrefix(peer, "#") {
		to.Kind = msg.Channel
	}
	to.Peer = id.Peer(peer)
	var outs []msg.Outbound
	for i, p := range q.Payloads {
		o := msg.Outbound{ID: id.Delivery(q.ID), To: to, Text: p.Text, ReplyTo: id.Message(plainText(q.ReplyToID))}
		if i > 0 {
			o.ID = id.Delivery(q.ID + "-" + strconv.Itoa(i+1))
		}
		for _, u := range append(p.MediaURLs, p.MediaURL) {
			if u != "" && !strings.Contains(o.Text, u) {
				o.Text = strings.TrimSpace(o.Text + "\n" + u)
			}
		}
		if q.Mirror != nil {
			o.Session = q.Mirror.SessionKey
		}
		outs = append(outs, o)
	}
	return outs
}

// plainText is a string or number as text, anything else "".
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// giveQueue hands what waits over to whoever runs next.
func (d *DB) giveQueue(ctx context.Context) error {
	open, err := d.OpenOutbound(ctx)
	if err != nil {
		return err
	}
	var given []string
	for _, it := range open {
		if it.State != outbox.Waiting || !session.ValidID(id.Session(it.Out.ID)) {
			continue // in doubt, and ours to decide
		}
		if len(given) == maxGiven {
			break
		}
		if err := d.give(it); err != nil {
			return err
		}
		given = append(given, string(it.Out.ID))
	}
	if len(given) == 0 {
		return nil
	}
	// The files came first: a row without a file counts as delivered.
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		for _, g := range given {
			if _, err := w.exec(ctx, putRecordSQL, kindExported, g, 0, "{}"); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *DB) give(it outbox.Item) error {
	o := it.Out
	q := queued{
		ID: string(o.ID), EnqueuedAt: millis(it.Stored), Channel: string(o.To.Channel), To: string(o.To.Peer),
		AccountID: string(o.To.Account), Payloads: []queuedPayload{{Text: o.Text}}, ThreadID: json.RawMessage("null"),
		RetryCount: it.Tries, LastError: it.Reason,
	}
	if o.To.Kind == msg.Channel || o.To.Kind == msg.Group {
		q.To = string(o.To.Kind) + ":" + q.To
	}
	if o.To.Thread != "" {
		q.ThreadID, _ = json.Marshal(o.To.Thread) // a string always can be
	}
	if o.ReplyTo != "" {
		q.ReplyToID, _ = json.Marshal(o.ReplyTo)
	}
	if o.Session != "" {
		q.Mirror = &queuedMirror{o.Session}
	}
	text, err := json.MarshalIndent(q, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(d.dir, queueDir, q.ID+".json"), text)
}
