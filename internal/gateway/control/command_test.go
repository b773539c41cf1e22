package control_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/prompt"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// say gives text to the commands as somebody on IRC.
func (w *world) say(t *testing.T, text string) (string, error) {
	t.Helper()
	table, err := command.NewTable(w.Feature().Commands)
	if err != nil {
		t.Fatal(err)
	}
	env := command.Env{
		In:      msg.Inbound{Text: text, From: msg.Sender{ID: "alice!a@host", Name: "alice"}, At: msg.Address{Channel: "irc", Account: "default", Peer: "alice"}},
		Session: "agent:main:main", Agent: "main", May: true,
	}
	got, err := table.Apply(t.Context(), env)
	if !got.Handled {
		t.Fatalf("%q is no command", text)
	}
	return strings.Join(got.Replies, "\n"), err
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string // in the reply
	}{
		{"/help", []string{"/status", "/new", "/stop", "/commands"}},
		{"/commands", []string{"/think, /thinking, /t", "/whoami, /id", "/stop"}},
		{"/status", []string{"Model: fake/fake-1", "12.8k/128k (10%)", "Think: off"}},
		{"/whoami", []string{"alice!a@host", "irc", `channels.irc.allowFrom: ["alice!a@host"]`}},
		{"/id", []string{"alice!a@host"}},
		{"/context", []string{"fake/fake-1", "Workspace files: 5 of 5 characters", "AGENTS.md", "Tools: 1", "Conversation: 1 messages"}},
		{"/context detail", []string{"Identity", "AGENTS.md  raw 5, injected 5", "read  text"}},
		{"/context json", []string{`"totalTokens": 12800`, `"name": "AGENTS.md"`, `"sections": [`}},
		{"/model", []string{"fake/fake-1", "/model list"}},
		{"/model status", []string{"128k", "4.1k"}},
		{"/model list", []string{"1. fake/fake-1", "2. fake/fake-2"}},
		{"/models", []string{"fake (2)"}},
		{"/models fake", []string{"page 1 of 1", "fake/fake-2"}},
		{"/models fake 2 size=1", []string{"page 2 of 2", "fake/fake-2"}},
		{"/think", []string{"off", "/think off|minimal|low|medium|high|xhigh"}},
		{"/verbose", []string{"off"}},
		{"/usage cost", []string{"Today: $0.0000"}},
	} {
		w := newWorld(t, func(d *control.Deps) {
			d.Tools = func() []tool.Tool { return []tool.Tool{grouped{"read", "fs"}} }
			d.Prompt = func(context.Context, id.SessionKey, bool) (agent.Prompt, error) {
				text, report := prompt.System(prompt.Input{Tools: []llm.ToolSpec{{Name: "read", Schema: json.RawMessage(`{}`)}}, Files: []prompt.File{{Name: "AGENTS.md", Text: "hello"}}})
				return agent.Prompt{Text: text, Report: report}, nil
			}
			d.History = func(context.Context, session.Session) ([]llm.Message, error) {
				return []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("hi")}}}, nil
			}
		})
		w.sessions.all = []session.Session{{Key: "agent:main:main", ID: "s1", TotalTokens: 12800, TotalTokensFresh: true}}
		write(t, filepath.Join(w.dir, "ws", "AGENTS.md"), "hello")
		got, err := w.say(t, tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
		}
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", tc.text, want, got)
			}
		}
	}
}

func TestCommandsChangeTheSession(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		of   func(session.Session) string
		want string
	}{
		{"/model fake-2", func(s session.Session) string { return s.ProviderOverride + "/" + s.ModelOverride }, "fake/fake-2"},
		{"/model 2", func(s session.Session) string { return s.ModelOverride }, "fake-2"},
		{"/think high", func(s session.Session) string { return s.ThinkingLevel }, "high"},
		{"/t max", func(s session.Session) string { return s.ThinkingLevel }, "high"},
		{"/verbose full", func(s session.Session) string { return s.VerboseLevel }, "full"},
		{"/reasoning on", func(s session.Session) string { return s.ReasoningLevel }, "on"},
		{"/usage", func(s session.Session) string { return s.ResponseUsage }, "tokens"},
		{"/usage full", func(s session.Session) string { return s.ResponseUsage }, "full"},
	} {
		w := newWorld(t) // without a session: the command makes it
		if _, err := w.say(t, tc.text); err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		if got := tc.of(w.sessions.all[0]); got != tc.want {
			t.Errorf("%s set %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestModelDefaultClears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"/model fake/fake-2", "/model default"} {
		if _, err := w.say(t, text); err != nil {
			t.Fatal(err)
		}
	}
	if s := w.sessions.all[0]; s.ModelOverride != "" || s.ProviderOverride != "" {
		t.Errorf("still %s/%s", s.ProviderOverride, s.ModelOverride)
	}
}

func TestCommandsExplainMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/think hard":        "minimal",
		"/verbose loud":      "full",
		"/usage lots":        "tokens",
		"/model nope":        "/model list",
		"/model 99":          "/model list",
		"/model other/big":   "agents.defaults.models",
		"/models nowhere":    "fake",
		"/context everybody": "detail",
	} {
		_, err := newWorld(t).say(t, text)
		if hint := fault.Hint(err); err == nil || !strings.Contains(hint, want) {
			t.Errorf("%s: %q lacks %q", text, hint, want)
		}
	}
}

func TestNewStartsAnotherTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sessions.all = []session.Session{{Key: "agent:main:main", ID: "s1"}}
	got, err := w.say(t, "/new")
	if err != nil || !strings.Contains(got, "fake/fake-1") || w.sessions.all[0].ID == "s1" {
		t.Errorf("/new = %q, %v; session %s", got, err, w.sessions.all[0].ID)
	}
	was := w.sessions.all[0].ID
	if got, _ = w.say(t, "/reset /help"); !strings.Contains(got, "/think") || w.sessions.all[0].ID == was {
		t.Errorf("/reset with text = %q, session %s", got, w.sessions.all[0].ID)
	}
}
