package telegram_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

// TG-01: a conflict ends nothing and is shown, sending works meanwhile, and a
// restart in a long poll never makes two polls of one bot.
func TestFaultConflict(t *testing.T) {
	t.Parallel()
	s := server(t)
	conflict := telegramtest.Fault{Status: 409, Description: "Conflict: terminated by other getUpdates request"}
	s.Fail("getUpdates", conflict, conflict, conflict)
	k := kind()
	r := build(t, k, config(s, "")).start()
	for range 3 {
		if err := wait(t, r.status, "a conflict"); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.Hint(err), "stop it") {
			t.Errorf("status %v", err)
		}
		if err := sendTo(t, r.ch); err != nil {
			t.Errorf("Send in a conflict = %v", err)
		}
	}
	if err := wait(t, r.status, "a connection"); err != nil {
		t.Errorf("status after the conflicts %v", err)
	}
	polls := func() int { return len(s.Calls("getUpdates")) }
	for range 3 {
		n := polls()
		next := build(t, k, config(s, ""))
		next.start() // while the other one is in a long poll
		r.stop()
		r = next
		wait(t, r.status, "a connection")
		eventually(t, "a poll", func() bool { return polls() > n })
	}
	refused := 0
	for _, c := range s.Calls("getUpdates") {
		if c.Status == 409 {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d polls were refused, want only the 3 told to be", refused)
	}
	s.Say("hi")
	wait(t, r.got, "a message")
}

// TG-02: what makes the receiver panic is offered again a few times, is then
// set aside and holds up nothing; what wasn't stored is offered after a
// restart, and what was isn't.
func TestFaultPoison(t *testing.T) {
	t.Parallel()
	for _, hook := range []bool{false, true} {
		s := server(t)
		section := config(s, "")
		if hook {
			section = config(s, hooked)
		}
		r := build(t, kind(), section)
		panics := 0
		var stored []string
		r.recv = func(_ context.Context, in msg.Inbound) error {
			if in.Text == "poison" {
				panics++
				panic("can't cope")
			}
			stored = append(stored, in.Text)
			r.got <- in
			return nil
		}
		r.start()
		words := []string{"one", "poison", "two"}
		if hook {
			url := pushed(t, s, r)
			for i, w := range words {
				for tries := 0; ; tries++ {
					status, err := telegramtest.Deliver(t.Context(), url, "s3cret", update(int64(i+1), fmt.Sprintf(`"text":%q`, w)))
					if err == nil && status == 200 {
						break
					}
					if tries > 20 {
						t.Fatalf("%s is never confirmed: %d, %v", w, status, err)
					}
				}
			}
		} else {
			for _, w := range words {
				s.Say(w)
			}
		}
		for _, w := range []string{"one", "two"} {
			if in := wait(t, r.got, w); in.Text != w {
				t.Errorf("webhook %v: received %q, want %q", hook, in.Text, w)
			}
		}
		if !hook {
			eventually(t, "all to be confirmed", func() bool { return s.Acked() == 3 })
		}
		r.stop()
		if d := cmp.Diff([]string{"one", "two"}, stored); d != "" || panics != 3 {
			t.Errorf("webhook %v: %d panics; %s", hook, panics, d)
		}
		if !strings.Contains(r.state["aside"], "poison") {
			t.Errorf("webhook %v: set aside %q", hook, r.state["aside"])
		}
	}

	// Killed between the two.
	s := server(t)
	r := build(t, kind(), config(s, ""))
	block := make(chan struct{})
	r.recv = func(ctx context.Context, in msg.Inbound) error {
		if in.Text == "two" {
			close(block)
			<-ctx.Done()
			return ctx.Err()
		}
		r.got <- in
		return nil
	}
	r.start()
	s.Say("one")
	s.Say("two")
	wait(t, r.got, "the first")
	wait(t, block, "the second")
	r.stop()
	next := build(t, kind(), config(s, ""))
	next.state = r.state
	next.start()
	if in := wait(t, next.got, "what wasn't stored"); in.Text != "two" {
		t.Errorf("after the restart %q is received", in.Text)
	}
	select {
	case in := <-next.got:
		t.Errorf("after the restart %q is received as well", in.Text)
	case <-time.After(200 * time.Millisecond):
	}
}
