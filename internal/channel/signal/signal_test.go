package signal_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// network is the server as the suite sees it.
type network struct{ *signaltest.Server }

func (n network) Say(text string)  { n.Server.Say(text) }
func (network) Acked() (int, bool) { return 0, false }

func (n network) Garble() {
	for _, e := range []string{"{", "[]", "null", `{"envelope":7}`, `{"envelope":{"dataMessage":{"mentions":[{"start":-5,"length":99}],"message":"x"}}}`, strings.Repeat("x", 70_000)} {
		n.Push(e)
	}
}

func config(url, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"account":%q,"httpUrl":%q%s}`, signaltest.Bot, url, more))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: signal.Quick(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			s := signaltest.New()
			t.Cleanup(s.Close)
			return network{s}, config(s.URL, ""), msg.Address{Channel: signal.ID, Kind: msg.Direct, Peer: signaltest.Person}
		},
	})
}

// rig is a running channel and what it receives.
func rig(t *testing.T, more string) (*signaltest.Server, channel.Channel, <-chan msg.Inbound) {
	t.Helper()
	s := signaltest.New()
	t.Cleanup(s.Close)
	c, err := signal.Quick().New(channel.Env{Account: "default"}, config(s.URL, more))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan msg.Inbound, 16) // more than any test says
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(ctx, func(_ context.Context, in msg.Inbound) error { got <- in; return nil }); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return s, c, got
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

func TestReceive(t *testing.T) {
	t.Parallel()
	s, _, got := rig(t, `,"accountUuid":"99999999-e89b-12d3-a456-426614174000"`)
	s.Say("plain")
	if in := next(t, got); in.Text != "plain" || !in.Mentioned || in.At.Peer != signaltest.Person || in.From.Name != "Alice" || in.From.Username != "uuid:123e4567-e89b-12d3-a456-426614174000" {
		t.Errorf("a direct message: %+v", in)
	}
	const group = `"groupInfo":{"groupId":"AbCdEfGh12345678=","groupName":"Home","type":"DELIVER"}`
	s.Say("to all", group)
	if in := next(t, got); in.At.Kind != msg.Group || in.At.Peer != "AbCdEfGh12345678=" || in.Mentioned || in.Room.Name != "Home" {
		t.Errorf("a group message: %+v", in)
	}
	s.Say("\uFFFC and \uFFFC, hi", group, `"mentions":[{"number":"`+signaltest.Bot+`","start":0,"length":1},{"name":"Bob","number":"+15550002222","start":6,"length":1}]`)
	if in := next(t, got); in.Text != "and @Bob, hi" || !in.Mentioned {
		t.Errorf("a mention: %q, %t", in.Text, in.Mentioned)
	}
	s.Say("yes", `"quote":{"id":1796096000000,"author":"`+signaltest.Bot+`","text":"sure?"}`)
	if in := next(t, got); in.Quote == nil || !in.Quote.Self || in.Quote.Text != "sure?" || in.ReplyTo != "1796096000000" {
		t.Errorf("a quote: %+v", in.Quote)
	}
	s.Say("", `"reaction":{"emoji":"👍","targetAuthor":"`+signaltest.Bot+`","targetSentTimestamp":1796096000000}`)
	if in := next(t, got); !in.Notice || in.Text != "Alice reacted with 👍 to your message 1796096000000" {
		t.Errorf("a reaction: %+v", in)
	}
	s.Push(`{"envelope":{"sourceUuid":"123e4567-e89b-12d3-a456-426614174000","sourceName":"Hidden","timestamp":5,"dataMessage":{"message":"no number"}}}`)
	if in := next(t, got); in.From.ID != "uuid:123e4567-e89b-12d3-a456-426614174000" {
		t.Errorf("a sender without a number: %+v", in.From)
	}
	// What isn't for the agent: its own words, receipts, stories, reactions to others.
	s.Push(`{"envelope":{"sourceNumber":"` + signaltest.Bot + `","timestamp":6,"dataMessage":{"message":"mine"}}}`)
	s.Push(`{"envelope":{"sourceNumber":"+15550001111","timestamp":7,"receiptMessage":{}}}`)
	s.Push(`{"envelope":{"sourceNumber":"+15550001111","timestamp":8,"storyMessage":{},"dataMessage":{"message":"story"}}}`)
	s.Say("", `"reaction":{"emoji":"👍","targetAuthor":"+15550002222","targetSentTimestamp":1}`)
	s.Say("last")
	if in := next(t, got); in.Text != "last" {
		t.Errorf("%q was received", in.Text)
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s, c, _ := rig(t, "")
	to := msg.Address{Channel: signal.ID, Kind: msg.Direct, Peer: signaltest.Person}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "a", To: to, Text: "**bold** 😀 `code`", ReplyTo: "1796096000000"}); err != nil {
		t.Fatal(err)
	}
	p := s.Calls("send")[0].Params
	want := map[string]any{
		"account": signaltest.Bot, "message": "bold 😀 code", "recipient": []any{signaltest.Person},
		"textStyle": []any{"0:4:BOLD", "8:4:MONOSPACE"}, "quoteTimestamp": 1796096000000.0, "quoteAuthor": signaltest.Person,
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Errorf("send (-want +got):\n%s", d)
	}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "b", To: msg.Address{Channel: signal.ID, Kind: msg.Group, Peer: "AbCdEfGh12345678="}, Text: "x", Attachments: []msg.Attachment{{MIME: "text/plain", Name: "a;b.txt", Data: []byte("hi")}}}); err != nil {
		t.Fatal(err)
	}
	p = s.Calls("send")[1].Params
	if p["groupId"] != "AbCdEfGh12345678=" || fmt.Sprint(p["attachments"]) != "[data:text/plain;filename=a_b.txt;base64,aGk=]" {
		t.Errorf("to a group with a file: %v", p)
	}
	for _, tc := range []struct {
		fault signaltest.Fault
		kind  fault.Kind
		doubt bool
	}{
		{signaltest.Fault{Code: -5, Message: "Rate limit"}, fault.RateLimited, false},
		{signaltest.Fault{Code: -3, Message: "I/O"}, fault.Unavailable, false},
		{signaltest.Fault{Code: -1, Message: "nobody"}, fault.Invalid, false},
		{signaltest.Fault{Code: -1, Message: "User +1 is not registered"}, fault.Unauthenticated, false},
		{signaltest.Fault{Status: 502}, fault.Unavailable, false},
		{signaltest.Fault{Cut: true}, fault.Unavailable, true},
	} {
		s.Fail("send", tc.fault)
		_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: to, Text: "x"})
		_, doubt := errors.AsType[channel.InDoubt](err)
		if fault.KindOf(err) != tc.kind || doubt != tc.doubt {
			t.Errorf("%+v: %v", tc.fault, err)
		}
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	s, c, _ := rig(t, "")
	s.AddFile("pic", base64.StdEncoding.EncodeToString([]byte("bytes")))
	to := msg.Address{Channel: signal.ID, Kind: msg.Direct, Peer: "uuid:123e4567-e89b-12d3-a456-426614174000"}
	for _, err := range []error{
		c.(channel.Typer).Typing(t.Context(), to),
		c.(channel.Reactor).React(t.Context(), to, "1796096000000", "👍", true),
		c.(channel.Editor).Edit(t.Context(), to, "1796096000000", "new"),
		c.(channel.Deleter).Delete(t.Context(), to, "1796096000000"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if got := s.Calls("sendReaction")[0].Params; got["targetAuthor"] != "123e4567-e89b-12d3-a456-426614174000" || got["remove"] != false {
		t.Errorf("reaction: %v", got)
	}
	r, err := c.(channel.Fetcher).Fetch(t.Context(), msg.Attachment{Ref: "signal:pic"})
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := io.ReadAll(r); string(raw) != "bytes" {
		t.Errorf("fetched %q", raw)
	}
	if _, err := c.(channel.Fetcher).Fetch(t.Context(), msg.Attachment{Ref: "signal:pic", Size: 100 << 20}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a large file: %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	k := signal.Kind()
	for in, want := range map[string]string{
		"+1 (555) 000-1111": "+15550001111", "15550001111": "+15550001111", "signal:+15550001111": "+15550001111",
		"uuid:123E4567-e89b-12d3-a456-426614174000": "uuid:123e4567-e89b-12d3-a456-426614174000",
		"123e4567-e89b-12d3-a456-426614174000":      "uuid:123e4567-e89b-12d3-a456-426614174000",
		"alice":                                     "", "uuid:x": "", "+0": "", "": "",
	} {
		if got := k.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]msg.Address{
		"signal:group:AbCdEfGh12345678=": {Kind: msg.Group, Peer: "AbCdEfGh12345678="},
		"username:ann.01":                {Kind: msg.Direct, Peer: "username:ann.01"},
		"+15550001111":                   {Kind: msg.Direct, Peer: "+15550001111"},
	} {
		if got, err := k.Target(in); err != nil || got != want {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
	if _, err := k.Target("group:x y"); err == nil {
		t.Error("a broken group id was taken")
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"account":"bob"}`, `{"httpUrl":"ftp://x","account":"+15559990000"}`, `{"httpUrl":"http://u:p@x"}`, `{"enabled":true}`} {
		if _, err := signal.Kind().New(channel.Env{}, json.RawMessage(raw)); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "channels.signal") {
			t.Errorf("%s: %v", raw, err)
		}
	}
	c, err := signal.Quick().New(channel.Env{}, json.RawMessage(`{"account":"+15559990000","cliPath":"/nowhere/signal-cli"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), nil); !strings.Contains(fault.Hint(err), "install it") {
		t.Errorf("without signal-cli: %v", err)
	}
}

func FuzzInbound(f *testing.F) {
	f.Add([]byte(`{"envelope":{"sourceNumber":"+15550001111","timestamp":1,"dataMessage":{"message":"a\ufffcb","mentions":[{"start":1,"length":1}]}}}`))
	f.Add([]byte(`{"envelope":{"sourceUuid":"x","editMessage":{"dataMessage":{}}}}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { signal.Inbound(raw) })
}
