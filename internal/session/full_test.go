//go:build linux

package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// TestFullDisk appends while there is no room, and then again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, _, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	path := filepath.Join(r.sessions(), string(s.ID)+".jsonl")
	ok(t, os.MkdirAll(r.sessions(), 0o700))
	ok(t, os.Symlink("/dev/full", path))
	q := user("x")
	q.Key = "k"
	err = r.Append(t.Context(), s, q)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Hint(err), "free space") {
		t.Fatalf("Append = %v", err)
	}
	if n := len(r.history(t, s)); n != 0 {
		t.Errorf("%d messages that were not stored", n)
	}
	ok(t, os.Remove(path))
	ok(t, r.Append(t.Context(), s, q))
	if got := brief(r.history(t, s)); got != "user" || len(r.lines(t, s)) != 2 {
		t.Errorf("with room again: %s, %v", got, r.lines(t, s))
	}
}
