// Package auth says who a client of the gateway is and what it may do: shared
// token or password, device keys and pairing, device tokens, scopes and the
// limit on failed attempts.
//
// It knows nothing of sockets. Package gateway hands [Authenticator.Connect]
// what a client sent, and gets a [Grant] or the [Refusal] to send. Start there;
// the rules are in the order in which they are applied.
package auth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Options is what an Authenticator needs.
type Options struct {
	Store    Store
	Settings func() Settings // asked anew for each client
	Bus      *event.Bus      // may be nil
	Log      *slog.Logger    // nil discards
	Now      func() time.Time
}

// Authenticator decides about clients. It is safe for concurrent use.
type Authenticator struct {
	store    Store
	settings func() Settings
	bus      *event.Bus
	log      *slog.Logger
	now      func() time.Time
	limiter  limiter

	// change serializes changes, store included; mu guards the maps and is
	// never held over a call.
	change  sync.Mutex
	mu      sync.RWMutex
	devices map[id.Device]Device
	pending map[string]Request
	revoked map[int]func(id.Device, string)
	nextSub int
}

// New returns an Authenticator that knows what o.Store holds.
func New(ctx context.Context, o Options) (*Authenticator, error) {
	if o.Store == nil || o.Settings == nil {
		return nil, errors.New("auth: Store and Settings are required")
	}
	a := &Authenticator{
		store: o.Store, settings: o.Settings, bus: o.Bus, log: o.Log, now: o.Now,
		devices: map[id.Device]Device{}, pending: map[string]Request{}, revoked: map[int]func(id.Device, string){},
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.now == nil {
		a.now = time.Now
	}
	devices, err := o.Store.Devices(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		a.devices[d.ID] = d
	}
	pending, err := o.Store.PendingDevices(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range pending {
		a.pending[r.ID] = r
	}
	return a, nil
}

// Settings returns what is in force.
func (a *Authenticator) Settings() Settings { return a.settings() }

// Grant is what a client got.
type Grant struct {
	Role   string
	Scopes []string // as asked for, and approved
	Device id.Device
	Client wire.Client
	Peer   Peer
	Hello  *wire.HelloAuth // for hello-ok; nil when the client gets no token
	User   string          // whom a trusted proxy signed in

	method credential
	proof  [32]byte // of the secret that was shown
}

// Caller returns the grant as methods see it. The caller adds connection, caps
// and link.
func (g *Grant) Caller() *rpc.Caller {
	return &rpc.Caller{
		Role: g.Role, Device: g.Device, Scopes: scopeSet(g.Scopes), Local: g.Peer.Local,
		Client: g.Client,
	}
}

// Valid reports whether the credential behind g would still be accepted. Ask
// after the configuration changed.
func (a *Authenticator) Valid(g *Grant) bool {
	s := a.settings()
	switch g.method {
	case byToken:
		return s.mode() == ModeToken && g.proof == fingerprint(s.Token.Reveal())
	case byPassword:
		return s.mode() == ModePassword && g.proof == fingerprint(s.Password.Reveal())
	case byDevice:
		a.mu.RLock()
		defer a.mu.RUnlock()
		t, ok := a.devices[g.Device].Tokens[g.Role]
		return ok && t.RevokedAtMs == 0 && g.proof == fingerprint(t.Token)
	case byNothing:
		return s.mode() == ModeNone
	case byProxy:
		return s.mode() == ModeProxy
	}
	return false
}

// OnRevoke calls fn with the device and role whose token stopped being good,
// role "" for all, until stop is called. fn must not block.
func (a *Authenticator) OnRevoke(fn func(device id.Device, role string)) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.nextSub
	a.nextSub++
	a.revoked[n] = fn
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.revoked, n)
	}
}

func (a *Authenticator) tellRevoked(device id.Device, role string) {
	a.mu.RLock()
	fns := make([]func(id.Device, string), 0, len(a.revoked))
	for _, fn := range a.revoked {
		fns = append(fns, fn)
	}
	a.mu.RUnlock()
	for _, fn := range fns {
		fn(device, role)
	}
}

func (a *Authenticator) publish(kind string, payload any) {
	if a.bus == nil {
		return
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		a.log.Error("pairing event", "err", err)
		return
	}
	a.bus.Publish(event.Pairing{Kind: kind, Payload: raw})
}
