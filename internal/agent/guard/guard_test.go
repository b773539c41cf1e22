package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/guard"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/tool"
)

func fake(name string, run func(tool.Call) tool.Result) tool.Tool {
	return tool.Func(llm.ToolSpec{Name: name}, func(_ context.Context, c tool.Call) (tool.Result, error) { return run(c), nil })
}

func textOf(res tool.Result) string { return llm.Message{Content: res.Content}.Text() }

func call(t *testing.T, tl tool.Tool, run id.Run, args string) tool.Result {
	t.Helper()
	res, err := tl.Run(t.Context(), tool.Call{Call: llm.Call{Name: tl.Spec().Name, Args: json.RawMessage(args)}, Scope: tool.Scope{Run: run}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	all := []string{"read", "write", "ls", "exec", "process", "web_fetch", "session_status", "sessions_list", "message", "browser", "cron", "mcp_docs_search"}
	for _, c := range []struct {
		name  string
		tools config.Tools
		own   config.AgentTools
		want  string
	}{
		{"nothing set", config.Tools{}, config.AgentTools{}, strings.Join(all, " ")},
		{"full", config.Tools{Profile: "full"}, config.AgentTools{}, strings.Join(all, " ")},
		{"minimal", config.Tools{Profile: "minimal"}, config.AgentTools{}, "session_status"},
		{"coding", config.Tools{Profile: "coding"}, config.AgentTools{}, "read write ls exec process web_fetch session_status sessions_list cron"},
		{"messaging", config.Tools{Profile: "messaging"}, config.AgentTools{}, "session_status sessions_list message"},
		{"unknown profile is closed", config.Tools{Profile: "everything"}, config.AgentTools{}, ""},
		{"alsoAllow", config.Tools{Profile: "minimal", AlsoAllow: []string{"mcp_*"}}, config.AgentTools{}, "session_status mcp_docs_search"},
		{"allow", config.Tools{Allow: []string{"group:fs", "Bash"}}, config.AgentTools{}, "read write ls exec"},
		{"deny wins", config.Tools{Allow: []string{"*"}, Deny: []string{"group:runtime", "web_*"}}, config.AgentTools{}, "read write ls session_status sessions_list message browser cron mcp_docs_search"},
		{"deny all", config.Tools{Deny: []string{"*"}}, config.AgentTools{}, ""},
		{"the agent's profile", config.Tools{Profile: "minimal"}, config.AgentTools{Profile: "messaging"}, "session_status sessions_list message"},
		{"the agent can't undo a deny", config.Tools{Deny: []string{"exec"}}, config.AgentTools{Allow: []string{"exec", "read"}}, "read"},
		{"the agent's deny", config.Tools{}, config.AgentTools{Deny: []string{"group:openclaw"}}, "mcp_docs_search"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := &config.Config{Tools: c.tools, Agents: config.Agents{List: []config.Agent{{ID: "a", Tools: c.own}, {ID: "b", Tools: config.AgentTools{Deny: []string{"*"}}}}}}
			may := guard.Policy(cfg, "a")
			var got []string
			for _, n := range all {
				ok, why := may(n)
				if ok {
					got = append(got, n)
				}
				if ok != (why == "") {
					t.Errorf("%s: allowed %v, reason %q", n, ok, why)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := guard.Profiles("session_status"); !slices.Equal(got, []string{"minimal", "coding", "messaging"}) {
		t.Errorf("Profiles = %q", got)
	}
}

// What holds in one place only takes away, whatever it says.
func TestPolicyOfARoom(t *testing.T) {
	t.Parallel()
	all := []string{"read", "write", "exec", "message", "web_fetch"}
	for _, c := range []struct {
		name  string
		rooms []settings.ToolPolicy
		want  string
	}{
		{"nothing", nil, "read write message web_fetch"},
		{"says nothing", []settings.ToolPolicy{{}}, "read write message web_fetch"},
		{"deny", []settings.ToolPolicy{{Deny: []string{"group:fs"}}}, "message web_fetch"},
		{"allow", []settings.ToolPolicy{{Allow: []string{"read", "message"}}}, "read message"},
		{"allow can't undo a deny", []settings.ToolPolicy{{Allow: []string{"bash", "read"}}}, "read"},
		{"alsoAllow can't either", []settings.ToolPolicy{{AlsoAllow: []string{"exec"}}}, "read write message web_fetch"},
		{"alsoAllow on top of allow", []settings.ToolPolicy{{Allow: []string{"read"}, AlsoAllow: []string{"web_*"}}}, "read web_fetch"},
		{"deny before allow", []settings.ToolPolicy{{Allow: []string{"*"}, Deny: []string{"READ"}}}, "write message web_fetch"},
		{"only a misspelt one", []settings.ToolPolicy{{Allow: []string{"raed"}}}, ""},
		{"two", []settings.ToolPolicy{{Deny: []string{"read"}}, {Allow: []string{"read", "write"}}}, "write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var more []guard.Layer
			for _, p := range c.rooms {
				more = append(more, guard.Narrowed("the room", p))
			}
			may := guard.Policy(&config.Config{Tools: config.Tools{Deny: []string{"exec"}}}, "a", more...)
			var got []string
			for _, n := range all {
				ok, why := may(n)
				if ok {
					got = append(got, n)
				}
				if ok != (why == "") {
					t.Errorf("%s: allowed %v, reason %q", n, ok, why)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "{}", "null": "{}", " null ": "{}", `""`: "{}", `{"a":1}`: `{"a":1}`, `"{\"a\":1}"`: `{"a":1}`, `"text"`: `"text"`, `[1]`: `[1]`} {
		if got := string(guard.Arguments(json.RawMessage(in))); got != want {
			t.Errorf("Arguments(%q) = %q, want %q", in, got, want)
		}
	}
	tl := guard.Clean(100)(fake("x", func(c tool.Call) tool.Result { return tool.Text(string(c.Args)) }))
	if got := textOf(call(t, tl, "", "null")); got != "{}" {
		t.Errorf("the tool got %q", got)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		limit    int
		check    func(string) bool
	}{
		{"fits", "漢字", 10, func(s string) bool { return s == "漢字" }},
		{"the usual limit", strings.Repeat("x", 400_000), 0, func(s string) bool { return len(s) == 400_000 }},
		{"above the usual limit", strings.Repeat("x", 400_001), 0, func(s string) bool { return strings.Contains(s, " 1 characters left out") }},
		{"invalid bytes", "a\xffb", 10, func(s string) bool { return s == "a\uFFFDb" }},
		{"binary", "\x00\x01\x02", 100, func(s string) bool { return strings.HasPrefix(s, "[binary data") && !strings.Contains(s, "\x00") }},
		{"long", strings.Repeat("漢", 1000), 100, func(s string) bool {
			return strings.HasPrefix(s, strings.Repeat("漢", 70)+"\n") && strings.HasSuffix(s, "\n"+strings.Repeat("漢", 30)) && strings.Contains(s, "900 characters left out")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tl := guard.Clean(c.limit)(fake("x", func(tool.Call) tool.Result { return tool.Text(c.in) }))
			if got := textOf(call(t, tl, "", "{}")); !c.check(got) || !utf8.ValidString(got) {
				t.Errorf("result = %q", got)
			}
		})
	}
	picture := llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: []byte{0, 1}}
	tl := guard.Clean(guard.ResultLimit)(fake("x", func(tool.Call) tool.Result { return tool.Result{Content: []llm.Block{picture}} }))
	if got := call(t, tl, "", "{}").Content; len(got) != 1 || len(got[0].Data) != 2 {
		t.Errorf("a picture became %+v", got)
	}
}

// TestBreaker: EX-03, a model that always makes the same call.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		args  func(i int) string
		run   func(i int) tool.Result
		trips int // the call that is answered with the reason; 0 is none
	}{
		{"same call, same result", func(int) string { return "{}" }, func(int) tool.Result { return tool.Text("same") }, 30},
		{"null and {} are the same", func(i int) string { return []string{"null", "{}", "", "{ }"}[i%4] }, func(int) tool.Result { return tool.Errorf("no") }, 30},
		{"varied call, same error", func(i int) string { return fmt.Sprintf(`{"command":"x%d"}`, i) }, func(int) tool.Result { return tool.Errorf("no such file") }, 30},
		{"results differ", func(int) string { return "{}" }, func(i int) tool.Result { return tool.Text(fmt.Sprint(i)) }, 0},
		{"varied call, same success", func(i int) string { return fmt.Sprint(i) }, func(int) tool.Result { return tool.Text("ok") }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, made, tripped := guard.NewBreaker(), 0, 0
			tl := b.Middleware(fake("gateway", func(tool.Call) tool.Result { made++; return c.run(made) }))
			for i := 1; i <= 100; i++ {
				res := call(t, tl, "run", c.args(i))
				if strings.HasPrefix(textOf(res), "Stopped:") {
					if !res.IsError {
						t.Error("the reason isn't an error result")
					}
					tripped = i
					break
				}
			}
			if tripped != c.trips || (b.Tripped("run") != "") != (c.trips > 0) {
				t.Errorf("tripped at %d, want %d", tripped, c.trips)
			}
			if c.trips == 0 {
				return
			}
			before := made
			call(t, tl, "run", c.args(tripped))
			if made != before {
				t.Error("the tool ran again")
			}
			if res := call(t, tl, "another run", c.args(1)); strings.HasPrefix(textOf(res), "Stopped:") {
				t.Error("another run is blocked too")
			}
			b.Forget("run")
			if b.Tripped("run") != "" {
				t.Error("not forgotten")
			}
		})
	}
}

func TestCallsPerRunAreBounded(t *testing.T) {
	t.Parallel()
	n := 0
	tl := guard.NewBreaker().Middleware(fake("x", func(tool.Call) tool.Result { n++; return tool.Text(fmt.Sprint(n)) }))
	for range 2100 {
		call(t, tl, "run", "{}")
	}
	if n != 2000 {
		t.Errorf("%d calls were made", n)
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	known := []string{"read", "write", "edit", "exec", "process", "web_fetch", "session_status"}
	for name, want := range map[string]string{
		"reed":                   "Did you mean read",
		"bash":                   "Did you mean exec",
		"WebFetch":               "Did you mean web_fetch",
		"functions.exec":         "Did you mean exec",
		"sessions_status":        "Did you mean session_status",
		"not_a_tool":             "Tool not_a_tool not found",
		strings.Repeat("x", 1e5): "not found",
	} {
		res := guard.Unknown(name, known)
		if got := textOf(res); !res.IsError || !strings.Contains(got, want) || len(got) > 400 {
			t.Errorf("Unknown(%.20q) = %q, want %q", name, got, want)
		}
	}
}

type face struct{ tool.Tool }

func (face) Serial() bool  { return true }
func (face) Group() string { return "fs" }

func TestWrapKeepsFaces(t *testing.T) {
	t.Parallel()
	plain := fake("p", func(tool.Call) tool.Result { return tool.Text("x") })
	b := guard.NewBreaker()
	out := guard.Wrap([]tool.Tool{face{plain}, plain}, guard.Clean(10), b.Middleware)
	if !out[0].(tool.Serial).Serial() || out[0].(tool.Grouped).Group() != "fs" || out[0].Spec().Name != "p" {
		t.Error("a face was lost")
	}
	if out[1].(tool.Serial).Serial() || out[1].(tool.Grouped).Group() != "other" {
		t.Error("a face was made up")
	}
}

func BenchmarkGuards(b *testing.B) {
	res := tool.Text(strings.Repeat("a line of output\n", 500))
	tl := guard.Wrap([]tool.Tool{fake("x", func(tool.Call) tool.Result { return tool.Result{Content: slices.Clone(res.Content)} })}, guard.Clean(guard.ResultLimit), guard.NewBreaker().Middleware)[0]
	c := tool.Call{Call: llm.Call{Args: json.RawMessage(`{"path":"notes.md"}`)}, Scope: tool.Scope{Run: "r"}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Scope.Run = id.Run(fmt.Sprint(i % 1000))
		if _, err := tl.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
