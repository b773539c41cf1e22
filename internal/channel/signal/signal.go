// Package signal connects a Signal account through the HTTP daemon of
// signal-cli, which this package can start.
//
// The daemon hands messages on and keeps nothing: what it has told is kept in
// memory until it is stored. A daemon that we start takes messages from Signal
// only while we listen, so those of a gateway that is down stay at Signal.
//
// Start at [Kind]; bot.Run listens, receive.go reads messages, send.go writes
// them.
package signal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/recent"
	"github.com/openclaw-go/openclaw/internal/base/sse"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// ID is the network's name in the configuration.
const ID id.Channel = "signal"

// Kind makes Signal channels.
func Kind() channel.Kind {
	return channel.Kind{ID: ID, Label: "Signal", Config: Section{}, New: build, Normalize: normalize, Forms: forms, Target: target}
}

type bot struct {
	cfg    Config
	env    channel.Env
	log    *slog.Logger
	daemon daemon
	retry  backoff.Policy
	inbox  chan msg.Inbound
	wrote  recent.Map[id.Peer] // who wrote a message, by its place and time
}

var (
	_ channel.Channel       = (*bot)(nil)
	_ channel.Typer         = (*bot)(nil)
	_ channel.Reactor       = (*bot)(nil)
	_ channel.Deleter       = (*bot)(nil)
	_ channel.Editor        = (*bot)(nil)
	_ channel.Fetcher       = (*bot)(nil)
	_ channel.Splitter      = (*bot)(nil)
	_ channel.Prober        = (*bot)(nil)
	_ channel.Gate          = (*bot)(nil)
	_ channel.AuthorReactor = (*bot)(nil)
	_ channel.Directory     = (*bot)(nil)
	_ channel.Auditor       = (*bot)(nil)
)

func build(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	return assemble(env, raw, backoff.Policy{Min: time.Second, Max: time.Minute})
}

func assemble(env channel.Env, raw json.RawMessage, retry backoff.Policy) (*bot, error) {
	cfg, err := decode(raw)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: cfg, env: env, log: env.Log, retry: retry, inbox: make(chan msg.Inbound, held)}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	client := env.HTTP
	if client == nil {
		client = &http.Client{}
	}
	b.daemon = daemon{base: cfg.base(), account: number(cfg.Account), http: client}
	return b, nil
}

// held is how many messages wait in memory to be stored; then nothing more is
// read from the daemon.
const held = 256

// maxEvent bounds one event of the daemon, in bytes.
const maxEvent = 4 << 20

// Run listens until ctx ends. It returns an error only when trying again can't
// help.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stored := make(chan struct{})
	go func() { defer close(stored); b.store(ctx, recv) }()
	defer func() { cancel(); <-stored }()
	if b.cfg.starts() {
		child, err := b.start(ctx)
		if err != nil {
			b.status(err)
			return err
		}
		defer child.stop()
		go func() { // the account is started anew when its daemon ends
			select {
			case <-child.done:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	again := backoff.Backoff{Policy: b.retry}
	for {
		began := time.Now()
		err := b.listen(ctx)
		if ctx.Err() != nil {
			return nil
		}
		b.status(err)
		if fault.KindOf(err) == fault.Unauthenticated {
			return err
		}
		if time.Since(began) > time.Minute {
			again.Reset()
		}
		wait := again.Next()
		b.log.WarnContext(ctx, "signal events interrupted", "err", err, "again", wait)
		if backoff.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// listen reads one stream of events.
func (b *bot) listen(ctx context.Context) error {
	if err := b.daemon.check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := b.daemon.events(ctx)
	if err != nil {
		return err
	}
	defer body.Close()
	b.status(nil)
	r := sse.New(body, maxEvent)
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fault.New(fault.Unavailable, "signal.listen", "the signal-cli daemon ended the stream of events")
		}
		if err != nil {
			return fault.Wrap(fault.Unavailable, "signal.listen", err)
		}
		if len(ev.Data) == 0 {
			continue
		}
		var got received
		if err := json.Unmarshal(ev.Data, &got); err != nil {
			b.log.WarnContext(ctx, "signal event can't be read", "err", err)
			continue
		}
		in, ok := b.inbound(got)
		if !ok {
			continue
		}
		if !in.Notice {
			b.wrote.Put(placed(in.At, in.ID), in.From.ID)
		}
		select {
		case b.inbox <- in:
		case <-ctx.Done():
			return nil
		}
	}
}

// store hands messages on in order; one that can't be stored is tried until it
// can, since the daemon repeats nothing.
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
					b.seen(ctx, in)
					break
				}
				if ctx.Err() != nil {
					b.log.ErrorContext(ctx, "signal message lost at stop", "from", in.From.ID, "err", err)
					return
				}
				b.log.WarnContext(ctx, "signal message not stored yet", "err", err)
				if again.Wait(ctx, 0) != nil {
					return
				}
			}
		}
	}
}

// seen shows that a direct message was read, where that is wanted.
func (b *bot) seen(ctx context.Context, in msg.Inbound) {
	if !b.cfg.ReadReceipts || in.At.Kind != msg.Direct || in.Notice {
		return
	}
	err := b.daemon.call(ctx, "sendReceipt", map[string]any{
		"recipient": recipient(in.At.Peer), "targetTimestamp": stamp(in.ID), "type": "read",
	}, nil)
	if err != nil && ctx.Err() == nil {
		b.log.DebugContext(ctx, "signal read receipt not sent", "err", err)
	}
}

func (b *bot) status(err error) {
	if b.env.Status != nil {
		b.env.Status(err)
	}
}

// Probe implements [channel.Prober].
func (b *bot) Probe(ctx context.Context) error {
	if err := b.daemon.check(ctx); err != nil {
		return err
	}
	var v struct{ Version string }
	return b.daemon.call(ctx, "version", map[string]any{}, &v)
}
