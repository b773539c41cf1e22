package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// steps is a log handler that keeps the hops: the debug messages that name a
// function.
type steps struct {
	mu  sync.Mutex
	got []string
}

func (s *steps) Enabled(context.Context, slog.Level) bool { return true }
func (s *steps) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *steps) WithGroup(string) slog.Handler            { return s }

func (s *steps) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelDebug && strings.Contains(r.Message, ".") && !strings.Contains(r.Message, " ") {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Contains(s.got, r.Message) {
			s.got = append(s.got, r.Message)
		}
	}
	return nil
}

func (s *steps) walk() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.got, " > ")
}

// wire is a channel that keeps what is sent.
type wire struct {
	mu   sync.Mutex
	sent []string
}

func (w *wire) Run(ctx context.Context, _ channel.Receiver) error { <-ctx.Done(); return nil }
func (w *wire) Limits() channel.Limits                            { return channel.Limits{} }

func (w *wire) Send(_ context.Context, out msg.Outbound) (msg.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, out.Text)
	return msg.Receipt{At: time.Now()}, nil
}

func testCore(t *testing.T) (*core, *steps) {
	t.Helper()
	dir := t.TempDir()
	paths := config.Paths{Home: dir, State: dir, Config: filepath.Join(dir, "openclaw.json")}
	raw := []byte(`{agents: {defaults: {model: "demo/demo"}}, channels: {irc: {host: "127.0.0.1", nick: "bot", dmPolicy: "open", allowFrom: ["*", "al!u@h"]}}}`)
	l, err := config.Validate(t.Context(), paths, raw, config.LoadOptions{Env: func(string) string { return "" }, Dir: dir})
	if err != nil || !l.Valid() {
		t.Fatalf("config: %v %v", err, l.Problems)
	}
	db, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := &steps{}
	c, err := buildCore(config.NewStore(l.Config), db, slog.New(s))
	if err != nil {
		t.Fatal(err)
	}
	c.chat.Start()
	t.Cleanup(func() {
		c.inbox.Close()
		c.chat.Close(t.Context())
		c.tools.close()
		if err := c.book.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, s
}

// The walk of a channel's message, as ARCHITECTURE.md tells it.
func TestWalkOfAMessage(t *testing.T) {
	c, s := testCore(t)
	w := &wire{}
	detach := c.outbox.Attach(t.Context(), "irc", id.DefaultAccount, w)
	defer detach()
	c.outbox.Ready("irc", id.DefaultAccount, true)
	err := c.inbox.Accept(t.Context(), msg.Inbound{
		ID: "1", Text: "hello", Received: time.Now(), From: msg.Sender{ID: "al!u@h"},
		At: msg.Address{Channel: "irc", Account: id.DefaultAccount, Kind: msg.Direct, Peer: "al"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		w.mu.Lock()
		n := len(w.sent)
		w.mu.Unlock()
		if n > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(w.sent) != 1 {
		t.Fatalf("%d answers, want 1", len(w.sent))
	}
	if got, want := s.walk(), "inbox.Accept > chat.Handle > queue.Submit > chat.run > agent.Run > reply.Finish"; got != want {
		t.Errorf("walk %s\nwant %s", got, want)
	}
}

// The walk of an HTTP request from chat.Do on.
func TestWalkOfARequest(t *testing.T) {
	c, s := testCore(t)
	var streamed strings.Builder
	r, err := c.chat.Do(t.Context(), msg.Inbound{
		ID: "1", Text: "hello", Received: time.Now(), At: msg.Address{Channel: "webchat", Kind: msg.Direct},
		Client: &msg.Client{Run: "r1", Session: "agent:main:http:x", Owner: true, Lost: true},
	}, func(d string) { streamed.WriteString(d) })
	if err != nil || r.Text == "" || strings.TrimSpace(streamed.String()) != r.Text {
		t.Fatalf("text %q, streamed %q, %v", r.Text, streamed.String(), err)
	}
	if got, want := s.walk(), "inbox.Accept > chat.Handle > queue.Submit > chat.run > agent.Run > reply.Finish"; got != want {
		t.Errorf("walk %s\nwant %s", got, want)
	}
}

func TestFromEnv(t *testing.T) {
	t.Parallel()
	env := func(k string) string {
		return map[string]string{"HOST": "irc.example", "PORT": "6697", "ROOMS": "#a, #b", "NICK": "fromenv"}[k]
	}
	got, err := fromEnv([]channel.EnvKey{
		{Key: "host", Name: "HOST"},
		{Key: "port", Name: "PORT", JSON: true},
		{Key: "channels", Name: "ROOMS", List: true},
		{Key: "nick", Name: "NICK"},
		{Key: "tls", Name: "TLS", JSON: true},
		{Key: "nickserv.password", Name: "HOST"},
		{Key: "nickserv.service", Name: "HOST"},
		{Key: "sasl.name", Name: "NICK"},
	}, []byte(`{"nick":"bot","nickserv":{"service":"NS"}}`), env)
	if want := `{"channels":["#a","#b"],"host":"irc.example","nick":"bot","nickserv":{"password":"irc.example","service":"NS"},"port":6697,"sasl":{"name":"fromenv"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := fromEnv([]channel.EnvKey{{Key: "port", Name: "NICK", JSON: true}}, []byte(`{}`), env); err == nil {
		t.Error("a port that isn't a number was taken")
	}
}
