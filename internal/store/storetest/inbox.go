package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/session"
)

func put(t *testing.T, s Store, m msg.Inbound) bool {
	t.Helper()
	return want[bool](t)(s.PutInbound(t.Context(), m))
}

func openInbox(t *testing.T, s Store) []inbox.Item {
	t.Helper()
	return want[[]inbox.Item](t)(s.OpenInbound(t.Context()))
}

func keysOf(items []inbox.Item) []string {
	var ks []string
	for _, it := range items {
		ks = append(ks, it.Key)
	}
	return ks
}

func inboxFreshOnce(t *testing.T, s Store) {
	t.Helper()
	m := in("alice", "1", "hello")
	if !put(t, s, m) || put(t, s, m) {
		t.Error("a message is fresh once")
	}
	it, found, err := s.Inbound(t.Context(), m.DedupeKey())
	ok(t, err)
	if !found {
		t.Fatal("the stored message is not there")
	}
	if diff := cmp.Diff(inbox.Item{Key: m.DedupeKey(), In: m}, it); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if _, found, err := s.Inbound(t.Context(), "nobody"); err != nil || found {
		t.Errorf("Inbound(nobody) = %v, %v", found, err)
	}
}

func inboxFinish(t *testing.T, s Store) {
	t.Helper()
	var all []string
	for i := range 5 {
		m := in("alice", fmt.Sprint(9-i), "x") // not in the order of the key
		put(t, s, m)
		all = append(all, m.DedupeKey())
	}
	if diff := cmp.Diff(all, keysOf(openInbox(t, s))); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	done := inbox.Finished{Keys: all[:3], Outs: []msg.Outbound{out("alice", "answer")}, Result: []byte(`{"ok":true}`)}
	for range 2 { // the second time, as a replay would, nothing changes
		ok(t, s.Finish(t.Context(), done))
		done.Result = []byte(`{"again":1}`)
	}
	if diff := cmp.Diff(all[3:], keysOf(openInbox(t, s))); diff != "" {
		t.Errorf("open after finish (-want +got):\n%s", diff)
	}
	it, _, err := s.Inbound(t.Context(), all[0])
	ok(t, err)
	if !it.Done || string(it.Result) != `{"ok":true}` {
		t.Errorf("finished item = %+v", it)
	}
	if o := want[[]outbox.Item](t)(s.OpenOutbound(t.Context())); len(o) != 1 {
		t.Errorf("%d messages to deliver, want 1", len(o))
	}
	entry := session.Session{Key: "agent:main:main", ID: "s1", Updated: 7, Label: "kept"}
	for _, updated := range []int64{7, 8} {
		entry.Updated = updated
		ok(t, s.Finish(t.Context(), inbox.Finished{Keys: all[3:4], Session: &entry}))
	}
	got, found, err := s.Session(t.Context(), entry.Key)
	ok(t, err)
	if !found || got.Updated != 8 || got.ID != "s1" || got.Label != "kept" {
		t.Errorf("the session after its run: %+v, %v", got, found)
	}
	if byID := want[[]session.Session](t)(s.Sessions(t.Context(), session.Filter{ID: "s1"})); len(byID) != 1 {
		t.Errorf("%d sessions with the id, want 1", len(byID))
	}
	ok(t, s.Finish(t.Context(), inbox.Finished{}))
}

// Of a room the newest that came is kept, whichever was stored first.
func inboxOverheard(t *testing.T, s Store) {
	t.Helper()
	const first = 1796071528000
	for i, at := range []int64{1, 3, 0, 2} {
		m := in("alice", fmt.Sprint(i), "x")
		put(t, s, m)
		ok(t, s.Finish(t.Context(), inbox.Finished{Keys: []string{m.DedupeKey()}, Overheard: &inbox.Overheard{
			Room: "r", Sender: "al", Text: fmt.Sprint(at), At: time.UnixMilli(first + at), Most: 3,
		}}))
	}
	heard := func(room string) (texts []string, newest int64) {
		for _, o := range want[[]inbox.Overheard](t)(s.Overheard(t.Context(), room)) {
			texts, newest = append(texts, o.Text), max(newest, o.ID)
		}
		return texts, newest
	}
	got, newest := heard("r")
	if diff := cmp.Diff([]string{"1", "2", "3"}, got); diff != "" {
		t.Errorf("overheard (-want +got):\n%s", diff)
	}
	if other, _ := heard("s"); len(other) != 0 {
		t.Errorf("another room has %q", other)
	}
	ok(t, s.Finish(t.Context(), inbox.Finished{Told: inbox.Told{Room: "r", UpTo: newest}}))
	if got, _ := heard("r"); len(got) != 0 {
		t.Errorf("told, and still there: %q", got)
	}
}

func inboxPoison(t *testing.T, s Store) {
	t.Helper()
	a, b := in("alice", "1", "x"), in("alice", "2", "x")
	put(t, s, a)
	put(t, s, b)
	for n := 1; n <= 3; n++ {
		if got := want[int](t)(s.TryInbound(t.Context(), a.DedupeKey())); got != n {
			t.Errorf("tries = %d, want %d", got, n)
		}
	}
	if n := want[int](t)(s.TryInbound(t.Context(), a.DedupeKey(), b.DedupeKey(), "unknown")); n != 4 {
		t.Errorf("tries of both = %d, want 4", n)
	}
	ok(t, s.UntryInbound(t.Context(), a.DedupeKey(), b.DedupeKey(), "unknown"))
	ok(t, s.UntryInbound(t.Context(), b.DedupeKey())) // there is none left
	if n := want[int](t)(s.TryInbound(t.Context(), b.DedupeKey())); n != 1 {
		t.Errorf("tries after taking back = %d, want 1", n)
	}
	if n := want[int](t)(s.TryInbound(t.Context(), a.DedupeKey())); n != 4 {
		t.Errorf("tries after taking back = %d, want 4", n)
	}
	ok(t, s.PoisonInbound(t.Context(), a.DedupeKey(), "panics"))
	if open := openInbox(t, s); len(open) != 1 || open[0].Tries != 1 {
		t.Errorf("open = %+v", open)
	}
	bad := want[[]inbox.Item](t)(s.PoisonedInbound(t.Context()))
	if len(bad) != 1 || bad[0].Reason != "panics" || !bad[0].Done || bad[0].Tries != 4 {
		t.Errorf("poisoned = %+v", bad)
	}
	if err := s.PoisonInbound(t.Context(), "unknown", "x"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("poisoning what isn't there: %v", err)
	}
	if put(t, s, a) {
		t.Error("a poisoned message is fresh again")
	}
}

func inboxForget(t *testing.T, s Store) {
	t.Helper()
	a, b := in("alice", "1", "x"), in("alice", "2", "x")
	put(t, s, a)
	put(t, s, b)
	ok(t, s.Finish(t.Context(), inbox.Finished{Keys: []string{a.DedupeKey()}}))
	if n := want[int](t)(s.ForgetInbound(t.Context(), time.Now().Add(-time.Hour))); n != 0 {
		t.Errorf("forgot %d of the last hour", n)
	}
	if n := want[int](t)(s.ForgetInbound(t.Context(), time.Now().Add(time.Hour))); n != 1 {
		t.Errorf("forgot %d, want the done one", n)
	}
	if !put(t, s, a) || put(t, s, b) {
		t.Error("only the forgotten key is new again")
	}
}

func inboxConcurrent(t *testing.T, s Store) {
	t.Helper()
	var fresh atomic.Int32
	var g errgroup.Group
	for range 40 {
		g.Go(func() error {
			f, err := s.PutInbound(t.Context(), in("bob", "7", "same"))
			if f {
				fresh.Add(1)
			}
			return err
		})
	}
	ok(t, g.Wait())
	if n := fresh.Load(); n != 1 {
		t.Errorf("%d of 40 copies were fresh", n)
	}
}
