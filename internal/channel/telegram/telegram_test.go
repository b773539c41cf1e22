package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/telegram"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kind is telegram.Kind with short waits.
func kind() channel.Kind {
	k := telegram.Kind()
	build := k.New
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		c, err := build(env, raw)
		if err != nil {
			return nil, err
		}
		return telegram.Hurry(c), nil
	}
	return k
}

func server(t *testing.T) *telegramtest.Server {
	t.Helper()
	s := telegramtest.New()
	t.Cleanup(s.Close)
	return s
}

func config(s *telegramtest.Server, more string) json.RawMessage {
	return json.RawMessage(`{"botToken":"` + s.Token + `","apiRoot":"` + s.URL + `"` + more + `}`)
}

// network is the suite's view of the server.
type network struct{ *telegramtest.Server }

func (n network) Say(text string)    { n.Server.Say(text) }
func (n network) Acked() (int, bool) { return n.Server.Acked(), true }
func (n network) Garble() {
	n.Fail("getUpdates", telegramtest.Fault{Status: 200, Body: "<html>"}, telegramtest.Fault{Status: 200, Body: `{"ok":true,"result":{"x":1}}`},
		telegramtest.Fault{Status: 502, Body: "bad gateway"}, telegramtest.Fault{Cut: true})
	n.Push(`{"message":{"message_id":"text","chat":[]}}`)
	n.Push(`{"message":{}}`)
	n.Push(`{"poll":{"id":"1"}}`)
	n.Push(`{"message":{"message_id":1,"chat":{"id":7,"type":"private"},"from":{"id":7},"entities":[{"type":"mention","offset":-5,"length":99999999}],"text":"` + `\ud800 odd"}}`)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: kind(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			s := server(t)
			return network{s}, config(s, ""), msg.Address{Channel: "telegram", Account: "acc", Kind: msg.Direct, Peer: "7"}
		},
	})
}

// rig is a running bot.
type rig struct {
	t      *testing.T
	ch     channel.Channel
	got    chan msg.Inbound
	status chan error
	done   chan error
	cancel context.CancelFunc
	log    *bytes.Buffer
	recv   channel.Receiver // nil sends to got

	mu    sync.Mutex
	state map[string]string
}

func build(t *testing.T, k channel.Kind, raw json.RawMessage) *rig {
	t.Helper()
	return buildAs(t, k, "default", raw)
}

func buildAs(t *testing.T, k channel.Kind, account id.Account, raw json.RawMessage) *rig {
	t.Helper()
	r := &rig{
		t: t, got: make(chan msg.Inbound, 256), status: make(chan error, 256), done: make(chan error, 1), // more than any test needs
		log: new(bytes.Buffer), state: map[string]string{}, cancel: func() {},
	}
	var err error
	r.ch, err = k.New(channel.Env{
		Account: account, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Log: slog.New(slog.NewTextHandler(lock{&r.mu, r.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		State: func(_ context.Context, k string) (string, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.state[k], nil
		},
		SetState: func(_ context.Context, k, v string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.state[k] = v
			return nil
		},
		Status: func(err error) { r.status <- err },
	}, raw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type lock struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lock) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (r *rig) start() *rig {
	recv := r.recv
	if recv == nil {
		recv = func(_ context.Context, in msg.Inbound) error { r.got <- in; return nil }
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.done <- r.ch.Run(ctx, recv)
	}()
	r.t.Cleanup(func() { cancel(); <-finished })
	return r
}

func (r *rig) stop() {
	r.cancel()
	wait(r.t, r.done, "Run to end")
}

func wait[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(15 * time.Second):
		t.Fatalf("waited in vain for %s", what)
	}
	panic("unreachable")
}

func (r *rig) none() {
	r.t.Helper()
	select {
	case in := <-r.got:
		r.t.Errorf("received %+v as well", in)
	case <-time.After(300 * time.Millisecond):
	}
}

// The recorded album: three pictures over two polls, an edit, and the same
// group id in another chat.
func TestAlbum(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/album.json")
	if err != nil {
		t.Fatal(err)
	}
	var album struct {
		Batch1 []json.RawMessage `json:"batch1"`
		Batch2 []json.RawMessage `json:"batch2_after_300ms"`
		Batch3 []json.RawMessage `json:"batch3_after_500ms"`
	}
	if err := json.Unmarshal(raw, &album); err != nil {
		t.Fatal(err)
	}
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	if err := wait(t, r.status, "a connection"); err != nil {
		t.Fatal(err)
	}
	for _, batch := range [][]json.RawMessage{album.Batch1, album.Batch2, album.Batch3} {
		for _, u := range batch {
			s.Push(string(u))
		}
		<-time.After(60 * time.Millisecond) // a third of the window that the test has
	}
	byChat := map[string]msg.Inbound{}
	for range 2 {
		in := wait(t, r.got, "an album")
		byChat[string(in.At.Peer)] = in
	}
	r.none()
	in := byChat["7"]
	if in.Text != "which of these THREE is best?" || len(in.Attachments) != 3 || in.ID != "101" {
		t.Errorf("chat 7 gets %+v", in)
	}
	for i, want := range []string{"telegram:f101", "telegram:f102", "telegram:f103"} {
		if i < len(in.Attachments) && in.Attachments[i].Ref != want {
			t.Errorf("picture %d is %s, want %s", i, in.Attachments[i].Ref, want)
		}
	}
	if in := byChat["8"]; len(in.Attachments) != 1 || in.ID != "201" {
		t.Errorf("chat 8 gets %+v", in)
	}
	s.Push(strings.Replace(string(album.Batch3[0]), `"update_id": 5`, `"update_id": 6`, 1)) // too late: ignored
	s.Say("next")
	if in := wait(t, r.got, "the next message"); in.Text != "next" {
		t.Errorf("after a late edit %+v is received", in)
	}
	if n := len(s.Calls("getFile")); n != 0 {
		t.Errorf("%d files were asked for before anybody was let in", n)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	push := func(more string) msg.Inbound {
		t.Helper()
		s.Push(`{"message":{"message_id":5,"date":1700000000,"from":{"id":9,"first_name":"Bo","last_name":"Li","username":"bo"},` +
			`"chat":{"id":-1001,"type":"supergroup","title":"T"` + more + `}}`)
		return wait(t, r.got, more)
	}
	tests := []struct {
		name, more string
		text       string
		mentioned  bool
		thread     string
	}{
		{"plain", `},"text":"hi all"`, "hi all", false, ""},
		{"mention", `},"text":"😀 @Claw_Bot hi","entities":[{"type":"mention","offset":3,"length":9}]`, "😀 @Claw_Bot hi", true, ""},
		{"another's mention", `},"text":"@claw_bots hi","entities":[{"type":"mention","offset":0,"length":10}]`, "@claw_bots hi", false, ""},
		{"text mention", `},"text":"Claw hi","entities":[{"type":"text_mention","offset":0,"length":4,"user":{"id":424242}}]`, "Claw hi", true, ""},
		{"reply to us", `},"text":"yes","reply_to_message":{"message_id":3,"from":{"id":424242}}`, "yes", true, ""},
		{"our command", `},"text":"/status@claw_bot now","entities":[{"type":"bot_command","offset":0,"length":16}]`, "/status now", true, ""},
		{"another's command", `},"text":"/status@other","entities":[{"type":"bot_command","offset":0,"length":13}]`, "/status@other", false, ""},
		{"topic", `,"is_forum":true},"message_thread_id":77,"is_topic_message":true,"text":"t"`, "t", false, "77"},
		{"general topic", `,"is_forum":true},"text":"g"`, "g", false, "1"},
		{"thread of replies", `},"message_thread_id":77,"text":"r"`, "r", false, ""},
		{"location", `},"location":{"latitude":1.5,"longitude":2}`, "[location 1.50000, 2.00000]", false, ""},
		{"sticker", `},"sticker":{"emoji":"😀"}`, "[sticker 😀]", false, ""},
	}
	for _, tt := range tests {
		in := push(tt.more)
		if in.Text != tt.text || in.Mentioned != tt.mentioned || string(in.At.Thread) != tt.thread {
			t.Errorf("%s: received %q, mentioned %v, thread %q", tt.name, in.Text, in.Mentioned, in.At.Thread)
		}
		if in.At.Kind != msg.Group || in.At.Peer != "-1001" || in.From.ID != "9" || in.From.Name != "Bo Li" || in.From.Username != "bo" {
			t.Errorf("%s: received at %+v from %+v", tt.name, in.At, in.From)
		}
	}
	s.Push(`{"message":{"message_id":6,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":9},"new_chat_members":[]}}`) // says nothing
	s.Push(`{"message":{"message_id":7,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":424242},"text":"our own"}}`)
	s.Push(`{"message":{"message_id":8,"chat":{"id":-1001,"type":"group"},"from":{"id":1087968824,"is_bot":true},"sender_chat":{"id":-1001,"title":"T"},"text":"anonymous"}}`)
	if in := wait(t, r.got, "the anonymous message"); in.Text != "anonymous" || in.From.ID != "admins:-1001" || in.From.Bot {
		t.Errorf("received %+v", in)
	}
}

// The recorded long reply: every part is accepted, in order, nothing is lost.
func TestLongReply(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/long.md")
	if err != nil {
		t.Fatal(err)
	}
	s := server(t)
	r := build(t, kind(), config(s, ""))
	parts := r.ch.(channel.Splitter).Split(string(raw))
	s.Fail("sendMessage", telegramtest.Fault{}, telegramtest.Fault{Status: 400, Description: "Bad Request: can't parse entities: whatever"})
	for _, p := range parts {
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: msg.Address{Peer: "tg:7"}, Text: p}); err != nil {
			t.Fatal(err)
		}
	}
	shown := s.Shown()
	if len(shown) != len(parts) || len(parts) < 3 {
		t.Errorf("%d parts are shown as %d", len(parts), len(shown))
	}
	all := strings.Join(shown, "\n")
	for i := range 70 {
		if row := fmt.Sprintf(`row %03d <b> & done`, i); strings.Count(all, row) != 1 {
			t.Errorf("%q is shown %d times", row, strings.Count(all, row))
		}
	}
	calls := s.Calls("sendMessage")
	if len(calls) != len(parts)+1 || calls[1].Status != 400 || calls[2].Params["parse_mode"] != nil || calls[3].Params["parse_mode"] != "HTML" {
		t.Error("not just the refused part was sent again as plain text")
	}
	if o, _ := calls[0].Params["link_preview_options"].(map[string]any); o["is_disabled"] != true {
		t.Error("link previews aren't disabled")
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, ""))
	send := func(to string) error {
		_, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: address(to), Text: "x"})
		return err
	}
	for _, tt := range []struct {
		name  string
		fault telegramtest.Fault
		kind  fault.Kind
	}{
		{"slow down", telegramtest.Fault{Status: 429, Description: "Too Many Requests: retry after 7", Parameters: `{"retry_after":7}`}, fault.RateLimited},
		{"blocked", telegramtest.Fault{Status: 403, Description: "Forbidden: bot was blocked by the user"}, fault.Forbidden},
		{"bad gateway", telegramtest.Fault{Status: 502, Body: "<html>"}, fault.Unavailable},
		{"cut", telegramtest.Fault{Cut: true}, fault.Unavailable},
		{"not found", telegramtest.Fault{Status: 400, Description: "Bad Request: chat not found"}, fault.NotFound},
		{"token revoked", telegramtest.Fault{Status: 401, Description: "Unauthorized"}, fault.Unauthenticated},
		{"something else", telegramtest.Fault{Status: 400, Description: "Bad Request: odd \x1b[31m" + s.Token}, fault.Invalid},
	} {
		s.Fail("sendMessage", tt.fault)
		err := send("7")
		if fault.KindOf(err) != tt.kind {
			t.Errorf("%s: Send = %v, want kind %d", tt.name, err, tt.kind)
		}
		if err != nil && (strings.Contains(err.Error(), s.Token) || strings.ContainsRune(err.Error(), 0x1b)) {
			t.Errorf("%s: Send = %q", tt.name, err)
		}
		if tt.kind == fault.RateLimited {
			if d := retryAfter(err); d != 7*time.Second {
				t.Errorf("%s: the delay is %v", tt.name, d)
			}
		}
	}
	if n := len(s.Shown()); n != 0 {
		t.Errorf("%d messages are shown", n)
	}
	s.Fail("sendMessage", telegramtest.Fault{Status: 400, Description: "Bad Request: group chat was upgraded to a supergroup chat", Parameters: `{"migrate_to_chat_id":-100777}`})
	for range 2 {
		if err := send("-777"); err != nil {
			t.Errorf("Send to a group that moved = %v", err)
		}
	}
	calls := s.Calls("sendMessage")
	for _, c := range calls[len(calls)-2:] {
		if fmt.Sprint(c.Params["chat_id"]) != "-100777" {
			t.Errorf("after a move a message goes to %v", c.Params["chat_id"])
		}
	}
	for _, to := range []string{"", "x", "0", "@a b", "7; drop"} {
		if err := send(to); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send to %q = %v", to, err)
		}
	}
}

// The other methods reach the API with what it wants.
func TestActions(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, `,"replyToMode":"all"`)).ch
	to := msg.Address{Peer: "-1001", Thread: "77"}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: to, Text: "a", ReplyTo: "5", Attachments: []msg.Attachment{
		{Name: "p.png", MIME: "image/png", Data: []byte("png")}, {Name: "f.txt", Data: []byte("text")}, {Name: "elsewhere.bin"},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		c.(channel.Typer).Typing(t.Context(), to),
		c.(channel.Editor).Edit(t.Context(), to, "5", "**new**"),
		c.(channel.Reactor).React(t.Context(), to, "5", "👍", true),
		c.(channel.Deleter).Delete(t.Context(), to, "5"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	s.Fail("editMessageText", telegramtest.Fault{Status: 400, Description: "Bad Request: message is not modified"})
	if err := c.(channel.Editor).Edit(t.Context(), to, "5", "same"); err != nil {
		t.Errorf("Edit to the same = %v", err)
	}
	for method, want := range map[string]string{
		"sendMessage":        `{"chat_id":-1001,"link_preview_options":{"is_disabled":true},"message_thread_id":77,"parse_mode":"HTML","reply_parameters":{"allow_sending_without_reply":true,"message_id":5},"text":"a"}`,
		"sendPhoto":          `{"chat_id":"-1001","message_thread_id":"77","photo":"p.png"}`,
		"sendDocument":       `{"chat_id":"-1001","document":"f.txt","message_thread_id":"77"}`,
		"sendChatAction":     `{"action":"typing","chat_id":-1001,"message_thread_id":77}`,
		"editMessageText":    `{"chat_id":-1001,"link_preview_options":{"is_disabled":true},"message_id":5,"parse_mode":"HTML","text":"\u003cb\u003enew\u003c/b\u003e"}`,
		"setMessageReaction": `{"chat_id":-1001,"message_id":5,"reaction":[{"emoji":"👍","type":"emoji"}]}`,
		"deleteMessage":      `{"chat_id":-1001,"message_id":5}`,
	} {
		calls := s.Calls(method)
		if len(calls) == 0 {
			t.Errorf("%s wasn't called", method)
			continue
		}
		if got, _ := json.Marshal(calls[0].Params); string(got) != want {
			t.Errorf("%s got\n%s, want\n%s", method, got, want)
		}
	}
	if shown := s.Shown(); len(shown) != 2 || shown[1] != "elsewhere.bin" {
		t.Errorf("shown %q", shown)
	}
}

// 409 never ends polling, and is told; 401 ends it.
func TestConflictAndToken(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.SetWebhook()
	conflict := telegramtest.Fault{Status: 409, Description: "Conflict: terminated by other getUpdates request"}
	s.Fail("getUpdates", conflict, conflict, conflict)
	r := build(t, kind(), config(s, "")).start()
	for range 3 {
		if err := wait(t, r.status, "a conflict"); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.Hint(err), "another program") {
			t.Errorf("status = %v", err)
		}
	}
	if err := wait(t, r.status, "a connection"); err != nil {
		t.Errorf("status after the conflicts = %v", err)
	}
	s.Say("hi")
	wait(t, r.got, "a message")
	s.Fail("getUpdates", telegramtest.Fault{Status: 429, Parameters: `{"retry_after":1}`, Description: "Too Many Requests"})
	s.Say("two")
	before := time.Now()
	wait(t, r.status, "the loss")
	if err := wait(t, r.status, "a connection"); err != nil || time.Since(before) < 500*time.Millisecond {
		t.Errorf("after 429 polling goes on at once: %v", err)
	}
	s.Fail("getUpdates", telegramtest.Fault{Status: 401, Description: "Unauthorized"})
	s.Say("three")
	if err := wait(t, r.done, "Run to end"); fault.KindOf(err) != fault.Unauthenticated || strings.Contains(err.Error(), s.Token) {
		t.Errorf("with a revoked token Run = %v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(r.log.String(), s.Token) {
		t.Error("the token is in the log")
	}
	if strings.Count(r.log.String(), "409") > 1 {
		t.Errorf("the same conflict is logged again and again:\n%s", r.log)
	}
}

// One account waits for its own earlier connection, as a reload leaves it.
func TestOnePoller(t *testing.T) {
	t.Parallel()
	s := server(t)
	k := kind()
	a := build(t, k, config(s, "")).start()
	wait(t, a.status, "a connection")
	b := build(t, k, config(s, "")).start()
	s.Say("one")
	wait(t, a.got, "a message")
	a.stop()
	if err := wait(t, b.status, "the second to connect"); err != nil {
		t.Error(err)
	}
	s.Say("two")
	in := wait(t, b.got, "a message")
	if in.Text == "one" { // the first may have stopped before it confirmed it
		in = wait(t, b.got, "the next message")
	}
	if in.Text != "two" {
		t.Errorf("the second connection received %q", in.Text)
	}
	for _, c := range s.Calls("getUpdates") {
		if c.Status != 200 {
			t.Errorf("a poll got %d", c.Status)
		}
	}
}

// Two accounts with one bot would take each other's messages: the second is
// told, and the first goes on.
func TestOneBotTwice(t *testing.T) {
	t.Parallel()
	s := server(t)
	k := kind()
	a := buildAs(t, k, "home", config(s, "")).start()
	wait(t, a.status, "a connection")
	b := buildAs(t, k, "work", config(s, "")).start()
	err := wait(t, b.done, "the second to be refused")
	hint := fault.Hint(err)
	for _, want := range []string{`"home"`, `"work"`, "@BotFather", "openclaw channels add --channel telegram --account work --token"} {
		if !strings.Contains(hint, want) {
			t.Errorf("refused with %q, want %s in it", hint, want)
		}
	}
	if said := wait(t, b.status, "its status"); fault.KindOf(err) != fault.Conflict || fault.KindOf(said) != fault.Conflict {
		t.Errorf("refused with %v, status %v", err, said)
	}
	s.Say("one")
	wait(t, a.got, "a message")
	a.stop()
	c := buildAs(t, k, "work", config(s, "")).start()
	if err := wait(t, c.status, "the second, once the first is gone"); err != nil {
		t.Error(err)
	}
	for _, c := range s.Calls("getUpdates") {
		if c.Status != 200 {
			t.Errorf("a poll got %d", c.Status)
		}
	}
}

// The offset survives a restart, and an old one doesn't confirm what came
// under new numbers.
func TestOffset(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	n := s.Say("one")
	wait(t, r.got, "a message")
	wait(t, r.status, "a connection")
	for range 200 {
		r.mu.Lock()
		saved := r.state["offset"]
		r.mu.Unlock()
		if strings.HasPrefix(saved, fmt.Sprint(n+1)+" ") {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	r.stop()
	if !strings.HasPrefix(r.state["offset"], fmt.Sprint(n+1)+" ") {
		t.Errorf("the offset is %q after update %d", r.state["offset"], n)
	}
	old := server(t) // numbers start anew, lower
	r2 := build(t, kind(), config(old, ""))
	r2.state["offset"] = fmt.Sprintf("999999 %d", time.Now().Add(-8*24*time.Hour).Unix())
	r2.start()
	old.Say("after a week")
	if in := wait(t, r2.got, "a message under a lower number"); in.Text != "after a week" {
		t.Errorf("received %q", in.Text)
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	s.Push(`{"message":{"message_id":"not a number"}}`)
	s.Say("fine")
	if in := wait(t, r.got, "the message behind"); in.Text != "fine" {
		t.Errorf("received %+v", in)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.Contains(r.state["aside"], "not a number") {
		t.Errorf("set aside: %q", r.state["aside"])
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.AddFile("small", []byte("hello"))
	s.AddFile("large", bytes.Repeat([]byte("x"), 3<<20))
	f := build(t, kind(), config(s, `,"mediaMaxMb":1`)).ch.(channel.Fetcher)
	rc, err := f.Fetch(t.Context(), msg.Attachment{Ref: "telegram:small"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(rc)
	_ = rc.Close()
	if string(b) != "hello" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	for _, a := range []msg.Attachment{
		{Ref: "telegram:large"}, {Ref: "telegram:small", Size: 2 << 20}, {Ref: "/etc/passwd"}, {Ref: "telegram:"}, {Ref: "telegram:nosuch"},
	} {
		if rc, err := f.Fetch(t.Context(), a); err == nil {
			_ = rc.Close()
			t.Errorf("Fetch(%+v) works", a)
		}
	}
	if n := len(s.Calls("file")); n != 1 {
		t.Errorf("%d files were asked for, want 1", n)
	}
}

// The size that a server declares isn't believed.
func TestFetchLies(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Fail("getFile", telegramtest.Fault{Status: 200, Body: `{"ok":true,"result":{"file_id":"large","file_size":10,"file_path":"files/large"}}`},
		telegramtest.Fault{Status: 200, Body: `{"ok":true,"result":{"file_id":"x","file_path":"../../botX/getMe"}}`})
	s.AddFile("large", bytes.Repeat([]byte("x"), 3<<20))
	f := build(t, kind(), config(s, `,"mediaMaxMb":1`)).ch.(channel.Fetcher)
	rc, err := f.Fetch(t.Context(), msg.Attachment{Ref: "telegram:large"})
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	if n, err := io.Copy(io.Discard, rc); fault.KindOf(err) != fault.Invalid || n > 1<<20 {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if rc, err := f.Fetch(t.Context(), msg.Attachment{Ref: "telegram:x"}); err == nil {
		_ = rc.Close()
		t.Error("a path that leaves the files is fetched")
	}
}

// No error that names an address gives the token away.
func TestTokenInErrors(t *testing.T) {
	t.Parallel()
	s := server(t)
	raw := config(s, "")
	s.Close()
	c := build(t, kind(), raw).ch
	for _, err := range []error{c.(channel.Prober).Probe(t.Context()), sendTo(t, c)} {
		if err == nil || strings.Contains(err.Error(), "TEST-token") || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("with a server that is gone the error is %v", err)
		}
	}
	_, err := kind().New(channel.Env{}, json.RawMessage(`{"botToken":"123456:se/cret"}`))
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "se/cret") {
		t.Errorf("New with an odd token = %v", err)
	}
}

// A poll that hangs is cut, and asked again.
func TestStall(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, `,"timeoutSeconds":1`)).start()
	if err := wait(t, r.status, "a connection"); err != nil {
		t.Fatal(err)
	}
	s.Fail("getUpdates", telegramtest.Fault{Wait: time.Hour})
	s.Say("one")
	s.Say("two") // behind the poll that hangs
	for _, want := range []string{"one", "two"} {
		if in := wait(t, r.got, "a message"); in.Text != want {
			t.Errorf("received %q, want %q", in.Text, want)
		}
	}
}

// All calls go through the proxy.
func TestProxy(t *testing.T) {
	t.Parallel()
	s := server(t)
	var seen atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		r.RequestURI = ""
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(proxy.Close)
	c := build(t, kind(), config(s, `,"proxy":"`+proxy.URL+`","network":{"dnsResultOrder":"ipv4first"}`)).ch
	if err := c.(channel.Prober).Probe(t.Context()); err != nil || seen.Load() != 1 {
		t.Errorf("Probe = %v, %d calls through the proxy", err, seen.Load())
	}
	for _, odd := range []string{"ftp://x", "socks5://", "127.0.0.1:1080"} {
		if _, err := kind().New(channel.Env{}, config(s, `,"proxy":"`+odd+`"`)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("New with the proxy %s = %v", odd, err)
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	k := telegram.Kind()
	for in, want := range map[string]string{
		"123": "123", " tg:123 ": "123", "Telegram:99": "99", "@alice": "", "-1001": "-1001", "tg:-1001": "-1001", "Admins:-1001": "admins:-1001", "admins:7": "", "--1": "", "-": "", "admins:": "", "admins:admins:-1": "", "": "", "*": "*", "12a": "",
	} {
		if got := k.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzUpdate(f *testing.F) {
	f.Add([]byte(`{"update_id":1,"message":{"message_id":2,"chat":{"id":3,"type":"group"},"from":{"id":4},"text":"/a@claw_bot é","entities":[{"type":"bot_command","offset":0,"length":11}],"media_group_id":"x","photo":[{"file_id":"p"}]}}`))
	f.Add([]byte(`{"update_id":9,"message":{"message_id":2,"chat":{"id":3},"from":{"id":4},"caption":"\ud800","caption_entities":[{"type":"mention","offset":-1,"length":9223372036854775807}]}}`))
	f.Add([]byte(`{"update_id":3,"callback_query":{"id":"q","from":{"id":9},"data":"/yes","message":{"message_id":5,"message_thread_id":42,"is_topic_message":true,"chat":{"id":-1001,"type":"supergroup","is_forum":true}}}}`))
	f.Add([]byte(`{"update_id":4,"message_reaction":{"chat":{"id":-1,"type":"group"},"message_id":1,"user":{"id":9},"new_reaction":[{"type":"emoji","emoji":"\ud800"}]}}`))
	f.Add([]byte(`{"update_id":5,"channel_post":{"message_id":5,"chat":{"id":-1002,"type":"channel"},"sender_chat":{"id":-1002},"poll":{"question":"\u0000","options":[{"text":"a"}]},"forward_origin":{},"migrate_to_chat_id":7}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, in := range telegram.Read(raw) {
			if in.ID == "" || in.From.ID == "" || in.At.Peer == "" || !utf8.ValidString(in.Text) {
				t.Errorf("Read(%s) = %+v", raw, in)
			}
		}
	})
}
