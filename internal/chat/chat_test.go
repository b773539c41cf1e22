package chat_test

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// house is a handler on a real store with a model that the test scripts.
type house struct {
	*chat.Handler
	t    testing.TB
	db   *store.DB
	bus  *event.Bus
	mind *mind
}

// mind answers "echo: <last words>"; a word in holds makes it wait.
type mind struct {
	mu    sync.Mutex
	holds map[string]chan struct{}
	asked []string
	calls map[string]llm.Call // by word: what it calls first
}

func (m *mind) Attempts(context.Context, id.Agent, string) iter.Seq[model.Attempt] {
	return func(yield func(model.Attempt) bool) {
		yield(model.Attempt{Model: llm.Model{Provider: "fake", ID: "fake-1", API: "openai-completions", ContextWindow: 128000}, Provider: m})
	}
}

func (m *mind) Report(context.Context, model.Attempt, error) {}

func (m *mind) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		var words []string
		last := req.Messages[len(req.Messages)-1]
		for i := len(req.Messages) - 1; i >= 0; i-- {
			if x := req.Messages[i]; x.Role == llm.User {
				_, w, _ := strings.Cut(x.Text(), "] ")
				words = append([]string{w}, words...)
			} else if x.Role == llm.Assistant && len(x.Calls()) == 0 {
				break
			}
		}
		text := strings.Join(words, " + ")
		m.mu.Lock()
		m.asked = append(m.asked, text)
		hold := m.holds[text]
		call, calls := m.calls[text]
		m.mu.Unlock()
		if hold != nil {
			if !yield(llm.Event{Type: llm.TextDelta, Delta: "echo"}, nil) {
				return
			}
			select {
			case <-hold:
			case <-ctx.Done():
				yield(llm.Event{}, ctx.Err())
				return
			}
		}
		out := llm.Message{Role: llm.Assistant, Stop: llm.StopEnd, Usage: &llm.Usage{Input: 11, Output: 7, Total: 18}, API: "openai-completions", Provider: "fake", Model: "fake-1"}
		if calls && last.Role == llm.User {
			out.Content, out.Stop = llm.Content{{Type: llm.CallBlock, Call: &call}}, llm.StopTool
		} else {
			out.Content = llm.Content{llm.Text("echo: " + text)}
			if hold == nil && !yield(llm.Event{Type: llm.TextDelta, Delta: out.Text()}, nil) {
				return
			}
		}
		yield(llm.Event{Type: llm.Done, Message: out}, nil)
	}
}

type noEvents struct{}

func (noEvents) PeekSystemEvents(context.Context, id.SessionKey) ([]chat.Line, error) {
	return nil, nil
}
func (noEvents) DropSystemEvents(context.Context, id.SessionKey, int64) error { return nil }

// open makes a house on dir; opening it twice is a restart.
func open(t testing.TB, dir string, m *mind) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	cfg := &config.Config{Paths: config.Paths{Home: dir, State: dir}}
	cfg.Agents.Defaults.Workspace = filepath.Join(dir, "ws")
	get := func() *config.Config { return cfg }
	db, err := store.Open(t.Context(), store.Options{StateDir: dir, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	bus := event.NewBus()
	ran := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Text("worked"), nil
	})
	tools := loop.NewToolset([]tool.Tool{ran})
	h := &chat.Handler{
		Access: &access.Gate{Log: log}, Hooks: new(hook.Set), Bus: bus, Config: get, Log: log, Events: noEvents{},
		Outbox: &outbox.Outbox{Store: db, Bus: bus, Log: log},
		Agent: &agent.Runner{
			Sessions: &session.Book{Store: db, Config: get, Now: time.Now}, Models: m, Hooks: new(hook.Set), Bus: bus, Config: get, Log: log,
			Tools: func(agent.Use) *loop.Toolset { return tools }, Prompts: &agent.Prompts{Config: get, Default: func(id.Agent) llm.Model { return llm.Model{} }},
		},
	}
	h.Commands, err = command.NewTable(nil)
	if err != nil {
		t.Fatal(err)
	}
	h.Inbox = &inbox.Inbox{Store: db, Bus: bus, Handle: h.Handle, Log: log, Debounce: func(msg.Inbound) time.Duration { return 0 }}
	h.Start()
	return &house{Handler: h, t: t, db: db, bus: bus, mind: m}
}

// crash drops the house without finishing anything.
func (h *house) crash() {
	h.t.Helper()
	h.Inbox.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Handler.Close(ctx)
	if err := h.Agent.Sessions.Close(); err != nil {
		h.t.Error(err)
	}
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

func say(run, text string) msg.Inbound {
	return msg.Inbound{
		ID: id.Message(run), Text: text, Received: time.Now(), At: msg.Address{Channel: "webchat", Kind: msg.Direct},
		Client: &msg.Client{Run: id.Run(run), Session: "agent:main:main", Owner: true, Label: "cli"},
	}
}

func (h *house) result(run string) chat.Result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*time.Second)
	defer cancel()
	r, err := h.Result(ctx, id.Run(run))
	if err != nil {
		h.t.Fatalf("run %s: %v", run, err)
	}
	return r
}

func (h *house) put(run, text string) {
	h.t.Helper()
	if err := h.Inbox.Accept(h.t.Context(), say(run, text)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) until(what string, ok func() bool) {
	h.t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.t.Fatal("not in time: ", what)
}

func (h *house) asked(text string) (n int) {
	h.mind.mu.Lock()
	defer h.mind.mu.Unlock()
	for _, a := range h.mind.asked {
		if a == text {
			n++
		}
	}
	return n
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	h := open(t, t.TempDir(), &mind{})
	defer h.crash()
	h.put("r1", "hello")
	if r := h.result("r1"); r.Text != "echo: hello" || r.Status != "ok" || r.Usage.Input != 11 {
		t.Errorf("result %+v", r)
	}
	_, ms, err := h.History(t.Context(), "agent:main:main", 10)
	if err != nil || len(ms) != 2 || !strings.Contains(string(ms[0]), `"text":"hello"`) || !strings.Contains(string(ms[0]), `"senderLabel":"cli"`) {
		t.Errorf("history %s %v", ms, err)
	}
}

func TestASecondDeliveryIsNotASecondRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := open(t, dir, &mind{})
	h.put("r1", "hello")
	h.result("r1")
	h.put("r1", "hello")
	h.crash()
	h = open(t, dir, h.mind)
	defer h.crash()
	h.put("r1", "hello")
	if r := h.result("r1"); r.Text != "echo: hello" { // from the store
		t.Errorf("result after a restart %+v", r)
	}
	if n := h.asked("hello"); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestWhatWaitsIsAnsweredTogether(t *testing.T) {
	t.Parallel()
	m := &mind{holds: map[string]chan struct{}{"one": make(chan struct{})}}
	h := open(t, t.TempDir(), m)
	defer h.crash()
	sub := h.bus.Subscribe(1000)
	h.put("r1", "one")
	h.until("the first run", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	h.put("r3", "three")
	time.Sleep(50 * time.Millisecond)
	close(m.holds["one"])
	if r := h.result("r3"); r.Text != "echo: two + three" {
		t.Errorf("result %+v", r)
	}
	if r := h.result("r2"); r.Run == "r2" {
		t.Errorf("the waiting runs were answered under %s, want a new run", r.Run)
	}
	var empty int
	sub.Close()
	for e := range sub.C {
		if c, ok := e.(event.ChatEnded); ok && c.Message == nil && c.State == "final" {
			empty++
		}
	}
	if empty != 2 {
		t.Errorf("%d waiting messages were told so, want 2", empty)
	}
}

func TestRestartGoesOn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		text string
		call bool
	}{{"before the first token", "one", false}, {"after a tool", "two", true}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := &mind{holds: map[string]chan struct{}{tc.text: make(chan struct{})}, calls: map[string]llm.Call{}}
			if tc.call {
				m.calls[tc.text] = llm.Call{ID: "c1", Name: "work", Args: json.RawMessage(`{}`)}
			}
			h := open(t, dir, m)
			h.put("r1", tc.text)
			h.until("the model is asked", func() bool { return h.asked(tc.text) == 1 })
			h.crash()
			close(m.holds[tc.text])
			h = open(t, dir, m)
			defer h.crash()
			if n, err := h.Inbox.Recover(t.Context()); err != nil || n != 1 {
				t.Fatalf("Recover = %d, %v", n, err)
			}
			if r := h.result("r1"); r.Text != "echo: "+tc.text {
				t.Errorf("result %+v", r)
			}
			_, ms, err := h.History(t.Context(), "agent:main:main", 100)
			if err != nil {
				t.Fatal(err)
			}
			users := 0
			for _, m := range ms {
				if strings.Contains(string(m), `"role":"user"`) {
					users++
				}
			}
			if users != 1 {
				t.Errorf("the message is %d times in the transcript: %s", users, ms)
			}
		})
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	m := &mind{holds: map[string]chan struct{}{"one": make(chan struct{})}}
	h := open(t, t.TempDir(), m)
	defer h.crash()
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	if runs := h.Abort("agent:main:main", "r1", "rpc"); len(runs) != 1 || runs[0] != "r1" {
		t.Fatalf("Abort = %v", runs)
	}
	if r := h.result("r1"); r.Status != "aborted" || r.Text != "echo" {
		t.Errorf("result %+v", r)
	}
	_, ms, _ := h.History(t.Context(), "agent:main:main", 10)
	if last := string(ms[len(ms)-1]); !strings.Contains(last, `"openclawAbort":{"aborted":true,"origin":"rpc","runId":"r1"}`) {
		t.Errorf("history ends with %s", last)
	}
}
