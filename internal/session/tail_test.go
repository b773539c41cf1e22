package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

// tails is a store of tails for one test.
type tails struct {
	mu   sync.Mutex
	rows []session.Tail
	gone int64
}

func (s *tails) put(t session.Tail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, t)
}

func (s *tails) Tails(context.Context) ([]session.Tail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]session.Tail(nil), s.rows...), nil
}

func (s *tails) TailMark(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rows) == 0 {
		return 0, nil
	}
	return s.gone + int64(len(s.rows)), nil
}

func (s *tails) DropTails(_ context.Context, upTo int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.gone = s.rows[upTo-s.gone:], upTo
	return nil
}

// turns writes n turns whose ends are kept, and returns the file.
func turns(t *testing.T, r *rig, kept *tails, n int) (s session.Session, path string) {
	t.Helper()
	r.Tails = kept
	s, _, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	for range n {
		ok(t, r.Append(t.Context(), s, llm.Message{Role: llm.User, Content: llm.Content{llm.Text("a question")}}))
		tail, fits := r.Tail(s.ID)
		if !fits || len(tail.Data) == 0 {
			t.Fatalf("tail %v, fits %t", tail, fits)
		}
		kept.put(tail)
		r.Kept(tail)
		if again, _ := r.Tail(s.ID); len(again.Data) != 0 {
			t.Errorf("%d bytes are kept twice", len(again.Data))
		}
	}
	return s, filepath.Join(r.sessions(), string(s.ID)+".jsonl")
}

// What a file lost when the host went down is put back, whatever is left of
// it; nothing that stands there is touched.
func TestRestore(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, path string, whole string){
		"nothing":  func(*testing.T, string, string) {},
		"the file": func(t *testing.T, path, _ string) { ok(t, os.Remove(path)) },
		"the end":  func(t *testing.T, path, whole string) { ok(t, os.Truncate(path, int64(len(whole)/2))) },
		"to zeros": func(t *testing.T, path, whole string) {
			ok(t, os.WriteFile(path, []byte(whole[:len(whole)-40]+strings.Repeat("\x00", 40)), 0o600))
		},
		"all of it": func(t *testing.T, path, _ string) { ok(t, os.Truncate(path, 0)) },
	} {
		r, kept := newRig(t), &tails{}
		_, path := turns(t, r, kept, 3)
		raw, err := os.ReadFile(path)
		ok(t, err)
		lose(t, path, string(raw))
		r.restart() // without a Close: the process is gone
		r.Tails = kept
		ok(t, r.Restore(t.Context()))
		if got, _ := os.ReadFile(path); string(got) != string(raw) {
			t.Errorf("lost %s: the file is\n%q, want\n%q", name, got, raw)
		}
		if n := len(kept.rows); n != 0 {
			t.Errorf("lost %s: %d tails are kept on", name, n)
		}
	}
}

// A transcript that was compacted or reset after its end was kept isn't
// touched.
func TestRestoreLeavesAlone(t *testing.T) {
	t.Parallel()
	r, kept := newRig(t), &tails{}
	s, path := turns(t, r, kept, 4)
	_, _, err := r.Compact(t.Context(), s, 2)
	ok(t, err)
	want, err := os.ReadFile(path)
	ok(t, err)
	r.restart()
	r.Tails = kept
	ok(t, r.Restore(t.Context()))
	if got, _ := os.ReadFile(path); string(got) != string(want) {
		t.Errorf("a compacted transcript became\n%q, want\n%q", got, want)
	}

	r, kept = newRig(t), &tails{}
	_, path = turns(t, r, kept, 1)
	_, err = r.Reset(t.Context(), mainKey, "new")
	ok(t, err)
	r.restart()
	r.Tails = kept
	ok(t, r.Restore(t.Context()))
	if _, err := os.Stat(path); err == nil {
		t.Error("a reset transcript came back")
	}
}

// Close puts everything on the disk, after which no tail is needed.
func TestCloseSettles(t *testing.T) {
	t.Parallel()
	r, kept := newRig(t), &tails{}
	turns(t, r, kept, 2)
	ok(t, r.Close())
	if n := len(kept.rows); n != 0 {
		t.Errorf("%d tails are left", n)
	}
}

// A long end isn't kept: it is synced.
func TestLongTail(t *testing.T) {
	t.Parallel()
	r, kept := newRig(t), &tails{}
	s, _ := turns(t, r, kept, 1)
	ok(t, r.Append(t.Context(), s, llm.Message{Role: llm.User, Content: llm.Content{llm.Text(strings.Repeat("x", 100_000))}}))
	if _, fits := r.Tail(s.ID); fits {
		t.Error("100 kB fit")
	}
	ok(t, r.Sync(t.Context(), s.ID))
	if tail, fits := r.Tail(s.ID); !fits || len(tail.Data) != 0 {
		t.Errorf("after a sync: %d bytes, fits %t", len(tail.Data), fits)
	}
}
