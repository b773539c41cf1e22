package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

func copyAll(b *strings.Builder, res *http.Response) (int64, error) { return io.Copy(b, res.Body) }

func TestFirstFrame(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	tests := []struct {
		name, sent string
		res        string // error of the response; "" is none
		code       int
		reason     string
	}{
		{"bad shape", `{"hello":1}`, "", 1008, "invalid request frame"},
		{"event", `{"type":"event","event":"x"}`, "", 1008, "invalid request frame"},
		{"malformed", `{nope`, "", 1000, ""},
		{"not connect", `{"type":"req","id":"x","method":"health","params":{}}`, "INVALID_REQUEST: invalid handshake: first request must be connect", 1008, "invalid handshake: first request must be connect"},
		{
			"empty params", `{"type":"req","id":"x","method":"connect","params":{}}`,
			"INVALID_REQUEST: invalid connect params: must have required property 'minProtocol'; must have required property 'maxProtocol'; must have required property 'client'",
			1008, "invalid connect params: must have required property 'minProtocol'; must have required property 'maxProtocol'; must have ",
		},
		{"no params", `{"type":"req","id":"x","method":"connect"}`, "INVALID_REQUEST: invalid connect params: must be object", 1008, "invalid connect params: must be object"},
		{
			"unknown client", `{"type":"req","id":"x","method":"connect","params":{"minProtocol":3,"maxProtocol":3,"client":{"id":"mine","version":"1","platform":"linux","mode":"cli"}}}`,
			"INVALID_REQUEST: invalid connect params: at /client/id: must be equal to constant; at /client/id: must match a schema in anyOf",
			1008, "invalid connect params: at /client/id: must be equal to constant; at /client/id: must match a schema in anyOf",
		},
		{
			"no nonce", `{"type":"req","id":"x","method":"connect","params":{"minProtocol":3,"maxProtocol":3,"client":{"id":"cli","version":"1","platform":"linux","mode":"cli"},"device":{"id":"a","publicKey":"b","signature":"c","signedAt":1}}}`,
			"INVALID_REQUEST: invalid connect params: at /device: must have required property 'nonce'", 1008, "invalid connect params: at /device: must have required property 'nonce'",
		},
		{"64 KiB", `{"type":"req","id":"x","method":"connect","params":{"p":"` + strings.Repeat("a", 65537) + `"}}`, "", 1009, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := r.dial(nil)
			c.send(tt.sent)
			code, reason, before := c.closed()
			got := ""
			for _, f := range before {
				got += f.errorText()
			}
			if got != tt.res || code != tt.code || reason != tt.reason {
				t.Errorf("got %q, close %d %q\nwant %q, close %d %q", got, code, reason, tt.res, tt.code, tt.reason)
			}
		})
	}
}

func TestHandshakeTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	began := time.Now()
	code, reason, _ := r.dial(nil).closed()
	if took := time.Since(began); code != 1000 || reason != "" || took < 2*time.Second || took > 5*time.Second {
		t.Errorf("close %d %q after %v, want 1000 after 3 s", code, reason, took)
	}
}

func TestHello(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{methods: []rpc.Method{{Name: "zz.own", Scope: rpc.Read, Call: nil}}})
	h := r.open(operator()).hello
	want := []string{
		"health", "sessions.list", "device.pair.list", "device.pair.approve", "device.pair.reject", "device.pair.remove",
		"device.token.rotate", "device.token.revoke", "node.event", "system-presence", "system-event", "zz.own",
	}
	if diff := cmp.Diff(want, h.Features.Methods); diff != "" {
		t.Error(diff)
	}
	if h.Type != "hello-ok" || h.Protocol != 3 || h.Auth == nil || len(h.Auth.DeviceToken) != 43 || h.Snapshot.AuthMode != "token" ||
		h.Snapshot.SessionDefaults.MainSessionKey != "agent:main:main" || h.Policy.MaxPayload != 26214400 || h.CanvasHostURL != "http://"+r.addr {
		t.Errorf("hello %+v", h)
	}
	if !slices.Contains(h.Features.Events, "exec.approval.resolved") || len(h.Features.Events) != 19 {
		t.Errorf("events %v", h.Features.Events)
	}
}

func TestFramesAndScopes(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{methods: []rpc.Method{
		rpc.Handle("boom", rpc.Read, func(context.Context, *rpc.Caller, rpc.Any) (int, error) { panic("boom") }),
		rpc.Handle("internal", rpc.Read, func(context.Context, *rpc.Caller, rpc.Any) (int, error) { return 0, errors.New("secret path /x") }),
		rpc.Handle("kind", rpc.Read, func(context.Context, *rpc.Caller, rpc.Any) (int, error) {
			return 0, fault.New(fault.NotFound, "x", "no such thing")
		}),
		rpc.Handle("own", rpc.Read, func(context.Context, *rpc.Caller, rpc.Any) (int, error) { return 0, rpc.Unavailable("not now") }),
	}})
	admin, reader, writer := r.open(operator()), r.open(operator("operator.read")), r.open(operator("operator.write"))
	bare := r.openAs(operator(), nil)
	node := operator()
	node.Client.ID, node.Client.Mode, node.Role, node.Scopes = "node-host", "node", "node", []string{}
	host := r.open(node)
	tests := []struct {
		c            *client
		name, frame  string
		wantID, want string
	}{
		{admin, "no method", `{"type":"req","id":"b"}`, `"b"`, "INVALID_REQUEST: invalid request frame: must have required property 'method'"},
		{admin, "nothing", `{"foo":1}`, `"invalid"`, "INVALID_REQUEST: invalid request frame: must have required property 'type'; must have required property 'id'; must have required property 'method'; at root: unexpected property 'foo'"},
		{admin, "numeric id", `{"type":"req","id":7,"method":"health"}`, `7`, "INVALID_REQUEST: invalid request frame: at /id: must be string"},
		{admin, "extra", `{"type":"req","id":"e","method":"health","extra":1}`, `"e"`, "INVALID_REQUEST: invalid request frame: at root: unexpected property 'extra'"},
		{admin, "method twice", `{"type":"req","id":"e","method":"health","method":"sessions.list"}`, `"e"`, "INVALID_REQUEST: invalid request frame: at root: duplicate property 'method'"},
		{admin, "deep", `{"type":"req","id":"e","method":"health","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, `"e"`, "INVALID_REQUEST: invalid request frame: must not be nested deeper than 100 levels"},
		{admin, "connect again", `{"type":"req","id":"e","method":"connect","params":{}}`, `"e"`, "INVALID_REQUEST: connect is only valid as the first request"},
		{admin, "unknown", `{"type":"req","id":"e","method":"no.such"}`, `"e"`, "INVALID_REQUEST: unknown method: no.such"},
		{reader, "unknown to others", `{"type":"req","id":"e","method":"no.such"}`, `"e"`, "INVALID_REQUEST: missing scope: operator.admin"},
		{reader, "admin method", `{"type":"req","id":"e","method":"system-event"}`, `"e"`, "INVALID_REQUEST: missing scope: operator.admin"},
		{reader, "pairing method", `{"type":"req","id":"e","method":"device.pair.list"}`, `"e"`, "INVALID_REQUEST: missing scope: operator.pairing"},
		{writer, "write implies read", `{"type":"req","id":"e","method":"sessions.list"}`, `"e"`, ""},
		{bare, "health needs nothing", `{"type":"req","id":"e","method":"health","params":[1]}`, `"e"`, ""},
		{bare, "no scopes", `{"type":"req","id":"e","method":"sessions.list"}`, `"e"`, "INVALID_REQUEST: missing scope: operator.read"},
		{admin, "node method", `{"type":"req","id":"e","method":"node.event"}`, `"e"`, "INVALID_REQUEST: unauthorized role: operator"},
		{admin, "node method that isn't served", `{"type":"req","id":"e","method":"skills.bins"}`, `"e"`, "INVALID_REQUEST: unauthorized role: operator"},
		{host, "own method that isn't served", `{"type":"req","id":"e","method":"skills.bins"}`, `"e"`, "INVALID_REQUEST: unknown method: skills.bins"},
		{host, "its own method", `{"type":"req","id":"e","method":"node.event"}`, `"e"`, ""},
		{host, "another's method", `{"type":"req","id":"e","method":"sessions.list"}`, `"e"`, "INVALID_REQUEST: unauthorized role: node"},
		{host, "unknown to a node", `{"type":"req","id":"e","method":"no.such"}`, `"e"`, "INVALID_REQUEST: unauthorized role: node"},
		{admin, "params", `{"type":"req","id":"e","method":"sessions.list","params":{"__bogus__":1}}`, `"e"`, "INVALID_REQUEST: invalid sessions.list params: at root: unexpected property '__bogus__'"},
		{admin, "panic", `{"type":"req","id":"e","method":"boom"}`, `"e"`, "UNAVAILABLE: internal error (see the gateway's log: openclaw logs)"},
		{admin, "unclassified", `{"type":"req","id":"e","method":"internal"}`, `"e"`, "UNAVAILABLE: internal error (see the gateway's log: openclaw logs)"},
		{admin, "kind", `{"type":"req","id":"e","method":"kind"}`, `"e"`, "INVALID_REQUEST: no such thing"},
		{admin, "own error", `{"type":"req","id":"e","method":"own"}`, `"e"`, "UNAVAILABLE: not now"},
		{admin, "binary is fine, big is fine", `{"type":"req","id":"e","method":"health","params":{"pad":"` + strings.Repeat("x", 1<<20) + `"}}`, `"e"`, ""},
	}
	for _, tt := range tests {
		tt.c.send(tt.frame)
		f := tt.c.until(func(f incoming) bool { return f.Type == "res" })
		if string(f.ID) != tt.wantID || f.errorText() != tt.want {
			t.Errorf("%s: id %s %q, want %s %q", tt.name, f.ID, f.errorText(), tt.wantID, tt.want)
		}
	}
	admin.send(`{nope`)
	if f := admin.call("health", "{}"); !f.OK {
		t.Errorf("after malformed JSON: %s", f.raw)
	}
	if f := admin.call("health", "{}"); f.raw != `{"type":"res","id":"health","ok":true,"payload":{"ok":true}}` {
		t.Errorf("frame %s", f.raw)
	}
}

func TestOversizeFrameCloses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	c := r.open(operator())
	c.send(`{"type":"req","id":"e","method":"health","params":"` + strings.Repeat("x", wire.MaxPayload) + `"}`)
	if code, reason, _ := c.closed(); code != 1009 || reason != "" {
		t.Errorf("close %d %q, want 1009", code, reason)
	}
}

// A client that stops in the middle of a frame that is too big must not hold
// its connection for ever.
func TestTornOversizeFrame(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+r.addr+"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	// A masked text frame that declares 1 MB, of which 70 000 bytes come.
	_, _ = conn.Write([]byte{0x81, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0})
	_, _ = io.WriteString(conn, strings.Repeat("x", 70_000))
	_ = conn.SetReadDeadline(time.Now().Add(6 * time.Second))
	all, err := io.ReadAll(conn)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Fatal("the connection stays open")
	}
	if !strings.Contains(string(all), "\x88\x02\x03\xf1") {
		t.Errorf("no close 1009 in %q", all)
	}
}

func TestForeignCallsClose(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	c := r.open(operator())
	for range 11 {
		c.send(`{"type":"req","id":"e","method":"node.event"}`)
	}
	if code, reason, _ := c.closed(); code != 1008 || reason != "repeated unauthorized calls" {
		t.Errorf("close %d %q", code, reason)
	}
}

func TestLaterAnswersTwice(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	gone := make(chan struct{})
	r := newRig(t, rigOptions{methods: []rpc.Method{{Name: "agent", Scope: rpc.Write, Call: func(context.Context, *rpc.Caller, json.RawMessage) (any, error) {
		return rpc.Later{First: "accepted", Then: func(ctx context.Context) (any, error) {
			select {
			case <-gate:
				return "done", nil
			case <-ctx.Done():
				close(gone)
				return nil, ctx.Err()
			}
		}}, nil
	}}}})
	c := r.open(operator())
	if f := c.call("agent", "{}"); string(f.Payload) != `"accepted"` {
		t.Errorf("first %s", f.raw)
	}
	if f := c.call("health", "{}"); !f.OK {
		t.Errorf("health waits for agent: %s", f.raw)
	}
	gate <- struct{}{}
	if f := c.until(func(f incoming) bool { return f.Type == "res" }); string(f.ID) != `"agent"` || string(f.Payload) != `"done"` {
		t.Errorf("second %s", f.raw)
	}
	c.call("agent", "{}")
	_ = c.ws.CloseNow()
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("Then outlives its connection")
	}
}

func TestRequestsTakeEffectInOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	r := newRig(t, rigOptions{methods: []rpc.Method{rpc.Handle("note", rpc.Write, func(_ context.Context, _ *rpc.Caller, p struct {
		N string `json:"n"`
	},
	) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, p.N)
		return len(order), nil
	})}})
	c := r.open(operator())
	want := strings.Split("abcdefghijklmnopqrst", "")
	// A machine that doesn't run the handler within its head start may swap two.
	for range 5 {
		for _, n := range want {
			c.send(`{"type":"req","id":"` + n + `","method":"note","params":{"n":"` + n + `"}}`)
		}
		for range want {
			c.until(func(f incoming) bool { return f.Type == "res" })
		}
		mu.Lock()
		got := order
		order = nil
		mu.Unlock()
		if slices.Equal(want, got) {
			return
		}
		t.Logf("got %v", got)
	}
	t.Error("never in order")
}

func TestLanesDoNotWait(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	both := make(chan struct{})
	note := rpc.Handle("note", rpc.Write, func(ctx context.Context, _ *rpc.Caller, p struct {
		N string `json:"n"`
	},
	) (int, error) {
		mu.Lock()
		order = append(order, p.N)
		if len(order) == 2 {
			close(both)
		}
		mu.Unlock()
		select {
		case <-both: // each lets the other begin
			return 0, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
	note.Lane = func(params json.RawMessage) string { return string(params) }
	r := newRig(t, rigOptions{methods: []rpc.Method{note, rpc.Handle("after", rpc.Write, func(context.Context, *rpc.Caller, struct{}) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return len(order), nil
	})}})
	c := r.open(operator())
	for _, n := range []string{"a", "b"} {
		c.send(`{"type":"req","id":"` + n + `","method":"note","params":{"n":"` + n + `"}}`)
	}
	c.send(`{"type":"req","id":"c","method":"after","params":{}}`)
	got := ""
	for range 3 {
		f := c.until(func(f incoming) bool { return f.Type == "res" })
		if string(f.ID) == `"c"` {
			got = string(f.Payload)
		}
	}
	if got != "2" {
		t.Errorf("a request without a lane saw %s of those before it, want 2", got)
	}
}

func TestRevocationCloses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	d := newIdentity(t)
	victim, admin := r.openAs(operator(), &d), r.open(operator())
	began := time.Now()
	if f := admin.call("device.pair.remove", `{"deviceId":"`+string(d.id)+`"}`); !f.OK {
		t.Fatal(f.raw)
	}
	if code, reason, _ := victim.closed(); code != 1008 || reason != "device access revoked" || time.Since(began) > time.Second {
		t.Errorf("close %d %q after %v", code, reason, time.Since(began))
	}
	// Whoever revokes itself still gets the answer.
	self := newIdentity(t)
	c := r.openAs(operator(), &self)
	if f := c.call("device.token.rotate", `{"deviceId":"`+string(self.id)+`","role":"operator"}`); !f.OK {
		t.Error(f.raw)
	}
	if code, _, _ := c.closed(); code != 1008 {
		t.Errorf("close %d", code)
	}
	r.settings(func(s *auth.Settings) { s.Token = "another-token" })
	r.bus.Publish(event.ConfigChanged{})
	if code, reason, _ := admin.closed(); code != 1008 || reason != "gateway credentials changed" {
		t.Errorf("close %d %q", code, reason)
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		publish event.Event
		want    string
	}{
		{"sigterm", nil, `{"reason":"gateway stopping","restartExpectedMs":null}`},
		{"restart", event.Shutdown{Reason: "gateway restarting", RestartExpected: 1500 * time.Millisecond}, `{"reason":"gateway restarting","restartExpectedMs":1500}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, rigOptions{})
			c := r.open(operator())
			if tt.publish != nil {
				r.bus.Publish(tt.publish)
			}
			go r.stop()
			code, reason, before := c.closed()
			var told []string
			for _, f := range before {
				if f.Event == "shutdown" {
					told = append(told, string(f.Payload))
				}
			}
			if code != 1012 || reason != "service restart" || !slices.Equal(told, []string{tt.want}) {
				t.Errorf("close %d %q, told %q", code, reason, told)
			}
		})
	}
}

func TestTooManyWaiting(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	for range 32 {
		r.dial(nil)
	}
	res, body := r.do("GET", "/", "", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d %s, want 503", res.StatusCode, body)
	}
}

func TestPresence(t *testing.T) {
	t.Parallel()
	var queued []string
	r := newRig(t, rigOptions{queue: func(_ context.Context, k id.SessionKey, text string) error {
		queued = append(queued, string(k)+"|"+text)
		return nil
	}})
	c := r.open(operator())
	ui := operator("operator.read")
	ui.Client.ID, ui.Client.Mode, ui.Client.DisplayName = "gateway-client", "ui", "Desk"
	desk := r.open(ui)
	texts := func() (out []string) {
		var all []struct{ Text, Reason string }
		if err := json.Unmarshal(c.call("system-presence", "{}").Payload, &all); err != nil {
			t.Fatal(err)
		}
		for _, b := range all[1:] {
			out = append(out, b.Text+" "+b.Reason)
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff([]string{"Node: Desk · mode ui connect"}, texts()); diff != "" {
		t.Error(diff)
	}
	_ = desk.ws.CloseNow()
	c.until(named("presence"))
	for _, p := range []string{`{"text":"Node: test event"}`, `{"text":"beat","deviceId":"d","reason":"periodic","tags":["a"]}`, `{"text":"Something happened","sessionKey":"agent:main:main"}`} {
		if f := c.call("system-event", p); !f.OK {
			t.Error(f.raw)
		}
	}
	if f := c.call("system-event", `{}`); f.errorText() != "INVALID_REQUEST: text required" {
		t.Error(f.raw)
	}
	want := []string{"Node: Desk · mode ui disconnect", "Node: test event ", "Something happened ", "beat periodic"}
	if diff := cmp.Diff(want, texts()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"|beat", "agent:main:main|Something happened"}, queued); diff != "" {
		t.Error(diff)
	}
}

func TestHealthEventAfterConnect(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	f := r.open(operator()).until(named("health"))
	if f.Seq == 0 || !strings.Contains(f.raw, `"stateVersion":{"presence":1,"health":2}`) {
		t.Errorf("frame %s", f.raw)
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !gateway.PostOnly(w, r) {
			return
		}
		if body, ok := gateway.ReadBody(w, r, 1<<20); ok {
			gateway.WriteJSON(w, 200, len(body))
		}
	})
	r := newRig(t, rigOptions{routes: []feature.Route{
		{Pattern: "/v1/echo", Handler: echo},
		{Pattern: "POST /hook", Auth: feature.ByHandler, Handler: echo},
	}})
	const tok = "Authorization: Bearer secret-token"
	const unauthorized = `{"error":{"message":"Unauthorized","type":"unauthorized"}}`
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string // whole body, or a part behind ~
	}{
		{"live", "GET", "/healthz", "", nil, 200, `{"ok":true,"status":"live"}`},
		{"live alias", "GET", "/health", "", nil, 200, `{"ok":true,"status":"live"}`},
		{"live for any host", "GET", "/health", "", []string{"Host: evil.example"}, 200, `{"ok":true,"status":"live"}`},
		{"ready", "GET", "/readyz", "", nil, 200, `~{"ready":true,"failing":[],"uptimeMs":`},
		{"ready from elsewhere", "GET", "/ready", "", []string{"Host: gw.example"}, 200, `{"ready":true}`},
		{"ready from elsewhere with token", "GET", "/readyz", "", []string{"Host: gw.example", tok}, 200, `~"uptimeMs":`},
		{"head", "HEAD", "/healthz", "", nil, 200, ``},
		{"post to a probe", "POST", "/healthz", "{}", nil, 405, "Method Not Allowed"},
		{"page", "GET", "/", "", nil, 200, "~<!doctype html>"},
		{"page under a foreign name", "GET", "/", "", []string{"Host: evil.example:18789"}, 403, "~forbidden"},
		{"bootstrap", "GET", "/__openclaw/control-ui-config.json", "", nil, 200, `~{"basePath":"","assistantName":"Assistant","assistantAvatar":"A","assistantAgentId":"main","serverVersion":"`},
		{"bootstrap under a foreign name", "GET", "/__openclaw/control-ui-config.json", "", []string{"Host: evil.example"}, 403, "~forbidden"},
		{"avatar", "GET", "/avatar/main?meta=1", "", nil, 200, `{"avatarUrl":null}`},
		{"avatar that isn't", "GET", "/avatar/main", "", nil, 404, "Not Found"},
		{"post to the page", "POST", "/", "{}", nil, 404, "Not Found"},
		{"no token", "POST", "/v1/echo", "x", nil, 401, unauthorized},
		{"wrong token", "POST", "/v1/echo", "x", []string{"Authorization: Bearer nope"}, 401, unauthorized},
		{"token in the query", "POST", "/v1/echo?token=secret-token", "x", nil, 401, unauthorized},
		{"good", "POST", "/v1/echo", "abc", []string{tok}, 200, "3"},
		{"good under a container's name", "POST", "/v1/echo", "abc", []string{tok, "Host: gateway:18789"}, 200, "3"},
		{"get", "GET", "/v1/echo", "", []string{tok}, 405, "Method Not Allowed"},
		{"preflight", "OPTIONS", "/v1/echo", "", []string{"Origin: http://evil.example", tok}, 405, "Method Not Allowed"},
		{"too large", "POST", "/v1/echo", strings.Repeat("x", 3<<20), []string{tok}, 413, "~larger than the limit"},
		{"encoded", "POST", "/v1/echo", "x", []string{tok, "Content-Encoding: gzip"}, 415, "~Content-Encoding"},
		{"hook checks by itself", "POST", "/hook", "ab", []string{"Host: gw.example"}, 200, "2"},
		{"unknown API", "GET", "/v1/no-such-thing", "", []string{tok}, 404, `~{"error":{"message":"No such endpoint`},
		{"unknown path", "GET", "/api/nope", "", []string{tok}, 404, "Not Found"},
		{"doubled slash", "POST", "//v1/echo", "x", nil, 404, "Not Found"},
		{"dots", "POST", "/x/../v1/echo", "x", nil, 404, "Not Found"},
		{"encoded dots", "POST", "/x/%2e%2e/v1/echo", "x", nil, 404, "Not Found"},
		{"other case", "POST", "/V1/echo", "x", nil, 404, "Not Found"},
		{"encoded slash", "GET", "/..%2f..%2fetc/passwd", "", nil, 404, "Not Found"},
	}
	for _, tt := range tests {
		res, body := r.do(tt.method, tt.path, tt.body, tt.headers...)
		part, partly := strings.CutPrefix(tt.want, "~")
		if res.StatusCode != tt.status || partly && !strings.Contains(body, part) || !partly && body != tt.want {
			t.Errorf("%s: %d %.200s, want %d %s", tt.name, res.StatusCode, body, tt.status, tt.want)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", tt.name, res.Header)
		}
	}
}

func TestRefusedUpgradeCloses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	for _, head := range []string{"POST / HTTP/1.1\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "GET / HTTP/1.0\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "GET / HTTP/1.1\r\nSec-WebSocket-Key: AAAA"} {
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, head+"\r\nHost: "+r.addr+"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(3 * time.Second))
		all, err := io.ReadAll(conn)
		if err != nil || strings.Count(string(all), "\r\nDate: ") != 1 || strings.Contains(string(all), " 101 ") {
			t.Errorf("%.20s: %v %.300q", head, err, all)
		}
		_ = conn.Close()
	}
}

func TestHTTPRateLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{routes: []feature.Route{{Pattern: "/v1/x", Handler: http.NotFoundHandler()}}})
	for i := range 12 {
		res, body := r.do("POST", "/v1/x", "", "Authorization: Bearer wrong", "Origin: http://127.0.0.1:1")
		want := 401
		if i >= 10 {
			want = 429
		}
		if res.StatusCode != want || want == 429 && res.Header.Get("Retry-After") == "" {
			t.Errorf("try %d: %d %s, Retry-After %q", i+1, res.StatusCode, body, res.Header.Get("Retry-After"))
		}
	}
}

func TestModeNone(t *testing.T) {
	t.Parallel()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { gateway.WriteJSON(w, 200, true) })
	r := newRig(t, rigOptions{settings: auth.Settings{Mode: "none"}, routes: []feature.Route{{Pattern: "/v1/x", Handler: ok}}})
	for _, tt := range []struct {
		header string
		want   int
	}{{"X: y", 200}, {"Host: evil.example", 403}, {"Origin: https://evil.example", 403}, {"Origin: null", 403}} {
		if res, body := r.do("POST", "/v1/x", "{}", tt.header); res.StatusCode != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.header, res.StatusCode, body, tt.want)
		}
	}
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{ready: func() error { return errors.New("no model") }})
	res, body := r.do("GET", "/readyz", "")
	if res.StatusCode != 503 || !strings.HasPrefix(body, `{"ready":false,"failing":["no model"],`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// A body that never comes must not hold a request for long, and a client that
// declares too much gets its answer at once.
func TestDeclaredTooLarge(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { gateway.ReadBody(w, r, 2<<20) })
	r := newRig(t, rigOptions{routes: []feature.Route{{Pattern: "/v1/x", Handler: h}}})
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "POST /v1/x HTTP/1.1\r\nHost: "+r.addr+"\r\nAuthorization: Bearer secret-token\r\nContent-Length: 3145728\r\n\r\n"+strings.Repeat("x", 60000))
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	buf := make([]byte, 4096)
	n, err := conn.Read(buf)
	if err != nil || !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 413") {
		t.Errorf("%v %q", err, buf[:n])
	}
}

func TestCheckBind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		g    config.Gateway
		s    auth.Settings
		ok   bool
	}{
		{"default", config.Gateway{}, auth.Settings{Token: "a-real-secret"}, true},
		{"loopback without auth", config.Gateway{Bind: "loopback"}, auth.Settings{Mode: "none"}, true},
		{"lan without auth", config.Gateway{Bind: "lan"}, auth.Settings{Mode: "none"}, false},
		{"lan with token", config.Gateway{Bind: "lan"}, auth.Settings{Token: "a-real-secret"}, true},
		{"custom without auth", config.Gateway{Bind: "custom", CustomBindHost: "192.0.2.1"}, auth.Settings{Mode: "none"}, false},
		{"custom loopback", config.Gateway{Bind: "custom", CustomBindHost: "127.0.0.5"}, auth.Settings{Mode: "none"}, true},
		{"custom name", config.Gateway{Bind: "custom", CustomBindHost: "evil"}, auth.Settings{Token: "a-real-secret"}, false},
		{"unknown", config.Gateway{Bind: "everywhere"}, auth.Settings{Token: "a-real-secret"}, false},
		{"blank token", config.Gateway{}, auth.Settings{Token: "  "}, false},
	}
	for _, tt := range tests {
		if err := gateway.CheckBind(tt.g, tt.s); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
