// Package slack connects a Slack app, over Socket Mode or over HTTP.
//
// Socket Mode is a WebSocket that Slack's Web API hands out; in HTTP mode Slack
// calls the gateway and signs what it sends. Both carry the same events, and
// both are answered only once an event is stored: what isn't answered, Slack
// sends again. Start at [Kind]; bot.Run connects, socket.go and http.go take
// deliveries, event.go and message.go read them, send.go writes.
package slack

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
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"

	"github.com/openclaw-go/openclaw/internal/base/recent"
)

// ID is the network's name in the configuration.
const ID id.Channel = "slack"

// Kind makes Slack channels.
func Kind() channel.Kind {
	return channel.Kind{
		ID: ID, Label: "Slack", Config: Account{}, New: build,
		Env: []channel.EnvKey{
			{Key: "botToken", Name: "SLACK_BOT_TOKEN"},
			{Key: "appToken", Name: "SLACK_APP_TOKEN"},
		},
		Normalize: normalize, Forms: forms, IsName: isName, Rules: rules, Target: target,
	}
}

// timing is how long things take; tests shorten it.
type timing struct {
	retry  backoff.Policy // between connections, and tries to store
	hello  time.Duration  // until a new socket must greet
	ping   time.Duration  // between our pings
	pong   time.Duration  // until one must be answered
	check  time.Duration  // between looks at the token in HTTP mode
	lookup time.Duration  // for a name, while a message waits for it
	note   time.Duration  // between writes of what was seen last
	quiet  time.Duration  // between log lines about the same trouble
}

func usual() timing {
	return timing{
		retry: backoff.Policy{Min: time.Second, Max: time.Minute},
		hello: 30 * time.Second, ping: 30 * time.Second, pong: 20 * time.Second, check: 5 * time.Minute,
		lookup: 3 * time.Second, note: 5 * time.Second, quiet: time.Minute,
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
	people  *people
	stored  recent.Map[bool]      // messages that are stored, by place
	threads recent.Map[bool]      // threads that we wrote in
	dms     recent.Map[string]    // conversations with people, by person
	asked   recent.Map[string]    // who wrote last, by conversation
	shown   recent.Map[string]    // messages that wear the typing reaction, by conversation
	last    recent.Map[string]    // newest message of a conversation
	begun   recent.Map[bool]      // threads whose beginning was handed on
	slashes recent.Map[responder] // open answers to slash commands
	seen    seen

	noStream atomic.Bool // Slack refused to stream
	noStatus atomic.Bool // Slack refused to show that we type

	mu   sync.Mutex
	me   self // once known
	menu map[string]bool
	// aliases are the conversations that the section lists by name, by its keys.
	aliases map[string]string
}

var (
	_ channel.Channel     = (*bot)(nil)
	_ channel.Splitter    = (*bot)(nil)
	_ channel.Prober      = (*bot)(nil)
	_ channel.Gate        = (*bot)(nil)
	_ channel.Webhook     = (*bot)(nil)
	_ channel.WebhookPath = (*bot)(nil)
	_ channel.Typer       = (*bot)(nil)
	_ channel.Editor      = (*bot)(nil)
	_ channel.Deleter     = (*bot)(nil)
	_ channel.Reactor     = (*bot)(nil)
	_ channel.Pinner      = (*bot)(nil)
	_ channel.Reader      = (*bot)(nil)
	_ channel.Threader    = (*bot)(nil)
	_ channel.Fetcher     = (*bot)(nil)
	_ channel.Directory   = (*bot)(nil)
	_ channel.Auditor     = (*bot)(nil)
	_ channel.Streamer    = (*bot)(nil)
	_ channel.Menu        = (*bot)(nil)
	_ channel.Actor       = (*bot)(nil)
)

func build(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	c, err := decode(raw)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: c, env: env, log: env.Log, time: usual(), dialect: dialect(c.tables()), api: newAPI(&c, env.HTTP)}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.people = &people{api: b.api}
	return b, nil
}

// self is who the bot token belongs to.
type self struct {
	User, Bot, Team, TeamName, Name, Enterprise string
}

const (
	usualText = 4000      // in one message, as Slack advises
	maxText   = 40000     // beyond it Slack cuts
	maxEdit   = 4000      // of a message that is changed
	maxFile   = 100 << 20 // it is in memory at once
)

// Limits counts the mrkdwn that is sent. A message that may have been shown is
// looked up by its metadata before it is sent again, see send.go.
func (b *bot) Limits() channel.Limits {
	return channel.Limits{Text: b.limit(), Unit: channel.UTF16, Idempotent: true, Media: b.maxMedia(maxFile), Buttons: true}
}

func (b *bot) limit() int {
	if l := b.cfg.TextChunkLimit; l > 0 {
		return min(l, maxText)
	}
	return usualText
}

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string { return b.split(s, b.limit()) }

func (b *bot) split(s string, limit int) []string {
	return markdown.Split(s, limit, func(part *markdown.Node) int { return text.UTF16(b.render(part)) })
}

// Probe implements [channel.Prober].
func (b *bot) Probe(ctx context.Context) error {
	_, err := b.learn(ctx)
	return err
}

// learn asks who we are.
func (b *bot) learn(ctx context.Context) (self, error) {
	var me struct {
		UserID     string `json:"user_id"`
		BotID      string `json:"bot_id"`
		TeamID     string `json:"team_id"`
		Team       string `json:"team"`
		User       string `json:"user"`
		Enterprise string `json:"enterprise_id"`
	}
	if err := b.api.call(ctx, "auth.test", params{}, &me); err != nil {
		return self{}, err
	}
	if me.UserID == "" {
		return self{}, fault.New(fault.Unavailable, "slack.auth.test", "Slack answered without saying who the bot is")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.me = self{User: me.UserID, Bot: me.BotID, Team: me.TeamID, TeamName: me.Team, Name: me.User, Enterprise: me.Enterprise}
	return b.me, nil
}

// self is who we are, asked for once.
func (b *bot) self(ctx context.Context) (self, error) {
	b.mu.Lock()
	me := b.me
	b.mu.Unlock()
	if me.User != "" {
		return me, nil
	}
	return b.learn(ctx)
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
