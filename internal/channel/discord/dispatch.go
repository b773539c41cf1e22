package discord

import (
	"context"
	"encoding/json"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// work takes events in order. What can't be stored is tried again: the number
// that is told to Discord stays before it.
func (l *link) work(ctx context.Context, recv channel.Receiver) error {
	for {
		var f frame
		select {
		case f = <-l.in:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := l.insist(ctx, f, recv); err != nil {
			return err
		}
		if f.Seq > 0 {
			l.done.Store(f.Seq)
			l.session.past(f.Seq)
		}
	}
}

// insist takes f until what it says is stored. One that can't be read is set
// aside.
func (b *bot) insist(ctx context.Context, f frame, recv channel.Receiver) error {
	retry := backoff.Backoff{Policy: b.time.retry}
	for {
		err := b.deliver(ctx, f, recv)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case fault.KindOf(err) == fault.Invalid:
			b.aside(ctx, f, err)
			return nil
		}
		b.log.WarnContext(ctx, "discord message can't be stored yet", "channel", ID, "err", err)
		if err := retry.Wait(ctx, delay(err)); err != nil {
			return err
		}
	}
}

// aside keeps the last event that couldn't be read.
func (b *bot) aside(ctx context.Context, f frame, err error) {
	const most = 4096
	b.log.ErrorContext(ctx, "discord event set aside: it can't be read", "channel", ID, "event", clean(f.Type), "bytes", len(f.Data), "err", err)
	if b.env.SetState != nil && f.Type != "INTERACTION_CREATE" { // which holds a token
		_ = b.env.SetState(ctx, asideKey, text.Cut(text.Valid(string(f.Data)), most))
	}
}

// errUnread is an event of another shape than Discord's.
func errUnread(err error) error { return fault.Wrap(fault.Invalid, "discord.read", err) }

// read decodes the data of an event.
func read[T any](f frame) (v T, err error) {
	if err := json.Unmarshal(f.Data, &v); err != nil {
		return v, errUnread(err)
	}
	return v, nil
}

// deliver takes one event. An error of kind Invalid is final.
func (b *bot) deliver(ctx context.Context, f frame, recv channel.Receiver) error {
	b.log.DebugContext(ctx, "discord.deliver", "event", f.Type)
	switch f.Type {
	case "READY":
		return b.ready(ctx, f, recv)
	case "MESSAGE_CREATE":
		m, err := read[message](f)
		if err != nil {
			return err
		}
		return b.message(ctx, m, recv)
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		r, err := read[reaction](f)
		if err != nil {
			return err
		}
		r.removed = f.Type == "MESSAGE_REACTION_REMOVE"
		return b.reaction(ctx, r, recv)
	case "INTERACTION_CREATE":
		x, err := read[interaction](f)
		if err != nil {
			return err
		}
		return b.interaction(ctx, x, recv)
	}
	return b.world.take(f)
}

// ready begins a session: what was written since the last one is fetched.
func (b *bot) ready(ctx context.Context, f frame, recv channel.Receiver) error {
	r, err := read[struct {
		User        user        `json:"user"`
		Session     string      `json:"session_id"`
		URL         string      `json:"resume_gateway_url"`
		Application application `json:"application"`
	}](f)
	if err != nil {
		return err
	}
	if snowflake(r.User.ID) {
		b.is(r.User, r.Application.ID)
	}
	if err := b.backlog(ctx, recv); err != nil {
		return err
	}
	if r.Session != "" && b.gatewayURL(r.URL) {
		b.session.set(resumable{ID: r.Session, URL: r.URL, Seq: f.Seq})
		b.flush(ctx)
	}
	return nil
}

// message hands a message on.
func (b *bot) message(ctx context.Context, m message, recv channel.Receiver) error {
	me, err := b.self(ctx)
	if err != nil {
		return err
	}
	if !snowflake(m.ID) || !snowflake(m.ChannelID) {
		return nil
	}
	if m.Author != nil && m.Author.ID == me.ID {
		b.sent.Put(m.ID, true)
		return nil
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup)
	defer cancel()
	in, ok := b.inbound(look, me, m)
	if !ok {
		return nil
	}
	return b.store(ctx, in, m.ChannelID, recv)
}

// store hands in on, unless that was done before.
func (b *bot) store(ctx context.Context, in msg.Inbound, conversation string, recv channel.Receiver) error {
	key := in.DedupeKey()
	if _, known := b.stored.Get(key); known {
		return nil
	}
	b.log.DebugContext(ctx, "discord.Run", "message", in.ID)
	if err := recv(ctx, in); err != nil {
		return err
	}
	b.stored.Put(key, true)
	if !in.Notice && snowflake(string(in.ID)) {
		b.saw(ctx, conversation, string(in.ID))
	}
	return nil
}
