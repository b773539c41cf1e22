package matrix

import (
	"context"
	"time"

	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Typing implements [channel.Typer].
func (b *bot) Typing(ctx context.Context, to msg.Address) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	_, err = b.cli.UserTyping(ctx, r, true, 10*time.Second)
	return classify("matrix.Typing", err)
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, to msg.Address, m id.Message, source string) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	c := b.content(source)
	c.SetEdit(mid.EventID(m))
	_, err = b.cli.SendMessageEvent(ctx, r, event.EventMessage, c)
	return classify("matrix.Edit", err)
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	_, err = b.cli.RedactEvent(ctx, r, mid.EventID(m))
	return classify("matrix.Delete", err)
}

// React implements [channel.Reactor]. Matrix takes a reaction back by its own
// id, which is kept.
func (b *bot) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	const op = "matrix.React"
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	key := "reaction/" + string(m) + "/" + emoji
	if on {
		resp, err := b.cli.SendReaction(ctx, r, mid.EventID(m), emoji)
		if err != nil {
			return classify(op, err)
		}
		return b.setState(ctx, key, string(resp.EventID))
	}
	own, err := b.state(ctx, key)
	if err != nil {
		return err
	}
	if own == "" {
		return fault.New(fault.NotFound, op, "there is no such reaction of ours")
	}
	if _, err := b.cli.RedactEvent(ctx, r, mid.EventID(own)); err != nil {
		return classify(op, err)
	}
	return b.setState(ctx, key, "")
}
