// Package discord connects a Discord bot: the gateway for what comes in, the
// REST API for what goes out.
//
// The gateway numbers its events. The number that is told back to it, in
// heartbeats and to resume, is that of the last event that is stored, so what
// isn't comes again. Start at [Kind]; bot.Run connects (gateway.go),
// dispatch.go takes events, message.go and interaction.go read them, send.go
// writes.
package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"

	"github.com/openclaw-go/openclaw/internal/base/recent"
)

// ID is the network's name in the configuration.
const ID id.Channel = "discord"

// Kind makes Discord channels.
func Kind() channel.Kind {
	return channel.Kind{
		ID: ID, Label: "Discord", Config: Account{}, New: build,
		Env:       []channel.EnvKey{{Key: "token", Name: "DISCORD_BOT_TOKEN"}},
		Normalize: normalize, Forms: forms, IsName: isName, Rules: rules, Target: target,
	}
}

// timing is how long things take; tests shorten it.
type timing struct {
	retry   backoff.Policy // between connections, and tries to store
	invalid time.Duration  // before a new session takes the place of a refused one
	hello   time.Duration  // until the gateway must have greeted
	lookup  time.Duration  // for a name, while a message waits for it
	note    time.Duration  // between writes of what was seen last
	quiet   time.Duration  // between log lines about the same trouble
	hold    time.Duration  // that a call waits for its rate limit; longer ones are refused
	call    time.Duration  // for one call
}

func usual() timing {
	return timing{
		retry: backoff.Policy{Min: time.Second, Max: time.Minute}, invalid: 3 * time.Second,
		hello: 20 * time.Second, lookup: 3 * time.Second, note: 2 * time.Second, quiet: time.Minute,
		hold: 3 * time.Second, call: 30 * time.Second,
	}
}

// bot is one account.
type bot struct {
	cfg     Config
	env     channel.Env
	log     *slog.Logger
	time    timing
	api     *api
	dialect markdown.Dialect
	world   world
	stored  recent.Map[bool]   // messages that are stored, by place
	sent    recent.Map[bool]   // messages of ours, by id
	dms     recent.Map[string] // conversations with people, by person
	files   recent.Map[string] // addresses of attachments, by Ref
	open    answers            // interactions that wait for an answer
	panels  panels
	seen    seen
	session session
	now     atomic.Pointer[link] // the connection there is; nil is none

	mu sync.Mutex
	me self // once known
}

// self is who the token belongs to.
type self struct{ ID, Name, App string }

var (
	_ channel.Channel   = (*bot)(nil)
	_ channel.Splitter  = (*bot)(nil)
	_ channel.Prober    = (*bot)(nil)
	_ channel.Gate      = (*bot)(nil)
	_ channel.Typer     = (*bot)(nil)
	_ channel.Editor    = (*bot)(nil)
	_ channel.Deleter   = (*bot)(nil)
	_ channel.Reactor   = (*bot)(nil)
	_ channel.Pinner    = (*bot)(nil)
	_ channel.Reader    = (*bot)(nil)
	_ channel.Searcher  = (*bot)(nil)
	_ channel.Threader  = (*bot)(nil)
	_ channel.Fetcher   = (*bot)(nil)
	_ channel.Directory = (*bot)(nil)
	_ channel.Auditor   = (*bot)(nil)
	_ channel.Menu      = (*bot)(nil)
	_ channel.Actor     = (*bot)(nil)
)

func build(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	c, err := decode(raw)
	if err != nil {
		return nil, err
	}
	a, err := newAPI(&c, env.HTTP)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: c, env: env, log: env.Log, time: usual(), api: a, dialect: markdown.Discord()}
	a.time = &b.time
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	return b, nil
}

const (
	// maxText is what Discord takes in one message. It counts code points; UTF-16
	// units, which its own apps count, are never fewer.
	maxText   = 2000
	usualRows = 17
	usualMB   = 8
)

// Limits counts the text that is sent. A nonce keeps a message from being shown
// twice for some minutes; for later, see Send.
func (b *bot) Limits() channel.Limits {
	return channel.Limits{Text: b.limit(), Unit: channel.UTF16, Idempotent: true, Media: b.maxMedia(), Buttons: true, Polls: b.allowed("polls"), Voice: true}
}

func (b *bot) limit() int {
	if l := b.cfg.TextLimit; l > 0 {
		return min(l, maxText)
	}
	return maxText
}

// Split implements [channel.Splitter]: by length and by lines.
func (b *bot) Split(s string) []string {
	limit, rows := b.limit(), cmp.Or(b.cfg.MaxLines, usualRows)
	return markdown.Split(markdown.Tables(s, b.cfg.Markdown.Tables), limit, func(part *markdown.Node) int {
		shown := b.render(part)
		// Measured in characters, so that a part fits when both do.
		return max(text.UTF16(shown), (lines(shown)*limit+rows-1)/rows)
	})
}

// render writes a tree as Discord reads it.
func (b *bot) render(n *markdown.Node) string { return markdown.Render(untick(n), &b.dialect) }

// untick is n with code that has a tick in it as text: on Discord nothing can be
// put around it.
func untick(n *markdown.Node) *markdown.Node {
	if n.Kind == markdown.CodeSpan && strings.Contains(n.Text, "`") {
		return &markdown.Node{Kind: markdown.Text, Text: n.Text}
	}
	var kids []*markdown.Node
	for i, c := range n.Children {
		if u := untick(c); u != c {
			if kids == nil {
				kids = slices.Clone(n.Children)
			}
			kids[i] = u
		}
	}
	if kids == nil {
		return n
	}
	other := *n
	other.Children = kids
	return &other
}

// shown is a Markdown text as Discord reads it.
func (b *bot) shown(source string) string {
	return b.render(markdown.Parse(markdown.Tables(source, b.cfg.Markdown.Tables)))
}

func lines(s string) int {
	n := 1
	for _, r := range s {
		if r == '\n' {
			n++
		}
	}
	return n
}

// Probe implements [channel.Prober].
func (b *bot) Probe(ctx context.Context) error {
	_, err := b.learn(ctx)
	return err
}

// learn asks who we are.
func (b *bot) learn(ctx context.Context) (self, error) {
	var u user
	if err := b.api.get(ctx, "/users/@me", nil, &u); err != nil {
		return self{}, err
	}
	if !snowflake(u.ID) {
		return self{}, fault.New(fault.Unavailable, "discord.me", "Discord answered without saying who the bot is")
	}
	return b.is(u, ""), nil
}

// is notes who we are. The application of a bot has the bot's id, except of old
// ones, where READY tells.
func (b *bot) is(u user, app string) self {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.me = self{ID: u.ID, Name: u.Username, App: cmp.Or(app, b.me.App)}
	return b.me
}

// self is who we are, asked for once.
func (b *bot) self(ctx context.Context) (self, error) {
	if me := b.known(); me.ID != "" {
		return me, nil
	}
	return b.learn(ctx)
}

func (b *bot) known() self {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.me
}

// app is the id of the application.
func (b *bot) app(ctx context.Context) (string, error) {
	if me := b.known(); me.App != "" {
		return me.App, nil
	}
	var a application
	if err := b.api.get(ctx, "/applications/@me", nil, &a); err != nil {
		return "", err
	}
	if !snowflake(a.ID) {
		return "", fault.New(fault.Unavailable, "discord.app", "Discord answered without the application's id")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.me.App = a.ID
	return a.ID, nil
}

func (b *bot) status(err error) {
	if b.env.Status != nil {
		b.env.Status(err)
	}
}

func (b *bot) alive() {
	if b.env.Alive != nil {
		b.env.Alive()
	}
}
