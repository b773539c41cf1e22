//go:build unix

package exec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/machine/local"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/exec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type m = map[string]any

// rig is a runner with its tools.
type rig struct {
	t     *testing.T
	run   *exec.Runner
	tools map[string]tool.Tool
	scope tool.Scope
	exits chan string

	mu      sync.Mutex
	updates []string
}

func newRig(t *testing.T, change func(*exec.Options)) *rig {
	t.Helper()
	r := &rig{
		t: t, tools: map[string]tool.Tool{}, exits: make(chan string, 10),
		scope: tool.Scope{Agent: "main", Session: "agent:main:main", Owner: true, Workspace: t.TempDir()},
	}
	o := exec.Options{
		Machine: local.New([]string{"PATH=" + os.Getenv("PATH"), "HOME=/tmp", "SOME_API_KEY=CANARY"}),
		OnExit:  func(_ id.SessionKey, summary string) { r.exits <- summary },
	}
	if change != nil {
		change(&o)
	}
	r.run = exec.New(o)
	for _, tl := range r.run.Tools() {
		r.tools[tl.Spec().Name] = tl
	}
	t.Cleanup(r.run.Close)
	return r
}

func (r *rig) callCtx(ctx context.Context, name string, args m) tool.Result {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.tools[name].Run(ctx, tool.Call{Call: llm.Call{Name: name, Args: raw}, Scope: r.scope, Update: func(s string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.updates = append(r.updates, s)
	}})
	if err != nil {
		r.t.Fatalf("%s(%s): %v", name, raw, err)
	}
	return res
}

func (r *rig) call(name string, args m) tool.Result {
	r.t.Helper()
	return r.callCtx(context.WithoutCancel(r.t.Context()), name, args)
}

func textOf(res tool.Result) string { return llm.Message{Content: res.Content}.Text() }

func (r *rig) ok(name string, args m) string {
	r.t.Helper()
	res := r.call(name, args)
	if res.IsError {
		r.t.Errorf("%s(%v) failed: %s", name, args, textOf(res))
	}
	return textOf(res)
}

func (r *rig) refused(name string, args m, part string) {
	r.t.Helper()
	if res := r.call(name, args); !res.IsError || !strings.Contains(textOf(res), part) {
		r.t.Errorf("%s(%v) = %q (error %v), want an error with %q", name, args, textOf(res), res.IsError, part)
	}
}

var idIn = regexp.MustCompile(`session (\w+)`)

func (r *rig) background(args m) string {
	r.t.Helper()
	args["background"] = true
	out := r.ok("exec", args)
	found := idIn.FindStringSubmatch(out)
	if found == nil {
		r.t.Fatalf("exec(%v) = %q, want a session", args, out)
	}
	return found[1]
}

func TestResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command, want string
		failed              bool
	}{
		{"output", "echo wire-test", "wire-test", false},
		{"both outputs", "echo a; echo b >&2", "a\nb", false},
		{"nothing", "true", "(no output)", false},
		{"exit code", "echo a; exit 3", "a\n\n(exit code 3)", false},
		{"exit code alone", "exit 1", "(no output)\n\n(exit code 1)", false},
		{"signal", "kill -9 $$", "(no output)\n\n(ended by signal SIGKILL)", true},
		{"no such program", "/no/such/program 2>/dev/null", "(no output)\n\n(exit code 127)", false},
		{"colours", `printf '\033[31mred\033[0m\n'`, "red", false},
		{"invalid UTF-8", `printf 'caf\351 au lait'`, "caf\uFFFD au lait", false},
		{"binary", `printf 'a\000b\001'`, "[binary data, unknown type, 4 bytes; send it to a file, or pipe it through a program that prints text]", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := newRig(t, nil).call("exec", m{"command": c.command})
			if got := textOf(res); got != c.want || res.IsError != c.failed {
				t.Errorf("%q = %q, error %v; want %q, %v", c.command, got, res.IsError, c.want, c.failed)
			}
		})
	}
}

// TestEX01 runs the commands at which others hang.
func TestEX01(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/ex01.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		N          int
		Cmd        string
		TimeoutSec float64
		Want       string
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) != 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	checks := map[int]func(text string, failed bool, took time.Duration) bool{
		1: func(s string, f bool, d time.Duration) bool {
			return strings.HasPrefix(s, "started") && !f && d < 8*time.Second
		},
		2: func(s string, f bool, d time.Duration) bool { return reported(s, "ok") && !f && d < 2*time.Second },
		3: func(s string, f bool, d time.Duration) bool { return reported(s, "ok") && !f && d < 8*time.Second },
		4: func(s string, f bool, d time.Duration) bool {
			return timedOut(s, f, d, 2) && !strings.Contains(s, "never")
		},
		5: func(s string, f bool, d time.Duration) bool { return timedOut(s, f, d, 2) },
		6: func(s string, f bool, d time.Duration) bool { return s == "(no output)" && !f && d < 2*time.Second },
		7: func(s string, f bool, d time.Duration) bool {
			return strings.Contains(s, "got") && !f && d < 2*time.Second
		},
		8: func(s string, f bool, d time.Duration) bool { return timedOut(s, f, d, 3) && len(s) < 250_000 },
		9: func(s string, f bool, _ time.Duration) bool { return strings.Contains(s, "SIGKILL") && f },
		10: func(s string, f bool, d time.Duration) bool {
			return timedOut(s, f, d, 2) && strings.HasPrefix(s, "part")
		},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.N), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			begin := time.Now()
			res := r.call("exec", m{"command": c.Cmd, "timeout": c.TimeoutSec})
			got, took := textOf(res), time.Since(begin)
			if !checks[c.N](got, res.IsError, took) {
				t.Errorf("%q took %v: %.300q, error %v; want %s", c.Cmd, took, got, res.IsError, c.Want)
			}
			nothingLeft(t, r.scope.Workspace, c.N == 2 || c.N == 3)
			if next := r.ok("exec", m{"command": "echo next"}); next != "next" {
				t.Errorf("the turn doesn't go on: %q", next)
			}
		})
	}
}

func reported(s, out string) bool {
	return strings.HasPrefix(s, out) && strings.Contains(s, "still running, detached")
}

func timedOut(s string, failed bool, took time.Duration, sec int) bool {
	return failed && strings.Contains(s, "the time limit") && took < time.Duration(sec+5)*time.Second
}

// nothingLeft looks for processes that run in dir; detached ones are ended.
func nothingLeft(t *testing.T, dir string, detached bool) {
	t.Helper()
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if at, err := os.Readlink(l); err != nil || at != dir {
			continue
		}
		pid := filepath.Base(filepath.Dir(l))
		if !detached {
			cmd, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			t.Errorf("process %s is left: %q", pid, cmd)
		}
		var n int
		_, _ = fmt.Sscan(pid, &n)
		if p, err := os.FindProcess(n); err == nil {
			_ = p.Kill()
		}
	}
}

func TestLongOutputKeepsItsEnd(t *testing.T) {
	t.Parallel()
	out := newRig(t, nil).ok("exec", m{"command": "for i in $(seq 1 40000); do echo 漢字 $i; done; echo last"})
	if len(out) > 201_000 || !strings.HasSuffix(out, "last") || !strings.HasPrefix(out, "[") || !utf8.ValidString(out) || strings.ContainsRune(out, utf8.RuneError) {
		t.Errorf("%d bytes: %.100q … %q", len(out), out, out[len(out)-20:])
	}
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.ok("exec", m{"command": "echo one; sleep 0.5; echo two; sleep 0.8"})
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.updates) < 2 || len(r.updates) > 4 || r.updates[0] != "one" || r.updates[len(r.updates)-1] != "one\ntwo" {
		t.Errorf("updates = %q", r.updates)
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	res := r.callCtx(ctx, "exec", m{"command": "echo part; sleep 300"})
	if got := textOf(res); got != "part\n\n(stopped: the run was aborted)" || !res.IsError || time.Since(begin) > 4*time.Second {
		t.Errorf("%q, error %v", got, res.IsError)
	}
}

func TestWhereAndWith(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	dir := filepath.Join(r.scope.Workspace, "sub")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args m
		want string
	}{
		{m{"command": "pwd"}, r.scope.Workspace},
		{m{"command": "pwd", "workdir": "sub"}, dir},
		{m{"command": "pwd", "workdir": "~"}, "/tmp"},
		{m{"command": "pwd", "workdir": "/"}, "/"},
		{m{"command": "echo $LANG $SOME_API_KEY$OPENCLAW_SHELL", "env": m{"LANG": "C"}}, "C exec"},
	} {
		if got := r.ok("exec", c.args); got != c.want {
			t.Errorf("exec(%v) = %q, want %q", c.args, got, c.want)
		}
	}
	r.refused("exec", m{"command": "pwd", "workdir": "none"}, "doesn't exist")
	r.refused("exec", m{"command": " "}, "empty")
	r.refused("exec", m{"command": "echo\x00"}, "NUL")
	r.refused("exec", m{"command": "echo " + strings.Repeat("x", 100_000)}, "longer than")
}

// TestLoaderVariables: nothing runs when a call sets a dangerous variable.
func TestLoaderVariables(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	marker := filepath.Join(r.scope.Workspace, "marker")
	for _, name := range []string{"LD_PRELOAD", "PATH", "BASH_ENV", "ENV", "IFS", "HOME", "GIT_SSH_COMMAND", "NODE_OPTIONS", "PYTHONSTARTUP", "ld_preload", "SHELL", "SSL_CERT_FILE"} {
		r.refused("exec", m{"command": "touch marker", "env": m{name: "x"}}, name)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a command ran")
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	cfg := func(c exec.Config) func(*exec.Options) {
		return func(o *exec.Options) { o.Config = func() exec.Config { return c } }
	}
	yes := func(change func(*exec.Options)) func(*exec.Options) {
		return func(o *exec.Options) {
			change(o)
			o.Approve = func(context.Context, tool.Scope, exec.Command) error { return nil }
		}
	}
	for _, c := range []struct {
		name     string
		change   func(*exec.Options)
		stranger bool
		args     m
		refusal  string // "" runs
	}{
		{"owner", nil, false, m{}, ""},
		{"stranger", nil, true, m{}, "isn't the owner's"},
		{"stranger asks for the host", nil, true, m{"host": "gateway", "elevated": true, "security": "full"}, "isn't the owner's"},
		{"deny", cfg(exec.Config{Security: "deny"}), false, m{}, "tools.exec.security is deny"},
		{"deny isn't loosened", cfg(exec.Config{Security: "deny"}), false, m{"security": "full"}, "tools.exec.security is deny"},
		{"deny isn't approved away", yes(cfg(exec.Config{Security: "deny"})), false, m{}, "tools.exec.security is deny"},
		{"allowlist without a list", cfg(exec.Config{Security: "allowlist"}), false, m{}, "none is set up"},
		{"allowlist isn't loosened", cfg(exec.Config{Security: "allowlist"}), false, m{"security": "full"}, "none is set up"},
		{"allowlist approved", yes(cfg(exec.Config{Security: "allowlist"})), false, m{}, ""},
		{"ask always", cfg(exec.Config{Ask: "always"}), false, m{"ask": "off"}, "nobody is connected"},
		{"call asks for deny", nil, false, m{"security": "deny"}, "itself asked"},
		{"host gateway", nil, false, m{"host": "gateway"}, ""},
		{"host sandbox", nil, false, m{"host": "sandbox"}, "no sandbox"},
		{"configured sandbox is no gateway", cfg(exec.Config{Host: "sandbox"}), false, m{"host": "gateway"}, "no sandbox"},
		{"host node", nil, false, m{"host": "node", "node": "phone"}, "No node"},
		{"unknown host", nil, false, m{"host": "moon"}, "unknown"},
		{"unknown security", nil, false, m{"security": "some"}, "unknown"},
		{"elevated", nil, false, m{"elevated": true}, ""},
		{"not approved", func(o *exec.Options) {
			o.Approve = func(context.Context, tool.Scope, exec.Command) error {
				return fault.New(fault.Forbidden, "test", "ask me tomorrow")
			}
		}, false, m{}, "Not approved: ask me tomorrow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.change)
			r.scope.Owner = !c.stranger
			c.args["command"] = "touch marker"
			if c.refusal != "" {
				r.refused("exec", c.args, c.refusal)
			} else {
				r.ok("exec", c.args)
			}
			if _, err := os.Stat(filepath.Join(r.scope.Workspace, "marker")); (err == nil) != (c.refusal == "") {
				t.Errorf("the command ran: %v", err == nil)
			}
		})
	}
}

func TestMetaAndGroup(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for command, want := range map[string]string{
		"echo wire-test":                   "print text, `echo wire-test`",
		"cd /tmp && git status":            "run git status, `cd /tmp && git status`",
		"FOO=1 /usr/bin/ls -la":            "list files, `FOO=1 /usr/bin/ls -la`",
		"true\nfalse `x`":                  "run true, `true false 'x'`",
		"true " + strings.Repeat("漢", 200): "run true, `true " + strings.Repeat("漢", 114) + "…`",
	} {
		if got := r.call("exec", m{"command": command}).Meta; got != want {
			t.Errorf("meta of %q = %q, want %q", command, got, want)
		}
	}
	for name, tl := range r.tools {
		if g, ok := tl.(tool.Grouped); !ok || g.Group() != "runtime" || len(tl.Spec().Description) < 40 {
			t.Errorf("%s: group or description is missing", name)
		}
	}
}

func BenchmarkExec(b *testing.B) {
	run := exec.New(exec.Options{Machine: local.New(os.Environ())})
	defer run.Close()
	tl := run.Tools()[0]
	call := tool.Call{Call: llm.Call{Args: json.RawMessage(`{"command":"true"}`)}, Scope: tool.Scope{Owner: true, Workspace: b.TempDir()}, Update: func(string) {}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tl.Run(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
