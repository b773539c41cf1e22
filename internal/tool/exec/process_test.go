//go:build unix

package exec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/machine/local"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/exec"
)

func TestYieldPollAndExit(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	out := r.ok("exec", m{"command": "echo one; sleep 1; echo two", "yieldMs": 300})
	if !strings.HasSuffix(out, "Output so far:\none") {
		t.Fatalf("exec = %q", out)
	}
	sid := idIn.FindStringSubmatch(out)[1]
	if got := r.ok("process", m{"action": "list"}); !strings.HasPrefix(got, sid+"  running for ") || !strings.HasSuffix(got, "`echo one; sleep 1; echo two`") {
		t.Errorf("list = %q", got)
	}
	if got := r.ok("process", m{"action": "poll", "sessionId": sid}); !strings.HasPrefix(got, "(no new output)\n\n(running for ") {
		t.Errorf("poll = %q", got)
	}
	r.refused("process", m{"action": "clear", "sessionId": sid}, "still running")
	if got := r.ok("process", m{"action": "poll", "sessionId": sid, "timeout": 5000}); !strings.HasPrefix(got, "two\n\n(") {
		t.Errorf("waiting poll = %q", got)
	}
	select {
	case got := <-r.exits:
		if got != "Exec completed ("+sid+", code 0) :: one\ntwo" {
			t.Errorf("summary = %q", got)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the end was not told")
	}
	if got := r.ok("process", m{"action": "log", "sessionId": sid}); !strings.HasPrefix(got, "one\ntwo\n\n(ended with exit code 0 after ") {
		t.Errorf("log = %q", got)
	}
	if got := r.ok("process", m{"action": "log", "sessionId": sid, "offset": 1, "limit": 1}); !strings.HasPrefix(got, "two\n\n[Lines 1-1 of 2, from 0.") {
		t.Errorf("log = %q", got)
	}
	r.ok("process", m{"action": "clear", "sessionId": sid})
	if got := r.ok("process", m{"action": "list"}); got != "no background commands" {
		t.Errorf("list = %q", got)
	}
}

func TestForegroundIsNotListed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.ok("exec", m{"command": "true"})
	if got := r.ok("process", m{"action": "list"}); got != "no background commands" {
		t.Errorf("list = %q", got)
	}
	select {
	case got := <-r.exits:
		t.Errorf("the end of a foreground command was told: %q", got)
	default:
	}
}

func TestKillAndRemove(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "sleep 300"})
	if got := r.ok("process", m{"action": "kill", "sessionId": sid}); got != sid+" was killed" {
		t.Errorf("kill = %q", got)
	}
	r.refused("process", m{"action": "poll", "sessionId": sid}, "(killed)")
	r.ok("process", m{"action": "remove", "sessionId": sid})
	r.refused("process", m{"action": "poll", "sessionId": sid}, "There is no session "+sid)
	select {
	case got := <-r.exits:
		t.Errorf("a kill was told: %q", got)
	default:
	}
}

func TestOtherChatsSeeNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "sleep 300"})
	r.scope.Session = "agent:main:telegram:group:1"
	if got := r.ok("process", m{"action": "list"}); got != "no background commands" {
		t.Errorf("list = %q", got)
	}
	for _, action := range []string{"poll", "log", "kill", "remove", "write"} {
		r.refused("process", m{"action": action, "sessionId": sid, "data": "x"}, "There is no session")
	}
}

func TestBackgroundTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "echo part; sleep 300", "timeout": 1})
	select {
	case got := <-r.exits:
		if got != "Exec failed ("+sid+", timeout) :: part" {
			t.Errorf("summary = %q", got)
		}
	case <-time.After(8 * time.Second):
		t.Fatal("the end was not told")
	}
	r.refused("process", m{"action": "poll", "sessionId": sid}, "the time limit")
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "read -p 'name: ' x; echo hello $x; cat; echo end", "pty": true})
	prompt := "" // the answer that began it may have shown it already, so not by polling
	for range 300 {
		if prompt = r.ok("process", m{"action": "log", "sessionId": sid}); strings.Contains(prompt, "name:") {
			break
		}
		<-time.After(100 * time.Millisecond)
	}
	if !strings.Contains(prompt, "name:") {
		t.Errorf("prompt = %q", prompt)
	}
	r.ok("process", m{"action": "write", "sessionId": sid, "data": "wörld"})
	r.ok("process", m{"action": "submit", "sessionId": sid})
	r.ok("process", m{"action": "send-keys", "sessionId": sid, "literal": "typed", "keys": []string{"Enter"}, "hex": []string{"78", "0d"}})
	r.ok("process", m{"action": "paste", "sessionId": sid, "text": "pasted\n", "bracketed": false})
	r.ok("process", m{"action": "write", "sessionId": sid, "eof": true})
	if got := wait(r, sid, "end"); !strings.Contains(got, "hello wörld") || !strings.Contains(got, "typed") || !strings.Contains(got, "\nx") || !strings.Contains(got, "pasted") {
		t.Errorf("output = %q", got)
	}
}

func TestInterruptKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "echo ready; sleep 300", "pty": true})
	wait(r, sid, "ready")
	r.ok("process", m{"action": "send-keys", "sessionId": sid, "keys": []string{"C-c"}})
	res := r.call("process", m{"action": "poll", "sessionId": sid, "timeout": 5000})
	for i := 0; i < 20 && strings.Contains(textOf(res), "(running for"); i++ {
		res = r.call("process", m{"action": "poll", "sessionId": sid, "timeout": 500})
	}
	if got := textOf(res); !strings.Contains(got, "SIGINT") && !strings.Contains(got, "exit code 130") {
		t.Errorf("after C-c: %q", got)
	}
}

// wait polls until the output holds part, and returns all of it.
func wait(r *rig, sid, part string) string {
	r.t.Helper()
	all := ""
	for range 50 {
		all += textOf(r.call("process", m{"action": "poll", "sessionId": sid, "timeout": 200})) + "\n"
		if strings.Contains(all, part) {
			return all
		}
	}
	r.t.Fatalf("no %q in %q", part, all)
	return ""
}

func TestProcessErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sid := r.background(m{"command": "sleep 300"})
	r.refused("process", m{"action": "write", "sessionId": sid, "data": "x"}, "only commands started with pty")
	r.refused("process", m{"action": "dance", "sessionId": sid}, "unknown")
	r.refused("process", m{"action": "poll"}, "sessionId is required")
	r.refused("process", m{"action": "send-keys", "sessionId": sid, "keys": []string{"Hyper-Q"}}, "unknown")
	r.refused("process", m{"action": "send-keys", "sessionId": sid, "hex": []string{"zz"}}, "not a byte")
	r.refused("process", m{}, "action")
}

func TestBackgroundIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for i := range 17 {
		res := r.call("exec", m{"command": "sleep 300", "background": true})
		if res.IsError != (i == 16) {
			t.Errorf("command %d: %q", i, textOf(res))
		}
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.background(m{"command": "sleep 300"})
	r.run.Close()
	nothingLeft(t, r.scope.Workspace, false)
	r.refused("exec", m{"command": "true"}, "shutting down")
}

func TestNotifyOff(t *testing.T) {
	t.Parallel()
	off := false
	r := newRig(t, func(o *exec.Options) { o.Config = func() exec.Config { return exec.Config{NotifyOnExit: &off} } })
	sid := r.background(m{"command": "echo x"})
	wait(r, sid, "exit code 0")
	select {
	case got := <-r.exits:
		t.Errorf("told %q", got)
	default:
	}
}

func ExampleRunner() {
	run := exec.New(exec.Options{Machine: local.New([]string{"PATH=/usr/bin:/bin"})})
	defer run.Close()
	for _, tl := range run.Tools() {
		fmt.Println(tl.Spec().Name, tl.(tool.Grouped).Group())
	}
	// Output:
	// exec runtime
	// process runtime
}
