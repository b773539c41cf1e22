package config_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched is a running watcher.
type watched struct {
	file    config.File
	store   *config.Store
	watcher *config.Watcher
	ports   chan int
	bad     chan []config.Problem
	log     *lines
}

type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func watch(t *testing.T, text string, poll time.Duration) *watched {
	t.Helper()
	f := file(t, text)
	f.Load.LastGood = true
	l, err := config.Load(t.Context(), f.Paths, f.Load)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{file: f, store: config.NewStore(l.Config), ports: make(chan int, 100), bad: make(chan []config.Problem, 100), log: new(lines)}
	w.watcher = &config.Watcher{
		Paths: f.Paths, Load: f.Load, Debounce: 5 * time.Millisecond, Grace: 150 * time.Millisecond, Poll: poll,
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		err := w.watcher.Watch(t.Context(), w.store,
			func(_, now *config.Config) { w.ports <- now.Gateway.Port },
			func(ps []config.Problem) { w.bad <- ps })
		if err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(wg.Wait) // the context of the test has ended by then
	return w
}

func (w *watched) wantPort(t *testing.T, want int) {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case got := <-w.ports:
			if got == want && w.store.Current().Gateway.Port == want {
				return
			}
		case <-timeout:
			t.Fatalf("port %d never came; log:\n%s", want, w.log)
		}
	}
}

func (w *watched) wantProblem(t *testing.T) []config.Problem {
	t.Helper()
	select {
	case got := <-w.bad:
		return got
	case <-time.After(10 * time.Second):
		t.Fatalf("no problem was reported; log:\n%s", w.log)
		return nil
	}
}

func TestWatch(t *testing.T) { // CFG-04, F-46
	t.Parallel()
	w := watch(t, `{ gateway: { port: 1 } }`, time.Hour)
	path := w.file.Paths.Config

	if _, err := w.file.Set(t.Context(), "gateway.port", []byte("2")); err != nil {
		t.Fatal(err)
	}
	w.wantPort(t, 2)

	// Half a file, then the rest, in less than the grace.
	write(t, path, `{ gateway: { po`)
	write(t, path, `{ gateway: { port: 3 } }`)
	w.wantPort(t, 3)
	if len(w.bad) > 0 {
		t.Errorf("a half-written file was reported: %v", <-w.bad)
	}

	for _, text := range []string{
		`{ gateway: { po`, `{ gateway: { port: 4 }, bogus: 1 }`, `{ gateway: { port: "x" } }`,
		`{ gateway: { port: 4, auth: { token: { source: "env", provider: "default", id: "bad" } } } }`, `{ gateway: { port: 4 }, channels: { nosuch: {} } }`,
	} {
		write(t, path, text)
		ps := w.wantProblem(t)
		if len(ps) == 0 || ps[0].Line == 0 || ps[0].File != path {
			t.Fatalf("%s: problems = %v", text, ps)
		}
		if got := w.store.Current().Gateway.Port; got != 3 {
			t.Errorf("%s took effect: port = %d", text, got)
		}
		if len(w.watcher.Problems()) == 0 || !strings.Contains(w.log.String(), "the version in memory stays in force") {
			t.Errorf("%s isn't on record", text)
		}
		if got := read(t, path); got != text {
			t.Errorf("the watcher rewrote the file: %s", got)
		}
	}

	for i := 10; i < 30; i++ { // twenty quick writes: the last one wins
		write(t, path, fmt.Sprintf("{ gateway: { port: %d } }", i))
	}
	w.wantPort(t, 29)
	if ps := w.watcher.Problems(); len(ps) > 0 {
		t.Errorf("still on record: %v", ps)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for len(w.wantProblem(t)) == 0 { // the mending comes first
	}
	if got := w.store.Current().Gateway.Port; got != 29 {
		t.Errorf("a missing file took effect: port = %d", got)
	}
}

func TestWatchIncludedFileAndPolling(t *testing.T) {
	t.Parallel()
	w := watch(t, `{ gateway: { port: 1 } }`, 10*time.Millisecond)
	dir := filepath.Join(w.file.Paths.State, "parts")
	write(t, filepath.Join(dir, "gw.json5"), `{ port: 5 }`)
	write(t, w.file.Paths.Config, `{ gateway: { $include: "./parts/gw.json5" } }`)
	w.wantPort(t, 5)
	write(t, filepath.Join(dir, "gw.json5"), `{ port: 66 }`)
	w.wantPort(t, 66)
}

func TestLastGood(t *testing.T) { // F-47
	t.Parallel()
	const good = `{ gateway: { port: 7, bind: "loopback", auth: { token: "${GW_TOKEN}" } }, channels: { telegram: { allowFrom: [1], dmPolicy: "allowlist" } } }`
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"no JSON5":         {`{`, true},
		"empty file":       {``, true},
		"unknown key":      {strings.Replace(good, "port: 7", "port: 7, bogus: 1", 1), true},
		"wrong type":       {strings.Replace(good, "port: 7", `port: "7"`, 1), true},
		"token changed":    {strings.Replace(strings.Replace(good, "${GW_TOKEN}", "new", 1), "port: 7", `port: "7"`, 1), false},
		"token wrong type": {strings.Replace(good, `"${GW_TOKEN}"`, "5", 1), false},
		"bind unknown":     {strings.Replace(good, `"loopback"`, `"everywhere"`, 1), false},
		"somebody taken":   {strings.Replace(strings.Replace(good, "[1]", "[2]", 1), "port: 7", `port: "7"`, 1), false},
		"policy misspelt":  {strings.Replace(good, `"allowlist"`, `"alowlist"`, 1), false},
		"list gone":        {strings.Replace(strings.Replace(good, "allowFrom: [1], ", "", 1), "port: 7", `port: "7"`, 1), false},
		"no object":        {`[]`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := file(t, good)
			f.Load.LastGood = true
			if _, err := config.Load(t.Context(), f.Paths, f.Load); err != nil {
				t.Fatal(err)
			}
			copied := read(t, f.Paths.LastGood())
			if strings.Contains(copied, "token-from-env") {
				t.Error("the copy holds a resolved secret")
			}
			write(t, f.Paths.Config, test.text)
			l, err := config.Load(t.Context(), f.Paths, f.Load)
			if (err == nil) != test.ok {
				t.Fatalf("Load: %v, want ok = %v", err, test.ok)
			}
			if read(t, f.Paths.Config) != test.text || read(t, f.Paths.LastGood()) != copied {
				t.Error("a file was rewritten")
			}
			if !test.ok {
				return
			}
			if !l.LastGood || len(l.Problems) == 0 || l.Config.Gateway.Port != 7 || l.Config.Paths.Config != f.Paths.Config {
				t.Errorf("LastGood = %v, %d problems, port %d", l.LastGood, len(l.Problems), l.Config.Gateway.Port)
			}
			f.Load.LastGood = false
			if _, err := config.Load(t.Context(), f.Paths, f.Load); err == nil {
				t.Error("the command line fell back")
			}
		})
	}
}
