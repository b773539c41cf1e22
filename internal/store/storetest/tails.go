package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/session"
)

// tails are kept in order with the end of a run, and dropped up to a mark.
func tails(t *testing.T, s Store) {
	ctx := t.Context()
	if mark, err := s.TailMark(ctx); err != nil || mark != 0 {
		t.Fatalf("mark of nothing: %d, %v", mark, err)
	}
	one := session.Tail{Session: "a", Path: "/s/a.jsonl", At: 0, Data: []byte("{\"x\":\"ü\"}\n")}
	two := session.Tail{Session: "b", Path: "/s/b.jsonl", At: 900, Data: []byte("line\n")}
	if err := s.Finish(ctx, inbox.Finished{Tail: one}); err != nil {
		t.Fatal(err)
	}
	mark, err := s.TailMark(ctx)
	if err != nil || mark == 0 {
		t.Fatalf("mark: %d, %v", mark, err)
	}
	if err := s.Finish(ctx, inbox.Finished{Tail: two}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tails(ctx); err != nil || cmp.Diff([]session.Tail{one, two}, got) != "" {
		t.Errorf("tails: %v, %s", err, cmp.Diff([]session.Tail{one, two}, got))
	}
	if err := s.DropTails(ctx, mark); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tails(ctx); err != nil || cmp.Diff([]session.Tail{two}, got) != "" {
		t.Errorf("after a drop: %v, %s", err, cmp.Diff([]session.Tail{two}, got))
	}
}
