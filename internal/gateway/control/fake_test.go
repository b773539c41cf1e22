package control_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sessions is an index in memory.
type sessions struct {
	mu      sync.Mutex
	all     []session.Session
	entries map[id.Session][]session.Entry
	lists   int
	reads   int
}

func (s *sessions) find(key id.SessionKey) int {
	return slices.IndexFunc(s.all, func(x session.Session) bool { return x.Key == key })
}

func (s *sessions) Open(ctx context.Context, key id.SessionKey) (session.Session, bool, error) {
	if have, ok, _ := s.Get(ctx, key); ok {
		return have, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := session.Session{Key: key, ID: id.NewSession(), Updated: 1}
	s.all = append(s.all, fresh)
	return fresh, true, nil
}

func (s *sessions) Get(_ context.Context, key id.SessionKey) (session.Session, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(key); i >= 0 {
		return s.all[i], true, nil
	}
	return session.Session{}, false, nil
}

func (s *sessions) List(_ context.Context, f session.Filter) ([]session.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	var out []session.Session
	for _, x := range s.all {
		if (f.Agent == "" || x.Key.Agent() == f.Agent) && x.Updated >= f.UpdatedSince {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b session.Session) int { return int(b.Updated - a.Updated) })
	return out, nil
}

func (s *sessions) Update(_ context.Context, key id.SessionKey, change func(*session.Session) error) (session.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(key)
	if i < 0 {
		return session.Session{}, fault.New(fault.NotFound, "test", "no session")
	}
	err := change(&s.all[i])
	return s.all[i], err
}

func (s *sessions) Reset(ctx context.Context, key id.SessionKey, _ string) (session.Session, error) {
	have, _, err := s.Open(ctx, key)
	if err != nil {
		return have, err
	}
	return s.Update(ctx, key, func(x *session.Session) error { x.ID = id.NewSession(); return nil })
}

func (s *sessions) Delete(_ context.Context, key id.SessionKey, _ bool) (bool, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(key)
	if i < 0 {
		return false, nil, nil
	}
	s.all = slices.Delete(s.all, i, i+1)
	return true, nil, nil
}

func (s *sessions) Entries(_ context.Context, x session.Session, _ int) ([]session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return s.entries[x.ID], nil
}

// models are fake-1 and fake-2; only those of provider fake are allowed.
type models struct{}

func (models) List() []llm.Model {
	return []llm.Model{
		{Provider: "fake", ID: "fake-1", Name: "Fake One", ContextWindow: 128000, MaxTokens: 4096, Input: []string{"text"}},
		{Provider: "fake", ID: "fake-2", Name: "Fake Two", ContextWindow: 64000, MaxTokens: 4096, Reasoning: true, Input: []string{"text", "image"}},
	}
}
func (m models) Default(id.Agent) llm.Model { return m.List()[0] }
func (models) Allowed(m llm.Model) bool     { return m.Provider == "fake" }
func (m models) Lookup(ref string) (llm.Model, error) {
	for _, x := range append(m.List(), llm.Model{Provider: "other", ID: "big"}) {
		if x.String() == ref || x.ID == ref {
			return x, nil
		}
	}
	return llm.Model{}, fault.New(fault.NotFound, "test", "no such model")
}

// lines is what waits for the next turn.
type lines struct {
	mu  sync.Mutex
	all map[id.SessionKey][]string
}

func (l *lines) PutSystemEvent(_ context.Context, key id.SessionKey, text string, _ time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[id.SessionKey][]string{}
	}
	l.all[key] = append(l.all[key], text)
	return nil
}

func (l *lines) Waiting(_ context.Context, key id.SessionKey) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all[key]), nil
}

// world is a Control over fakes and a state directory of its own.
type world struct {
	*control.Control

	deps     control.Deps
	dir      string
	cfg      *config.Config
	sessions *sessions
	lines    *lines
	now      time.Time
	changed  []string // by the last write
}

// newWorld has the agents main and second, as when the reference was recorded.
func newWorld(t *testing.T, change ...func(*control.Deps)) *world {
	t.Helper()
	dir := t.TempDir()
	cfg := &config.Config{Paths: config.Paths{Home: dir, State: dir, Config: filepath.Join(dir, "openclaw.json")}}
	cfg.Agents.List = []config.Agent{{ID: "main", Default: true}, {ID: "second", Name: "Second", Workspace: filepath.Join(dir, "ws2")}}
	cfg.Agents.Defaults.Workspace = filepath.Join(dir, "ws")
	cfg.Agents.Defaults.Heartbeat.Every = "0m"
	w := &world{dir: dir, cfg: cfg, sessions: &sessions{entries: map[id.Session][]session.Entry{}}, lines: &lines{}, now: time.UnixMilli(1796071523140)}
	w.deps = control.Deps{
		Config: func() *config.Config { return w.cfg }, File: config.File{Paths: cfg.Paths, Now: func() time.Time { return w.now }},
		Apply:    func(now *config.Config, changed []string) { w.cfg, w.changed = now, changed },
		Sessions: w.sessions, Models: models{}, Lines: w.lines, Bus: event.NewBus(),
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now }, HeartbeatPrompt: "Look around.",
		Identity: func() (id.Device, string, error) { return "aa", "bb", nil },
		LogFile:  func() string { return filepath.Join(dir, "openclaw.log") },
	}
	for _, f := range change {
		f(&w.deps)
	}
	w.Control = control.New(w.deps)
	return w
}

func owner() *rpc.Caller {
	return &rpc.Caller{Conn: "c1", Role: rpc.Operator, Device: "d1", Scopes: map[rpc.Scope]bool{rpc.Admin: true, rpc.Read: true, rpc.Write: true}}
}

func (w *world) method(t *testing.T, name string) rpc.Method {
	t.Helper()
	for _, m := range w.Feature().Methods {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no method %s", name)
	return rpc.Method{}
}

// call calls a method as the gateway does and returns the payload as JSON.
func (w *world) call(t *testing.T, who *rpc.Caller, name string, params any) (json.RawMessage, error) {
	t.Helper()
	return callAs(t, who, w.method(t, name), params)
}

func call(t *testing.T, m rpc.Method, params any) (json.RawMessage, error) {
	t.Helper()
	return callAs(t, owner(), m, params)
}

func callAs(t *testing.T, who *rpc.Caller, m rpc.Method, params any) (json.RawMessage, error) {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Call(t.Context(), who, raw)
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// ok is call that must succeed.
func (w *world) ok(t *testing.T, name string, params any) json.RawMessage {
	t.Helper()
	out, err := w.call(t, owner(), name, params)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func into[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

type object = map[string]any

func (s *sessions) UndoCompaction(context.Context, session.Session) (bool, error) { return false, nil }
