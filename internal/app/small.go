package app

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/store"
)

// secrets resolves what the configuration in force refers to.
type secrets struct{ config func() *config.Config }

// Resolve returns the value of a string or reference.
func (s *secrets) Resolve(ctx context.Context, raw json.RawMessage) (string, error) {
	v, err := s.config().Secret(ctx, raw)
	return v.Reveal(), err
}

// events are the store's system events as chat and control see them.
type events struct{ *store.DB }

var _ chat.Events = events{}

// PeekSystemEvents returns what waits for key.
func (e events) PeekSystemEvents(ctx context.Context, key id.SessionKey) ([]chat.Line, error) {
	evs, err := e.SystemEvents(ctx, key)
	out := make([]chat.Line, len(evs))
	for i, x := range evs {
		out[i] = chat.Line{ID: x.ID, Text: x.Text, At: x.At}
	}
	return out, err
}

// Waiting returns the texts that wait for key.
func (e events) Waiting(ctx context.Context, key id.SessionKey) ([]string, error) {
	evs, err := e.SystemEvents(ctx, key)
	out := make([]string, len(evs))
	for i, x := range evs {
		out[i] = x.Text
	}
	return out, err
}

// newGate makes the access gate over the configuration in force.
func newGate(c *core) *access.Gate {
	kinds := map[id.Channel]channel.Kind{}
	for _, k := range c.kinds() {
		kinds[k.ID] = k
	}
	accs := &accounts{config: c.cfg.Current}
	return &access.Gate{
		Account: accs.find, Mentions: c.mentioned,
		Commands:   func() config.Commands { return c.cfg.Current().Commands },
		Kind:       func(ch id.Channel) (channel.Kind, bool) { k, ok := kinds[ch]; return k, ok },
		IsCommand:  c.chatIsCommand,
		Activation: func(ctx context.Context, in msg.Inbound) (string, error) { return c.chat.Activation(ctx, in) },
		Store:      c.db, Log: c.log, Now: time.Now,
	}
}

func (c *core) chatIsCommand(text string) bool {
	return chat.Stops(text) || c.chat.Commands.Knows(text)
}

// accounts reads the sections of channel accounts once per version of the
// configuration.
type accounts struct {
	config func() *config.Config

	mu   sync.Mutex
	made *config.Config
	by   map[accountKey]config.Account
}

func (a *accounts) find(ch id.Channel, acc id.Account) (config.Account, bool) {
	cfg := a.config()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made != cfg {
		a.made, a.by = cfg, map[accountKey]config.Account{}
		for c := range cfg.Channels {
			for _, x := range cfg.Accounts(c) {
				a.by[accountKey{c, x.ID}] = x
			}
		}
	}
	x, ok := a.by[accountKey{ch, acc}]
	return x, ok
}

// mentioned tells whether a text addresses an agent by name.
func (c *core) mentioned(in msg.Inbound) bool { return c.chat.Addresses(in) }
