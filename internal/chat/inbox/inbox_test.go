package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
}

type box struct {
	*inbox.Inbox
	db *store.DB

	mu      sync.Mutex
	batches []string // the texts of each hand-over, joined by +
	fail    int      // how many hand-overs fail
	aside   []string
}

func open(t *testing.T, dir string, debounce time.Duration) *box {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b := &box{db: db}
	b.Inbox = &inbox.Inbox{
		Store: db, Bus: event.NewBus(), Log: slog.New(slog.DiscardHandler), Debounce: func(msg.Inbound) time.Duration { return debounce },
		Handle: func(_ context.Context, items []inbox.Item) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.fail > 0 {
				b.fail--
				return errors.New("not now")
			}
			var texts []string
			for _, it := range items {
				texts = append(texts, it.In.Text)
			}
			b.batches = append(b.batches, strings.Join(texts, "+"))
			return nil
		},
		Poisoned: func(_ context.Context, it inbox.Item, _ string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.aside = append(b.aside, it.In.Text)
		},
	}
	return b
}

func (b *box) close(t *testing.T) {
	t.Helper()
	b.Close()
	if err := b.db.Close(); err != nil {
		t.Error(err)
	}
}

func (b *box) got() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.batches, " ")
}

func from(who, key, text string) msg.Inbound {
	return msg.Inbound{
		ID: id.Message(key), Text: text, Received: time.Now(), From: msg.Sender{ID: id.Peer(who)},
		At: msg.Address{Channel: "net", Account: "default", Kind: msg.Direct, Peer: id.Peer(who)},
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("not in time: ", what)
}

func TestOnceAndInOrder(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 0)
	defer b.close(t)
	for i := range 20 {
		for range 2 { // the network delivers twice
			if err := b.Accept(t.Context(), from("al", fmt.Sprint(i), fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"
	until(t, "all are handed over", func() bool { return len(b.got()) >= len(want) })
	if got := b.got(); got != want {
		t.Errorf("handed over %s", got)
	}
}

func TestDebounce(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 150*time.Millisecond)
	defer b.close(t)
	for i, text := range []string{"one", "two", "/status", "three"} {
		if err := b.Accept(t.Context(), from("al", fmt.Sprint(i), text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Accept(t.Context(), from("bob", "9", "mine")); err != nil {
		t.Fatal(err)
	}
	until(t, "all are handed over", func() bool { return strings.Contains(b.got(), "three") && strings.Contains(b.got(), "mine") })
	got := strings.ReplaceAll(strings.ReplaceAll(b.got(), " mine", ""), "mine ", "")
	if got != "one+two /status three" {
		t.Errorf("handed over %q, want the first two together and the command at once", got)
	}
}

// A sender who never pauses is heard all the same.
func TestDebounceHasAnEnd(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 60*time.Millisecond)
	defer b.close(t)
	for i := 0; b.got() == ""; i++ {
		if i > 100 {
			t.Fatal("nothing was handed over while the sender went on")
		}
		if err := b.Accept(t.Context(), from("al", fmt.Sprint(i), "x")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestRecoverHandsOnWhatIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, time.Hour) // never ripe
	for i := range 3 {
		if err := b.Accept(t.Context(), from("al", fmt.Sprint(i), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	b.close(t)
	b = open(t, dir, time.Hour)
	defer b.close(t)
	if n, err := b.Recover(t.Context()); n != 3 || err != nil {
		t.Fatalf("Recover = %d, %v", n, err)
	}
	until(t, "all are handed over", func() bool { return b.got() == "0 1 2" })
}

func TestAClosedInboxStillStores(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 0)
	b.Close()
	if err := b.Accept(t.Context(), from("al", "1", "late")); err != nil {
		t.Fatal(err)
	}
	open, err := b.db.OpenInbound(t.Context())
	if err != nil || len(open) != 1 || b.got() != "" {
		t.Errorf("open %+v, %v, handed over %q", open, err, b.got())
	}
	if err := b.db.Close(); err != nil {
		t.Error(err)
	}
}

// A message that ends the process each time it is taken up is set aside at the
// sixth start.
func TestPoison(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, time.Hour)
	if err := b.Accept(t.Context(), from("al", "1", "bad")); err != nil {
		t.Fatal(err)
	}
	b.close(t)
	for start := 1; start <= 6; start++ {
		b = open(t, dir, 0)
		if _, err := b.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.batches)+len(b.aside) > 0
		}
		until(t, "it is taken up", done)
		if aside := len(b.aside) > 0; aside != (start == 6) {
			t.Errorf("start %d: set aside %v", start, aside)
		}
		b.close(t) // without Finish, as a crash would
	}
	b = open(t, dir, 0)
	defer b.close(t)
	if open, err := b.db.OpenInbound(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("still open: %+v, %v", open, err)
	}
	if list, err := b.db.PoisonedInbound(t.Context()); err != nil || len(list) != 1 || list[0].Reason == "" {
		t.Errorf("listed: %+v, %v", list, err)
	}
}
