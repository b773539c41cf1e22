package gateway_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// emptyStore has no devices and forgets what it is given; the authenticator
// keeps its own view.
type emptyStore struct{}

func (emptyStore) Devices(context.Context) ([]auth.Device, error)         { return nil, nil }
func (emptyStore) PutDevice(context.Context, auth.Device) error           { return nil }
func (emptyStore) DeleteDevice(context.Context, id.Device) error          { return nil }
func (emptyStore) PendingDevices(context.Context) ([]auth.Request, error) { return nil, nil }
func (emptyStore) PutPending(context.Context, auth.Request) error         { return nil }
func (emptyStore) DeletePending(context.Context, string) error            { return nil }

// rig is a gateway on a free port.
type rig struct {
	t        testing.TB
	addr     string
	bus      *event.Bus
	auth     *auth.Authenticator
	settings func(func(*auth.Settings))
	stop     func() // as SIGTERM does
	dials    []*client
}

type rigOptions struct {
	methods  []rpc.Method
	routes   []feature.Route
	settings auth.Settings
	ready    func() error
	queue    func(context.Context, id.SessionKey, string) error
	log      *slog.Logger
}

func newRig(t testing.TB, o rigOptions) *rig {
	t.Helper()
	r := &rig{t: t, bus: event.NewBus()}
	var mu sync.Mutex
	settings := o.settings
	if settings.Token == "" {
		settings.Token = "secret-token"
	}
	r.settings = func(change func(*auth.Settings)) {
		mu.Lock()
		defer mu.Unlock()
		change(&settings)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := auth.New(ctx, auth.Options{Store: emptyStore{}, Bus: r.bus, Log: o.log, Settings: func() auth.Settings {
		mu.Lock()
		defer mu.Unlock()
		return settings
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.auth = a
	conf := &config.Config{Paths: config.Paths{State: "/state", Config: "/state/openclaw.json"}}
	methods := append([]rpc.Method{
		rpc.Handle("health", "", func(context.Context, *rpc.Caller, rpc.Any) (map[string]any, error) {
			return map[string]any{"ok": true}, nil
		}),
		rpc.Handle("sessions.list", rpc.Read, func(context.Context, *rpc.Caller, struct{}) ([]int, error) { return []int{}, nil }),
		{Name: "node.event", Scope: rpc.NodeRole, Call: func(context.Context, *rpc.Caller, json.RawMessage) (any, error) { return true, nil }},
		{Name: "sessions.get", Scope: rpc.Read, Hidden: true, Call: func(context.Context, *rpc.Caller, json.RawMessage) (any, error) { return nil, nil }},
	}, o.methods...)
	s, err := gateway.New(gateway.Options{
		Feature: feature.Feature{Methods: methods, Routes: o.routes}, Auth: a, Bus: r.bus,
		Config: func() *config.Config { return conf }, Ready: o.ready, Queue: o.queue, Log: o.log,
		Health: func(context.Context) any { return map[string]any{"ok": true, "agents": []int{}} },
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	t.Cleanup(func() {
		for _, c := range r.dials {
			_ = c.ws.CloseNow()
		}
		r.stop()
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

// client is a bare WebSocket.
type client struct {
	t     testing.TB
	ws    *websocket.Conn
	nonce string
	hello wire.HelloOK
}

type incoming struct {
	Type    string          `json:"type"`
	ID      json.RawMessage `json:"id"`
	OK      bool            `json:"ok"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Error   *wire.Error     `json:"error"`
	Seq     int64           `json:"seq"`
	raw     string
}

func (r *rig) dial(h http.Header) *client {
	r.t.Helper()
	host := h.Get("Host")
	h = h.Clone()
	h.Del("Host")
	ws, res, err := websocket.Dial(r.t.Context(), "ws://"+r.addr+"/", &websocket.DialOptions{HTTPHeader: h, Host: host})
	if err != nil {
		r.t.Fatalf("dial: %v", err)
	}
	if res != nil && res.Body != nil {
		_ = res.Body.Close()
	}
	ws.SetReadLimit(-1)
	c := &client{t: r.t, ws: ws}
	r.dials = append(r.dials, c)
	f := c.next()
	var challenge wire.Challenge
	if err := json.Unmarshal(f.Payload, &challenge); err != nil || f.Event != "connect.challenge" || f.Seq != 0 {
		r.t.Fatalf("first frame %s", f.raw)
	}
	c.nonce = challenge.Nonce
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

func (c *client) read() (incoming, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	_, raw, err := c.ws.Read(ctx)
	if err != nil {
		return incoming{}, err
	}
	f := incoming{raw: string(raw)}
	return f, json.Unmarshal(raw, &f)
}

func (c *client) next() incoming {
	c.t.Helper()
	f, err := c.read()
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	return f
}

// until skips frames until one is what want says.
func (c *client) until(want func(incoming) bool) incoming {
	c.t.Helper()
	for {
		if f := c.next(); want(f) {
			return f
		}
	}
}

func named(event string) func(incoming) bool {
	return func(f incoming) bool { return f.Event == event }
}

// closed skips frames until the connection closes.
func (c *client) closed() (code int, reason string, before []incoming) {
	c.t.Helper()
	for {
		f, err := c.read()
		if err == nil {
			before = append(before, f)
			continue
		}
		if ce, ok := errors.AsType[websocket.CloseError](err); ok {
			return int(ce.Code), ce.Reason, before
		}
		c.t.Fatalf("not closed but %v", err)
	}
}

type identity struct {
	key ed25519.PrivateKey
	id  id.Device
	pub string
}

func newIdentity(t testing.TB) identity {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return identity{key, auth.DeviceID(pub), base64.RawURLEncoding.EncodeToString(pub)}
}

func operator(scopes ...string) *wire.Connect {
	if scopes == nil {
		scopes = []string{"operator.admin", "operator.read", "operator.write", "operator.approvals", "operator.pairing"}
	}
	return &wire.Connect{
		MinProtocol: 3, MaxProtocol: 3, Client: wire.Client{ID: "cli", Version: "2026.3.13", Platform: "linux", Mode: "cli"},
		Role: "operator", Scopes: scopes, Auth: &wire.Auth{Token: "secret-token"},
	}
}

func (c *client) connect(p *wire.Connect, d *identity) incoming {
	c.t.Helper()
	if d != nil {
		p.Device = &wire.Device{ID: string(d.id), PublicKey: d.pub, SignedAt: time.Now().UnixMilli(), Nonce: c.nonce}
		p.Device.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(d.key, []byte(auth.SigningPayload("v3", p))))
	}
	raw, err := json.Marshal(p)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(`{"type":"req","id":"c","method":"connect","params":` + string(raw) + `}`)
	return c.next()
}

// open connects a new device and expects hello-ok.
func (r *rig) open(p *wire.Connect) *client {
	r.t.Helper()
	d := newIdentity(r.t)
	return r.openAs(p, &d)
}

func (r *rig) openAs(p *wire.Connect, d *identity) *client {
	r.t.Helper()
	c := r.dial(nil)
	f := c.connect(p, d)
	if !f.OK || json.Unmarshal(f.Payload, &c.hello) != nil {
		r.t.Fatalf("connect: %s", f.raw)
	}
	return c
}

// call returns the answer to one request.
func (c *client) call(method, params string) incoming {
	c.t.Helper()
	c.send(`{"type":"req","id":"` + method + `","method":"` + method + `","params":` + params + `}`)
	return c.until(func(f incoming) bool { return string(f.ID) == `"`+method+`"` })
}

func (f incoming) errorText() string {
	if f.Error == nil {
		return ""
	}
	return f.Error.Code + ": " + f.Error.Message
}

func (r *rig) do(method, path, body string, headers ...string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var b strings.Builder
	if _, err := copyAll(&b, res); err != nil {
		r.t.Fatal(err)
	}
	return res, b.String()
}
