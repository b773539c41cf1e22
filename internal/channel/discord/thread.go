package discord

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Thread implements [channel.Threader].
func (b *bot) Thread(ctx context.Context, at msg.Address, m id.Message, name string) (msg.Address, error) {
	const op, public = "discord.Thread", 11
	none := msg.Address{}
	to, err := b.destination(ctx, at)
	if err != nil {
		return none, err
	}
	body := map[string]any{"name": title(name)}
	path := "/channels/" + to + "/threads"
	switch r, _ := b.room(ctx, to); {
	case m != "" && !snowflake(string(m)):
		return none, fault.New(fault.Invalid, op, "not the id of a message")
	case r.forum():
		body["message"] = map[string]any{"content": text.Fit(name, maxText, text.UTF16), "allowed_mentions": map[string]any{"parse": []string{}}}
	case m != "":
		path = "/channels/" + to + "/messages/" + string(m) + "/threads"
	default:
		body["type"] = public
	}
	var made room
	if err := b.api.post(ctx, path, body, &made); err != nil {
		return none, err
	}
	if !snowflake(made.ID) {
		return none, fault.New(fault.Unavailable, op, "Discord named no thread")
	}
	b.world.room(made)
	return msg.Address{Channel: ID, Account: b.env.Account, Kind: msg.Channel, Peer: id.Peer(made.ID)}, nil
}

// ownThread moves the answer to a mention into a thread of its own, where the
// configuration wants one. The thread has the id of the message, so that asking
// for it twice gives the same.
func (b *bot) ownThread(ctx context.Context, in *msg.Inbound, m message) {
	if in.At.Kind != msg.Channel || in.Room.Parent != "" || b.cfg.GroupPolicy == "disabled" {
		return
	}
	f := find(b.cfg.Guilds, *in)
	if !yes(first(f.room.AutoThread, f.star.AutoThread), false) || !f.admits(*in, b.cfg.NameMatching) {
		return
	}
	if m.Thread == nil {
		body := map[string]any{"name": title(cmp.Or(in.Text, "Thread"))}
		if n, err := strconv.Atoi(strings.Join(words([]any{f.room.AutoArchive}), "")); err == nil {
			body["auto_archive_duration"] = n
		}
		var made room
		err := b.api.post(ctx, "/channels/"+m.ChannelID+"/messages/"+m.ID+"/threads", body, &made)
		if err != nil && !refusedWith(err, codeThreadThere) {
			b.log.WarnContext(ctx, "discord thread can't be made, answering in the channel", "channel", ID, "err", err)
			return
		}
		made.ID, made.GuildID, made.ParentID, made.Type = m.ID, m.GuildID, m.ChannelID, cmp.Or(made.Type, typeThreads+1)
		b.world.room(made)
	}
	in.Room.Parent, in.At.Peer = in.At.Peer, id.Peer(m.ID)
}
