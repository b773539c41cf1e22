package slack

import (
	"context"
	"slices"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Thread is channels.slack.thread.
type Thread struct {
	HistoryScope  string `json:"historyScope,omitempty" schema:"values=thread|channel"`
	InheritParent bool   `json:"inheritParent,omitempty"`
	Initial       *int   `json:"initialHistoryLimit,omitempty" schema:"minimum=0" doc:"Messages of a thread that are told when the bot is first addressed there; default 20."`
}

const (
	usualInitial = 20
	mostInitial  = 200 // what Slack gives in one page
	mostSaid     = 2000
)

// before is what was said in a thread until the bot is addressed there for the
// first time: the beginning, and the newest of the rest.
func (b *bot) before(ctx context.Context, me self, in msg.Inbound, m message) []msg.Said {
	limit := usualInitial
	if n := b.cfg.Thread.Initial; n != nil {
		limit = min(*n, mostInitial)
	}
	key := m.Channel + "/" + m.Thread
	if limit <= 0 || in.At.Thread == "" || in.At.Kind == msg.Direct || !b.concerned(in) {
		return nil
	}
	if _, known := b.begun.Get(key); known {
		return nil
	}
	if _, spoke := b.threads.Get(key); spoke {
		return nil // it has been told before
	}
	var ans history
	q := params{"channel": m.Channel, "ts": m.Thread, "latest": m.TS, "limit": strconv.Itoa(mostInitial)}
	if err := b.api.call(ctx, "conversations.replies", q, &ans); err != nil {
		b.log.DebugContext(ctx, "slack thread can't be read", "channel", ID, "err", err)
		return nil
	}
	b.begun.Put(key, true)
	ms := slices.DeleteFunc(ans.Messages, func(x message) bool { return !stamp(x.TS) || !newer(m.TS, x.TS) || x.TS == m.TS })
	if slices.ContainsFunc(ms, func(x message) bool { return x.TS != m.Thread && b.own(me, x) }) {
		return nil // it has answered there, and so been told
	}
	slices.SortFunc(ms, func(x, y message) int { return when(x.TS).Compare(when(y.TS)) })
	if len(ms) > limit {
		ms = append(ms[:1:1], ms[len(ms)-limit+1:]...)
	}
	var out []msg.Said
	for _, x := range ms {
		x.Channel = m.Channel
		if s := text.Ellipsis(b.said(ctx, me, x), mostSaid); s != "" {
			from := b.sender(ctx, x)
			if b.own(me, x) {
				from.Name = me.Name
			}
			out = append(out, msg.Said{From: from.Name, Text: s, At: when(x.TS)})
		}
	}
	return out
}

// concerned tells whether a message may be for the bot: it is addressed, in a
// channel that is listed or where all are open.
func (b *bot) concerned(in msg.Inbound) bool {
	room, listed := findRoom(b.cfg.Channels, in, b.cfg.NameMatching)
	star, all := b.cfg.Channels["*"]
	if !listed && !all && b.cfg.GroupPolicy != "open" {
		return false
	}
	need := first(room.RequireMention, star.RequireMention, b.cfg.RequireMention)
	return in.Mentioned || need != nil && !*need
}
