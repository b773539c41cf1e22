package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	maxBody = 1 << 20         // Slack's deliveries are far smaller
	skew    = 5 * time.Minute // beyond which a signature counts no more
)

// listen is [bot.Run] in HTTP mode: it looks after the token while Slack calls
// the handler.
func (b *bot) listen(ctx context.Context, recv channel.Receiver, well func()) error {
	if _, err := b.learn(ctx); err != nil {
		return err
	}
	b.resolveNames(ctx)
	well()
	b.status(nil)
	b.log.InfoContext(ctx, "slack connected", "channel", ID, "account", b.env.Account, "bot", b.known().Name, "mode", "http")
	if err := b.backlog(ctx, recv); err != nil {
		return err
	}
	next := time.Now().Add(b.time.check)
	for {
		if err := backoff.Sleep(ctx, b.time.note); err != nil {
			return err
		}
		b.flushSeen(ctx)
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(b.time.check)
		if _, err := b.learn(ctx); err != nil {
			return err
		}
		b.alive()
	}
}

// WebhookPath implements [channel.WebhookPath]: where Slack was told to call.
func (b *bot) WebhookPath() string { return b.cfg.WebhookPath }

// Handler implements [channel.Webhook]: the Request URL of events, commands and
// interactivity. Nothing of a body is believed before its signature was
// checked over the bytes that came.
func (b *bot) Handler(recv channel.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.cfg.Mode != "http" {
			http.Error(w, "this account receives over a socket", http.StatusNotFound)
			return
		}
		body, ok := b.verified(w, r)
		if !ok {
			return
		}
		kind, payload, err := unpack(r.Header.Get("Content-Type"), body)
		if err != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		if kind == "url_verification" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = io.WriteString(w, challenge(payload))
			return
		}
		if n := r.Header.Get("X-Slack-Retry-Num"); n != "" {
			b.log.DebugContext(r.Context(), "slack repeats a delivery", "channel", ID, "try", printable(n), "why", printable(r.Header.Get("X-Slack-Retry-Reason")))
		}
		answer, err := b.deliver(r.Context(), kind, payload, recv)
		switch {
		case err == nil:
		case fault.KindOf(err) == fault.Invalid: // asking again wouldn't help
			b.aside(r.Context(), payload, err)
		default:
			b.log.WarnContext(r.Context(), "slack message can't be stored yet", "channel", ID, "err", err)
			w.Header().Set("Retry-After", "5")
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		b.alive()
		if answer == nil {
			w.WriteHeader(http.StatusOK)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
}

// verified returns the body of a request that Slack signed; otherwise it has
// answered. A request without a fresh signature is refused unread.
func (b *bot) verified(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	refuse := func(status int, why string) ([]byte, bool) {
		w.Header().Set("Connection", "close")
		http.Error(w, why, status)
		return nil, false
	}
	stamp, sig := r.Header.Get("X-Slack-Request-Timestamp"), r.Header.Get("X-Slack-Signature")
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return refuse(http.StatusMethodNotAllowed, "method not allowed")
	case !fresh(stamp, time.Now()) || len(sig) != len("v0=")+2*sha256.Size || b.cfg.SigningSecret == "":
		return refuse(http.StatusUnauthorized, "unauthorized")
	case r.ContentLength > maxBody:
		return refuse(http.StatusRequestEntityTooLarge, "too large")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return refuse(http.StatusBadRequest, "the body didn't come, or is too large")
	}
	if !signed(b.cfg.SigningSecret, stamp, sig, body) {
		return refuse(http.StatusUnauthorized, "unauthorized")
	}
	return body, true
}

func fresh(stamp string, now time.Time) bool {
	n, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || n <= 0 {
		return false
	}
	d := now.Sub(time.Unix(n, 0))
	return d <= skew && d >= -skew
}

// signed checks a signature of version 0 in constant time.
func signed(secret, stamp, sig string, body []byte) bool {
	m := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(m, "v0:"+stamp+":")
	_, _ = m.Write(body)
	return hmac.Equal([]byte(sig), []byte("v0="+hex.EncodeToString(m.Sum(nil))))
}

// unpack tells what a signed body is: an event as JSON, or a command or an
// interaction as a form.
func unpack(contentType string, body []byte) (kind string, payload json.RawMessage, err error) {
	if !strings.HasPrefix(strings.ToLower(contentType), "application/x-www-form-urlencoded") {
		var c struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(body, &c); err != nil {
			return "", nil, err
		}
		if c.Type == "url_verification" {
			return c.Type, body, nil
		}
		if c.Type != "event_callback" {
			return "other", body, nil
		}
		return "events_api", body, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return "", nil, err
	}
	if p := form.Get("payload"); p != "" {
		return "interactive", json.RawMessage(p), nil
	}
	if form.Get("ssl_check") == "1" && form.Get("command") == "" {
		return "other", nil, nil
	}
	flat := make(map[string]string, len(form))
	for k, v := range form {
		flat[k] = v[0]
	}
	payload, err = json.Marshal(flat)
	return "slash_commands", payload, err
}

func challenge(payload json.RawMessage) string {
	var c callback
	_ = json.Unmarshal(payload, &c)
	const most = 1024
	if len(c.Challenge) > most {
		return ""
	}
	return c.Challenge
}
