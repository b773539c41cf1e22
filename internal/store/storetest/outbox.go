package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
)

func openOutbox(t *testing.T, s Store) []outbox.Item {
	t.Helper()
	return want[[]outbox.Item](t)(s.OpenOutbound(t.Context()))
}

func due(t *testing.T, s Store, now time.Time, n int, texts ...string) {
	t.Helper()
	got := textsOf(want[[]outbox.Item](t)(s.DueOutbound(t.Context(), "irc", "default", now, n)))
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
}

func textsOf(items []outbox.Item) []string {
	var ts []string
	for _, it := range items {
		ts = append(ts, it.Out.Text)
	}
	return ts
}

func outboxOrder(t *testing.T, s Store) {
	t.Helper()
	now := time.Now()
	a1, b1, a2, other := out("alice", "a1"), out("bob", "b1"), out("alice", "a2"), out("alice", "elsewhere")
	other.To.Account = "second"
	ok(t, s.PutOutbound(t.Context(), a1, b1, a2, other))
	due(t, s, now, 10, "a1", "b1")
	due(t, s, now, 1, "a1")
	due(t, s, now, 0)
	ok(t, s.RetryOutbound(t.Context(), a1.ID, now.Add(time.Minute), "busy"))
	due(t, s, now, 10, "b1") // a2 waits behind a1
	due(t, s, now.Add(time.Hour), 10, "a1", "b1")
	ok(t, s.SendingOutbound(t.Context(), a1.ID))
	due(t, s, now, 10, "a1", "b1") // one in doubt is due at once; a2 waits behind it
	ok(t, s.SentOutbound(t.Context(), a1.ID, msg.Receipt{IDs: []id.Message{"77"}, At: now}))
	ok(t, s.FailOutbound(t.Context(), b1.ID, "blocked"))
	due(t, s, now, 10, "a2")
}

func outboxStates(t *testing.T, s Store) {
	t.Helper()
	a, b := out("alice", "a"), out("bob", "b")
	ok(t, s.PutOutbound(t.Context(), a, b))
	next := time.UnixMilli(1796071528985)
	ok(t, s.RetryOutbound(t.Context(), a.ID, next, "first"))
	ok(t, s.RetryOutbound(t.Context(), a.ID, next, "second"))
	open := openOutbox(t, s)
	if len(open) != 2 || open[0].Tries != 2 || open[0].Reason != "second" || !open[0].Next.Equal(next) || open[0].Stored.IsZero() {
		t.Errorf("open = %+v", open)
	}
	ok(t, s.FailOutbound(t.Context(), a.ID, "gave up"))
	ok(t, s.SendingOutbound(t.Context(), b.ID))
	ok(t, s.FailOutbound(t.Context(), b.ID, "gave up too"))
	failed := want[[]outbox.Item](t)(s.FailedOutbound(t.Context(), 5))
	if diff := cmp.Diff([]string{"b", "a"}, textsOf(failed)); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	if failed[0].Tries != 1 || failed[1].Tries != 2 {
		t.Errorf("tries of what failed: %d and %d, want 1 (that under way) and 2", failed[0].Tries, failed[1].Tries)
	}
	if err := s.RetryOutbound(t.Context(), a.ID, next, "x"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("retrying what was given up: %v", err)
	}
	if err := s.SendingOutbound(t.Context(), "unknown"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("sending what isn't there: %v", err)
	}
}

func outboxTwice(t *testing.T, s Store) {
	t.Helper()
	a := out("alice", "a")
	ok(t, s.PutOutbound(t.Context(), a))
	ok(t, s.SentOutbound(t.Context(), a.ID, msg.Receipt{}))
	ok(t, s.PutOutbound(t.Context(), a))
	if open := openOutbox(t, s); len(open) != 0 {
		t.Errorf("a message that was sent is open again: %+v", open)
	}
}

func finishAtomic(t *testing.T, s Store) {
	t.Helper()
	m := in("alice", "1", "x")
	put(t, s, m)
	bad := out("alice", "no id")
	bad.ID = ""
	if err := s.Finish(t.Context(), inbox.Finished{Keys: []string{m.DedupeKey()}, Outs: []msg.Outbound{out("alice", "fine"), bad}}); err == nil {
		t.Fatal("a message without an id was stored")
	}
	if len(openInbox(t, s)) != 1 || len(openOutbox(t, s)) != 0 {
		t.Error("half of a Finish that failed was kept")
	}
}

func groupFailure(t *testing.T, s Store) {
	t.Helper()
	const n = 60
	var g errgroup.Group
	for i := range n {
		g.Go(func() error {
			if i%3 != 0 {
				return s.PutOutbound(t.Context(), out("p", "x"), out("q", "y"))
			}
			if fault.KindOf(s.SendingOutbound(t.Context(), "unknown")) != fault.NotFound {
				return errors.New("no error of its own")
			}
			return nil
		})
	}
	ok(t, g.Wait())
	if open := openOutbox(t, s); len(open) != n*2/3*2 {
		t.Errorf("%d messages, want %d", len(open), n*2/3*2)
	}
}

func groupCanceled(t *testing.T, s Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.PutOutbound(ctx, out("p", "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled write: %v", err)
	}
	if len(openOutbox(t, s)) != 0 {
		t.Error("a canceled write was stored")
	}
}
