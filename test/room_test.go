package test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// offered are the tools that the model was offered in the call about word.
func offered(t *testing.T, m *harness.Model, word string) (names []string) {
	t.Helper()
	calls := m.Calls(word)
	if len(calls) == 0 {
		t.Fatalf("the model wasn't asked about %q", word)
	}
	var req struct {
		Tools []struct {
			Function struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(calls[0].Raw), &req); err != nil {
		t.Fatal(err)
	}
	for _, x := range req.Tools {
		names = append(names, x.Function.Name)
	}
	return names
}

// A room narrows the tools of the runs in it, and a sender's entry stands
// instead of the room's. What isn't offered can't be called either.
func TestRoomTools(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"groupPolicy": "open", "groups": object{
		"*": object{"requireMention": false, "tools": object{"deny": []any{"group:runtime"}}},
		"-1001": object{
			"requireMention": false, "systemPrompt": "Speak of gardens only.",
			"tools":         object{"allow": []any{"group:fs"}},
			"toolsBySender": object{"id:8": object{"alsoAllow": []any{"exec"}}, "name:F": object{}},
		},
	}})
	p.Edit(func(c map[string]any) { c["tools"] = object{"deny": []any{"write"}} })
	p.online(t)
	p.text(7, 7, "at home", nil)
	p.text(7, -1002, "in the hall", nil)
	p.text(9, -1001, "in the garden", nil)
	p.text(8, -1001, "the gardener", nil)
	p.text(9, -1001, `forbidden !tool exec {"command":"echo dug"}`, nil)
	for _, w := range []string{"at home", "in the hall", "in the garden", "the gardener", "forbidden"} {
		p.answers(t, w)
	}
	for _, tc := range []struct {
		word    string
		has, no []string
	}{
		{"at home", []string{"exec", "read", "message"}, []string{"write"}},
		{"in the hall", []string{"read", "message"}, []string{"exec", "process", "write"}},
		{"in the garden", []string{"read", "edit"}, []string{"exec", "message", "session_status", "write"}},
		{"the gardener", []string{"exec", "read", "message"}, []string{"write"}},
	} {
		got := offered(t, p.model, tc.word)
		for _, n := range tc.has {
			if !slices.Contains(got, n) {
				t.Errorf("%s: %s isn't offered: %q", tc.word, n, got)
			}
		}
		for _, n := range tc.no {
			if slices.Contains(got, n) {
				t.Errorf("%s: %s is offered: %q", tc.word, n, got)
			}
		}
	}
	if calls := p.model.Calls("in the garden"); !strings.Contains(calls[0].Raw, "Speak of gardens only.") {
		t.Error("the room's systemPrompt isn't in the prompt")
	}
	calls := p.model.Calls("forbidden")
	last := calls[len(calls)-1].Messages
	if r := last[len(last)-1]; r.Role != "tool" || !strings.Contains(r.Text(), "exec") || strings.Contains(r.Text(), "dug\n") {
		t.Errorf("the call came to %+v", r)
	}
	if p.shows("dug)") != 0 {
		t.Error("a tool that the room denies was run")
	}
}

// /activation is for those who may, holds in its group alone and over a restart,
// and /status tells it.
func TestActivation(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"groupPolicy": "open", "groups": object{"*": object{}}}).online(t)
	p.text(9, -1001, "/activation always", nil)
	p.text(9, -1001, "first words", nil)
	p.settled(t)
	if len(p.model.Calls("first words")) != 0 || p.shows("Group activation") != 0 {
		t.Fatal("somebody who may give no commands set the activation")
	}
	p.text(7, 7, "/activation always", nil)
	p.answers(t, "only applies to group chats")
	p.text(7, -1001, "/activation always", nil)
	p.answers(t, "Group activation set to always.")
	p.text(9, -1001, "second words", nil)
	p.text(9, -1002, "other words", nil)
	p.answers(t, "second words")
	p.Kill()
	p.online(t)
	p.text(9, -1001, "third words", nil)
	p.answers(t, "third words")
	p.text(7, -1001, "/status", nil)
	p.answers(t, "Activation: always")
	p.text(7, -1001, "/activation mention", nil)
	p.answers(t, "Group activation set to mention.")
	p.text(9, -1001, "fourth words", nil)
	p.settled(t)
	if len(p.model.Calls("other words")) != 0 || len(p.model.Calls("fourth words")) != 0 {
		t.Error("a group that wants a mention was answered without one")
	}
}

// With session.scope global the direct chats of all networks and the clients of
// the gateway are one conversation; a group isn't in it.
func TestGlobalScope(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"groupPolicy": "open", "groups": object{"*": object{"requireMention": false}}})
	p.Edit(func(c map[string]any) { c["session"] = object{"scope": "global"} })
	p.online(t)
	p.text(7, 7, "the word is plum", nil)
	p.answers(t, "the word is plum")
	p.text(7, -1001, "in the group", nil)
	p.answers(t, "in the group")
	if code, out := run(t, p.Gateway, within, "agent", "-m", "from the desk"); code != 0 || !strings.Contains(out, "from the desk") {
		t.Fatalf("%d: %s", code, out)
	}
	if c := p.model.Calls("from the desk"); !strings.Contains(c[0].Raw, "the word is plum") || strings.Contains(c[0].Raw, "in the group") {
		t.Errorf("the desk's conversation: %s", c[0].Raw)
	}
	if c := p.model.Calls("in the group"); strings.Contains(c[0].Raw, "plum") {
		t.Error("the group reads what was said in private")
	}
	code, out := run(t, p.Gateway, within, "sessions", "--json")
	if code != 0 || !strings.Contains(out, `"agent:main:global"`) || strings.Contains(out, `"agent:main:main"`) {
		t.Errorf("%d: %s", code, out)
	}
}
