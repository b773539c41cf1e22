package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A long transcript is read in pieces; what is damaged in the middle costs its
// own line, and a torn end is cut off, as in a short one.
func TestLongTranscript(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := long(t, r, 4000)
	path := filepath.Join(r.sessions(), string(s.ID)+".jsonl")
	raw, err := os.ReadFile(path)
	ok(t, err)
	lines := strings.SplitAfter(string(raw), "\n")
	lines[1001] = "garbage\n" // the header is line 0, so it is the question 1000
	ok(t, os.WriteFile(path, []byte(strings.Join(lines, "")+`{"type":"message","id":"0000ffff","par`), 0o600))
	r.restart()
	got := r.history(t, s)
	if len(got) != 3999 {
		t.Fatalf("%d messages, want 3999", len(got))
	}
	if got[999].Role != "assistant" || got[1000].Role != "assistant" || got[1000].Calls()[0].ID != "call_1001" {
		t.Errorf("the neighbours of the damaged line are %v and %v", got[999].Role, got[1000].Content)
	}
	if last := got[3998]; last.Text() != strings.Repeat("some words of a message ", 8) {
		t.Errorf("the last message is %q", last.Text())
	}
	if after := r.lines(t, s); len(after) < 4000 || strings.Contains(after[len(after)-1], "0000ffff") {
		t.Error("the torn end is still there")
	}
}
