package auth_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

const nonce = "0b0c1d2e-0000-4000-8000-000000000001"

// fakeStore keeps rows in memory.
type fakeStore struct {
	mu      sync.Mutex
	devices map[id.Device]auth.Device
	pending map[string]auth.Request
}

func newStore() *fakeStore {
	return &fakeStore{devices: map[id.Device]auth.Device{}, pending: map[string]auth.Request{}}
}

func (s *fakeStore) Devices(context.Context) (out []auth.Device, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.devices {
		out = append(out, d)
	}
	return out, nil
}

func (s *fakeStore) PutDevice(_ context.Context, d auth.Device) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.devices[d.ID] = d
	return nil
}

func (s *fakeStore) DeleteDevice(_ context.Context, d id.Device) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.devices, d)
	return nil
}

func (s *fakeStore) PendingDevices(context.Context) (out []auth.Request, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.pending {
		out = append(out, r)
	}
	return out, nil
}

func (s *fakeStore) PutPending(_ context.Context, r auth.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[r.ID] = r
	return nil
}

func (s *fakeStore) DeletePending(_ context.Context, request string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, request)
	return nil
}

type rig struct {
	t        *testing.T
	store    *fakeStore
	settings auth.Settings
	bus      *event.Bus
	now      time.Time
	a        *auth.Authenticator
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		t: t, store: newStore(), bus: event.NewBus(), now: time.Now(),
		settings: auth.Settings{Mode: "token", Token: "secret-token"},
	}
	a, err := auth.New(t.Context(), auth.Options{
		Store: r.store, Settings: func() auth.Settings { return r.settings }, Bus: r.bus, Now: func() time.Time { return r.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.a = a
	return r
}

type device struct {
	key ed25519.PrivateKey
	id  id.Device
	pub string
}

func newDevice(t *testing.T) device {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return device{key, auth.DeviceID(pub), base64.RawURLEncoding.EncodeToString(pub)}
}

func allScopes() []string {
	return []string{"operator.admin", "operator.read", "operator.write", "operator.approvals", "operator.pairing"}
}

// params are those of the official CLI.
func params() *wire.Connect {
	return &wire.Connect{
		MinProtocol: 3, MaxProtocol: 3, Client: wire.Client{ID: "cli", Version: "2026.3.13", Platform: "linux", Mode: "cli"},
		Role: "operator", Scopes: allScopes(), Auth: &wire.Auth{Token: "secret-token"},
	}
}

// sign makes c come from d.
func (r *rig) sign(c *wire.Connect, d device) *wire.Connect {
	c.Device = &wire.Device{ID: string(d.id), PublicKey: d.pub, SignedAt: r.now.UnixMilli(), Nonce: nonce}
	c.Device.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(d.key, []byte(auth.SigningPayload("v3", c))))
	return c
}

func request(change func(*http.Request)) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:18789/", nil)
	r.RemoteAddr = "127.0.0.1:5555"
	if change != nil {
		change(r)
	}
	return r
}

func (r *rig) peer(change func(*http.Request)) auth.Peer {
	return auth.PeerOf(request(change), r.settings)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func (r *rig) connect(c *wire.Connect, p auth.Peer) (*auth.Grant, *auth.Refusal) {
	r.t.Helper()
	return r.a.Connect(r.t.Context(), c, nonce, p)
}

func (r *rig) mustConnect(c *wire.Connect, p auth.Peer) *auth.Grant {
	r.t.Helper()
	g, refusal := r.connect(c, p)
	if refusal != nil {
		r.t.Fatalf("Connect refused: %v %+v", refusal, refusal.Err.Details)
	}
	return g
}

func TestSignatureVector(t *testing.T) {
	t.Parallel()
	seed := "37f9d42131029e2fd12fda89480e37446d1a2c4b80bce765a4d7f8e3a6b47c58"
	raw := make([]byte, 32)
	for i := range raw {
		for _, c := range strings.ToLower(seed[2*i : 2*i+2]) {
			raw[i] = raw[i]<<4 | byte(strings.IndexRune("0123456789abcdef", c))
		}
	}
	key := ed25519.NewKeyFromSeed(raw)
	c := &wire.Connect{
		Client: wire.Client{ID: "cli", Mode: "cli", Platform: " macOS ", DeviceFamily: "Mac"},
		Scopes: []string{"operator.read", "operator.write"}, Auth: &wire.Auth{Token: "secret-token"},
		Device: &wire.Device{ID: string(auth.DeviceID(key.Public().(ed25519.PublicKey))), SignedAt: 1737264000000, Nonce: "11111111-2222-4333-8444-555555555555"},
	}
	tests := []struct{ version, payload, signature string }{
		{
			"v3", "v3|a4f349fa014da07d006b163724678d132240f4bb8bc6533db503306fd4d1aca0|cli|cli|operator|operator.read,operator.write|1737264000000|secret-token|11111111-2222-4333-8444-555555555555|macos|mac",
			"Oe1iJD2B2UZV11U1atVpGSw7ch02NByWot7fYEtXrM2nEVg7c2fT4g40uiOTb4uHZQp4KtufdpL_mvW5AwmBAA",
		},
		{
			"v2", "v2|a4f349fa014da07d006b163724678d132240f4bb8bc6533db503306fd4d1aca0|cli|cli|operator|operator.read,operator.write|1737264000000|secret-token|11111111-2222-4333-8444-555555555555",
			"FzevlrOPIoN0KFcYpuXE_wovKxkc9UZ4OfuzfABODQ6gXN1nI7My_O8cNTLKgGqe9HJD8EgacJz_cK8-mxgUBg",
		},
	}
	for _, tt := range tests {
		got := auth.SigningPayload(tt.version, c)
		if got != tt.payload {
			t.Errorf("SigningPayload(%s)\n got %s\nwant %s", tt.version, got, tt.payload)
		}
		if s := base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(got))); s != tt.signature {
			t.Errorf("%s signature = %s, want %s", tt.version, s, tt.signature)
		}
	}
}
