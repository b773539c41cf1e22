package telegram

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// reacted tells the agent of a reaction, as far as reactionNotifications wants
// to know; update makes its id one of its own.
func (b *bot) reacted(ctx context.Context, update int64, r *reaction) (in msg.Inbound, ok bool) {
	me := b.self()
	if r.Message == 0 || r.Chat.ID == 0 || r.User != nil && r.User.ID == me.ID {
		return in, false
	}
	own := b.own(ctx, r.Chat.ID, r.Message)
	switch b.cfg.ReactionNotifications {
	case "off":
		return in, false
	case "all":
	default:
		if !own || r.User != nil && r.User.Bot {
			return in, false
		}
	}
	from, ok := sender(&message{From: r.User, SenderChat: r.Actor, Chat: r.Chat})
	if !ok {
		return in, false
	}
	put, taken := changed(r.Old, r.New), changed(r.New, r.Old)
	if put == "" && taken == "" {
		return in, false
	}
	var did []string
	if put != "" {
		did = append(did, "reacted with "+put)
	}
	if taken != "" {
		did = append(did, "took back the reaction "+taken)
	}
	whose := "the message "
	if own {
		whose = "your message "
	}
	m := &message{Chat: r.Chat}
	n := strconv.FormatInt(r.Message, 10)
	in = msg.Inbound{
		ID: id.Message("reaction:" + strconv.FormatInt(update, 10)), From: from, At: b.address(m), Room: b.room(m), Received: now(r.Date), Notice: true,
		Text: cmp.Or(from.Name, from.Username, string(from.ID)) + " " + strings.Join(did, " and ") + " on " + whose + n,
	}
	in.Mentioned = in.At.Kind == msg.Direct
	return in, true
}

// changed are the emoji of next that aren't in last.
func changed(last, next []mark) string {
	known := map[mark]bool{}
	for _, m := range last {
		known[m] = true
	}
	const most = 11
	var out []string
	for _, m := range next[:min(len(next), most)] {
		if known[m] {
			continue
		}
		switch m.Type {
		case "emoji":
			out = append(out, printable(m.Emoji))
		case "custom_emoji":
			out = append(out, "a custom emoji")
		case "paid":
			out = append(out, "a star")
		}
	}
	return strings.Join(out, " ")
}

// now is a time of Telegram's, or the present.
func now(unix int64) time.Time {
	if unix <= 0 {
		return time.Now()
	}
	return time.Unix(unix, 0)
}
