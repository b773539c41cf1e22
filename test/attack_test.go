package test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/test/harness"
)

type object = map[string]any

// alone starts a gateway without channels on a model that echoes.
func alone(t *testing.T, edit func(cfg object)) (*harness.Gateway, *harness.Model) {
	t.Helper()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	if edit != nil {
		g.Edit(edit)
	}
	g.Start()
	return g, m
}

// section returns cfg's section at path, made if it isn't there.
func section(cfg object, path ...string) object {
	for _, k := range path {
		next, _ := cfg[k].(object)
		if next == nil {
			next = object{}
			cfg[k] = next
		}
		cfg = next
	}
	return cfg
}

// socket is a client of the protocol that can lie about everything.
type socket struct {
	t  *testing.T
	ws *websocket.Conn
	n  int
}

// frame is what the gateway says.
type frame struct {
	Type, Event string
	ID          string
	OK          bool
	Payload     json.RawMessage
	Error       *struct {
		Code, Message string
		RetryAfterMs  int64
		Details       object
	}
}

func (f frame) code() string {
	if f.Error == nil {
		return ""
	}
	if c, ok := f.Error.Details["code"].(string); ok {
		return c
	}
	return f.Error.Code
}

// dial opens a socket; a header Host replaces the host.
func dial(t *testing.T, g *harness.Gateway, h http.Header) (*socket, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	o := &websocket.DialOptions{HTTPHeader: h, Host: h.Get("Host"), CompressionMode: websocket.CompressionDisabled}
	ws, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(g.URL("/"), "http"), o)
	if err != nil {
		return nil, resp, err
	}
	ws.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return &socket{t: t, ws: ws}, resp, nil
}

func mustDial(t *testing.T, g *harness.Gateway, h http.Header) *socket {
	t.Helper()
	s, _, err := dial(t, g, h)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	return s
}

// next reads one frame.
func (s *socket) next(limit time.Duration) (frame, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	_, raw, err := s.ws.Read(ctx)
	if err != nil {
		return frame{}, err
	}
	var f frame
	return f, json.Unmarshal(raw, &f)
}

// nonce reads the challenge.
func (s *socket) nonce() string {
	s.t.Helper()
	f, err := s.next(10 * time.Second)
	if err != nil || f.Event != "connect.challenge" {
		s.t.Fatalf("first frame %+v, %v; want the challenge", f, err)
	}
	var p struct{ Nonce string }
	_ = json.Unmarshal(f.Payload, &p)
	return p.Nonce
}

func (s *socket) write(v any) {
	s.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.ws.Write(s.t.Context(), websocket.MessageText, raw)
}

// call sends a request and returns its answer.
func (s *socket) call(method string, params any) frame {
	s.t.Helper()
	f, err := s.try(method, params)
	if err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	return f
}

func (s *socket) try(method string, params any) (frame, error) {
	s.n++
	id := fmt.Sprint("r", s.n)
	s.write(object{"type": "req", "id": id, "method": method, "params": params})
	for {
		f, err := s.next(20 * time.Second)
		if err != nil || f.Type == "res" && f.ID == id {
			return f, err
		}
	}
}

// closed waits for the close of the socket and returns its code, -1 for none.
func (s *socket) closed(limit time.Duration) websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	for {
		if _, _, err := s.ws.Read(ctx); err != nil {
			if ctx.Err() != nil {
				s.t.Errorf("still open after %v", limit)
			}
			return websocket.CloseStatus(err)
		}
	}
}

// cli are the params of a command line with every scope.
func cli(auth any) object {
	p := object{
		"minProtocol": 3, "maxProtocol": 3, "role": "operator", "scopes": client.Scopes(),
		"client": object{"id": "cli", "version": "1", "platform": "linux", "mode": "cli"},
	}
	if auth != nil {
		p["auth"] = auth
	}
	return p
}

// device is a key pair.
type device struct{ *client.Identity }

func newDevice(t *testing.T) device {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return device{client.NewIdentity(key)}
}

// sign adds the device to params as they are.
func (d device) sign(p object, nonce string) object {
	cl, _ := p["client"].(object)
	role, _ := p["role"].(string)
	scopes, _ := p["scopes"].([]string)
	token := ""
	if a, ok := p["auth"].(object); ok {
		for _, k := range []string{"token", "deviceToken"} {
			if s, _ := a[k].(string); s != "" && token == "" {
				token = s
			}
		}
	}
	at := time.Now().UnixMilli()
	signed := client.Signed{
		Device: d.ID, ClientID: cl["id"].(string), ClientMode: cl["mode"].(string), Role: role, Scopes: scopes,
		At: at, Token: token, Nonce: nonce, Platform: cl["platform"].(string),
	}
	p["device"] = object{"id": d.ID, "publicKey": d.PublicKey(), "signature": d.Sign(signed.Payload()), "signedAt": at, "nonce": nonce}
	return p
}

// owner is a paired device with every scope and a connected socket.
func owner(t *testing.T, g *harness.Gateway) *socket {
	t.Helper()
	s, f := login(t, g, newDevice(t), cli(object{"token": harness.Token}))
	if !f.OK {
		t.Fatalf("connect: %+v", f.Error)
	}
	return s
}

// login connects d with params.
func login(t *testing.T, g *harness.Gateway, d device, params object) (*socket, frame) {
	t.Helper()
	s := mustDial(t, g, nil)
	return s, s.call("connect", d.sign(params, s.nonce()))
}

// raw writes bytes to the gateway's port and returns what comes back until it
// closes or is silent.
func raw(t *testing.T, g *harness.Gateway, limit time.Duration, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", g.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, text) }()
	_ = c.SetReadDeadline(time.Now().Add(limit))
	b, _ := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(b)
}

// status is the code of the first answer in what raw returned, 0 for none.
func status(answer string) int {
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// ask sends a request whose Host and headers are as given.
func ask(t *testing.T, g *harness.Gateway, method, path, body string, h http.Header) (code int, answer string, head http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.URL(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range h {
		req.Header[k] = v
	}
	if host := h.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header
}

func header(kv ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(kv); i += 2 {
		h.Set(kv[i], kv[i+1])
	}
	return h
}

func bearer(kv ...string) http.Header {
	return header(append(kv, "Authorization", "Bearer "+harness.Token)...)
}

// sink is a server that must not be reached.
func sink(t *testing.T) (addr string, hits func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	seen := make(chan struct{}, 1000) // one for each connection, more than any test makes
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			seen <- struct{}{}
			c.Close()
		}
	}()
	return l.Addr().String(), func() int { return len(seen) }
}

// leaks lists the files below dirs that hold word; names in except may.
func leaks(t *testing.T, word string, except []string, dirs ...string) (found []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil //nolint:nilerr // a file may go while we look
			}
			for _, e := range except {
				if strings.HasPrefix(d.Name(), e) {
					return nil
				}
			}
			b, _ := os.ReadFile(p)
			if bytes.Contains(b, []byte(word)) {
				found = append(found, p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// secrets are the files that are allowed to hold secrets.
var secrets = []string{"openclaw.json", "openclaw.last-good.json"}

// noLeak fails when word is in any file but the stores of secrets.
func noLeak(t *testing.T, g *harness.Gateway, word string) {
	t.Helper()
	if found := leaks(t, word, secrets, filepath.Dir(g.Dir)); len(found) > 0 {
		t.Errorf("%s is in %q", word, found)
	}
}

// run runs a command of the program and returns its code and its output.
func run(t *testing.T, g *harness.Gateway, limit time.Duration, args ...string) (code int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := g.Command(ctx, args...)
	b, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("%q still runs after %v", args, limit)
		return -1, string(b)
	}
	if ee, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as it comes from os/exec
		return ee.ExitCode(), string(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(b)
}

// turn asks the agent over HTTP and returns what it says. Whoever has the
// gateway's token is the owner.
func turn(t *testing.T, g *harness.Gateway, text string) string {
	t.Helper()
	code, body := g.HTTP("POST", "/v1/chat/completions", object{"model": "openclaw", "user": "u", "messages": []any{object{"role": "user", "content": text}}})
	var a struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil || len(a.Choices) == 0 {
		return fmt.Sprintf("HTTP %d: %s", code, body)
	}
	return a.Choices[0].Message.Content
}

// tool has the model call a tool and returns what the tool answered.
func callTool(t *testing.T, g *harness.Gateway, name string, args any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	got := turn(t, g, fmt.Sprintf("do !tool %s %s", name, raw))
	_, result, ok := strings.Cut(got, "(tool: ")
	if !ok {
		t.Errorf("%s was not called: %.200s", name, got)
	}
	return result
}
