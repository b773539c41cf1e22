// Package telegram connects a Telegram bot, by long polling or a webhook.
//
// An update is confirmed by asking for the ones behind it, so the offset moves
// only past updates that are stored. A pushed update is confirmed
// once it is stored as well. Start at [Kind]; bot.Run polls, hook.go is called,
// inbound.go reads messages, send.go writes them.
package telegram

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/recent"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// ID is the network's name in the configuration.
const ID id.Channel = "telegram"

// Kind makes Telegram channels. Those of one Kind share the bots that are
// being polled, so that no two poll the same.
func Kind() channel.Kind {
	p := &pollers{busy: map[string]holder{}}
	return channel.Kind{
		ID: ID, Label: "Telegram", Config: Section{}, Normalize: normalize, Target: target,
		Env: []channel.EnvKey{{Key: "botToken", Name: "TELEGRAM_BOT_TOKEN"}}, Tokens: []string{"botToken", "tokenFile"},
		New: func(env channel.Env, raw json.RawMessage) (channel.Channel, error) { return build(p, env, raw) },
	}
}

// timing is how long things take; tests shorten it.
type timing struct {
	poll     time.Duration // that the server holds an empty answer back
	album    time.Duration // between looks for more parts of an album
	retry    backoff.Policy
	conflict backoff.Policy
	check    time.Duration // between looks at the webhook
	quiet    time.Duration // between log lines about the same trouble
}

func usual() timing {
	return timing{
		poll: 30 * time.Second, album: 500 * time.Millisecond, quiet: time.Minute, check: time.Minute,
		retry:    backoff.Policy{Min: time.Second, Max: time.Minute},
		conflict: backoff.Policy{Min: 6 * time.Second, Max: time.Minute, Factor: 8},
	}
}

type bot struct {
	cfg     Config
	env     channel.Env
	log     *slog.Logger
	time    timing
	pollers *pollers
	dialect markdown.Dialect
	buttons string // where they are: off, dm, group, all, allowlist
	world   *world
	ours    ours
	hook    hook
	client  atomic.Pointer[api]     // made at first use: the token may be in a file
	lately  recent.Map[uint64]      // by place: sums of the texts handed on
	begun   recent.Map[msg.Receipt] // by delivery: what was sent of those that failed half-way

	mu      sync.Mutex
	me      user              // once known
	moved   map[int64]string  // chats that became supergroups
	hyphens map[string]string // commands of the menu by their names there
	panics  map[string]int    // by message: how often it panicked
}

var (
	_ channel.Channel     = (*bot)(nil)
	_ channel.Typer       = (*bot)(nil)
	_ channel.Editor      = (*bot)(nil)
	_ channel.Reactor     = (*bot)(nil)
	_ channel.Deleter     = (*bot)(nil)
	_ channel.Pinner      = (*bot)(nil)
	_ channel.Threader    = (*bot)(nil)
	_ channel.Webhook     = (*bot)(nil)
	_ channel.WebhookPath = (*bot)(nil)
	_ channel.Fetcher     = (*bot)(nil)
	_ channel.Splitter    = (*bot)(nil)
	_ channel.Prober      = (*bot)(nil)
)

func build(p *pollers, env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	c, err := decode(raw)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: c, env: env, log: env.Log, time: usual(), pollers: p, dialect: markdown.TelegramHTML(), moved: map[int64]string{}, world: newWorld()}
	b.buttons, _ = scopeOf(c.Capabilities)
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	return b, nil
}

// api is the client of the Bot API.
func (b *bot) api() (*api, error) {
	if a := b.client.Load(); a != nil {
		return a, nil
	}
	token, err := b.cfg.token()
	if err != nil {
		return nil, err
	}
	a, err := newAPI(&b.cfg, token, b.env.HTTP)
	if err != nil {
		return nil, err
	}
	b.client.Store(a)
	return a, nil
}

// maxText is what the Bot API takes in one message.
const maxText = 4096

// Limits counts the HTML that is sent, which is never shorter than what the
// Bot API counts.
func (b *bot) Limits() channel.Limits {
	return channel.Limits{
		Text: b.limit(), Unit: channel.UTF16, Media: b.largest(), Album: mostAlbum, Voice: true, Buttons: b.buttons != "off", Polls: b.allows("poll"),
	}
}

func (b *bot) limit() int {
	if l := b.cfg.TextChunkLimit; l > 0 {
		return min(l, maxText)
	}
	return maxText
}

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string {
	return markdown.Split(s, b.limit(), markdown.Rendered(b.dialect, text.UTF16))
}

// Probe implements [channel.Prober].
func (b *bot) Probe(ctx context.Context) error {
	a, err := b.api()
	if err != nil {
		return err
	}
	return b.learn(ctx, a)
}

// learn asks who we are.
func (b *bot) learn(ctx context.Context, a *api) error {
	var me user
	if err := a.call(ctx, "getMe", struct{}{}, &me, 0); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.me = me
	return nil
}

func (b *bot) self() user {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.me
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

func missing(op string) error {
	return fault.New(fault.Invalid, op, "nothing to send: the text is empty")
}
