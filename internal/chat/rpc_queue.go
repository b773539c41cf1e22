package chat

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// queueState is what is under way and what went wrong, for people.
type queueState struct {
	Open    []inRow  `json:"open"`     // accepted, not answered yet
	Aside   []inRow  `json:"setAside"` // given up after five tries
	Waiting []outRow `json:"waiting"`  // answers on their way or in doubt
	Failed  []outRow `json:"failed"`   // answers given up, newest first
}

type inRow struct {
	Key     string     `json:"key"`
	Channel id.Channel `json:"channel"`
	From    string     `json:"from"`
	Text    string     `json:"text"` // its beginning
	At      int64      `json:"receivedAt"`
	Tries   int        `json:"tries"`
	Reason  string     `json:"reason,omitempty"`
}

type outRow struct {
	ID      id.Delivery  `json:"id"`
	Channel id.Channel   `json:"channel"`
	To      id.Peer      `json:"to"`
	Text    string       `json:"text"` // its beginning
	State   outbox.State `json:"state"`
	Tries   int          `json:"tries"`
	At      int64        `json:"storedAt"`
	Next    int64        `json:"nextAttemptAt,omitempty"`
	Reason  string       `json:"reason,omitempty"`
}

const shownText = 120 // characters

// rpcQueue is queue.status, a method of ours: what openclaw message queue
// shows.
func (h *Handler) rpcQueue(ctx context.Context, _ *rpc.Caller, _ struct{}) (queueState, error) {
	q := queueState{Open: []inRow{}, Aside: []inRow{}, Waiting: []outRow{}, Failed: []outRow{}}
	open, err := h.Inbox.Store.OpenInbound(ctx)
	if err != nil {
		return q, err
	}
	aside, err := h.Inbox.Store.PoisonedInbound(ctx)
	if err != nil {
		return q, err
	}
	waiting, err := h.Outbox.Store.OpenOutbound(ctx)
	if err != nil {
		return q, err
	}
	failed, err := h.Outbox.Store.FailedOutbound(ctx, 50)
	if err != nil {
		return q, err
	}
	for _, it := range open {
		q.Open = append(q.Open, inRowOf(it))
	}
	for _, it := range aside {
		q.Aside = append(q.Aside, inRowOf(it))
	}
	for _, it := range waiting {
		q.Waiting = append(q.Waiting, outRowOf(it))
	}
	for _, it := range failed {
		q.Failed = append(q.Failed, outRowOf(it))
	}
	return q, nil
}

func inRowOf(it inbox.Item) inRow {
	from := label(it.In.From)
	if c := it.In.Client; c != nil {
		from = c.Label
	}
	return inRow{
		Key: it.Key, Channel: it.In.At.Channel, From: from, Text: text.Preview(it.In.Text, shownText), At: millis(it.In.Received),
		Tries: it.Tries, Reason: it.Reason,
	}
}

func outRowOf(it outbox.Item) outRow {
	return outRow{
		ID: it.Out.ID, Channel: it.Out.To.Channel, To: it.Out.To.Peer, Text: text.Preview(it.Out.Text, shownText), State: it.State,
		Tries: it.Tries, At: millis(it.Stored), Next: millis(it.Next), Reason: it.Reason,
	}
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
