package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const mainKey id.SessionKey = "agent:main:main"

// rig is a book in a state directory of its own.
type rig struct {
	*session.Book
	dir  string
	conf *config.Config
	now  time.Time
}

func newRig(tb testing.TB) *rig {
	tb.Helper()
	r := &rig{dir: tb.TempDir(), now: time.Date(2026, 11, 30, 20, 45, 28, 0, time.Local)}
	r.conf = &config.Config{Paths: config.Paths{Home: r.dir, State: r.dir}}
	d, err := store.Open(tb.Context(), store.Options{StateDir: r.dir})
	if err != nil {
		tb.Fatal(err)
	}
	r.start(d)
	tb.Cleanup(func() {
		ok(tb, r.Close())
		ok(tb, d.Close())
	})
	return r
}

// start begins anew as a restarted process would.
func (r *rig) start(s session.Store) {
	r.Book = &session.Book{Store: s, Config: func() *config.Config { return r.conf }, Now: func() time.Time { return r.now }}
}

// restart forgets all that is in memory, as a kill does.
func (r *rig) restart() { r.start(r.Store) }

// sessions is the directory of the transcripts.
func (r *rig) sessions() string { return filepath.Join(r.dir, "agents", "main", "sessions") }

// lines returns the transcript of s.
func (r *rig) lines(tb testing.TB, s session.Session) []string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(r.sessions(), string(s.ID)+".jsonl"))
	ok(tb, err)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// given makes a session whose transcript is a file of testdata.
func (r *rig) given(tb testing.TB, name string) session.Session {
	tb.Helper()
	s, _, err := r.Open(tb.Context(), mainKey)
	ok(tb, err)
	b, err := os.ReadFile(filepath.Join("testdata", name))
	ok(tb, err)
	ok(tb, os.MkdirAll(r.sessions(), 0o700))
	ok(tb, os.WriteFile(filepath.Join(r.sessions(), string(s.ID)+".jsonl"), b, 0o600))
	return s
}

func (r *rig) history(tb testing.TB, s session.Session) []llm.Message {
	tb.Helper()
	ms, err := r.History(tb.Context(), s)
	ok(tb, err)
	return ms
}

// brief is one word a message.
func brief(ms []llm.Message) string {
	var b []string
	for _, m := range ms {
		w := string(m.Role)
		for _, c := range m.Calls() {
			w += "+" + c.ID
		}
		if m.Role == llm.ToolRole {
			w = "result:" + m.CallID
			if m.IsError {
				w += "!"
			}
		}
		b = append(b, w)
	}
	return strings.Join(b, " ")
}

func ok(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(text)}}
}

func says(text string) llm.Message {
	return llm.Message{
		Role: llm.Assistant, Content: llm.Content{llm.Text(text)}, API: "openai-completions", Provider: "fake", Model: "fake-1",
		Usage: &llm.Usage{Input: 11, Output: 7, Total: 18}, Stop: llm.StopEnd,
	}
}

func calls(ids ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant, Provider: "fake", Model: "fake-1", Stop: llm.StopTool}
	for _, i := range ids {
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: i, Name: "exec", Args: []byte(`{"command":"date"}`)}})
	}
	return m
}

func result(call, text string) llm.Message {
	return llm.Message{Role: llm.ToolRole, CallID: call, ToolName: "exec", Content: llm.Content{llm.Text(text)}}
}

func TestTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, fresh, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	if !fresh || s.Key != mainKey || s.ID == "" {
		t.Fatalf("Open = %+v, %v", s, fresh)
	}
	again, fresh, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	if fresh || again.ID != s.ID {
		t.Fatalf("second Open = %+v, %v", again, fresh)
	}
	m := llm.Model{Provider: "fake", ID: "fake-1", API: "openai-completions"}
	q := user("Hello <there> & \"you\"\u2028日本")
	q.Key = "run/1"
	for range 2 { // the second time, as a replay, adds nothing
		ok(t, r.SetModel(t.Context(), s, m, ""))
		ok(t, r.Append(t.Context(), s, q))
	}
	ok(t, r.Append(t.Context(), s, calls("c1"), result("c1", "now"), says("done")))
	ok(t, r.Sync(t.Context(), s.ID))
	want := "user assistant+c1 result:c1 assistant"
	if got := brief(r.history(t, s)); got != want {
		t.Errorf("history = %s, want %s", got, want)
	}
	lines := r.lines(t, s)
	r.restart()
	if got := brief(r.history(t, s)); got != want {
		t.Errorf("history after restart = %s, want %s", got, want)
	}
	if got := r.history(t, s)[0].Text(); got != q.Text() {
		t.Errorf("text = %q, want %q", got, q.Text())
	}
	ok(t, r.Append(t.Context(), s, q)) // replayed after a crash
	if got := r.lines(t, s); len(got) != len(lines) || len(lines) != 8 {
		t.Errorf("%d lines, then %d, want 8:\n%s", len(lines), len(got), strings.Join(got, "\n"))
	}
	st, err := os.Stat(filepath.Join(r.sessions(), string(s.ID)+".jsonl"))
	ok(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, want string
		added      int // lines
		aside      bool
	}{
		{file: "open-call.jsonl", want: "user assistant+call_A+call_B result:call_A result:call_B!", added: 1},
		{file: "double-results.jsonl", want: "user assistant+t1+t2 result:t1 result:t2 user"},
		{file: "torn.jsonl", want: "user", added: -1, aside: true},
		{file: "glued.jsonl", want: "user", aside: true},
		{file: "hole.jsonl", want: "user"},
		{file: "recorded-aborted-turn.jsonl", want: "user"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := r.given(t, c.file)
			before := len(r.lines(t, s))
			for i := range 3 { // a repair is kept, and not repeated
				if got := brief(r.history(t, s)); got != c.want {
					t.Errorf("history %d = %s, want %s", i, got, c.want)
				}
				if got := len(r.lines(t, s)); got != before+c.added {
					t.Errorf("%d lines, want %d", got, before+c.added)
				}
				r.restart()
			}
			ok(t, r.Append(t.Context(), s, user("are you there?")))
			if got := brief(r.history(t, s)); got != c.want+" user" {
				t.Errorf("history with the next message = %s", got)
			}
			r.restart()
			if got := brief(r.history(t, s)); got != c.want+" user" {
				t.Errorf("the same after a restart = %s", got)
			}
			kept, err := filepath.Glob(filepath.Join(r.sessions(), "*.torn.*"))
			ok(t, err)
			if (len(kept) == 1) != c.aside {
				t.Errorf("kept aside: %v, want %v", kept, c.aside)
			}
		})
	}
}

func TestDoubleResultsAreTheRealOnes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ms := r.history(t, r.given(t, "double-results.jsonl"))
	for i, want := range map[int]string{2: "content of a", 3: "content of b", 4: "and now?"} {
		if got := ms[i].Text(); got != want {
			t.Errorf("message %d = %q, want %q", i, got, want)
		}
	}
}

// TestHandedOut looks for changes of a list that a caller holds.
func TestHandedOut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, _, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	ok(t, r.Append(t.Context(), s, user("x"), calls("a", "b", "c")))
	held := r.history(t, s)
	const want = "user assistant+a+b+c result:a! result:b! result:c!"
	if got := brief(held); got != want {
		t.Errorf("history while tools run = %s", got)
	}
	// Results come in the order of their ends; the model sees that of the calls.
	ok(t, r.Append(t.Context(), s, result("c", "3"), result("a", "1"), result("a", "again")))
	if got := brief(r.history(t, s)); got != "user assistant+a+b+c result:a result:b! result:c" {
		t.Errorf("history with b running = %s", got)
	}
	ok(t, r.Append(t.Context(), s, result("b", "2"), user("next")))
	if got := brief(r.history(t, s)); got != "user assistant+a+b+c result:a result:b result:c user" {
		t.Errorf("history = %s", got)
	}
	if got := brief(held); got != want {
		t.Errorf("the list handed out before changed to %s", got)
	}
	if n := len(r.lines(t, s)); n != 7 { // header, user, calls, three results, user
		t.Errorf("%d lines, want 7", n)
	}
}

func TestEvictionKeepsAll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	big := strings.Repeat("x", 300<<10)
	var ss []session.Session
	for i := range 80 { // 24 MB in all, more than the cache holds
		s, _, err := r.Open(t.Context(), id.AgentKey("main", fmt.Sprint("k", i)))
		ok(t, err)
		ok(t, r.Append(t.Context(), s, user(big), says("ok")))
		ss = append(ss, s)
	}
	for _, s := range ss {
		if got := brief(r.history(t, s)); got != "user assistant" {
			t.Fatalf("history = %s", got)
		}
	}
}
