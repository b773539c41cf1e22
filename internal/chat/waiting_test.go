package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// waitsAs sets the queue of a house.
func (h *house) waitsAs(q config.Queue) {
	none := 0
	if q.DebounceMs == nil {
		q.DebounceMs = &none
	}
	h.Config().Messages.Queue = q
}

// texts are the words of a session's transcript, of people and the agent.
func (h *house) texts() string {
	h.t.Helper()
	_, ms, err := h.History(h.t.Context(), "agent:main:main", 100)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		var x struct {
			Role    string
			Content []struct{ Text string }
		}
		if json.Unmarshal(m, &x) == nil && len(x.Content) > 0 {
			out = append(out, x.Role+":"+x.Content[0].Text)
		}
	}
	return strings.Join(out, " | ")
}

// held is a house whose tool waits until the channel is closed.
func held(t *testing.T, dir string, m *mind) (*house, chan struct{}) {
	t.Helper()
	h := open(t, dir, m)
	release := make(chan struct{})
	work := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		select {
		case <-release:
			return tool.Text("worked"), nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	set := loop.NewToolset([]tool.Tool{work})
	h.Agent.Tools = func(agent.Use) *loop.Toolset { return set }
	return h, release
}

func calling(word string) *mind {
	return &mind{calls: map[string]llm.Call{word: {ID: "c1", Name: "work", Args: json.RawMessage(`{}`)}}}
}

func TestSteerIsTakenUpAfterTheTool(t *testing.T) {
	t.Parallel()
	h, release := held(t, t.TempDir(), calling("one"))
	defer h.crash()
	h.waitsAs(config.Queue{Mode: "queue"}) // the old word
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	time.Sleep(20 * time.Millisecond)
	close(release)
	if r := h.result("r1"); r.Text != "echo: one + two" {
		t.Errorf("result %+v", r)
	}
	if r := h.result("r2"); r.Run != "r1" {
		t.Errorf("the steered message ended with run %s, want r1", r.Run)
	}
	if got, want := h.texts(), "user:one | toolResult:worked | user:two | assistant:echo: one + two"; !strings.Contains(got, "user:two | assistant:echo: one + two") || strings.Count(got, "two") != 2 {
		t.Errorf("transcript %s, want %s", got, want)
	}
	if open, err := h.db.OpenInbound(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open %v, %v", open, err)
	}
}

func TestSteerBacklogIsAnsweredInItsOwnTurnToo(t *testing.T) {
	t.Parallel()
	h, release := held(t, t.TempDir(), calling("one"))
	defer h.crash()
	h.waitsAs(config.Queue{Mode: "steer+backlog"})
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	time.Sleep(20 * time.Millisecond)
	close(release)
	if r := h.result("r1"); r.Text != "echo: one + two" {
		t.Errorf("result %+v", r)
	}
	if r := h.result("r2"); r.Text != "echo: two" {
		t.Errorf("result of its own turn %+v", r)
	}
}

func TestFollowupIsAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	m := &mind{holds: map[string]chan struct{}{"one": make(chan struct{})}}
	h := open(t, t.TempDir(), m)
	defer h.crash()
	h.waitsAs(config.Queue{Mode: "collect", ByChannel: map[id.Channel]string{"webchat": "followup"}})
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	h.put("r3", "three")
	close(m.holds["one"])
	for run, want := range map[string]string{"r1": "echo: one", "r2": "echo: two", "r3": "echo: three"} {
		if r := h.result(run); r.Text != want {
			t.Errorf("%s: %q, want %q", run, r.Text, want)
		}
	}
}

func TestInterruptStopsWhatRuns(t *testing.T) {
	t.Parallel()
	m := &mind{holds: map[string]chan struct{}{"one": make(chan struct{})}}
	h := open(t, t.TempDir(), m)
	defer h.crash()
	h.waitsAs(config.Queue{Mode: "interrupt"})
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	if r := h.result("r1"); r.Status != "aborted" {
		t.Errorf("the first: %+v", r)
	}
	if r := h.result("r2"); !strings.HasSuffix(r.Text, "two") || r.Status != "ok" {
		t.Errorf("the newest: %+v", r)
	}
	if got := h.texts(); strings.Count(got, "user:one") != 1 {
		t.Errorf("transcript %s", got)
	}
}

func TestWhatThereIsNoRoomForEndsVisibly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ drop, answer, dropped string }{
		{"new", "echo: w0 + w1", "w2 w3"},
		{"old", "echo: w2 + w3", "w0 w1"},
		{"summarize", "echo: [Queue overflow] Dropped 2 messages due to cap.", "w0 w1"},
	} {
		t.Run(tc.drop, func(t *testing.T) {
			t.Parallel()
			m := &mind{holds: map[string]chan struct{}{"one": make(chan struct{})}}
			h := open(t, t.TempDir(), m)
			defer h.crash()
			h.waitsAs(config.Queue{Cap: 2, Drop: tc.drop})
			h.put("r1", "one")
			h.until("the model is asked", func() bool { return h.asked("one") == 1 })
			last := ""
			for i := range 4 {
				h.put(fmt.Sprint("w", i), fmt.Sprint("w", i))
			}
			h.until("all are queued", func() bool {
				open, err := h.db.OpenInbound(t.Context())
				return err == nil && (len(open) == 3 || tc.drop == "summarize" && len(open) == 5)
			})
			time.Sleep(20 * time.Millisecond)
			close(m.holds["one"])
			last = strings.Fields(map[string]string{"new": "w1", "old": "w3", "summarize": "w3"}[tc.drop])[0]
			if r := h.result(last); !strings.HasPrefix(strings.ReplaceAll(r.Text, " + ", " + "), tc.answer) && tc.drop != "summarize" {
				t.Errorf("answer %+v, want %q", r, tc.answer)
			}
			if tc.drop == "summarize" && !strings.Contains(h.texts(), "Dropped 2 messages due to cap.\nSummary:\n- w0\n- w1") {
				t.Errorf("the agent wasn't told: %s", h.texts())
			}
			aside, err := h.db.PoisonedInbound(t.Context())
			var got []string
			for _, it := range aside {
				got = append(got, it.In.Text)
				if !strings.HasPrefix(it.Reason, "dropped") {
					t.Errorf("reason %q", it.Reason)
				}
			}
			if err != nil || strings.Join(got, " ") != tc.dropped {
				t.Errorf("set aside %v, %v; want %s", got, err, tc.dropped)
			}
			if open, err := h.db.OpenInbound(t.Context()); err != nil || len(open) != 0 {
				t.Errorf("open %v, %v", open, err)
			}
		})
	}
}

// A crash after a message was steered in leaves two open entries and one run:
// they are answered once, together.
func TestRestartAfterSteering(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := calling("one")
	m.holds = map[string]chan struct{}{"one + two": make(chan struct{})}
	h, release := held(t, dir, m)
	h.waitsAs(config.Queue{Mode: "steer"})
	h.put("r1", "one")
	h.until("the model is asked", func() bool { return h.asked("one") == 1 })
	h.put("r2", "two")
	time.Sleep(20 * time.Millisecond)
	close(release)
	h.until("the steered message is with the model", func() bool { return h.asked("one + two") == 1 })
	h.crash()
	close(m.holds["one + two"])
	h = open(t, dir, m)
	defer h.crash()
	h.waitsAs(config.Queue{Mode: "steer"})
	if n, err := h.Inbox.Recover(t.Context()); err != nil || n != 2 {
		t.Fatalf("Recover = %d, %v", n, err)
	}
	if r := h.result("r1"); r.Text != "echo: one + two" {
		t.Errorf("result %+v", r)
	}
	h.result("r2")
	if got := h.texts(); strings.Count(got, "assistant:echo") != 1 || strings.Count(got, "user:two") != 1 {
		t.Errorf("transcript %s", got)
	}
}

// A tool that doesn't listen can't keep its session: the run is given up and
// its sender told.
func TestAStuckRunIsGivenUp(t *testing.T) {
	t.Parallel()
	h := open(t, t.TempDir(), calling("one"))
	defer h.crash()
	deaf := make(chan struct{})
	ended := make(chan struct{})
	work := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) {
		defer close(ended)
		<-deaf
		return tool.Text("too late"), nil
	})
	set := loop.NewToolset([]tool.Tool{work})
	h.Agent.Tools = func(agent.Use) *loop.Toolset { return set }
	h.Patience = chat.Patience{Model: 5 * time.Second, Tools: 50 * time.Millisecond, Grace: 50 * time.Millisecond}
	h.put("r1", "one")
	if r := h.result("r1"); r.Status != "aborted" {
		t.Errorf("result %+v", r)
	}
	h.put("r2", "two")
	if r := h.result("r2"); !strings.Contains(r.Text, "two") {
		t.Errorf("the session is still taken: %+v", r)
	}
	close(deaf)
	<-ended
	h.put("r3", "three")
	h.result("r3")
	if got := h.texts(); strings.Contains(got, "too late") {
		t.Errorf("a run given up went on writing: %s", got)
	}
}

func TestStopPhrases(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"/stop": true, "/STOP!": true, "/stop@clawbot": true, "stop": true, "Please  stop.": true, "halt!!": true, "СТОП": true, "stop don’t do anything": true,
		"": false, "stop the press": false, "/stopper": false, "don't stop": false, "/stop now": false, strings.Repeat("stop ", 100): false,
	} {
		if got := chat.Stops(text); got != want {
			t.Errorf("Stops(%q) = %v", text, got)
		}
	}
}
