package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
}

// network is a channel whose Send the test scripts.
type network struct {
	mu   sync.Mutex
	sent []string
	fail []error // for the next sends, in order
	keys bool    // takes idempotency keys
	hold chan struct{}
}

func (n *network) Run(ctx context.Context, _ channel.Receiver) error { <-ctx.Done(); return nil }
func (n *network) Limits() channel.Limits                            { return channel.Limits{Idempotent: n.keys} }

func (n *network) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	if n.hold != nil {
		select {
		case <-n.hold:
		case <-ctx.Done():
			return msg.Receipt{}, ctx.Err()
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.fail) > 0 {
		err := n.fail[0]
		n.fail = n.fail[1:]
		if err != nil {
			return msg.Receipt{}, err
		}
	}
	n.sent = append(n.sent, out.Text)
	return msg.Receipt{At: time.Now()}, nil
}

func (n *network) got() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.sent...)
}

type box struct {
	*outbox.Outbox
	db     *store.DB
	mu     sync.Mutex
	failed []string
}

func open(t *testing.T, dir string) *box {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b := &box{db: db}
	b.Outbox = &outbox.Outbox{
		Store: db, Bus: event.NewBus(), Log: slog.New(slog.DiscardHandler), Delay: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond},
		Failed: func(_ context.Context, out msg.Outbound, _ string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.failed = append(b.failed, out.Text)
		},
	}
	return b
}

func to(text string) msg.Outbound {
	return msg.Outbound{To: msg.Address{Channel: "net", Account: "default", Kind: msg.Direct, Peer: "al"}, Text: text}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("not in time: ", what)
}

var busy = fault.New(fault.Unavailable, "net", "busy")

func TestOrderAndRetry(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	defer b.db.Close()
	n := &network{fail: []error{busy, nil, busy, busy}}
	detach := b.Attach(t.Context(), "net", "default", n)
	defer detach()
	var outs []msg.Outbound
	for i := range 5 {
		outs = append(outs, to(fmt.Sprint(i)))
	}
	if err := b.Send(t.Context(), outs...); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	if got := n.got(); len(got) != 0 {
		t.Fatalf("sent %v before the account was connected", got)
	}
	b.Ready("net", "default", true)
	until(t, "all are sent", func() bool { return len(n.got()) == 5 })
	if got := strings.Join(n.got(), ""); got != "01234" {
		t.Errorf("order %s; a failed message must hold back those behind it", got)
	}
}

func TestGivenUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		fail []error
	}{
		{"five tries", []error{busy, busy, busy, busy, busy}},
		{"refused for good", []error{fault.New(fault.Invalid, "net", "no such chat")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, t.TempDir())
			defer b.db.Close()
			n := &network{fail: tc.fail}
			defer b.Attach(t.Context(), "net", "default", n)()
			b.Ready("net", "default", true)
			if err := b.Send(t.Context(), to("x"), to("y")); err != nil {
				t.Fatal(err)
			}
			until(t, "the next message is sent", func() bool { return len(n.got()) == 1 })
			if n.got()[0] != "y" {
				t.Errorf("sent %v", n.got())
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.failed) != 1 || b.failed[0] != "x" {
				t.Errorf("told as failed: %v", b.failed)
			}
			items, err := b.db.FailedOutbound(t.Context(), 10)
			if err != nil || len(items) != 1 || items[0].Out.Text != "x" {
				t.Errorf("listed as failed: %+v, %v", items, err)
			}
		})
	}
}

// A stop while a message is at the network leaves it in doubt: it is sent
// again with a mark, or with its key where the network takes one.
func TestInDoubt(t *testing.T) {
	t.Parallel()
	for _, keys := range []bool{false, true} {
		t.Run(fmt.Sprint("keys=", keys), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := open(t, dir)
			n := &network{keys: keys, hold: make(chan struct{})}
			detach := b.Attach(t.Context(), "net", "default", n)
			b.Ready("net", "default", true)
			if err := b.Send(t.Context(), to("hello")); err != nil {
				t.Fatal(err)
			}
			until(t, "it is at the network", func() bool {
				open, err := b.db.OpenOutbound(t.Context())
				return err == nil && len(open) == 1 && open[0].State == outbox.Sending
			})
			detach()
			b.db.Close()

			b = open(t, dir)
			defer b.db.Close()
			n.hold = nil
			defer b.Attach(t.Context(), "net", "default", n)()
			b.Ready("net", "default", true)
			until(t, "it is sent", func() bool { return len(n.got()) == 1 })
			want := "(may be a repeat) hello"
			if keys {
				want = "hello"
			}
			if got := n.got()[0]; got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	}
}

func TestSendWaitTells(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	defer b.db.Close()
	if err := b.SendWait(t.Context(), to("x")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a channel: %v", err)
	}
	b.Delay = []time.Duration{300 * time.Millisecond} // the caller hears of the first attempt before the second
	n := &network{fail: []error{nil, busy}}
	defer b.Attach(t.Context(), "net", "default", n)()
	if err := b.SendWait(t.Context(), to("early")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("before it is connected: %v", err)
	}
	b.Ready("net", "default", true)
	until(t, "the stored one goes out", func() bool { return len(n.got()) == 1 })
	if err := b.SendWait(t.Context(), to("first")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a failed attempt: %v", err)
	}
	until(t, "it is tried again", func() bool { return len(n.got()) == 2 })
	named := to("once")
	named.ID = "send-key"
	for range 3 { // the caller repeats itself
		if err := b.SendWait(t.Context(), named); err != nil {
			t.Errorf("a named message: %v", err)
		}
	}
	if got := n.got(); len(got) != 3 {
		t.Errorf("sent %v", got)
	}
}
