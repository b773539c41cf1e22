//go:build linux

package local_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/machine/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func host() *local.Host { return local.New([]string{"PATH=" + os.Getenv("PATH"), "HOME=/tmp"}) }

// sh runs a script to its end and returns its output.
func sh(t *testing.T, h *local.Host, script string, change func(*machine.Command)) (string, machine.Exit) {
	t.Helper()
	out := proc.NewRing(1 << 16)
	c := machine.Command{Argv: []string{"/bin/sh", "-c", script}, Output: out}
	if change != nil {
		change(&c)
	}
	exit, err := machine.Run(t.Context(), h, c)
	if err != nil {
		t.Fatalf("Run(%q): %v", script, err)
	}
	b, _ := out.Bytes()
	return string(b), exit
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, want string
		code               int
		signal             string
	}{
		{"both outputs in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", 0, ""},
		{"exit code", "exit 7", "", 7, ""},
		{"signal", "kill -9 $$", "", -1, "SIGKILL"},
		{"empty stdin", "cat; echo end", "end\n", 0, ""},
		{"read from stdin", "read x; echo got $x", "got\n", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, exit := sh(t, host(), c.script, nil)
			if out != c.want || exit.Code != c.code || exit.Signal != c.signal {
				t.Errorf("%q = %q, %+v; want %q, %d %s", c.script, out, exit, c.want, c.code, c.signal)
			}
		})
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]machine.Command{
		"no program":      {Argv: []string{"/no/such/program"}},
		"not on the path": {Argv: []string{"no-such-program"}},
		"nothing":         {},
		"no directory":    {Argv: []string{"/bin/sh"}, Dir: "/no/such/dir"},
		"a file":          {Argv: []string{"/bin/sh"}, Dir: file},
		"not executable":  {Argv: []string{file}},
	} {
		if _, err := host().Start(t.Context(), c); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want an invalid command", name, err)
		}
	}
}

func TestBackgroundHoldsPipe(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	out, exit := sh(t, host(), "sleep 300 & echo $!", nil)
	if d := time.Since(begin); d > 4*time.Second {
		t.Errorf("took %v", d)
	}
	if !exit.Swept || exit.Code != 0 {
		t.Errorf("exit = %+v, want swept", exit)
	}
	gone(t, strings.TrimSpace(out))
}

func TestDetachedIsReportedAndKillable(t *testing.T) {
	t.Parallel()
	p, err := host().Start(t.Context(), machine.Command{Argv: []string{"/bin/sh", "-c", "(setsid sleep 300 >/dev/null 2>&1 &); sleep 0.2"}})
	if err != nil {
		t.Fatal(err)
	}
	exit := p.Wait()
	if len(exit.Left) != 1 || exit.Swept {
		t.Fatalf("exit = %+v, want one process left", exit)
	}
	p.Kill(0)
	if alive(exit.Left[0]) {
		t.Errorf("process %d outlived Kill", exit.Left[0])
	}
}

func TestKillReachesAll(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"ignores TERM":    `trap "" TERM; echo $$; sleep 300; sleep 300`,
		"children":        "echo $$; sleep 301 & echo $!; sleep 302 & echo $!; wait",
		"another session": "echo $$; setsid sleep 300 & echo $!; wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := proc.NewRing(1 << 10)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			begin := time.Now()
			_, err := machine.Run(ctx, host(), machine.Command{Argv: []string{"/bin/sh", "-c", script}, Output: out})
			if fault.KindOf(err) != fault.Timeout {
				t.Errorf("err = %v, want a timeout", err)
			}
			if d := time.Since(begin); d > 6*time.Second {
				t.Errorf("took %v", d)
			}
			b, _ := out.Bytes()
			gone(t, strings.Fields(string(b))...)
		})
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	out := proc.NewRing(100)
	p, err := host().Start(t.Context(), machine.Command{Argv: []string{"cat"}, Stdin: true, Output: out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	if err := p.CloseStdin(); err != nil {
		t.Error(err)
	}
	if e := p.Wait(); e.Code != 0 {
		t.Errorf("exit = %+v", e)
	}
	if b, _ := out.Bytes(); string(b) != "hello" {
		t.Errorf("output = %q", b)
	}
	if _, err := p.Write([]byte("x")); err == nil {
		t.Error("write to an ended command succeeded")
	}
}

func TestPTY(t *testing.T) {
	t.Parallel()
	out := proc.NewRing(1 << 12)
	p, err := host().Start(t.Context(), machine.Command{Argv: []string{"/bin/sh", "-c", "test -t 0 && test -t 1 && echo terminal $TERM; read x; echo got $x"}, PTY: true, Output: out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("word\r")); err != nil {
		t.Error(err)
	}
	if e := p.Wait(); e.Code != 0 {
		t.Errorf("exit = %+v", e)
	}
	b, _ := out.Bytes()
	if !strings.Contains(string(b), "terminal xterm-256color") || !strings.Contains(string(b), "got word") {
		t.Errorf("output = %q", b)
	}
}

func TestKillPTY(t *testing.T) {
	t.Parallel()
	p, err := host().Start(t.Context(), machine.Command{Argv: []string{"/bin/sh", "-c", "sleep 300"}, PTY: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Kill(time.Second)
	if e := p.Wait(); e.Signal == "" {
		t.Errorf("exit = %+v, want a signal", e)
	}
}

func TestSecretsStayHome(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-3141"
	h := local.New([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=/tmp", "LANG=C", "PWD=/", "SSH_AUTH_SOCK=/run/agent", "OPENCLAW_STATE_DIR=/state",
		"OPENCLAW_GATEWAY_TOKEN=" + canary, "OPENCLAW_ANYTHING=" + canary, "ANTHROPIC_API_KEY=" + canary, "openai_api_key=" + canary,
		"TELEGRAM_BOT_TOKEN=" + canary, "DB_PASSWORD=" + canary, "MYSECRET=" + canary, "AWS_SECRET_ACCESS_KEY=" + canary,
		"GITHUB_PAT=" + canary, "SENTRY_DSN=https://" + canary + ":x@host/1", "SOME_URL=postgres://u:" + canary + "@db/x", "PLAIN=sk-" + canary,
		"BASH_ENV=/tmp/" + canary,
	})
	out, _ := sh(t, h, "env", nil)
	if strings.Contains(out, canary) {
		t.Errorf("a secret reached the command:\n%s", out)
	}
	for _, want := range []string{"HOME=/tmp", "LANG=C", "SSH_AUTH_SOCK=/run/agent", "OPENCLAW_STATE_DIR=/state"} {
		if !slices.Contains(strings.Fields(out), want) {
			t.Errorf("%s is missing from\n%s", want, out)
		}
	}
}

func TestPrepend(t *testing.T) {
	t.Parallel()
	out, _ := sh(t, local.New([]string{"PATH=/bin"}, "/first", "/second"), "echo $PATH", nil)
	if out != "/first:/second:/bin\n" {
		t.Errorf("PATH = %q", out)
	}
}

// gone fails the test when one of the processes still runs.
func gone(t *testing.T, pids ...string) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("no process to look for")
	}
	for _, pid := range pids {
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process still runs: %s", stat)
		}
	}
}

func alive(pid int) bool {
	var ws syscall.WaitStatus
	_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil)
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func BenchmarkRun(b *testing.B) {
	h := host()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := machine.Run(b.Context(), h, machine.Command{Argv: []string{"/bin/true"}}); err != nil {
			b.Fatal(err)
		}
	}
}
