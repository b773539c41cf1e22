package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// A process that restarts because it was asked to leaves a note. The next one
// tells the session that asked, once.
func TestRestartNote(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	note := `{"version":1,"payload":{"kind":"config-patch","status":"ok","ts":1,"sessionKey":"agent:main:main","message":"port changed","doctorHint":"x","stats":{"mode":"config.patch","root":"/x"}}}`
	path := filepath.Join(g.Dir, "restart-sentinel.json")
	if err := os.WriteFile(path, []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Start()
	for _, word := range []string{"first", "second"} {
		if code, out := run(t, g, 20*time.Second, "agent", "--agent", "main", "-m", word+" question"); code != 0 {
			t.Fatalf("%d: %s", code, out)
		}
	}
	calls := m.Calls("question")
	if len(calls) < 2 {
		t.Fatalf("%d model calls", len(calls))
	}
	last := calls[0].Messages[len(calls[0].Messages)-1].Text()
	if !strings.Contains(last, "The gateway restarted (config-patch: ok). port changed") {
		t.Errorf("the agent isn't told: %q", last)
	}
	if n := strings.Count(calls[1].Raw, "The gateway restarted"); n != 1 {
		t.Errorf("told %d times", n)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the note is still there")
	}
}
