package channeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

func receive(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	r.net.Say("first *one*")
	r.net.Say("zweite 漢字 😀")
	got := r.received(2)
	for i, want := range []string{"first *one*", "zweite 漢字 😀"} {
		in := got[i]
		if in.Text != want {
			t.Errorf("message %d has text %q, want %q", i, in.Text, want)
		}
		if in.ID == "" || in.From.ID == "" || in.Received.IsZero() || !in.Mentioned || in.Client != nil {
			t.Errorf("message %d lacks something: %+v", i, in)
		}
		if in.At.Channel != r.suite.Kind.ID || in.At.Account != "acc" || in.At.Kind != msg.Direct || in.At.Peer != r.person.Peer {
			t.Errorf("message %d is at %+v, want %+v", i, in.At, r.person)
		}
	}
	if got[0].DedupeKey() == got[1].DedupeKey() {
		t.Errorf("two messages share the key %s", got[0].DedupeKey())
	}
}

func storeBeforeAck(t *testing.T, r *rig) {
	t.Helper()
	if _, ok := r.net.Acked(); !ok {
		t.Log("the network confirms nothing")
		return
	}
	entered, release := make(chan struct{}), make(chan struct{})
	r.onReceive(func(ctx context.Context, _ msg.Inbound) error {
		select {
		case entered <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	r.start()
	r.net.Say("hold on")
	select {
	case <-entered:
	case <-time.After(r.suite.Patience):
		t.Fatal("nothing was received")
	}
	<-time.After(100 * time.Millisecond)
	if n, _ := r.net.Acked(); n != 0 {
		t.Fatal("the message was confirmed before it was stored")
	}
	close(release)
	r.received(1)
	r.until("the confirmation", func() bool { n, _ := r.net.Acked(); return n == 1 })
}

func storeFails(t *testing.T, r *rig) {
	t.Helper()
	var tries atomic.Int32
	r.onReceive(func(_ context.Context, in msg.Inbound) error {
		if in.Text == "one" && tries.Add(1) < 3 {
			return fault.Wrap(fault.Unavailable, "test", errStore)
		}
		return nil
	})
	r.start()
	r.net.Say("one")
	r.net.Say("two")
	got := r.received(2)
	if got[0].Text != "one" || got[1].Text != "two" || tries.Load() < 3 {
		t.Errorf("received %q, %q after %d tries", got[0].Text, got[1].Text, tries.Load())
	}
}

func restartBeforeAck(t *testing.T, r *rig) {
	t.Helper()
	if _, ok := r.net.Acked(); !ok {
		t.Log("the network repeats nothing")
		return
	}
	keys := make(chan string, 16) // more tries than there are
	r.onReceive(func(_ context.Context, in msg.Inbound) error {
		select {
		case keys <- in.DedupeKey():
		default:
		}
		return errStore
	})
	stop := r.start()
	r.net.Say("again")
	first := <-keys
	stop()
	r.onReceive(nil)
	r.start()
	if got := r.received(1); got[0].Text != "again" || got[0].DedupeKey() != first {
		t.Errorf("after a restart the message is %q under %s, was under %s", got[0].Text, got[0].DedupeKey(), first)
	}
}

func send(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	r.send(msg.Outbound{ID: id.NewDelivery(), To: r.person, Text: "**hello** <you> & `me`"})
	r.until("the message to be shown", func() bool { return strings.Contains(strings.Join(r.net.Shown(), "\n"), "hello <you> & me") })
	if err := probe(t.Context(), r.ch); err != nil {
		t.Errorf("Probe = %v", err)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: r.person, Text: " \n "}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Send of nothing = %v, want kind Invalid", err)
	}
	bad := r.person
	bad.Peer = "no such\r\nperson"
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "y", To: bad, Text: "x"}); err == nil || retryable(err) {
		t.Errorf("Send to %q = %v, want a final error", bad.Peer, err)
	}
}

func probe(ctx context.Context, c channel.Channel) error {
	if p, ok := channel.As[channel.Prober](c); ok {
		return p.Probe(ctx)
	}
	return nil
}

func sendUnconnected(t *testing.T, r *rig) {
	t.Helper()
	r.net.Cut()
	c := r.build()
	ctx, cancel := context.WithTimeout(t.Context(), r.suite.Patience)
	defer cancel()
	if _, err := c.Send(ctx, msg.Outbound{ID: "x", To: r.person, Text: "early"}); err != nil && !retryable(err) {
		t.Errorf("Send before Run = %v, want none or one that may be retried", err)
	}
}

// long is a text with everything that a cut can break.
func long() string {
	var b strings.Builder
	b.WriteString("# Report\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "Status %d of the **nightly build** and the _slow_ job, see [the board](https://example.test/a_b?x=1&y=%d). ", i, i)
	}
	b.WriteString("\n\n**" + strings.Repeat("all of this is bold 漢字 😀 ", 60) + "end**\n\n```go\n")
	for i := range 80 {
		fmt.Fprintf(&b, "fmt.Println(\"row %03d <b> & done\")\n", i)
	}
	b.WriteString("```\n\n1. one\n2. two < 3\n\n> quoted\n\n" + strings.Repeat("漢", 900) + "\n\nEnd _ok_.\n")
	return b.String()
}

func sendParts(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	text := long()
	parts := split(r.ch, text)
	if len(parts) < 2 {
		t.Fatalf("split into %d parts", len(parts))
	}
	lim := r.ch.Limits()
	plain := markdown.Plain()
	var want strings.Builder
	for i, p := range parts {
		shown := markdown.Render(markdown.Parse(p), &plain)
		if n := size(lim.Unit)(shown); lim.Text > 0 && n > lim.Text {
			t.Errorf("part %d shows %d units of %d", i, n, lim.Text)
		}
		want.WriteString(shown)
	}
	for i, p := range parts {
		r.send(msg.Outbound{ID: id.NewDelivery(), To: r.person, Text: p, Part: i + 1, Parts: len(parts)})
	}
	// Some networks hide the targets of links.
	shownText := func(s string) string { return strings.ReplaceAll(letters(s), "httpsexampletestabxy", "") }
	r.until("the parts to be shown in order", func() bool { return shownText(strings.Join(r.net.Shown(), "")) == shownText(want.String()) })
	whole := markdown.Render(markdown.Parse(text), &plain)
	if letters(want.String()) != letters(whole) {
		t.Error("the parts aren't the text")
	}
	for i, s := range r.net.Shown() {
		if !utf8.ValidString(s) {
			t.Errorf("message %d isn't UTF-8: %q", i, s)
		}
	}
}

func split(c channel.Channel, text string) []string {
	if s, ok := channel.As[channel.Splitter](c); ok {
		return s.Split(text)
	}
	l := c.Limits()
	return markdown.Split(text, l.Text, markdown.Rendered(markdown.Plain(), size(l.Unit)))
}

func size(u channel.Unit) func(string) int {
	switch u {
	case channel.Bytes:
		return text.Bytes
	case channel.Runes:
		return text.Runes
	case channel.UTF16:
	}
	return text.UTF16
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

func sendOddText(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	for i, text := range []string{
		"/quit now", "a\r\nQUIT :b", "\x01VERSION\x01", "<b>&amp;</i>", "**unclosed", "```\nopen", "a\x00b", "[x](javascript:y)",
		"| a | b |\n|---|---|\n| 1 | 2 |", strings.Repeat("x", 300), ":" + strings.Repeat(" y", 20), "\xff\xfe z",
	} {
		r.send(msg.Outbound{ID: id.Delivery(fmt.Sprint("odd-", i)), To: r.person, Text: text})
	}
	r.send(msg.Outbound{ID: "after", To: r.person, Text: "afterwards"})
	r.until("the last message", func() bool { return strings.Contains(strings.Join(r.net.Shown(), "\n"), "afterwards") })
}

func reconnect(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	r.net.Say("before")
	r.received(1)
	// What isn't confirmed yet may come again.
	r.until("the confirmation", func() bool { n, ok := r.net.Acked(); return n == 1 || !ok })
	r.net.Cut()
	r.waitUp()
	r.net.Say("after")
	if got := r.received(2); got[1].Text != "after" {
		t.Errorf("received %q after a new connection", got[1].Text)
	}
	r.send(msg.Outbound{ID: id.NewDelivery(), To: r.person, Text: "still here"})
	r.until("the message to be shown", func() bool { return strings.Contains(strings.Join(r.net.Shown(), "\n"), "still here") })
}

func garbage(t *testing.T, r *rig) {
	t.Helper()
	r.start()
	r.net.Garble()
	r.net.Say("sense")
	r.until("the sensible message", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, in := range r.got {
			if in.Text == "sense" {
				return true
			}
		}
		return false
	})
}

// stop starts and stops over and over; goleak, in the channel's TestMain, sees
// what stays behind.
// panics: what goes wrong while a message is stored ends the account's connection
// at most, never the process, and the message isn't lost.
func panics(t *testing.T, r *rig) {
	t.Helper()
	r.ch = r.build()
	var once atomic.Bool
	recv := func(_ context.Context, in msg.Inbound) error {
		if once.CompareAndSwap(false, true) {
			panic("a test")
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, in)
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		again := backoff.Backoff{Policy: backoff.Policy{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond}}
		for ctx.Err() == nil { // as the host does
			_ = channel.Guard(func() error { return r.ch.Run(ctx, recv) })
			_ = again.Wait(ctx, 0)
		}
	}()
	defer func() { cancel(); <-done }()
	r.waitUp()
	r.net.Say("survives")
	if got := r.received(1); got[0].Text != "survives" {
		t.Errorf("received %+v", got)
	}
}

func stop(t *testing.T, r *rig) {
	t.Helper()
	for range 10 {
		r.start()()
	}
}

func stopWhileStoring(t *testing.T, r *rig) {
	t.Helper()
	entered := make(chan struct{}, 16) // more tries than there are
	r.onReceive(func(ctx context.Context, _ msg.Inbound) error {
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	stop := r.start()
	r.net.Say("hang")
	select {
	case <-entered:
	case <-time.After(r.suite.Patience):
		t.Fatal("nothing was received")
	}
	stop()
}

func badConfig(t *testing.T, r *rig) {
	t.Helper()
	for _, raw := range []string{`{"noSuchKey":1}`, `[]`, `{`, `null`, `{}`, `{"host":1,"botToken":1}`} {
		if _, err := r.suite.Kind.New(channel.Env{}, json.RawMessage(raw)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("New(%s) = %v, want kind Invalid", raw, err)
		}
	}
}

// retryable tells whether the outbox would try again.
func retryable(err error) bool {
	k := fault.KindOf(err)
	return k == fault.Unavailable || k == fault.RateLimited || k == fault.Timeout
}
