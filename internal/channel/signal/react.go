package signal

import (
	"cmp"
	"context"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// placed names a message over all conversations.
func placed(at msg.Address, m id.Message) string { return string(at.Peer) + "/" + string(m) }

// me is the bot as others name it.
func (b *bot) me() id.Peer { return peer(b.cfg.Account, b.cfg.AccountUUID) }

// author is who wrote a message: whoever is remembered, or the other of a direct
// chat. "" is unknown.
func (b *bot) author(at msg.Address, m id.Message) id.Peer {
	if who, ok := b.wrote.Get(placed(at, m)); ok {
		return who
	}
	if at.Kind == msg.Direct || at.Kind == "" {
		return at.Peer
	}
	return ""
}

// React implements [channel.Reactor].
func (b *bot) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	return b.ReactTo(ctx, to, "", m, emoji, on)
}

// ReactTo implements [channel.AuthorReactor]: Signal names a message by its
// author and its time.
func (b *bot) ReactTo(ctx context.Context, to msg.Address, author id.Peer, m id.Message, emoji string, on bool) error {
	const op = "signal.React"
	t := stamp(m)
	if t == 0 || emoji == "" {
		return fault.New(fault.Invalid, op, "Signal needs the emoji and the message's timestamp")
	}
	if author != "" && normalize(string(author)) == "" {
		return fault.New(fault.Invalid, op, "targetAuthor is not a number or uuid:<id>")
	}
	who := recipient(cmp.Or(author, b.author(to, m)))
	if who == "" {
		return fault.New(fault.Invalid, op, "who wrote that message isn't known any more: give targetAuthor, a number or uuid:<id>")
	}
	params, err := place(to)
	if err != nil {
		return err
	}
	params["emoji"], params["targetAuthor"], params["targetTimestamp"], params["remove"] = emoji, who, t, !on
	return b.daemon.call(ctx, "sendReaction", params, nil)
}
