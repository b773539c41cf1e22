package discord

import (
	"cmp"
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// reaction is an emoji that was put on a message or taken off.
type reaction struct {
	UserID    string  `json:"user_id"`
	ChannelID string  `json:"channel_id"`
	MessageID string  `json:"message_id"`
	GuildID   string  `json:"guild_id"`
	Member    *member `json:"member"`
	Emoji     emoji   `json:"emoji"`
	AuthorID  string  `json:"message_author_id"`
	removed   bool
}

// reaction tells the agent of it, as far as reactionNotifications wants to know.
func (b *bot) reaction(ctx context.Context, r reaction, recv channel.Receiver) error {
	me, err := b.self(ctx)
	if err != nil {
		return err
	}
	name := clean(r.Emoji.Name)
	if !snowflake(r.UserID) || !snowflake(r.ChannelID) || !snowflake(r.MessageID) || name == "" || r.UserID == me.ID {
		return nil
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup)
	defer cancel()
	at, where, ok := b.where(look, r.ChannelID, r.GuildID, id.Peer(r.UserID))
	if !ok {
		return nil
	}
	from := msg.Sender{ID: id.Peer(r.UserID)}
	if m := r.Member; m != nil {
		where.Roles = roleIDs(m.Roles)
		from.Name = clean(m.Nick)
		if m.User != nil {
			from.Name, from.Username, from.Bot = clean(cmp.Or(m.Nick, m.User.shown())), clean(m.User.handle()), m.User.Bot
		}
	}
	if r.Emoji.ID != "" {
		name = ":" + name + ":"
	}
	_, sent := b.sent.Get(r.MessageID)
	own := sent || r.AuthorID == me.ID
	what, verb := "reaction:", " reacted with "+name+" to "
	if r.removed {
		what, verb = "unreaction:", " took back the reaction "+name+" to "
	}
	whose := "the message "
	if own {
		whose = "your message "
	}
	in := msg.Inbound{
		ID: id.Message(what + r.MessageID + ":" + cmp.Or(r.Emoji.ID, name) + ":" + r.UserID), From: from, At: at, Room: where,
		Text: cmp.Or(from.Name, from.Username, r.UserID) + verb + whose + r.MessageID, Notice: true, Mentioned: at.Kind == msg.Direct, Received: time.Now(),
	}
	if !b.wantsReaction(in, own) {
		return nil
	}
	return b.store(ctx, in, r.ChannelID, recv)
}

func (b *bot) wantsReaction(in msg.Inbound, own bool) bool {
	f := find(b.cfg.Guilds, in)
	switch f.guild.ReactionNotices {
	case "off":
		return false
	case "all":
		return true
	case "allowlist":
		ids, names := forms(in.From)
		if b.cfg.NameMatching {
			ids = append(ids, names...)
		}
		for _, w := range words(f.guild.Users) {
			n := normalize(w)
			for _, i := range ids {
				if n == i || n == "*" {
					return true
				}
			}
		}
		return false
	}
	return own
}
