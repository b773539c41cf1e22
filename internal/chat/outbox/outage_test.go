package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/store"
)

// MSG-02: after an outage what is too old isn't sent, of too much for one chat
// only the latest is, and the chat is told once.
func TestAfterAnOutage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ago := time.Duration(0)
	db, err := store.Open(t.Context(), store.Options{StateDir: dir, Now: func() time.Time { return time.Now().Add(-ago) }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b := &outbox.Outbox{Store: db, Bus: event.NewBus(), Log: slog.New(slog.DiscardHandler)}
	put := func(age time.Duration, peer, text string, part int) {
		t.Helper()
		ago = age
		o := to(text)
		o.ID, o.To.Peer, o.Part = id.Delivery(text), id.Peer(peer), part
		if err := db.PutOutbound(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	put(50*time.Hour, "old", "very old", 0)
	put(time.Hour, "old", "old but fine", 0)
	for i := range 25 {
		part := 0
		if i == 4 || i == 5 || i == 6 {
			part = i - 3 // the three parts of one text, which the bound would cut
		}
		put(time.Hour, "many", fmt.Sprint("m", i), part)
	}
	put(time.Minute, "few", "f1", 0)
	ago = 0
	n := &network{}
	defer b.Attach(t.Context(), "net", "default", n)()
	b.Ready("net", "default", true)
	until(t, "all is sent", func() bool {
		open, err := db.OpenOutbound(t.Context())
		return err == nil && len(open) == 0
	})
	var told, rest []string
	for _, s := range n.got() {
		if strings.HasPrefix(s, "⚠️") {
			_, s, _ = strings.Cut(s, ". ")
			told = append(told, s)
		} else if !strings.HasPrefix(s, "m") {
			rest = append(rest, s)
		}
	}
	if d := cmp.Diff([]string{
		"One message for you waited too long and was not sent; ask me again if you still need an answer.",
		"7 messages for you waited too long and were not sent; ask me again if you still need an answer.",
	}, told); d != "" {
		t.Error(d)
	}
	if len(n.got()) != 18+2+2 || !cmp.Equal(len(rest), 2) {
		t.Errorf("sent %q", n.got())
	}
	b.Ready("net", "default", false)
	b.Ready("net", "default", true)
	b.Flush(t.Context(), time.Second)
	if len(n.got()) != 22 {
		t.Errorf("a second return sends %q", n.got()[22:])
	}
}

// editable is a network whose messages can be changed and taken back.
type editable struct {
	network
	edit error
	log  []string
}

func (e *editable) Edit(_ context.Context, _ msg.Address, m id.Message, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log = append(e.log, fmt.Sprint("edit ", m, " ", text))
	return e.edit
}

func (e *editable) Delete(_ context.Context, _ msg.Address, m id.Message) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log = append(e.log, fmt.Sprint("delete ", m))
	return nil
}

func TestTheAnswerTakesThePlaceOfItsPreview(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		edit error
		want []string // of the log
		sent []string
	}{
		"changed":      {"hi", nil, []string{"edit p1 hi"}, nil},
		"refused":      {"hi", fault.New(fault.Invalid, "net", "too old"), []string{"edit p1 hi", "delete p1"}, []string{"hi"}},
		"nothing left": {"", nil, []string{"delete p1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, t.TempDir())
			defer b.db.Close()
			n := &editable{edit: tc.edit}
			defer b.Attach(t.Context(), "net", "default", n)()
			b.Ready("net", "default", true)
			o := to(tc.text)
			o.Edit = "p1"
			if err := b.SendWait(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, n.log); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.sent, n.got()); d != "" {
				t.Error(d)
			}
		})
	}
}

// A message that waits for its time holds back those behind it to the same
// person, and nobody else's.
func TestAMessageWaitsForItsTime(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	defer b.db.Close()
	n := &network{}
	defer b.Attach(t.Context(), "net", "default", n)()
	b.Ready("net", "default", true)
	late, behind, other := to("late"), to("behind"), to("other")
	late.After = time.Now().Add(300 * time.Millisecond)
	other.To.Peer = "bo"
	if err := b.Send(t.Context(), late, behind, other); err != nil {
		t.Fatal(err)
	}
	until(t, "all are sent", func() bool { return len(n.got()) == 3 })
	if got := strings.Join(n.got(), " "); got != "other late behind" || time.Now().Before(late.After) {
		t.Errorf("sent %s", got)
	}
}
