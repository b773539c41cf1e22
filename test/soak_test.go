package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// What 2,000 turns and 200 restarts of channel accounts may leave behind. A
// leak of one thing per turn or restart is far above each of these.
const (
	soakTurns    = 2000
	soakAccounts = 10
	soakRounds   = 20 // each restarts all accounts

	slackGoroutines = 20
	slackFiles      = 12
	slackThreads    = 8
	slackMemory     = 24 << 10 // KiB of memory that isn't a file's: room for the collector, which gives all back shortly after the start
)

// soak is a gateway with many accounts on a real IRC server.
type soak struct {
	*harness.Gateway
	irc *harness.IRCServer
}

// nick is the name of account i in a round.
func nick(i, round int) string { return fmt.Sprintf("bot%dr%d", i, round) }

func accountsOf(irc *harness.IRCServer, round int) map[string]any {
	section := irc.Config("unused")["irc"].(map[string]any) //nolint:forcetypeassert // our own
	accounts := map[string]any{}
	for i := range soakAccounts {
		accounts[fmt.Sprint("a", i)] = map[string]any{"enabled": true, "nick": nick(i, round), "username": nick(i, round)}
	}
	delete(section, "nick")
	delete(section, "username")
	section["accounts"] = accounts
	return map[string]any{"irc": section}
}

// restart changes the section of every account and waits until all are back.
func (s *soak) restart(t *testing.T, round int) {
	t.Helper()
	path := filepath.Join(s.Dir, "openclaw.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cfg map[string]any
	if err := json.Unmarshal(raw, &cfg); err != nil {
		t.Fatal(err)
	}
	cfg["channels"] = accountsOf(s.irc, round)
	if raw, err = json.Marshal(cfg); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s.online(t, round)
}

func (s *soak) online(t *testing.T, round int) {
	t.Helper()
	for i := range soakAccounts {
		s.irc.Online(t, nick(i, round))
	}
}

// turns makes n turns over a few sessions, eight at a time.
func (s *soak) turns(t *testing.T, from, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := from + w; i < from+n; i += 8 {
				word := fmt.Sprint("word", i)
				status, body := s.HTTP("POST", "/v1/chat/completions", map[string]any{
					"model": "openclaw", "user": fmt.Sprint("u", i%40), "messages": []any{map[string]any{"role": "user", "content": word}},
				})
				if status != 200 || !strings.Contains(body, word) {
					t.Errorf("turn %d: %d %s", i, status, body)
					return
				}
			}
		})
	}
	wg.Wait()
}

// held is what a process holds.
type held struct{ files, threads, memory int }

func (s *soak) held(t *testing.T) held {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", s.PID())
	raw, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) (n int) {
		_, rest, _ := strings.Cut(string(raw), "\n"+name+":")
		if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	h := held{threads: field("Threads"), memory: field("RssAnon"), files: field("FDSize")}
	if fds, err := os.ReadDir(proc + "fd"); err == nil { // closed to us where we aren't root: the size of the table must do
		h.files = len(fds)
	}
	return h
}

// goroutines ends the gateway with the signal that makes it list them.
func (s *soak) goroutines(t *testing.T) int {
	t.Helper()
	log := filepath.Join(filepath.Dir(s.Dir), "gateway.log")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	pid := s.PID()
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, within, "the gateway ends", func() bool { return syscall.Kill(pid, 0) != nil })
	s.Kill()
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(raw[len(before):]), "\ngoroutine ")
}

// settled waits until what the last turns left has gone.
func (s *soak) settled(t *testing.T) held {
	t.Helper()
	h := s.held(t)
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		now := s.held(t)
		h.files, h.threads, h.memory = min(h.files, now.files), min(h.threads, now.threads), min(h.memory, now.memory)
	}
	return h
}

// TestNothingGrows takes 2,000 turns and restarts channel accounts 200 times.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Log("what a process holds is read from /proc, which this system doesn't have")
		return
	}
	s := &soak{irc: harness.NewIRC(t)}
	model := harness.NewModel(t)
	s.Gateway = harness.New(t, model.URL, map[string]any{"channels": accountsOf(s.irc, 0)})
	up := func() {
		s.Start()
		s.online(t, 0)
	}

	up()
	s.turns(t, 0, 40) // the sessions
	base := s.goroutines(t)

	up()
	warm := soakTurns / 4
	s.turns(t, 0, warm)
	s.restart(t, 1)
	start := s.settled(t)
	var wg sync.WaitGroup
	wg.Go(func() { s.turns(t, warm, soakTurns-warm) })
	for round := 2; round <= soakRounds; round++ {
		s.restart(t, round)
	}
	wg.Wait()
	end := s.settled(t)
	goroutines := s.goroutines(t)

	t.Logf("goroutines %d, then %d; before %+v, after %+v", base, goroutines, start, end)
	for _, x := range []struct {
		what            string
		from, to, slack int
	}{
		{"goroutines", base, goroutines, slackGoroutines},
		{"open files", start.files, end.files, slackFiles},
		{"threads", start.threads, end.threads, slackThreads},
		{"KiB of memory", start.memory, end.memory, slackMemory},
	} {
		if x.to > x.from+x.slack {
			t.Errorf("%s grew from %d to %d, at most %d more", x.what, x.from, x.to, x.slack)
		}
	}
	if base == 0 {
		t.Error("the gateway listed no goroutines")
	}
}
