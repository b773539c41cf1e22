package plugin

import (
	"context"
	"io"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// able gives a channel those optional interfaces that its manifest lists. Each
// is a decorator, as [channel.As] looks through them.
func able(a *account, can []string) channel.Channel {
	var c channel.Channel = a
	for _, w := range []struct {
		name string
		wrap func(link) channel.Channel
	}{
		{"typing", func(l link) channel.Channel { return typer{l} }},
		{"react", func(l link) channel.Channel { return reactor{l} }},
		{"edit", func(l link) channel.Channel { return editor{l} }},
		{"delete", func(l link) channel.Channel { return deleter{l} }},
		{"fetch", func(l link) channel.Channel { return fetcher{l} }},
		{"login", func(l link) channel.Channel { return login{l} }},
	} {
		if slices.Contains(can, w.name) {
			c = w.wrap(link{c, a})
		}
	}
	return c
}

// link is a decorator around a channel of an account.
type link struct {
	channel.Channel
	a *account
}

// Unwrap returns what it decorates.
func (l link) Unwrap() channel.Channel { return l.Channel }

type (
	typer   struct{ link }
	reactor struct{ link }
	editor  struct{ link }
	deleter struct{ link }
	fetcher struct{ link }
	login   struct{ link }
)

var (
	_ channel.Typer   = typer{}
	_ channel.Reactor = reactor{}
	_ channel.Editor  = editor{}
	_ channel.Deleter = deleter{}
	_ channel.Fetcher = fetcher{}
	_ channel.Login   = login{}
)

// about names a message for the plugin.
type about struct {
	To      msg.Address `json:"to"`
	Message id.Message  `json:"message,omitempty"`
	Emoji   string      `json:"emoji,omitempty"`
	On      *bool       `json:"on,omitempty"`
	Text    string      `json:"text,omitempty"`
}

// Typing implements [channel.Typer].
func (t typer) Typing(ctx context.Context, to msg.Address) error {
	return t.a.call(ctx, "channel.typing", about{To: to}, nil)
}

// React implements [channel.Reactor].
func (r reactor) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	return r.a.call(ctx, "channel.react", about{To: to, Message: m, Emoji: emoji, On: &on}, nil)
}

// Edit implements [channel.Editor].
func (e editor) Edit(ctx context.Context, to msg.Address, m id.Message, s string) error {
	return e.a.call(ctx, "channel.edit", about{To: to, Message: m, Text: e.a.render(s)}, nil)
}

// Delete implements [channel.Deleter].
func (d deleter) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	return d.a.call(ctx, "channel.delete", about{To: to, Message: m}, nil)
}

// Fetch implements [channel.Fetcher].
func (f fetcher) Fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	return f.a.fetch(ctx, at)
}

// Login implements [channel.Login].
func (l login) Login(ctx context.Context, step func(channel.LoginStep)) error {
	return l.a.login(ctx, step)
}

// Logout implements [channel.Login].
func (l login) Logout(ctx context.Context) error {
	return l.a.call(ctx, "channel.logout", struct{}{}, nil)
}
