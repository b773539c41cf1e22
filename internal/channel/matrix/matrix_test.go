package matrix_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
}

type network struct{ *matrixtest.Server }

func (n network) Say(text string)    { n.Server.Say(text) }
func (n network) Acked() (int, bool) { return n.Server.Acked(), true }

func (n network) Garble() {
	n.Server.Garble("{", "[]", `{"next_batch":7}`, `<html>`)
	n.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: matrixtest.Person, Type: "m.room.message", Content: map[string]any{"msgtype": 5, "body": []any{1}}})
	n.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: matrixtest.Person, Type: "m.room.encrypted", Content: map[string]any{"algorithm": "x"}})
	n.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: "nobody", Type: "m.reaction", Content: nil})
}

func config(url, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"homeserver":%q,"accessToken":%q%s}`, url, matrixtest.Token, more))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: matrix.Quick(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			s := matrixtest.New()
			t.Cleanup(s.Close)
			return network{s}, config(s.URL, ""), msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: matrixtest.Person}
		},
	})
}

// memory is a channel's state.
type memory struct {
	mu sync.Mutex
	m  map[string]string
}

func (s *memory) env() channel.Env {
	s.m = map[string]string{}
	return channel.Env{
		Account: "default",
		State: func(_ context.Context, k string) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.m[k], nil
		},
		SetState: func(_ context.Context, k, v string) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.m[k] = v
			return nil
		},
	}
}

func rig(t *testing.T, more string) (*matrixtest.Server, channel.Channel, <-chan msg.Inbound) {
	t.Helper()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	c, err := matrix.Quick().New(new(memory).env(), config(s.URL, more))
	if err != nil {
		t.Fatal(err)
	}
	return s, c, run(t, c)
}

func run(t *testing.T, c channel.Channel) <-chan msg.Inbound {
	t.Helper()
	got := make(chan msg.Inbound, 64) // more than any test says
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(ctx, func(_ context.Context, in msg.Inbound) error { got <- in; return nil }); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return got
}

func next(t *testing.T, c <-chan msg.Inbound) msg.Inbound {
	t.Helper()
	select {
	case in := <-c:
		return in
	case <-time.After(15 * time.Second):
		t.Fatal("nothing was received")
	}
	panic("unreachable")
}

type object = map[string]any

func said(room, body string, more object) matrixtest.Event {
	c := object{"msgtype": "m.text", "body": body}
	for k, v := range more {
		c[k] = v
	}
	return matrixtest.Event{Room: room, Sender: matrixtest.Person, Type: "m.room.message", Content: c}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	s.Say("plain")
	in := next(t, got)
	if in.Text != "plain" || !in.Mentioned || in.At.Kind != msg.Direct || in.At.Peer != matrixtest.Person || in.From.Name != "Alice" {
		t.Errorf("a direct message: %+v", in)
	}
	s.Put(said(matrixtest.Group, "to all", nil))
	if in := next(t, got); in.At.Kind != msg.Group || in.At.Peer != matrixtest.Group || in.Mentioned {
		t.Errorf("a message in a room: %+v", in)
	}
	for body, want := range map[string]string{"claw: hi": "hi", "@claw hi": "hi", "@claw:test: hi": "hi"} {
		s.Put(said(matrixtest.Group, body, nil))
		if in := next(t, got); in.Text != want || !in.Mentioned {
			t.Errorf("%q is %q, mentioned %t", body, in.Text, in.Mentioned)
		}
	}
	s.Put(said(matrixtest.Group, "hi you", object{"m.mentions": object{"user_ids": []any{matrixtest.Bot}}}))
	if in := next(t, got); !in.Mentioned {
		t.Error("a mention by id isn't one")
	}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "own", To: msg.Address{Kind: msg.Group, Peer: matrixtest.Group}, Text: "mine"}); err != nil {
		t.Fatal(err)
	}
	own := s.Sent("m.room.message")[0].ID
	s.Put(said(matrixtest.Group, "> <@claw:test> mine\n\nindeed", object{"m.relates_to": object{"m.in_reply_to": object{"event_id": own}}}))
	if in := next(t, got); in.Quote == nil || !in.Quote.Self || in.Quote.Text != "mine" || in.Text != "indeed" && !strings.HasSuffix(in.Text, "indeed") {
		t.Errorf("a reply: %q, %+v", in.Text, in.Quote)
	}
	s.Put(said(matrixtest.Group, "below", object{"m.relates_to": object{"rel_type": "m.thread", "event_id": own, "is_falling_back": true, "m.in_reply_to": object{"event_id": own}}}))
	if in := next(t, got); string(in.At.Thread) != own || in.Quote != nil {
		t.Errorf("a thread: %+v", in)
	}
	s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: matrixtest.Person, Type: "m.reaction", Content: object{"m.relates_to": object{"rel_type": "m.annotation", "event_id": own, "key": "👍"}}})
	if in := next(t, got); !in.Notice || !strings.Contains(in.Text, "reacted with 👍") {
		t.Errorf("a reaction: %+v", in)
	}
	s.Put(said(matrixtest.Direct, "* fixed", object{"m.new_content": object{"msgtype": "m.text", "body": "fixed"}, "m.relates_to": object{"rel_type": "m.replace", "event_id": own}}))
	if in := next(t, got); !in.Notice || !strings.HasSuffix(in.Text, "changed an earlier message to: fixed") {
		t.Errorf("an edit: %+v", in)
	}
	url := s.AddFile("pic", []byte("bytes"))
	s.Put(said(matrixtest.Direct, "pic.png", object{"msgtype": "m.image", "url": url, "info": object{"mimetype": "image/png", "size": 5}}))
	in = next(t, got)
	if len(in.Attachments) != 1 || in.Attachments[0].MIME != "image/png" || in.Text != "" {
		t.Fatalf("a picture: %+v", in)
	}
	r, err := c.(channel.Fetcher).Fetch(t.Context(), in.Attachments[0])
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := io.ReadAll(r); string(raw) != "bytes" {
		t.Errorf("fetched %q", raw)
	}
	// What isn't for the agent: other bots' notices.
	s.Put(said(matrixtest.Direct, "beep", object{"msgtype": "m.notice"}))
	s.Say("last")
	if in := next(t, got); in.Text != "last" {
		t.Errorf("%q was received", in.Text)
	}
}

// What a limited answer leaves out is fetched, in order.
func TestGap(t *testing.T) {
	t.Parallel()
	s, _, got := rig(t, "")
	s.Say("0")
	next(t, got)
	s.Limit(2)
	s.Cut()
	for i := 1; i <= 9; i++ {
		s.Say(fmt.Sprint(i))
	}
	seen := map[string]bool{}
	for i := 1; i <= 9; {
		in := next(t, got)
		if seen[string(in.ID)] {
			continue
		}
		seen[string(in.ID)] = true
		if in.Text != fmt.Sprint(i) {
			t.Fatalf("received %q, want %d", in.Text, i)
		}
		i++
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	s.Say("hello")
	next(t, got)
	to := msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: matrixtest.Person}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "a/1", To: to, Text: "**bold** <x>\nline", ReplyTo: "$e1"}); err != nil {
		t.Fatal(err)
	}
	e := s.Sent("m.room.message")[0]
	if e.Room != matrixtest.Direct || e.Content["body"] != "bold <x>\nline" || e.Content["formatted_body"] != "<strong>bold</strong> &lt;x&gt;<br>line" {
		t.Errorf("sent: %+v", e)
	}
	if raw, _ := json.Marshal(e.Content["m.relates_to"]); string(raw) != `{"m.in_reply_to":{"event_id":"$e1"}}` {
		t.Errorf("relation %s", raw)
	}
	// The answer to the first try is lost; the second doesn't show it again.
	s.Fail("/send/", matrixtest.Fault{Cut: true, After: true})
	out := msg.Outbound{ID: "once", To: to, Text: "only once"}
	if _, err := c.Send(t.Context(), out); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a broken connection: %v", err)
	}
	if _, err := c.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(s.Shown(), "\n"), "only once"); n != 1 {
		t.Errorf("shown %d times", n)
	}
	thread := to
	thread.Thread = "$root"
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "t", To: thread, Text: "in it", Attachments: []msg.Attachment{{Name: "a.txt", MIME: "text/plain", Data: []byte("hi")}}}); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent("m.room.message")
	file := sent[len(sent)-1]
	if file.Content["msgtype"] != "m.file" || file.Content["url"] != "mxc://test/up1" {
		t.Errorf("a file: %+v", file.Content)
	}
	if raw, _ := json.Marshal(file.Content["m.relates_to"]); !strings.Contains(string(raw), `"rel_type":"m.thread"`) {
		t.Errorf("not in the thread: %s", raw)
	}
	// A person who never wrote gets a room.
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "n", To: msg.Address{Kind: msg.Direct, Peer: "@new:test"}, Text: "first"}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent("m.room.message"); !strings.HasPrefix(sent[len(sent)-1].Room, "!made") {
		t.Errorf("sent to %s", sent[len(sent)-1].Room)
	}
	for _, tc := range []struct {
		fault matrixtest.Fault
		kind  fault.Kind
	}{
		{matrixtest.Fault{Status: 429, Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slow","retry_after_ms":1500}`}, fault.RateLimited},
		{matrixtest.Fault{Status: 403, Body: `{"errcode":"M_FORBIDDEN","error":"no"}`}, fault.Forbidden},
		{matrixtest.Fault{Status: 401, Body: `{"errcode":"M_UNKNOWN_TOKEN","error":"gone"}`}, fault.Unauthenticated},
		{matrixtest.Fault{Status: 413, Body: `{"errcode":"M_TOO_LARGE","error":"big"}`}, fault.Invalid},
		{matrixtest.Fault{Status: 502, Body: `bad gateway`}, fault.Unavailable},
	} {
		s.Fail("/send/", tc.fault)
		_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: to, Text: "x"})
		if fault.KindOf(err) != tc.kind {
			t.Errorf("%d: %v", tc.fault.Status, err)
		}
		if ra, ok := errors.AsType[channel.RetryAfter](err); (tc.fault.Status == 429) != ok || ok && ra.After != 1500*time.Millisecond {
			t.Errorf("%d: retry after %v", tc.fault.Status, ra)
		}
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	s.Say("hello")
	next(t, got)
	to := msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: matrixtest.Person}
	for _, err := range []error{
		c.(channel.Typer).Typing(t.Context(), to),
		c.(channel.Reactor).React(t.Context(), to, "$e1", "👍", true),
		c.(channel.Reactor).React(t.Context(), to, "$e1", "👍", false),
		c.(channel.Editor).Edit(t.Context(), to, "$e1", "new"),
		c.(channel.Deleter).Delete(t.Context(), to, "$e1"),
		c.(channel.Pinner).Pin(t.Context(), to, "$e1", true),
		c.(channel.Prober).Probe(t.Context()),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if n := len(s.Sent("m.room.redaction")); n != 2 {
		t.Errorf("%d redactions", n)
	}
	pins, err := c.(channel.Pinner).Pins(t.Context(), to)
	if err != nil || len(pins) != 1 || pins[0].Text != "hello" {
		t.Errorf("pins %+v, %v", pins, err)
	}
	read, err := c.(channel.Reader).Read(t.Context(), to, channel.Page{Limit: 5})
	if err != nil || len(read) == 0 || read[len(read)-1].Text != "hello" {
		t.Errorf("read %+v, %v", read, err)
	}
	rooms, err := c.(channel.Directory).Groups(t.Context(), "", 10)
	if err != nil || len(rooms) != 1 || rooms[0].ID != matrixtest.Group {
		t.Errorf("rooms %+v, %v", rooms, err)
	}
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]bool{
		"": true, `,"autoJoin":"off"`: false, `,"autoJoin":"allowlist"`: false,
		`,"autoJoin":"allowlist","autoJoinAllowlist":["!new:test"]`:   true,
		`,"autoJoin":"allowlist","autoJoinAllowlist":["!other:test"]`: false,
	} {
		s, _, got := rig(t, more)
		s.Invite("!new:test")
		s.Say("after")
		next(t, got)
		if s.Joined("!new:test") != want {
			t.Errorf("%s: joined %t", more, !want)
		}
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	mem := new(memory)
	c, err := matrix.Quick().New(mem.env(), json.RawMessage(fmt.Sprintf(`{"homeserver":%q,"userId":%q,"password":%q}`, s.URL, matrixtest.Bot, matrixtest.Password)))
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, c)
	s.Say("hello")
	next(t, got)
	mem.mu.Lock()
	kept := mem.m["token"]
	mem.mu.Unlock()
	if kept != matrixtest.Token {
		t.Errorf("the token is kept as %q", kept)
	}
	bad, err := matrix.Quick().New(new(memory).env(), json.RawMessage(fmt.Sprintf(`{"homeserver":%q,"userId":%q,"password":"wrong"}`, s.URL, matrixtest.Bot)))
	if err != nil {
		t.Fatal(err)
	}
	if err := bad.Run(t.Context(), nil); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	k := matrix.Kind()
	for in, want := range map[string]string{
		"@Alice:Example.org": "@alice:example.org", "matrix:@a:b": "@a:b", "alice": "", "@alice": "", "Alice B": "", "*": "*", "": "",
	} {
		if got := k.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]msg.Address{
		"@a:b": {Kind: msg.Direct, Peer: "@a:b"}, "room:!x:y": {Kind: msg.Group, Peer: "!x:y"}, "#go:b": {Kind: msg.Group, Peer: "#go:b"},
	} {
		if got, err := k.Target(in); err != nil || got != want {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
	section := json.RawMessage(`{"groups":{"*":{"requireMention":true},"!a:b":{"requireMention":false,"users":["@x:y"]},"#off:b":{"allow":false}}}`)
	r := k.Rules(section, msg.Inbound{At: msg.Address{Peer: "!a:b"}})
	if !r.Listed || r.Disabled || *r.Mention || len(r.Allow) != 1 {
		t.Errorf("rules %+v", r)
	}
	if r := k.Rules(section, msg.Inbound{At: msg.Address{Peer: "!z:b"}, Room: msg.Room{Alias: "#off:b"}}); !r.Disabled {
		t.Errorf("rules of a room that is off: %+v", r)
	}
	if r := k.Rules(json.RawMessage(`[]`), msg.Inbound{}); !r.Others || r.Listed {
		t.Errorf("rules of what can't be read: %+v", r)
	}
}
