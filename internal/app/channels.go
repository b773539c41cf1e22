package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/config"
)

// channels runs the accounts of all networks: each is started, restarted with
// growing pauses when its connection ends, and replaced when its section of the
// configuration changes.
type channels struct {
	kinds  []channel.Kind
	recv   channel.Receiver
	out    *outbox.Outbox
	state  channelState
	bus    *event.Bus
	client *http.Client
	secret func(ctx context.Context, section json.RawMessage) (json.RawMessage, error)
	getenv func(string) string
	open   func(ctx context.Context, a msg.Attachment) (io.ReadCloser, error)
	// menu returns the commands for the menu of an account, none to clear it.
	menu func(id.Channel, id.Account) []channel.MenuItem
	log  *slog.Logger
	dir  string // the state directory
	// healthCheck is the time between looks at whether a transport lives; 0 is
	// never.
	healthCheck func() time.Duration

	mu   sync.Mutex
	runs map[accountKey]*accountRun
}

// channelState keeps small values of channels; *store.DB is one.
type channelState interface {
	ChannelState(ctx context.Context, c id.Channel, a id.Account, key string) (string, error)
	SetChannelState(ctx context.Context, c id.Channel, a id.Account, key, value string) error
}

type accountKey struct {
	channel id.Channel
	account id.Account
}

type accountRun struct {
	raw    string
	cancel context.CancelFunc
	done   chan struct{}
	menu   chan struct{} // the menu is to be shown; one request covers any number
	status AccountStatus
}

// AccountStatus is how one account is doing.
type AccountStatus struct {
	Channel   id.Channel
	Account   id.Account
	Label     string
	Enabled   bool
	Running   bool
	Connected bool
	Since     time.Time // of Connected
	Err       string    // why it isn't
	Restarts  int
	Channeler channel.Channel
	Stopped   time.Time // when it last stopped running
	Received  time.Time // the last message that was stored
	Sent      time.Time // the last message that the network took
	Alive     time.Time // the last sign of life of the transport; zero when it gives none
}

// apply starts, replaces and stops accounts so that what runs is what cfg says.
// An account that can't be made keeps the old one out and says why.
func (c *channels) apply(ctx context.Context, cfg *config.Config) {
	want := map[accountKey]config.Account{}
	kinds := map[id.Channel]channel.Kind{}
	for _, k := range c.kinds {
		kinds[k.ID] = k
		if _, ok := cfg.Channels[k.ID]; !ok {
			continue
		}
		for _, a := range cfg.Accounts(k.ID) {
			want[accountKey{k.ID, a.ID}] = a
		}
	}
	c.mu.Lock()
	if c.runs == nil {
		c.runs = map[accountKey]*accountRun{}
	}
	var stop []*accountRun
	for k, r := range c.runs {
		if a, ok := want[k]; !ok || string(a.Raw) != r.raw || !a.Enabled {
			stop = append(stop, r)
			delete(c.runs, k)
		}
	}
	c.mu.Unlock()
	for _, r := range stop {
		r.cancel()
		<-r.done
	}
	for k, a := range want {
		c.start(ctx, kinds[k.channel], k, a)
	}
	c.mu.Lock()
	for _, r := range c.runs {
		if r.status.Connected {
			poke(r.menu) // who may have one may have changed
		}
	}
	c.mu.Unlock()
	c.bus.Publish(event.HealthChanged{})
}

func (c *channels) start(ctx context.Context, kind channel.Kind, k accountKey, a config.Account) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[k] != nil {
		return
	}
	r := &accountRun{raw: string(a.Raw), done: make(chan struct{}), menu: make(chan struct{}, 1), status: AccountStatus{Channel: k.channel, Account: k.account, Label: kind.Label, Enabled: a.Enabled}}
	ctx, r.cancel = context.WithCancel(ctx)
	c.runs[k] = r
	if !a.Enabled {
		close(r.done)
		return
	}
	go func() {
		defer close(r.done)
		c.run(ctx, kind, k, a, r)
	}()
}

// run keeps one account connected until ctx ends or its credentials are
// refused.
func (c *channels) run(ctx context.Context, kind channel.Kind, k accountKey, a config.Account, r *accountRun) {
	log := c.log.With("channel", k.channel, "account", k.account)
	ready := func(err error) {
		c.mu.Lock()
		was := r.status.Connected
		r.status.Connected, r.status.Err = err == nil, ""
		if err != nil {
			r.status.Err = err.Error()
		} else if !was {
			r.status.Since = time.Now()
		}
		c.mu.Unlock()
		c.out.Ready(k.channel, k.account, err == nil)
		if err == nil && !was {
			poke(r.menu)
		}
		if was != (err == nil) || err != nil {
			c.bus.Publish(event.ChannelState{Channel: k.channel, Account: k.account, Connected: err == nil, Err: err})
		}
	}
	raw, err := c.secret(ctx, a.Raw)
	if err == nil && k.account == id.DefaultAccount {
		raw, err = fromEnv(kind.Env, raw, c.getenv)
	}
	if err != nil {
		log.ErrorContext(ctx, "channel not started: a secret can't be read", "err", err)
		ready(err)
		return
	}
	ch, err := kind.New(channel.Env{
		Account: k.account, Log: log, HTTP: c.client, Status: ready, Open: c.open,
		Alive: func() { c.note(r, func(s *AccountStatus) { s.Alive = time.Now() }) },
		Dir:   filepath.Join(c.dir, string(k.channel), "accounts", string(k.account)),
		State: func(ctx context.Context, key string) (string, error) {
			return c.state.ChannelState(ctx, k.channel, k.account, key)
		},
		SetState: func(ctx context.Context, key, v string) error {
			return c.state.SetChannelState(ctx, k.channel, k.account, key, v)
		},
	}, raw)
	if err != nil {
		log.ErrorContext(ctx, "channel not started", "err", err)
		ready(err)
		return
	}
	ch = noted{ch, func() { c.note(r, func(s *AccountStatus) { s.Sent = time.Now() }) }}
	detach := c.out.Attach(ctx, k.channel, k.account, ch)
	defer detach()
	if m, ok := channel.As[channel.Menu](ch); ok && c.menu != nil {
		menuCtx, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			keepMenu(menuCtx, log, m, r.menu, func() []channel.MenuItem { return c.menu(k.channel, k.account) })
		})
		defer func() { stop(); wg.Wait() }()
	}
	c.note(r, func(s *AccountStatus) { s.Running, s.Channeler = true, ch })
	defer c.note(r, func(s *AccountStatus) { s.Running, s.Connected, s.Stopped = false, false, time.Now() })

	pause := backoff.Policy{Min: 2 * time.Second, Max: 5 * time.Minute}
	for try := 0; ; try++ {
		began := time.Now()
		err := c.watched(ctx, log, ch, r)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > 10*time.Minute {
			try = 0
		}
		ready(err)
		if fault.KindOf(err) == fault.Unauthenticated {
			log.ErrorContext(ctx, "channel stopped: its credentials were refused", "err", err)
			return
		}
		d := pause.Delay(try)
		log.WarnContext(ctx, "channel connection ended, connecting again", "in", d, "err", err)
		c.note(r, func(s *AccountStatus) { s.Restarts++ })
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// guarded runs ch; a panic in it is an error of that account only.
func (c *channels) guarded(ctx context.Context, ch channel.Channel, r *accountRun) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.ErrorContext(ctx, "channel panicked", "panic", p)
			err = fault.New(fault.Unavailable, "channel", "the channel failed inside; see the log")
		}
	}()
	recv := func(ctx context.Context, in msg.Inbound) error {
		err := c.recv(ctx, in)
		if err == nil {
			c.note(r, func(s *AccountStatus) { s.Received = time.Now() })
		}
		return err
	}
	if err := ch.Run(ctx, recv); err != nil {
		return err
	}
	return fault.New(fault.Unavailable, "channel", "the connection was closed")
}

func (c *channels) note(r *accountRun, change func(*AccountStatus)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&r.status)
}

// status returns how the accounts are doing, in no order.
func (c *channels) list() []AccountStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]AccountStatus, 0, len(c.runs))
	for _, r := range c.runs {
		out = append(out, r.status)
	}
	return out
}

// close stops all accounts and waits for them.
func (c *channels) close() {
	c.mu.Lock()
	runs := c.runs
	c.runs = map[accountKey]*accountRun{}
	c.mu.Unlock()
	for _, r := range runs {
		r.cancel()
	}
	for _, r := range runs {
		<-r.done
	}
}

// fromEnv fills keys that a section leaves out from the environment.
func fromEnv(keys []channel.EnvKey, raw json.RawMessage, getenv func(string) string) (json.RawMessage, error) {
	var section map[string]json.RawMessage
	for _, k := range keys {
		v := strings.TrimSpace(getenv(k.Name))
		if v == "" {
			continue
		}
		if section == nil {
			if err := json.Unmarshal(raw, &section); err != nil {
				return nil, fault.Wrap(fault.Invalid, "app.fromEnv", err)
			}
		}
		name, within, nested := strings.Cut(k.Key, ".")
		var inner map[string]json.RawMessage
		if nested {
			if section[name] != nil {
				if err := json.Unmarshal(section[name], &inner); err != nil {
					return nil, fault.Wrap(fault.Invalid, "app.fromEnv", err)
				}
			}
			if _, set := inner[within]; set {
				continue
			}
		} else if _, set := section[name]; set {
			continue
		}
		var value any = v
		switch {
		case k.JSON:
			value = json.RawMessage(v)
		case k.List:
			value = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		}
		b, err := json.Marshal(value)
		if err != nil {
			return nil, fault.New(fault.Invalid, "app.fromEnv", "the environment variable "+k.Name+" can't be read: "+k.Key+" wants a number or true or false")
		}
		if nested {
			if inner == nil {
				inner = map[string]json.RawMessage{}
			}
			inner[within] = b
			if b, err = json.Marshal(inner); err != nil {
				return nil, fault.Wrap(fault.Invalid, "app.fromEnv", err)
			}
		}
		section[name] = b
	}
	if section == nil {
		return raw, nil
	}
	return json.Marshal(section)
}
