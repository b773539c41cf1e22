package status_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/status"
)

func at() time.Time { return time.Date(2026, 11, 30, 20, 45, 0, 0, time.UTC) }

func TestCard(t *testing.T) {
	t.Parallel()
	full := status.Info{
		Version: "2026.3.13", Session: "agent:main:main", Updated: at().Add(-5 * time.Minute), Model: "demo/demo", Credential: "api-key (env)",
		Usage: llm.Usage{Input: 12_345, Output: 7, Cost: llm.Cost{Total: 0.0123}}, Context: 12_800, Window: 128_000, Compactions: 1,
		Runtime: "direct", Queue: "collect", Zone: "Europe/Berlin",
	}
	want := `🦞 OpenClaw 2026.3.13
🕒 Time: Monday, 30 November 2026, 21:45 (Europe/Berlin) · 2026-11-30T20:45Z
🧠 Model: demo/demo · 🔑 api-key (env)
🧮 Tokens: 12.3k in / 7 out · 💵 Cost: $0.0123
📚 Context: 12.8k/128k (10%) · 🧹 Compactions: 1
🧵 Session: agent:main:main • updated 5m ago
⚙️ Runtime: direct · Think: off
🪢 Queue: collect (depth 0)`
	if diff := cmp.Diff(want, status.Card(full, at())); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		in   status.Info
		want string
	}{
		{status.Info{}, "Monday, 30 November 2026, 20:45 (UTC) · "},
		{status.Info{Zone: "America/New_York", Clock12: true}, "Monday, 30 November 2026, 3:45 PM (America/New_York)"},
		{status.Info{Zone: "Mars/Base"}, `20:45 (UTC; the time zone "Mars/Base" is unknown)`},
	} {
		if got := status.Card(c.in, at()); !strings.Contains(got, c.want) {
			t.Errorf("Card(%+v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	chosen := "unset"
	src := status.Source{
		Now: at,
		Info: func(_ context.Context, _ tool.Scope, key id.SessionKey) (status.Info, error) {
			if strings.HasSuffix(string(key), "gone") {
				return status.Info{}, fault.New(fault.NotFound, "test", "gone")
			}
			return status.Info{Model: "demo/demo", Version: "CANARY"}, nil
		},
		Choose: func(_ context.Context, _ tool.Scope, _ id.SessionKey, model string) error {
			if model == "bad" {
				return fault.New(fault.Invalid, "test", "no such model")
			}
			chosen = model
			return nil
		},
	}
	tl := status.New(src)
	for _, c := range []struct {
		name  string
		owner bool
		args  string
		want  string
		fails bool
	}{
		{"this session", false, `{}`, "Session: agent:main:irc:direct:ann", false},
		{"null arguments", false, `null`, "🕒 Time: Monday", false},
		{"own key", false, `{"sessionKey":"AGENT:main:irc:direct:ann"}`, "🕒", false},
		{"a stranger asks for another", false, `{"sessionKey":"main"}`, "session main not found", true},
		{"a stranger asks for one that isn't there", false, `{"sessionKey":"gone"}`, "session gone not found", true},
		{"an owner asks for another", true, `{"sessionKey":"main"}`, "Session: agent:main:main", false},
		{"another agent's", true, `{"sessionKey":"agent:second:main"}`, "not found", true},
		{"not there", true, `{"sessionKey":"gone"}`, "session gone not found", true},
		{"a stranger changes the model", false, `{"model":"a/b"}`, "can't be chosen here", true},
		{"bad model", true, `{"model":"bad"}`, "not changed: no such model", true},
		{"change the model", true, `{"model":"default"}`, "The model was changed", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := tl.Run(t.Context(), tool.Call{
				Call:  llm.Call{Args: json.RawMessage(c.args)},
				Scope: tool.Scope{Agent: "main", Session: "agent:main:irc:direct:ann", Owner: c.owner},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := llm.Message{Content: res.Content}.Text()
			if res.IsError != c.fails || !strings.Contains(got, c.want) || c.fails && strings.Contains(got, "CANARY") {
				t.Errorf("%s = %q, error %v", c.args, got, res.IsError)
			}
		})
	}
	if chosen != "" {
		t.Errorf("the model is %q, want the default", chosen)
	}
}
