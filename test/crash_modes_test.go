package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// queued is a scene whose messages wait in a mode.
func queued(t *testing.T, mode string) *scene {
	t.Helper()
	return newScene(t, map[string]any{"messages": map[string]any{"queue": map[string]any{"mode": mode, "debounceMs": 0}}})
}

var modes = []string{"collect", "followup", "steer", "steer-backlog", "interrupt"}

// In every mode: what waits when the process is killed is answered once, and so
// is what ran.
func TestKillInTheQueueOfEachMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := queued(t, mode)
			s.al.Say(bot, "first !hold one")
			s.calledOnce(t, "first")
			s.al.Say(bot, "second pear !hold two")
			s.stored(t, 2)
			s.Kill()
			s.model.Release("one")
			s.model.Release("two")
			s.up(t)
			s.once(t, "second pear")
			if n := len(s.al.Got("echo: first")); n != 1 && mode != "interrupt" || n > 1 {
				t.Errorf("the first message was answered %d times", n)
			}
			if n := users(s.Transcript("agent:main:main"), "second pear"); n != 1 {
				t.Errorf("the second message is %d times in the transcript", n)
			}
		})
	}
}

// A message that waits to be steered in when the process is killed, while the
// tool of the run before it works.
func TestKillBeforeSteeringIsTaken(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"steer", "steer-backlog"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := queued(t, mode)
			mark := filepath.Join(s.Work, "ran")
			s.al.Say(bot, fmt.Sprintf(`cherry !tool exec {"command":"echo x >> %s; sleep 30"}`, mark))
			harness.Until(t, within, "the tool runs", func() bool { b, _ := os.ReadFile(mark); return len(b) > 0 })
			s.al.Say(bot, "pear please")
			s.stored(t, 2)
			s.crash(t)
			s.once(t, "echo: cherry")
			s.once(t, "echo: pear please")
			if b, _ := os.ReadFile(mark); string(b) != "x\n" {
				t.Errorf("the tool ran again: %q", b)
			}
		})
	}
}

// A message that was steered in, and the model is asked about it, when the
// process is killed.
func TestKillAfterSteeringIsTaken(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"steer", "steer-backlog"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := queued(t, mode)
			gate := filepath.Join(s.Work, "gate")
			s.al.Say(bot, fmt.Sprintf(`cherry !tool exec {"command":"while [ ! -e %s ]; do sleep 0.05; done; echo done-it"}`, gate))
			s.calledOnce(t, "cherry")
			s.al.Say(bot, "pear please !hold w")
			s.stored(t, 2)
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.calledOnce(t, "pear please")
			s.Kill()
			s.model.Release("w")
			s.up(t)
			want := 1 // in the run that took it
			if mode == "steer-backlog" {
				want = 2 // and in its own turn
			}
			harness.Until(t, within, "the answers", func() bool { return len(s.al.Got("echo: pear please")) >= want })
			s.al.Say(bot, "last plum")
			s.once(t, "echo: last plum")
			if n := len(s.al.Got("echo: pear please")); n != want {
				t.Errorf("the message was answered %d times, want %d", n, want)
			}
			if n := users(s.Transcript("agent:main:main"), "pear please"); n != want {
				t.Errorf("the message is %d times in the transcript, want %d", n, want)
			}
		})
	}
}

// Killed right after a newer message stopped a run.
func TestKillInAnInterrupt(t *testing.T) {
	t.Parallel()
	s := queued(t, "interrupt")
	s.al.Say(bot, "first !hold one")
	s.calledOnce(t, "first")
	s.al.Say(bot, "second pear !hold two")
	s.calledOnce(t, "second pear") // the first is stopped by now
	s.Kill()
	s.model.Release("one")
	s.model.Release("two")
	s.up(t)
	s.once(t, "second pear")
	s.al.Say(bot, "last plum")
	s.once(t, "last plum")
	if got := s.al.Got("echo: first"); len(got) > 1 {
		t.Errorf("the interrupted message was answered: %q", got)
	}
	if n := users(s.Transcript("agent:main:main"), "first"); n != 1 {
		t.Errorf("the interrupted message is %d times in the transcript", n)
	}
}

// /stop ends a run and what waits behind it, in the middle of a tool, whose
// processes end too; a crash doesn't bring them back.
func TestStopEndsRunAndQueue(t *testing.T) {
	t.Parallel()
	s := queued(t, "followup")
	mark := filepath.Join(s.Work, "ran")
	s.al.Say(bot, fmt.Sprintf(`cherry !tool exec {"command":"echo x >> %s; sleep 3; echo y >> %s"}`, mark, mark))
	harness.Until(t, within, "the tool runs", func() bool { b, _ := os.ReadFile(mark); return len(b) > 0 })
	s.al.Say(bot, "pear please")
	s.stored(t, 2)
	s.al.Say(bot, "please stop!")
	s.al.See("Agent was aborted", within)
	s.crash(t)
	s.al.Say(bot, "last plum")
	s.once(t, "echo: last plum")
	if got := append(s.al.Got("echo: cherry"), s.al.Got("echo: pear")...); len(got) > 0 {
		t.Errorf("answers after the stop: %q", got)
	}
	if b, _ := os.ReadFile(mark); strings.Contains(string(b), "y") {
		t.Error("the tool's process went on after the stop")
	}
}
