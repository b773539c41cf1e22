package slack

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// notice is a fact about a conversation. what begins its id, which is the same
// however often Slack tells it.
func (b *bot) notice(ctx context.Context, e event, what, conversation, thread, person string) (msg.Inbound, bool) {
	if !idLike(conversation) || !idLike(person) {
		return msg.Inbound{}, false
	}
	at, where := b.place(ctx, e.ChannelType, conversation, thread, "")
	if at.Kind == msg.Direct && !on(b.cfg.DM.Enabled) {
		return msg.Inbound{}, false
	}
	where.Team = e.Team
	received := time.Now()
	if stamp(e.EventTS) {
		received = when(e.EventTS)
	}
	u := b.people.user(ctx, person)
	return msg.Inbound{
		ID: id.Message(what + ":" + text.Cut(printable(cmp.Or(e.EventTS, e.TS)), 40)), At: at, Room: where, Notice: true, Received: received,
		From:      msg.Sender{ID: id.Peer(person), Name: clean(u.shown()), Username: clean(u.Name), Bot: u.IsBot},
		Mentioned: at.Kind == msg.Direct,
	}, true
}

// called is how a notice names somebody.
func called(s msg.Sender) string { return cmp.Or(s.Name, s.Username, string(s.ID)) }

func threadOf(m *message) string {
	if m.Thread == m.TS || !stamp(m.Thread) {
		return ""
	}
	return m.Thread
}

// edited tells that somebody changed a message. A preview that Slack adds
// counts as a change there; it isn't one here.
func (b *bot) edited(ctx context.Context, me self, e event) (in msg.Inbound, ok bool) {
	m := e.Message
	if m == nil || !stamp(m.TS) || b.own(me, *m) || m.Edited.TS == "" || e.Previous != nil && e.Previous.Text == m.Text {
		return in, false
	}
	in, ok = b.notice(ctx, e, "edit:"+m.TS, e.room().ID, threadOf(m), cmp.Or(m.User, m.BotID))
	in.Text = called(in.From) + " changed the message " + m.TS + " to: " + b.said(ctx, me, *m)
	return in, ok
}

// deleted tells that a message is gone.
func (b *bot) deleted(ctx context.Context, me self, e event) (in msg.Inbound, ok bool) {
	if !stamp(e.DeletedTS) || e.Previous == nil || b.own(me, *e.Previous) {
		return in, false
	}
	in, ok = b.notice(ctx, e, "delete:"+e.DeletedTS, e.room().ID, threadOf(e.Previous), cmp.Or(e.Previous.User, e.Previous.BotID))
	in.Text = called(in.From) + "'s message " + e.DeletedTS + " was deleted"
	return in, ok
}

// reaction tells of an emoji that was put on a message or taken off, as far as
// reactionNotifications wants to know.
func (b *bot) reaction(ctx context.Context, me self, e event) (in msg.Inbound, ok bool) {
	who := e.user()
	if e.Item.Type != "message" || !stamp(e.Item.TS) || who == me.User || !emojiName(e.Reaction) || !b.wantsReaction(me, e, who) {
		return in, false
	}
	in, ok = b.notice(ctx, e, "reaction:"+e.Item.TS+":"+e.Reaction+":"+who, e.Item.Channel, "", who)
	verb := " reacted with :" + e.Reaction + ": to "
	if e.Type == "reaction_removed" {
		verb = " took back the reaction :" + e.Reaction + ": to "
	}
	whose := "the message "
	if e.ItemUser == me.User {
		whose = "your message "
	}
	in.Text = called(in.From) + verb + whose + e.Item.TS
	return in, ok
}

func (b *bot) wantsReaction(me self, e event, who string) bool {
	switch b.cfg.ReactionNotices {
	case "off":
		return false
	case "all":
		return true
	case "allowlist":
		for _, w := range words(b.cfg.ReactionAllowlist) {
			if n := normalize(w); n == "*" || n == strings.ToUpper(who) {
				return true
			}
		}
		return false
	}
	return e.ItemUser == me.User
}

func (b *bot) member(ctx context.Context, me self, e event) (in msg.Inbound, ok bool) {
	who := e.user()
	if who == me.User {
		b.people.rooms.Take(e.room().ID)
		return in, false
	}
	in, ok = b.notice(ctx, e, strings.TrimSuffix(e.Type, "_channel")+":"+who, e.room().ID, "", who)
	in.Text = called(in.From) + " joined the channel"
	if e.Type == "member_left_channel" {
		in.Text = called(in.From) + " left the channel"
	}
	return in, ok
}

func (b *bot) pinned(ctx context.Context, me self, e event) (in msg.Inbound, ok bool) {
	who := e.user()
	if who == me.User {
		return in, false
	}
	ts := cmp.Or(e.Item.Message.TS, e.Item.TS)
	in, ok = b.notice(ctx, e, e.Type+":"+text.Cut(printable(ts), 40), cmp.Or(e.ChannelID, e.Item.Channel), "", who)
	in.Text = called(in.From) + " pinned"
	if e.Type == "pin_removed" {
		in.Text = called(in.From) + " unpinned"
	}
	in.Text += " a message"
	if stamp(ts) {
		in.Text = strings.TrimSuffix(in.Text, "a message") + "the message " + ts
	}
	if said := text.Preview(b.said(ctx, me, e.Item.Message), 200); said != "" {
		in.Text += ": " + said
	}
	return in, ok
}
