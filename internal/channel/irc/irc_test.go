package irc_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: kind(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			return start(t)
		},
	})
}

// run starts a channel and returns what it receives.
func run(t *testing.T, raw json.RawMessage) (channel.Channel, <-chan msg.Inbound, <-chan error) {
	t.Helper()
	status := make(chan error, 64) // more changes than any test makes
	c, err := kind().New(channel.Env{Account: "default", Status: func(err error) {
		select {
		case status <- err:
		default:
		}
	}}, raw)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan msg.Inbound, 64) // more than any test says
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(ctx, func(_ context.Context, in msg.Inbound) error { got <- in; return nil }); err != nil {
			status <- err
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return c, got, status
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

func TestRoom(t *testing.T) {
	t.Parallel()
	addr := ngircd(t, "")
	alice := join(t, addr, "alice", "#room")
	c, got, status := run(t, config(addr, `,"channels":["#room","secret key"],"mentionPatterns":["hey claw"]`))
	if err := wait(t, status, "a connection"); err != nil {
		t.Fatal(err)
	}
	for range 400 {
		if strings.Contains(strings.Join(alice.lines(), "\n"), ":clawbot!~clawbot@127.0.0.1 JOIN :#room") {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	for _, tt := range []struct {
		say, want string
		mentioned bool
	}{
		{"hello all", "hello all", false},
		{"clawbot: list files", "clawbot: list files", true},
		{"what does CLAWBOT, think?", "what does CLAWBOT, think?", true},
		{"clawbotter isn't you", "clawbotter isn't you", false},
		{"Hey Claw!", "Hey Claw!", true},
		{"\x02bold\x02 \x0304,07colour\x03 \x1fline", "bold colour line", false},
		{"\x01ACTION waves at clawbot\x01", "* alice waves at clawbot", true},
	} {
		alice.say("#room", tt.say)
		in := wait(t, got, tt.say)
		if in.Text != tt.want || in.Mentioned != tt.mentioned {
			t.Errorf("%q was received as %q, mentioned %v", tt.say, in.Text, in.Mentioned)
		}
		if in.At != (msg.Address{Channel: "irc", Account: "default", Kind: msg.Group, Peer: "#room"}) || in.From.ID != "alice!~alice@127.0.0.1" {
			t.Errorf("%q was received at %+v from %+v", tt.say, in.At, in.From)
		}
	}
	alice.say("#room", "\x01VERSION\x01") // machine talk is no message
	fmt.Fprint(alice.conn, "NOTICE #room :clawbot, a notice\r\n")
	alice.say("clawbot", "in private")
	if in := wait(t, got, "the private message"); in.Text != "in private" || in.At.Kind != msg.Direct || in.At.Peer != "alice" || !in.Mentioned {
		t.Errorf("the private message is %+v", in)
	}
	out := msg.Outbound{ID: "d1", To: msg.Address{Peer: "#room"}, Text: "**to** the room\n\nsecond"}
	if _, err := c.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"nobodyhere", "#nosuchroom"} {
		_, err := c.Send(t.Context(), msg.Outbound{ID: "d2", To: msg.Address{Peer: id.Peer(to)}, Text: "x"})
		if k := fault.KindOf(err); k != fault.NotFound && k != fault.Forbidden {
			t.Errorf("Send to %s = %v, want a refusal", to, err)
		}
	}
	alice.until("to the room|second")
}

// Lines are cut to what the server passes on with our mask before them.
func TestLongLines(t *testing.T) {
	t.Parallel()
	addr := ngircd(t, "")
	alice := join(t, addr, "alice")
	c, _, status := run(t, config(addr, ""))
	wait(t, status, "a connection")
	text := "**" + strings.TrimSpace(strings.Repeat("漢字 word ", 300)) + "**"
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "d", To: msg.Address{Peer: "irc:alice"}, Text: text}); err != nil {
		t.Fatal(err)
	}
	alice.until(strings.TrimSpace(strings.Repeat("漢字 word ", 300)))
	for _, l := range alice.lines() {
		if !strings.Contains(l, "PRIVMSG alice") {
			continue
		}
		if len(l)+2 > 512 || !utf8.ValidString(l) || strings.Count(l, "\x02") != 2 {
			t.Errorf("line of %d bytes: %q", len(l)+2, l)
		}
	}
}

func TestNickInUse(t *testing.T) {
	t.Parallel()
	addr := ngircd(t, "")
	squatter := join(t, addr, "clawbot")
	alice := join(t, addr, "alice")
	_, got, status := run(t, config(addr, ""))
	wait(t, status, "a connection")
	alice.say("clawbot_", "hi")
	if in := wait(t, got, "a message"); in.Text != "hi" {
		t.Errorf("received %q", in.Text)
	}
	_ = squatter.conn.Close()
	for range 400 { // the nick is taken back as soon as it is free
		alice.say("clawbot", "back?")
		select {
		case in := <-got:
			if in.Text == "back?" {
				return
			}
		case <-time.After(25 * time.Millisecond):
		}
	}
	t.Error("the nick wasn't taken back")
}

func TestPassword(t *testing.T) {
	t.Parallel()
	addr := ngircd(t, "sesame")
	_, _, status := run(t, config(addr, `,"password":"wrong"`))
	if err := wait(t, status, "a refusal"); fault.KindOf(err) != fault.Unauthenticated || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong password gives %v", err)
	}
	file := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(file, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, status = run(t, config(addr, `,"passwordFile":"`+file+`"`))
	if err := wait(t, status, "a connection"); err != nil {
		t.Errorf("the right password gives %v", err)
	}
}

// A connection that dies in silence is noticed and replaced.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	addr := ngircd(t, "")
	alice, p := join(t, addr, "alice"), newProxy(t, addr)
	_, got, status := run(t, config(p.addr(), ""))
	wait(t, status, "a connection")
	p.mute(true)
	if err := wait(t, status, "a loss"); err == nil {
		t.Error("the loss wasn't reported")
	}
	p.mute(false)
	for {
		if err := wait(t, status, "a new connection"); err == nil {
			break
		}
	}
	for range 400 {
		alice.say("clawbot", "there?")
		alice.say("clawbot_", "there?") // the old one may hold the nick still
		select {
		case <-got:
			return
		case <-time.After(25 * time.Millisecond):
		}
	}
	t.Error("nothing is received on the new connection")
}

// scripted is a server of few words, for what ngircd can't do.
func scripted(t *testing.T, talk func(line string, say func(string))) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			sc := bufio.NewScanner(c)
			for sc.Scan() {
				talk(sc.Text(), func(s string) { fmt.Fprint(c, s+"\r\n") })
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-done })
	return ln.Addr().String()
}

func TestSASLAndTags(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("\x00clawbot\x00hunter2"))
	addr := scripted(t, func(line string, say func(string)) {
		switch {
		case line == "CAP LS 302":
			say(":s CAP * LS * :multi-prefix sasl=EXTERNAL,PLAIN")
			say(":s CAP * LS :message-tags server-time")
		case strings.HasPrefix(line, "CAP REQ"):
			say(":s CAP * ACK :" + strings.TrimPrefix(line, "CAP REQ :"))
		case line == "AUTHENTICATE PLAIN":
			say("AUTHENTICATE +")
		case line == "AUTHENTICATE "+plain:
			say(":s 903 clawbot :ok")
		case line == "CAP END":
			say(":s 001 clawbot :Welcome clawbot!c@host")
			say("@time=2026-01-02T03:04:05.678Z;msgid=abc :Al!a@h PRIVMSG clawbot :caf\xe9")
			say(":Al!a@h PRIVMSG clawbot :x")
			say(":Al!a@h PRIVMSG clawbot :x")
		}
	})
	_, got, status := run(t, config(addr, `,"nickserv":{"password":"hunter2"}`))
	if err := wait(t, status, "a connection"); err != nil {
		t.Fatal(err)
	}
	in := wait(t, got, "a message")
	if in.ID != "abc" || in.Text != "café" || in.From.ID != "al!a@h" || in.At.Peer != "Al" || in.Received.UnixMilli() != 1767323045678 {
		t.Errorf("received %+v", in)
	}
	a, b := wait(t, got, "the second"), wait(t, got, "the third")
	if a.ID == b.ID || a.ID == "" {
		t.Errorf("two lines have the ids %q and %q", a.ID, b.ID)
	}
}

func TestSASLRefused(t *testing.T) {
	t.Parallel()
	addr := scripted(t, func(line string, say func(string)) {
		switch {
		case line == "CAP LS 302":
			say(":s CAP * LS :sasl")
		case strings.HasPrefix(line, "CAP REQ"):
			say(":s CAP * ACK :sasl")
		case line == "AUTHENTICATE PLAIN":
			say("AUTHENTICATE +")
		case strings.HasPrefix(line, "AUTHENTICATE"):
			say(":s 904 * :no")
		}
	})
	_, _, status := run(t, config(addr, `,"nickserv":{"password":"hunter2"}`))
	if err := wait(t, status, "a refusal"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a refused login gives %v", err)
	}
}

func TestNormalizeAndForms(t *testing.T) {
	t.Parallel()
	k := irc.Kind()
	for in, want := range map[string]string{
		"irc:Alice!~a@Host": "alice!~a@host", " bob ": "bob", "user:bob": "bob", "*": "*", "": "", "a b": "", "nick[x]": "nick{x}", "!x": "",
	} {
		if got := k.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
	ids, names := k.Forms(msg.Sender{ID: "alice!~a@host"})
	if strings.Join(ids, " ") != "alice!~a@host alice!~a alice@host" || strings.Join(names, " ") != "alice" {
		t.Errorf("Forms = %q, %q", ids, names)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("\x02bold \x1dboth\x02 italic\x1d "+strings.Repeat("漢", 100), 70)
	f.Fuzz(func(t *testing.T, s string, room int) {
		if room < 64 || room > 512 || !utf8.ValidString(s) {
			return
		}
		for _, l := range irc.Wrap(s, room) {
			if len(l) > room || strings.ContainsAny(l, "\n") || l == "" || !utf8.ValidString(l) {
				t.Errorf("Wrap(%q, %d) has %q", s, room, l)
			}
		}
	})
}

func FuzzBody(f *testing.F) {
	f.Add("\x01ACTION \x0312,3x\x04ffaa00y\x01", "n")
	f.Fuzz(func(t *testing.T, s, nick string) {
		if got, ok := irc.Body(s, nick); ok && strings.ContainsAny(got, "\x00\x01\x02\x03\r\n") && !strings.ContainsAny(nick, "\x00\x01\x02\x03\r\n") {
			t.Errorf("Body(%q) = %q", s, got)
		}
		irc.Names(s, nick)
	})
}

// A server whose certificate nobody vouches for gets no password.
func TestUntrustedTLS(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	host, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	_, _, status := run(t, json.RawMessage(`{"host":"`+host+`","port":`+port+`,"nick":"clawbot","password":"secret"}`))
	if err := wait(t, status, "a refusal"); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an untrusted certificate gives %v", err)
	}
}
