package telegram_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

const hooked = `,"webhookUrl":"https://bot.example.com/telegram-webhook","webhookSecret":"s3cret","webhookPort":0`

// pushed is a bot that is called at url.
func pushed(t *testing.T, s *telegramtest.Server, r *rig) (url string) {
	t.Helper()
	recv := r.recv
	if recv == nil {
		recv = func(_ context.Context, in msg.Inbound) error { r.got <- in; return nil }
	}
	h := r.ch.(channel.Webhook).Handler(recv)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	if err := wait(t, r.status, "a connection"); err != nil {
		t.Fatal(err)
	}
	return srv.URL
}

func update(n int64, rest string) string {
	return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7,"first_name":"Al"},%s}}`, n, n, rest)
}

func deliver(t *testing.T, url, secret, update string) int {
	t.Helper()
	status, err := telegramtest.Deliver(t.Context(), url, secret, update)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, hooked)).start()
	url := pushed(t, s, r)
	h := s.Hooked()
	if h == nil || h.URL != "https://bot.example.com/telegram-webhook" || h.Secret != "s3cret" {
		t.Fatalf("the webhook is %+v", h)
	}
	for secret, want := range map[string]int{"": 401, "S3cret": 401, "s3cre": 401, "s3cret": 200} {
		if got := deliver(t, url, secret, update(1, `"text":"hi"`)); got != want {
			t.Errorf("with the secret %q: %d, want %d", secret, got, want)
		}
	}
	if in := wait(t, r.got, "a message"); in.Text != "hi" || !in.Mentioned {
		t.Errorf("received %+v", in)
	}
	r.none()
	for _, odd := range []string{"", "{", `{"update_id":3}`, `{"update_id":4,"message":{"message_id":"x"}}`, `[]`} {
		if got := deliver(t, url, "s3cret", odd); got != 200 {
			t.Errorf("%q: %d; Telegram would send it for ever", odd, got)
		}
	}
	// The connection may break while it is being sent.
	if got, err := telegramtest.Deliver(t.Context(), url, "s3cret", strings.Repeat("x", 2<<20)); err == nil && got != 413 {
		t.Errorf("a large body: %d", got)
	}
	if p := r.ch.(channel.WebhookPath).WebhookPath(); p != "/telegram-webhook" {
		t.Errorf("WebhookPath() = %q", p)
	}
	if n := len(s.Calls("getUpdates")); n != 0 {
		t.Errorf("%d polls beside the webhook", n)
	}
	// Another program polls, which takes the webhook away; it is set again.
	s.Unhook()
	eventually(t, "the webhook to be set again", func() bool { return s.Hooked() != nil })
}

// A delivery is confirmed only once it is stored, and one without the secret is
// refused before its body came (T-34).
func TestWebhookRefuses(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, hooked)).start()
	url := pushed(t, s, r)
	full := httptest.NewServer(r.ch.(channel.Webhook).Handler(func(context.Context, msg.Inbound) error { return errors.New("the disk is full") }))
	t.Cleanup(full.Close)
	if got := deliver(t, full.URL, "s3cret", update(1, `"text":"hi"`)); got != 503 {
		t.Errorf("what isn't stored: %d", got)
	}
	for name, head := range map[string]string{"none": "", "wrong": telegramtest.SecretHeader + ": wrong\r\n"} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		// A megabyte is announced, and nothing of it comes.
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\n"+head+"Content-Length: 1000000\r\n\r\n")
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		line, err := bufio.NewReader(c).ReadString('\n')
		_ = c.Close()
		if err != nil || !strings.Contains(line, "401") {
			t.Errorf("secret %s: %q, %v", name, line, err)
		}
	}
	_, err := kind().New(channel.Env{}, config(s, `,"webhookUrl":"https://x.example/"`))
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "webhookSecret") {
		t.Errorf("New without a secret = %v", err)
	}
	for _, odd := range []string{
		`,"webhookUrl":"http://x.example/","webhookSecret":"s"`, `,"webhookUrl":"https://x.example/","webhookSecret":"a b"`,
		`,"webhookUrl":"https://x.example/","webhookSecret":"s","webhookPath":"x"`, `,"webhookUrl":"https://x.example/","webhookSecret":"s","webhookPort":70000`,
	} {
		if _, err := kind().New(channel.Env{}, config(s, odd)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("New with %s = %v", odd, err)
		}
	}
	polling := build(t, kind(), config(s, "")).ch
	w := httptest.NewRecorder()
	polling.(channel.Webhook).Handler(nil).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")))
	if w.Code != http.StatusNotFound {
		t.Errorf("an account that polls answers a delivery with %d", w.Code)
	}
}

// An album that is pushed is one message; what stands behind it doesn't
// overtake it; a part that comes again is known; a stop loses none.
func TestWebhookAlbum(t *testing.T) {
	t.Parallel()
	part := func(n int64) string {
		return update(n, fmt.Sprintf(`"media_group_id":"g","photo":[{"file_id":"f%d"}],"caption":"c"`, n))
	}
	s := server(t)
	r := build(t, kind(), config(s, hooked)).start()
	url := pushed(t, s, r)
	for n := range int64(3) {
		deliver(t, url, "s3cret", part(1+n))
	}
	deliver(t, url, "s3cret", update(4, `"text":"behind"`))
	if in := wait(t, r.got, "the album"); len(in.Attachments) != 3 || in.Text != "c" || in.ID != "1" {
		t.Errorf("received %+v", in)
	}
	if in := wait(t, r.got, "what stands behind"); in.Text != "behind" {
		t.Errorf("received %+v", in)
	}
	deliver(t, url, "s3cret", part(3))
	r.none()

	// By time, through Run.
	deliver(t, url, "s3cret", part(11))
	if in := wait(t, r.got, "the second album"); in.ID != "11" {
		t.Errorf("received %+v", in)
	}

	// Over a stop.
	state := map[string]string{}
	r.stop()
	r2 := build(t, kind(), config(s, hooked))
	r2.state = state
	state["albums"] = `{"open":[` + part(21) + `,` + part(22) + `]}`
	r2.start()
	if in := wait(t, r2.got, "the album from before the stop"); in.ID != "21" || len(in.Attachments) != 2 {
		t.Errorf("received %+v", in)
	}
}

// The account listens on a port of its own, as before.
func TestWebhookPort(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	s := server(t)
	more := strings.Replace(hooked, `"webhookPort":0`, fmt.Sprintf(`"webhookPort":%d`, port), 1)
	r := build(t, kind(), config(s, more)).start()
	if err := wait(t, r.status, "the port to be taken"); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Hint(err), "webhookPort") {
		t.Errorf("status = %v", err)
	}
	_ = l.Close()
	for err := wait(t, r.status, "a connection"); err != nil; {
		err = wait(t, r.status, "a connection")
	}
	if got := deliver(t, fmt.Sprintf("http://127.0.0.1:%d/telegram-webhook", port), "s3cret", update(1, `"text":"hi"`)); got != 200 {
		t.Errorf("delivery = %d", got)
	}
	if in := wait(t, r.got, "a message"); in.Text != "hi" {
		t.Errorf("received %+v", in)
	}
}
