// Package irc connects to an IRC server as one nick.
//
// IRC confirms nothing and repeats nothing. So a message read from the server
// waits in memory until it is stored, and a sent one counts as delivered when
// the server answers the PING that was sent behind it.
//
// Start at [Kind]; bot.Run keeps a connection up, session is one connection.
package irc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// ID is the network's name in the configuration.
const ID id.Channel = "irc"

// Kind makes IRC channels.
func Kind() channel.Kind {
	return channel.Kind{
		ID: ID, Label: "IRC", Config: Section{}, New: build, PublicRooms: true, Normalize: normalize, Forms: forms, Target: address,
		IsName: func(entry string) bool { return !strings.ContainsAny(entry, "!@") },
		Env: []channel.EnvKey{
			{Key: "host", Name: "IRC_HOST"},
			{Key: "port", Name: "IRC_PORT", JSON: true},
			{Key: "tls", Name: "IRC_TLS", JSON: true},
			{Key: "nick", Name: "IRC_NICK"},
			{Key: "username", Name: "IRC_USERNAME"},
			{Key: "realname", Name: "IRC_REALNAME"},
			{Key: "password", Name: "IRC_PASSWORD"},
			{Key: "channels", Name: "IRC_CHANNELS", List: true},
			{Key: "nickserv.password", Name: "IRC_NICKSERV_PASSWORD"},
			{Key: "nickserv.registerEmail", Name: "IRC_NICKSERV_REGISTER_EMAIL"},
		},
	}
}

// timing is how long things take; tests shorten it.
type timing struct {
	dial    time.Duration // to connect and log in
	idle    time.Duration // of silence before we ask whether the server lives
	dead    time.Duration // more of it until we give the connection up
	confirm time.Duration // to answer the PING behind a message
	rejoin  time.Duration // after a kick, and between tries for our nick
	retry   backoff.Policy
	rate    rate.Limit // lines a second, beyond the first burst
	burst   int
}

func usual() timing {
	return timing{
		dial: 30 * time.Second, idle: 60 * time.Second, dead: 30 * time.Second, confirm: 20 * time.Second,
		rejoin: 30 * time.Second, retry: backoff.Policy{}, rate: 1, burst: 6,
	}
}

type bot struct {
	cfg      Config
	env      channel.Env
	log      *slog.Logger
	time     timing
	mentions []*regexp.Regexp
	dialect  markdown.Dialect
	flood    *rate.Limiter
	inbox    chan msg.Inbound // read, not yet stored

	sending sync.Mutex // one Send at a time, so that refusals find their message

	mu  sync.Mutex
	cur *session // nil while not connected
}

var (
	_ channel.Channel   = (*bot)(nil)
	_ channel.Prober    = (*bot)(nil)
	_ channel.Splitter  = (*bot)(nil)
	_ channel.Directory = (*bot)(nil)
	_ channel.Auditor   = (*bot)(nil)
)

// backlog is how many messages wait for a store that is slow or full before
// the connection isn't read any more.
const backlog = 512

func build(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	c, err := decode(raw)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: c, env: env, log: env.Log, time: usual(), dialect: markdown.IRC(), inbox: make(chan msg.Inbound, backlog)}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.flood = rate.NewLimiter(b.time.rate, b.time.burst)
	for _, p := range c.MentionPatterns {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "channels.irc.mentionPatterns", err)
		}
		b.mentions = append(b.mentions, re)
	}
	return b, nil
}

// Limits counts the bytes of a few lines: Send cuts what it gets into lines
// that the server takes.
func (b *bot) Limits() channel.Limits {
	return channel.Limits{Text: b.limit(), Unit: channel.Bytes}
}

func (b *bot) limit() int {
	const usual = 2000
	if b.cfg.TextChunkLimit > 0 {
		return b.cfg.TextChunkLimit
	}
	return usual
}

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string {
	return markdown.Split(s, b.limit(), markdown.Rendered(b.dialect, text.Bytes))
}

// Run keeps a connection up until ctx ends. It returns an error only when
// trying again can't help: the server refuses our credentials.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wg.Go(func() { b.store(ctx, recv) })
	again := backoff.Backoff{Policy: b.time.retry}
	for {
		err := b.connection(ctx, &again)
		if ctx.Err() != nil {
			return nil
		}
		b.status(err)
		if fault.KindOf(err) == fault.Unauthenticated {
			return err
		}
		wait := again.Next()
		b.log.WarnContext(ctx, "irc connection lost", "err", err, "again", wait)
		if backoff.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// connection lives as long as one connection does.
func (b *bot) connection(ctx context.Context, again *backoff.Backoff) error {
	s, err := b.dial(ctx, b.cfg.Nick)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.login(ctx); err != nil {
		return err
	}
	b.setSession(s)
	defer b.setSession(nil)
	again.Reset()
	b.status(nil)
	b.log.InfoContext(ctx, "irc connected", "host", b.cfg.Host, "nick", s.nickname())
	return s.serve(ctx)
}

// store hands messages on in order. IRC repeats nothing, so one that can't be
// stored is tried until it can, and the rest waits behind it.
func (b *bot) store(ctx context.Context, recv channel.Receiver) {
	for {
		select {
		case <-ctx.Done():
			return
		case in := <-b.inbox:
			again := backoff.Backoff{Policy: backoff.Policy{Min: 200 * time.Millisecond, Max: 10 * time.Second}}
			for {
				err := channel.Guard(func() error { return recv(ctx, in) })
				if err == nil {
					break
				}
				if ctx.Err() != nil {
					b.log.ErrorContext(ctx, "irc message lost at stop", "from", in.From.ID, "err", err)
					return
				}
				b.log.WarnContext(ctx, "irc message not stored yet", "err", err)
				if again.Wait(ctx, 0) != nil {
					return
				}
			}
		}
	}
}

func (b *bot) status(err error) {
	if b.env.Status != nil {
		b.env.Status(err)
	}
}

func (b *bot) setSession(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cur = s
}

func (b *bot) session() *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cur
}

// Probe asks the server for a sign of life, on a connection of its own if
// there is none.
func (b *bot) Probe(ctx context.Context) error {
	if s := b.session(); s != nil {
		return s.confirm(ctx)
	}
	s, err := b.dial(ctx, b.cfg.Nick+"-probe")
	if err != nil {
		return err
	}
	defer s.close()
	return s.login(ctx)
}

var errClosed = errors.New("connection closed")

// normalize brings an allow-list entry into the form of a sender's id.
func normalize(entry string) string {
	s := fold(strings.TrimSpace(entry))
	s = strings.TrimPrefix(s, "irc:")
	s = strings.TrimSpace(strings.TrimPrefix(s, "user:"))
	if s == "*" {
		return s
	}
	if s == "" || strings.ContainsAny(s, " \t\r\n,:*?") || strings.HasPrefix(s, "!") || strings.HasPrefix(s, "@") {
		return ""
	}
	return s
}

// forms: the full mask and its halves can't be taken by another nick's owner
// as easily as the nick itself.
func forms(from msg.Sender) (ids, names []string) {
	full := fold(string(from.ID))
	ids = []string{full}
	nick, rest, ok := strings.Cut(full, "!")
	if !ok {
		return nil, []string{full}
	}
	if user, host, ok := strings.Cut(rest, "@"); ok {
		ids = append(ids, nick+"!"+user, nick+"@"+host)
	}
	return ids, []string{nick}
}
