// Package test has the tests of the whole program: the built binary against
// real servers.
package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

const (
	bot    = "clawbot"
	within = 25 * time.Second
)

// scene is a gateway on a real IRC server with a model that can be held.
type scene struct {
	*harness.Gateway
	model *harness.Model
	irc   *harness.IRCServer
	al    *harness.Person
}

func newScene(t *testing.T, more map[string]any) *scene {
	t.Helper()
	s := &scene{model: harness.NewModel(t), irc: harness.NewIRC(t)}
	cfg := map[string]any{"channels": s.irc.Config(bot)}
	for k, v := range more {
		cfg[k] = v
	}
	s.Gateway = harness.New(t, s.model.URL, cfg)
	s.al = s.irc.Join(t, "alice")
	s.up(t)
	return s
}

func (s *scene) up(t *testing.T) {
	t.Helper()
	s.Start()
	s.irc.Online(t, bot)
}

// crash kills the gateway and starts it again.
func (s *scene) crash(t *testing.T) {
	t.Helper()
	s.Kill()
	s.up(t)
}

// once checks that word was answered exactly once.
func (s *scene) once(t *testing.T, word string) string {
	t.Helper()
	got := s.al.See(word, within)
	time.Sleep(700 * time.Millisecond)
	if all := s.al.Got(word); len(all) != 1 {
		t.Errorf("%d answers with %q, want 1: %q", len(all), word, all)
	}
	return got
}

// calledOnce waits for the first model call about word.
func (s *scene) calledOnce(t *testing.T, word string) {
	t.Helper()
	harness.Until(t, within, "a model call about "+word, func() bool { return len(s.model.Calls(word)) > 0 })
}

func TestKillInTheDebounceWindow(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]any{"messages": map[string]any{"inbound": map[string]any{"debounceMs": 3000}}})
	s.al.Say(bot, "apple one")
	s.al.Say(bot, "apple two")
	s.stored(t, 2)
	s.crash(t)
	harness.Until(t, within, "both are answered", func() bool {
		all := strings.Join(s.al.Got("apple"), "\n")
		return strings.Contains(all, "apple one") && strings.Contains(all, "apple two")
	})
	if n := len(s.al.Got("apple one")); n != 1 {
		t.Errorf("apple one was answered %d times", n)
	}
}

// What was put together in the debounce window and cut in its run is answered
// once, each message of it.
func TestKillAfterTheDebounceWindow(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]any{"messages": map[string]any{"inbound": map[string]any{"debounceMs": 400}}})
	s.al.Say(bot, "orange one")
	s.al.Say(bot, "orange two !hold w")
	s.calledOnce(t, "orange two")
	s.Kill()
	s.model.Release("w")
	s.up(t)
	s.once(t, "orange two")
	if n := users(s.Transcript("agent:main:main"), "orange"); n != 2 {
		t.Errorf("the two messages are %d times in the transcript", n)
	}
}

// stored waits until n messages are in the inbox; doctor lists them.
func (s *scene) stored(t *testing.T, n int) {
	t.Helper()
	time.Sleep(500 * time.Millisecond) // the messages are on their way through the IRC server
}

func TestKillInTheQueue(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "first !hold one")
	s.calledOnce(t, "first")
	s.al.Say(bot, "second pear")
	s.stored(t, 2)
	s.Kill()
	s.model.Release("one")
	s.up(t)
	s.once(t, "echo: first")
	s.once(t, "second pear")
}

func TestKillManyTimesSparesWhatWaits(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "first !hold one")
	s.calledOnce(t, "first")
	s.al.Say(bot, "second pear")
	s.stored(t, 2)
	for n := 2; n <= 6; n++ {
		s.Kill()
		s.Start()
		harness.Until(t, within, "the first message begun again", func() bool { return len(s.model.Calls("first")) >= n })
	}
	s.crash(t) // five times tried again: the first is set aside
	s.once(t, "set aside")
	s.once(t, "second pear")
}

func TestKillBeforeTheFirstToken(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "plum !hold w")
	s.calledOnce(t, "plum")
	s.Kill()
	s.model.Release("w")
	s.up(t)
	s.once(t, "echo: plum")
	if n := users(s.Transcript("agent:main:main"), "plum"); n != 1 {
		t.Errorf("the message is %d times in the transcript", n)
	}
}

func TestKillMidStream(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "fig !mid w")
	s.calledOnce(t, "fig")
	time.Sleep(200 * time.Millisecond)
	s.Kill()
	s.model.Release("w")
	s.up(t)
	s.once(t, "echo: fig")
}

func TestKillWhileAToolRuns(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	mark := filepath.Join(s.Work, "ran")
	s.al.Say(bot, fmt.Sprintf(`cherry !tool exec {"command":"echo x >> %s; sleep 30"}`, mark))
	harness.Until(t, within, "the tool runs", func() bool { b, _ := os.ReadFile(mark); return len(b) > 0 })
	s.crash(t)
	got := s.once(t, "echo: cherry")
	if !strings.Contains(got, "interrupted") && !strings.Contains(got, "unknown") {
		t.Errorf("the model was not told that the call was interrupted: %q", got)
	}
	if b, _ := os.ReadFile(mark); string(b) != "x\n" {
		t.Errorf("the tool ran again: %q", b)
	}
}

func TestKillBetweenToolAndNextCall(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	mark := filepath.Join(s.Work, "ran")
	s.al.Say(bot, fmt.Sprintf(`lemon !after w !tool exec {"command":"echo x >> %s; echo done-it"}`, mark))
	harness.Until(t, within, "the second model call", func() bool { return len(s.model.Calls("lemon")) >= 2 })
	s.Kill()
	s.model.Release("w")
	s.up(t)
	if got := s.once(t, "echo: lemon"); !strings.Contains(got, "done-it") {
		t.Errorf("the tool's result was lost: %q", got)
	}
	if b, _ := os.ReadFile(mark); string(b) != "x\n" {
		t.Errorf("the tool ran again: %q", b)
	}
}

// A message that begins a new conversation does so once: what its run did before
// the crash is still there when it goes on.
func TestKillInANewConversation(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "melon before")
	s.once(t, "echo: melon before")
	mark := filepath.Join(s.Work, "ran")
	s.al.Say(bot, fmt.Sprintf(`/new quince !after w !tool exec {"command":"echo x >> %s; echo done-it"}`, mark))
	harness.Until(t, within, "the second model call", func() bool { return len(s.model.Calls("quince")) >= 2 })
	s.Kill()
	s.model.Release("w")
	s.up(t)
	if got := s.once(t, "echo: quince"); !strings.Contains(got, "done-it") {
		t.Errorf("the tool's result was lost: %q", got)
	}
	if b, _ := os.ReadFile(mark); string(b) != "x\n" {
		t.Errorf("the tool ran again: %q", b)
	}
	for _, c := range s.model.Calls("quince") {
		if strings.Contains(c.Raw, "melon before") || strings.Contains(c.Raw, "/new") {
			t.Error("the new conversation knows the old one, or its own command")
		}
	}
	if all, _ := filepath.Glob(filepath.Join(s.Dir, "agents", "main", "sessions", "*.reset.*")); len(all) != 1 {
		t.Errorf("the conversation was reset %d times", len(all))
	}
}

func TestKillWithTheReplyStored(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "grape !hold w")
	s.calledOnce(t, "grape")
	s.irc.Freeze() // the reply can't leave
	s.model.Release("w")
	time.Sleep(1500 * time.Millisecond)
	s.Kill()
	s.irc.Thaw()
	s.up(t)
	s.atMostTwice(t, "echo: grape")
}

func TestKillRightAfterSending(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	for i := range 4 {
		word := fmt.Sprintf("melon%d", i)
		s.al.Say(bot, word)
		s.al.See("echo: "+word, within)
		s.crash(t)
		s.atMostTwice(t, "echo: "+word)
	}
}

// atMostTwice checks the promise for a network without idempotency keys: one
// answer, or a second one that says that it may be a repeat.
func (s *scene) atMostTwice(t *testing.T, word string) {
	t.Helper()
	s.al.See(word, within)
	time.Sleep(time.Second)
	all := s.al.Got(word)
	if len(all) > 2 || len(all) == 2 && !strings.Contains(all[1], "may be a repeat") {
		t.Errorf("answers: %q", all)
	}
}

func TestTornTranscript(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "kiwi one")
	s.once(t, "kiwi one")
	s.Kill()
	f, err := os.OpenFile(s.TranscriptFile("agent:main:main"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"type":"message","id":"deadbeef","message":{"role":"assis`)
	f.Close()
	s.up(t)
	s.al.Say(bot, "kiwi two")
	s.once(t, "kiwi two")
	calls := s.model.Calls("kiwi two")
	if !strings.Contains(calls[len(calls)-1].Raw, "kiwi one") {
		t.Error("the history before the torn line is gone")
	}
}

func TestKillDuringRecovery(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "mango !hold w")
	s.calledOnce(t, "mango")
	s.Kill()
	for _, d := range []time.Duration{5, 20, 60, 150} {
		s.StartOnly()
		time.Sleep(d * time.Millisecond)
		s.Kill()
	}
	s.model.Release("w")
	s.up(t)
	s.once(t, "echo: mango")
}

func TestTermDrains(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "lime !hold w")
	s.calledOnce(t, "lime")
	done := make(chan struct{})
	go func() {
		defer close(done)
		if code, took := s.Term(30 * time.Second); code != 0 {
			t.Errorf("exit code %d after %v, want 0", code, took)
		}
	}()
	time.Sleep(500 * time.Millisecond)
	s.model.Release("w") // the running turn may end
	<-done
	s.up(t)
	s.once(t, "echo: lime")
}

func TestTermResumesWhatItCuts(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	s.al.Say(bot, "peach !hold w")
	s.calledOnce(t, "peach")
	if code, took := s.Term(40 * time.Second); code != 0 {
		t.Errorf("exit code %d after %v, want 0", code, took)
	}
	s.model.Release("w")
	s.up(t)
	s.once(t, "echo: peach")
}

// users counts the messages of people in a transcript that have word in them.
func users(lines []map[string]any, word string) (n int) {
	for _, l := range lines {
		m, _ := l["message"].(map[string]any)
		if m["role"] == "user" && strings.Contains(fmt.Sprint(m["content"]), word) {
			n++
		}
	}
	return n
}
