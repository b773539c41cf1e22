package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openclaw-go/openclaw/internal/store"
)

// A copy of a state directory names no file of the one that it was made of,
// whoever had it before, except where it has none of its own.
func TestACopyIsAtHome(t *testing.T) {
	t.Parallel()
	const index = `{
		"agent:main:main": {"sessionId": "a", "updatedAt": 2, "sessionFile": "/elsewhere/agents/main/sessions/a.jsonl"},
		"agent:main:topic": {"sessionId": "b", "updatedAt": 1, "sessionFile": "/elsewhere/agents/main/sessions/b-topic-7.jsonl"},
		"agent:main:lost": {"sessionId": "c", "updatedAt": 1, "sessionFile": "/elsewhere/agents/main/sessions/c.jsonl"},
		"agent:main:none": {"sessionId": "d", "updatedAt": 1}
	}`
	dir := t.TempDir()
	put(t, dir, sessionsPath, index)
	put(t, dir, "agents/main/sessions/a.jsonl", "")
	put(t, dir, "agents/main/sessions/b-topic-7.jsonl", "")
	check := func(dir string) {
		t.Helper()
		sessions := filepath.Join(dir, "agents", "main", "sessions")
		want := map[string]any{
			"agent:main:main": filepath.Join(sessions, "a.jsonl"), "agent:main:topic": filepath.Join(sessions, "b-topic-7.jsonl"),
			"agent:main:lost": "/elsewhere/agents/main/sessions/c.jsonl", "agent:main:none": nil,
		}
		for key, entry := range read(t, dir, sessionsPath).(map[string]any) {
			if got := entry.(map[string]any)["sessionFile"]; got != want[key] {
				t.Errorf("%s is in %v, want %v", key, got, want[key])
			}
		}
	}
	with(t, dir, func(*store.DB) {})
	check(dir)

	moved := filepath.Join(t.TempDir(), "moved")
	ok(t, os.CopyFS(moved, os.DirFS(dir)))
	with(t, moved, func(d *store.DB) {
		s, _, err := d.Session(t.Context(), "agent:main:main")
		ok(t, err)
		if filepath.Dir(s.SessionFile) != filepath.Join(moved, "agents", "main", "sessions") {
			t.Errorf("the database of the copy says %q", s.SessionFile)
		}
	})
	ok(t, os.Chmod(filepath.Join(moved, filepath.FromSlash(sessionsPath)), 0o600))
	check(moved)
}
