// Package storetest is what every database behind package store must pass.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// Store is all that a database offers.
type Store interface {
	inbox.Store
	outbox.Store
	session.Store
	session.TailStore
	access.Store
	auth.Store
	model.Store
	ChannelState(ctx context.Context, c id.Channel, a id.Account, key string) (string, error)
	SetChannelState(ctx context.Context, c id.Channel, a id.Account, key, value string) error
	PutSystemEvent(ctx context.Context, key id.SessionKey, text string, at time.Time) error
	SystemEvents(ctx context.Context, key id.SessionKey) ([]store.SystemEvent, error)
	DropSystemEvents(ctx context.Context, key id.SessionKey, upTo int64) error
}

// Run checks the store that open returns, a new and empty one for each call.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Store){
		"inbox/fresh once":            inboxFreshOnce,
		"inbox/open until finished":   inboxFinish,
		"inbox/overheard in order":    inboxOverheard,
		"inbox/tries and poison":      inboxPoison,
		"inbox/forget":                inboxForget,
		"inbox/concurrent duplicates": inboxConcurrent,
		"outbox/order and head":       outboxOrder,
		"outbox/states":               outboxStates,
		"outbox/put twice":            outboxTwice,
		"finish/all or nothing":       finishAtomic,
		"session/round trip":          sessionRoundTrip,
		"session/filters":             sessionFilters,
		"tails":                       tails,
		"channel state":               channelState,
		"system events":               systemEvents,
		"pairing/limits and expiry":   pairingLimits,
		"pairing/approve":             pairingApprove,
		"allow list":                  allowList,
		"auth/devices":                devices,
		"model/cooldowns":             cooldowns,
		"group/a failure stays alone": groupFailure,
		"group/a canceled write":      groupCanceled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// in is an inbound message of a direct chat.
func in(peer, number, text string) msg.Inbound {
	return msg.Inbound{
		ID: id.Message(number), Text: text, Received: time.UnixMilli(1796071528985).UTC(),
		From: msg.Sender{ID: id.Peer(peer)},
		At:   msg.Address{Channel: "irc", Account: "default", Kind: msg.Direct, Peer: id.Peer(peer)},
	}
}

func out(peer, text string) msg.Outbound {
	return msg.Outbound{
		ID: id.NewDelivery(), Text: text,
		To: msg.Address{Channel: "irc", Account: "default", Kind: msg.Direct, Peer: id.Peer(peer)},
	}
}

// want unwraps a result that must not be an error.
func want[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		ok(t, err)
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
