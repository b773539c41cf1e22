package slack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

func waitOf(err error) time.Duration {
	if r, ok := errors.AsType[channel.RetryAfter](err); ok {
		return r.After
	}
	return 0
}

func inDoubt(err error) bool {
	_, ok := errors.AsType[channel.InDoubt](err)
	return ok
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault slacktest.Fault
		kind  fault.Kind
		hint  string
		after time.Duration
		doubt bool
	}{
		{"429", slacktest.Fault{Status: 429, RetryAfter: "7"}, fault.RateLimited, "slow down", 7 * time.Second, false},
		{"429 without a time", slacktest.Fault{Status: 429}, fault.RateLimited, "slow down", time.Second, false},
		{"ratelimited", slacktest.Fault{Error: "ratelimited", RetryAfter: "3"}, fault.RateLimited, "slow down", 3 * time.Second, false},
		{"500", slacktest.Fault{Status: 500}, fault.Unavailable, "problem", 0, true},
		{"no JSON", slacktest.Fault{Body: "<html>"}, fault.Unavailable, "", 0, true},
		{"cut", slacktest.Fault{Cut: true}, fault.Unavailable, "", 0, true},
		{"fatal_error", slacktest.Fault{Error: "fatal_error"}, fault.Unavailable, "problem", 0, true},
		{"scope", slacktest.Fault{Error: "missing_scope", Needed: "chat:write"}, fault.Forbidden, "chat:write", 0, false},
		{"auth", slacktest.Fault{Error: "token_revoked"}, fault.Unauthenticated, "botToken", 0, false},
		{"archived", slacktest.Fault{Error: "is_archived"}, fault.Forbidden, "is_archived", 0, false},
		{"other", slacktest.Fault{Error: "something_new"}, fault.Invalid, "something_new", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			s.Fail("chat.postMessage", tt.fault)
			_, err := build(t, config(s, "")).ch.Send(t.Context(), msg.Outbound{ID: "x", To: to(slacktest.General, ""), Text: "x"})
			if fault.KindOf(err) != tt.kind || waitOf(err) != tt.after || inDoubt(err) != tt.doubt {
				t.Errorf("Send = %v: kind %v after %v in doubt %v", err, fault.KindOf(err), waitOf(err), inDoubt(err))
			}
			if tt.hint != "" && !strings.Contains(fault.Hint(err), tt.hint) {
				t.Errorf("hint %q lacks %q", fault.Hint(err), tt.hint)
			}
		})
	}
	s := server(t)
	if _, err := build(t, config(s, "")).ch.Send(t.Context(), msg.Outbound{ID: "x", To: to(slacktest.Elsewhere, ""), Text: "x"}); fault.KindOf(err) != fault.Forbidden || !strings.Contains(fault.Hint(err), "/invite") {
		t.Errorf("Send where the bot isn't = %v", err)
	}
}

// A message that may have been shown isn't shown again.
func TestSendInDoubt(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"textChunkLimit":20`))
	root := s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "root"})
	for _, thread := range []string{"", root} {
		s.Fail("chat.postMessage", slacktest.Fault{}, slacktest.Fault{Cut: true, Accept: true})
		out := msg.Outbound{ID: id.Delivery("d" + thread), To: to(slacktest.General, thread), Text: "one two three four five six seven eight nine"}
		if _, err := r.ch.Send(t.Context(), out); !inDoubt(err) {
			t.Fatalf("Send = %v, want one in doubt", err)
		}
		out.Doubt = true
		rec, err := r.ch.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, m := range s.Messages(slacktest.General) {
			if m.Thread == thread {
				texts = append(texts, m.Shown)
			}
		}
		if strings.Join(texts, " ") != out.Text || len(rec.IDs) != len(texts) {
			t.Errorf("shown are %q with %d ids", texts, len(rec.IDs))
		}
	}
	// Where Slack doesn't let us look, the repeat says so.
	s.Fail("conversations.history", slacktest.Fault{Error: "missing_scope", Needed: "channels:history"})
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "blind", To: to(slacktest.General, ""), Text: "x", Doubt: true}); err != nil {
		t.Fatal(err)
	}
	if got := s.Shown(); got[len(got)-1] != "(may be a repeat) x" {
		t.Errorf("shown is %q", got[len(got)-1])
	}
	s.Fail("conversations.history", slacktest.Fault{Status: 503})
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "later", To: to(slacktest.General, ""), Text: "x", Doubt: true}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Send = %v, want one that is tried again", err)
	}
}

func TestSendWhere(t *testing.T) {
	t.Parallel()
	const ts = "1700000000.000100"
	tests := []struct {
		name   string
		more   string
		out    msg.Outbound
		conv   string
		thread string
		bad    bool
	}{
		{"a person", "", msg.Outbound{To: to("u0person", "")}, slacktest.DM, "", false},
		{"a thread", "", msg.Outbound{To: to(slacktest.General, ts), ReplyTo: "1700000001.000100"}, slacktest.General, ts, false},
		{"an answer, off", "", msg.Outbound{To: to(slacktest.General, ""), ReplyTo: ts, Run: "r"}, slacktest.General, "", false},
		{"an answer, all", `,"replyToMode":"all"`, msg.Outbound{To: to(slacktest.General, ""), ReplyTo: ts, Run: "r"}, slacktest.General, ts, false},
		{"an answer, by type", `,"replyToMode":"all","replyToModeByChatType":{"direct":"off"}`, msg.Outbound{To: to(slacktest.Person, ""), ReplyTo: ts, Run: "r"}, slacktest.DM, "", false},
		{"told to answer", "", msg.Outbound{To: to(slacktest.General, ""), ReplyTo: ts}, slacktest.General, ts, false},
		{"an id that isn't Slack's", `,"replyToMode":"all"`, msg.Outbound{To: to(slacktest.General, ""), ReplyTo: "announce:v1:agent:main"}, slacktest.General, "", false},
		{"the same in a thread", "", msg.Outbound{To: to(slacktest.General, ts), ReplyTo: "announce:v1"}, slacktest.General, ts, false},
		{"a thread that isn't Slack's", "", msg.Outbound{To: to(slacktest.General, "topic-1")}, "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			tt.out.ID, tt.out.Text = "x", "x"
			_, err := build(t, config(s, tt.more)).ch.Send(t.Context(), tt.out)
			if tt.bad {
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("Send = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			m := s.Messages("")[0]
			if m.Channel != tt.conv || m.Thread != tt.thread {
				t.Errorf("sent to %s in thread %q, want %s %q", m.Channel, m.Thread, tt.conv, tt.thread)
			}
			if p := s.Calls("chat.postMessage")[0].Params; p["unfurl_links"] != "false" || p["unfurl_media"] != "false" {
				t.Errorf("previews are on: %v", p)
			}
		})
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	table := "| a | b |\n|---|---|\n| 1 | 2 |"
	for _, tt := range [][3]string{
		{"**b** _i_ ~~s~~ `c` [x](https://y.test/a|b)", "code", "*b* _i_ ~s~ `c` <https://y.test/a%7Cb|x>"},
		{"a < b & c > d <!channel> <!here|x> <@U0PERSON> <@bad x>", "code", "a &lt; b &amp; c &gt; d &lt;!channel&gt; &lt;!here|x&gt; <@U0PERSON> &lt;@bad x&gt;"},
		{"[x](javascript:alert)", "code", "x (javascript:alert)"},
		{"```\n<b>\n```", "code", "```\n&lt;b&gt;\n```"},
		{table, "code", "```\na | b\n--+--\n1 | 2\n```"},
		{table, "bullets", "• *a*: 1, *b*: 2"},
		{table, "off", "*a* | *b*\n1 | 2"},
	} {
		if got := slack.Render(tt[0], tt[1]); got != tt[2] {
			t.Errorf("Render(%q, %s) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestButtonsAndBlocks(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, ""))
	long := strings.Repeat("word ", 700)
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "b", To: to(slacktest.General, ""), Text: "Go on?\n\n" + long, Buttons: [][]msg.Button{{
		{Text: "Yes", Data: "/approve 1", Style: "primary"}, {Text: strings.Repeat("é", 90), URL: "https://x.test"}, {Text: "bad", URL: "javascript:x", Data: "d", Style: "danger"},
	}}}); err != nil {
		t.Fatal(err)
	}
	raw := string(s.Messages("")[0].Blocks)
	if !strings.Contains(raw, `"value":"/approve 1"`) || !strings.Contains(raw, `"section"`) || strings.Contains(raw, "javascript") {
		t.Errorf("blocks are %s", raw)
	}
	native := json.RawMessage(`{"blocks":[{"type":"divider"}]}`)
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "n", To: to(slacktest.General, ""), Text: "x", Native: native}); err != nil {
		t.Fatal(err)
	}
	if got := string(s.Messages("")[1].Blocks); got != `[{"type":"divider"}]` {
		t.Errorf("blocks are %s", got)
	}
	s.Fail("chat.postMessage", slacktest.Fault{Error: "invalid_blocks"})
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "f", To: to(slacktest.General, ""), Text: "the text", Native: native}); err != nil {
		t.Fatal(err)
	}
	if m := s.Messages("")[2]; len(m.Blocks) > 0 || m.Shown != "the text" {
		t.Errorf("refused blocks gave %+v", m)
	}
	for _, bad := range []string{`5`, `[5]`, `{"x":1}`, `[` + strings.Repeat(`{"type":"divider"},`, 50) + `{"type":"divider"}]`} {
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "z", To: to(slacktest.General, ""), Text: "x", Native: json.RawMessage(bad)}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send with blocks %.20s = %v", bad, err)
		}
	}
}

func TestFilesOut(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"mediaMaxMb":1`))
	out := msg.Outbound{ID: "f", To: to(slacktest.General, ""), Text: "look", Attachments: []msg.Attachment{{Name: "../a.txt", MIME: "text/plain", Data: []byte("hello"), Size: 5}, {Name: "gone.bin"}}}
	s.Fail("files.completeUploadExternal", slacktest.Fault{Accept: true, Cut: true})
	if _, err := r.ch.Send(t.Context(), out); !inDoubt(err) {
		t.Fatalf("Send = %v", err)
	}
	out.Doubt = true
	if _, err := r.ch.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range s.Messages("") {
		got = append(got, m.Shown)
		for _, f := range m.Files {
			got = append(got, f.Name+"="+string(f.Data))
		}
	}
	if d := cmp.Diff([]string{"look", "gone.bin", "", "a.txt=hello"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	out = msg.Outbound{ID: "g", To: to(slacktest.General, ""), Attachments: []msg.Attachment{{Name: "big", Data: make([]byte, 1<<20+1)}}}
	if _, err := r.ch.Send(t.Context(), out); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "1 MB") {
		t.Errorf("Send of too much = %v", err)
	}
	s.Fail("files.getUploadURLExternal", slacktest.Fault{Body: `{"ok":true,"upload_url":"http://169.254.169.254/x","file_id":"F1"}`})
	out.Attachments = []msg.Attachment{{Name: "a", Data: []byte("secret")}}
	if _, err := r.ch.Send(t.Context(), out); err == nil {
		t.Error("a file was sent to a foreign place")
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := server(t)
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a foreign server was asked") }))
	t.Cleanup(foreign.Close)
	r := running(t, config(s, `,"mediaMaxMb":1`))
	s.Write(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Files: []*slacktest.File{
		{ID: "F0GOOD", Name: "a.txt", MIME: "text/plain", Data: []byte("hello")},
		{ID: "F0BIG", Name: "big", MIME: "image/png", Data: bytes.Repeat([]byte("x"), 1<<20+1)},
		{ID: "F0EVIL", Name: "evil", URL: foreign.URL + "/x"},
		{ID: "F0META", Name: "meta", URL: "http://169.254.169.254/latest"},
		{ID: "F0FAKE", Name: "fake", URL: "https://slack.com.evil.test/x"},
		{ID: "F0USER", Name: "user", URL: "https://slack.com@evil.test/x"},
	}}, "im")
	in := r.next()
	f, _ := channel.As[channel.Fetcher](r.ch)
	rc, err := f.Fetch(t.Context(), in.Attachments[0])
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(rc); err != nil || string(b) != "hello" {
		t.Errorf("read %q, %v", b, err)
	}
	_ = rc.Close()
	big := in.Attachments[1]
	if _, err := f.Fetch(t.Context(), big); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "1 MB") {
		t.Errorf("Fetch of too much = %v", err)
	}
	for _, a := range in.Attachments[2:] {
		if _, err := f.Fetch(t.Context(), a); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("Fetch of %s = %v", a.Name, err)
		}
	}
	for _, ref := range []string{"", "slack:", "slack:../x", "telegram:F0GOOD", "/etc/passwd"} {
		if _, err := f.Fetch(t.Context(), msg.Attachment{Ref: ref}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Fetch(%q) = %v", ref, err)
		}
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, ""))
	at := to(slacktest.General, "")
	rec, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: at, Text: "first"})
	if err != nil {
		t.Fatal(err)
	}
	m := rec.IDs[0]
	message := func() slacktest.Message { return s.Messages(slacktest.General)[0] }
	ed, _ := channel.As[channel.Editor](r.ch)
	if err := ed.Edit(t.Context(), at, m, "**second** & more"); err != nil || message().Shown != "second & more" {
		t.Errorf("Edit = %v, shown %q", err, message().Shown)
	}
	if err := ed.Edit(t.Context(), at, m, strings.Repeat("x", 4001)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Edit to too much = %v", err)
	}
	if err := ed.Edit(t.Context(), at, "announce:1", "x"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Edit of no message = %v", err)
	}
	re, _ := channel.As[channel.Reactor](r.ch)
	for _, e := range []string{"👀", ":tada:", "eyes"} {
		if err := re.React(t.Context(), at, m, e, true); err != nil {
			t.Errorf("React(%s) = %v", e, err)
		}
	}
	if got := message().Reactions; len(got["eyes"]) != 1 || len(got["tada"]) != 1 {
		t.Errorf("reactions are %v", got)
	}
	if err := re.React(t.Context(), at, m, "", false); err != nil || len(message().Reactions["eyes"])+len(message().Reactions["tada"]) != 0 {
		t.Errorf("React off = %v, left %v", err, message().Reactions)
	}
	if err := re.React(t.Context(), at, m, "🦩", true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("React with a nameless character = %v", err)
	}
	pin, _ := channel.As[channel.Pinner](r.ch)
	for range 2 {
		if err := pin.Pin(t.Context(), at, m, true); err != nil {
			t.Errorf("Pin = %v", err)
		}
	}
	if got, err := pin.Pins(t.Context(), at); err != nil || len(got) != 1 || got[0].ID != m || !got[0].From.Bot {
		t.Errorf("Pins = %+v, %v", got, err)
	}
	th, _ := channel.As[channel.Threader](r.ch)
	in, err := th.Thread(t.Context(), at, "", "a topic")
	if err != nil || in.Thread == "" {
		t.Fatalf("Thread = %+v, %v", in, err)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "y", To: in, Text: "inside"}); err != nil {
		t.Fatal(err)
	}
	rd, _ := channel.As[channel.Reader](r.ch)
	texts := func(at msg.Address, p channel.Page) (out []string) {
		got, err := rd.Read(t.Context(), at, p)
		if err != nil {
			t.Error(err)
		}
		for _, x := range got {
			out = append(out, x.Text)
		}
		return out
	}
	if got := texts(at, channel.Page{}); !cmp.Equal(got, []string{"a topic", "*second* & more"}) {
		t.Errorf("Read = %q", got)
	}
	if got := texts(at, channel.Page{After: m}); !cmp.Equal(got, []string{"a topic"}) {
		t.Errorf("Read after = %q", got)
	}
	if got := texts(in, channel.Page{Limit: 1}); !cmp.Equal(got, []string{"inside"}) {
		t.Errorf("Read of a thread = %q", got)
	}
	del, _ := channel.As[channel.Deleter](r.ch)
	for range 2 {
		if err := del.Delete(t.Context(), at, m); err != nil {
			t.Errorf("Delete = %v", err)
		}
	}
}

func TestTyping(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, `,"typingReaction":"⏳"`))
	ts := s.Say("hi")
	in := r.next()
	ty, _ := channel.As[channel.Typer](r.ch)
	for range 2 {
		if err := ty.Typing(t.Context(), in.At); err != nil {
			t.Fatal(err)
		}
	}
	if c := s.Calls("reactions.add"); len(c) != 1 || c[0].Params["timestamp"] != ts || c[0].Params["name"] != "hourglass_flowing_sand" {
		t.Errorf("reactions.add was called with %+v", c)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: in.At, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if c := s.Calls("reactions.remove"); len(c) != 1 {
		t.Errorf("the reaction was taken off %d times", len(c))
	}
	in.At.Thread = id.Thread(ts)
	s.Fail("assistant.threads.setStatus", slacktest.Fault{}, slacktest.Fault{Error: "missing_scope", Needed: "assistant:write"})
	for range 4 {
		if err := ty.Typing(t.Context(), in.At); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Calls("assistant.threads.setStatus")); n != 2 {
		t.Errorf("%d calls, want none after the refusal", n)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, ""))
	root := s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "root"}, "channel")
	r.next()
	s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "go"}, "channel")
	at := r.next().At
	st, _ := channel.As[channel.Streamer](r.ch)
	write := func() channel.Stream {
		t.Helper()
		x, err := st.Stream(t.Context(), msg.Outbound{ID: "s", To: at, Text: "**a"})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Append(t.Context(), "b** c"); err != nil {
			t.Fatal(err)
		}
		return x
	}
	rec, err := write().Close(t.Context())
	if err != nil || len(rec.IDs) != 1 || s.Shown()[0] != "**ab** c" {
		t.Errorf("Close = %+v, %v; shown %q", rec, err, s.Shown())
	}
	if p := s.Calls("chat.startStream")[0].Params; p["recipient_user_id"] != slacktest.Person || p["recipient_team_id"] != slacktest.Team || p["thread_ts"] != root {
		t.Errorf("startStream with %v", p)
	}
	if err := write().Drop(t.Context()); err != nil || len(s.Messages("")) != 1 {
		t.Errorf("Drop = %v; %d messages", err, len(s.Messages("")))
	}
	// Once Slack refuses a piece, edits go on.
	s.Fail("chat.appendStream", slacktest.Fault{Error: "message_not_in_streaming_state"})
	if _, err := write().Close(t.Context()); err != nil || s.Shown()[1] != "ab c" {
		t.Errorf("Close = %v; shown %q", err, s.Shown())
	}
	if _, err := st.Stream(t.Context(), msg.Outbound{ID: "s", To: to(slacktest.General, "")}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Stream outside a thread = %v", err)
	}
	s.Fail("chat.startStream", slacktest.Fault{Error: "missing_scope", Needed: "assistant:write"})
	n := len(s.Calls("chat.startStream"))
	for range 2 {
		if _, err := st.Stream(t.Context(), msg.Outbound{ID: "s", To: at}); err == nil {
			t.Error("Stream works without its scope")
		}
	}
	if got := len(s.Calls("chat.startStream")) - n; got != 1 {
		t.Errorf("asked %d times", got)
	}
}

// An agent's own controls show where they are turned on; what is chosen is told
// in words, so that none of them is a command.
func TestInteractiveReplies(t *testing.T) {
	t.Parallel()
	s := server(t)
	const source = "Ship it?\n\n[[slack_buttons: Approve:/approve all, Reject]]\n[[slack_select: Where to | Canary:canary, Production:prod]]"
	off := build(t, config(s, ""))
	if _, err := off.ch.Send(t.Context(), msg.Outbound{ID: "o", To: to(slacktest.General, ""), Text: source}); err != nil {
		t.Fatal(err)
	}
	if m := s.Messages("")[0]; !strings.Contains(m.Shown, "slack_buttons") || len(m.Blocks) > 0 {
		t.Errorf("turned off, it shows %q with blocks %s", m.Shown, m.Blocks)
	}
	r := running(t, config(s, `,"capabilities":{"interactiveReplies":true}`))
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "i", To: to(slacktest.General, ""), Text: source}); err != nil {
		t.Fatal(err)
	}
	m := s.Messages("")[1]
	for _, want := range []string{`"Ship it?"`, `"/approve all"`, `"static_select"`, `"Where to"`, `"prod"`} {
		if !strings.Contains(string(m.Blocks), want) {
			t.Errorf("blocks %s lack %s", m.Blocks, want)
		}
	}
	if m.Shown != "Ship it?" {
		t.Errorf("shown is %q", m.Shown)
	}
	ed, _ := channel.As[channel.Editor](r.ch)
	if err := ed.Edit(t.Context(), to(slacktest.General, ""), id.Message(m.TS), "done"); err != nil || string(s.Messages("")[1].Blocks) != "[]" {
		t.Errorf("Edit = %v, blocks %s", err, s.Messages("")[1].Blocks)
	}
	s.Push("interactive", object{
		"type": "block_actions", "user": object{"id": slacktest.Person}, "channel": object{"id": slacktest.General}, "message": object{"ts": m.TS},
		"actions": []object{{"action_id": "ocr_0", "value": "/approve all", "action_ts": "1.1"}},
	})
	if in := r.next(); in.Text != "Slack interaction: Al chose /approve all" || !in.Native {
		t.Errorf("received %+v", in)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "many", To: to(slacktest.General, ""), Text: "x [[slack_buttons: " + strings.Repeat("a,", 30) + "b]]"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Messages("")[2]; !strings.Contains(got.Shown, "slack_buttons") {
		t.Errorf("too many buttons show %q", got.Shown)
	}
}
