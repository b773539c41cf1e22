package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// hook is what a bot whose updates are pushed keeps between deliveries.
type hook struct {
	up atomic.Bool // we know who we are, so deliveries can be read

	mu    sync.Mutex // one delivery at a time, so that none overtakes another
	shelf shelf
}

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token"
	maxDelivery  = 1 << 20 // Telegram's are far smaller
)

// listen receives over HTTP until something goes wrong: it tells Telegram
// where to call and sees to it that this stays so.
func (b *bot) listen(ctx context.Context, a *api, recv channel.Receiver, well func()) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := b.learn(ctx, a); err != nil {
		return err
	}
	if err := b.takeDown(ctx); err != nil {
		return err
	}
	failed, end, err := b.serve(ctx, recv)
	if err != nil {
		return err
	}
	defer end()
	if err := b.point(ctx, a); err != nil {
		return err
	}
	b.hook.up.Store(true)
	defer b.hook.up.Store(false)
	b.status(nil)
	b.alive()
	well()
	b.log.InfoContext(ctx, "telegram connected", "bot", b.self().Username, "mode", "webhook")
	next := time.Now().Add(b.time.check)
	for {
		select {
		case err := <-failed:
			return fault.Wrap(fault.Unavailable, "telegram.webhook", err)
		default:
		}
		if err := backoff.Sleep(ctx, b.time.album); err != nil {
			return err
		}
		if err := b.flush(ctx, recv, false); err != nil {
			b.log.WarnContext(ctx, "telegram album can't be stored yet", "err", err)
		}
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(b.time.check)
		if err := b.stillPointed(ctx, a); err != nil {
			return err
		}
		b.alive()
	}
}

// serve listens at webhookHost and webhookPort. Port 0 is none of its own: the
// gateway's port receives.
func (b *bot) serve(ctx context.Context, recv channel.Receiver) (failed chan error, end func(), err error) {
	failed = make(chan error, 1) // the server's end, which nobody may wait for
	port := 8787
	if b.cfg.WebhookPort != nil {
		port = *b.cfg.WebhookPort
	}
	if port == 0 {
		return failed, func() {}, nil
	}
	at := net.JoinHostPort(b.cfg.WebhookHost, strconv.Itoa(port))
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, nil, &fault.Error{Kind: fault.Unavailable, Op: "telegram.webhook", Err: err, Hint: "webhooks can't be received at " + at + ": give each account a webhookPort that is free, or 0 to receive at the gateway's port"}
	}
	mux := http.NewServeMux()
	mux.Handle(b.cfg.WebhookPath, b.Handler(recv))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	s := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var wg sync.WaitGroup
	wg.Go(func() { failed <- s.Serve(l) })
	return failed, func() { _ = s.Close(); wg.Wait() }, nil
}

// point tells Telegram where to call.
func (b *bot) point(ctx context.Context, a *api) error {
	p := map[string]any{
		"url": b.cfg.WebhookURL, "secret_token": b.cfg.WebhookSecret, "allowed_updates": b.allowed(), "drop_pending_updates": false,
	}
	if b.cfg.WebhookCertPath == "" {
		return a.call(ctx, "setWebhook", p, nil, 0)
	}
	const most = 64 << 10
	cert, err := os.ReadFile(b.cfg.WebhookCertPath)
	if err != nil || len(cert) > most {
		return fault.New(fault.Invalid, "channels.telegram.webhookCertPath", "no certificate can be read there")
	}
	return a.upload(ctx, "setWebhook", p, nil, upload{field: "certificate", name: "cert.pem", data: cert})
}

// stillPointed points Telegram here again when somebody pointed it elsewhere.
func (b *bot) stillPointed(ctx context.Context, a *api) error {
	var info struct {
		URL       string `json:"url"`
		LastError string `json:"last_error_message"`
		ErrorDate int64  `json:"last_error_date"`
		Pending   int    `json:"pending_update_count"`
	}
	if err := a.call(ctx, "getWebhookInfo", struct{}{}, &info, 0); err != nil {
		return err
	}
	if info.URL != b.cfg.WebhookURL {
		b.log.WarnContext(ctx, "telegram was told to call elsewhere: another program uses this bot; setting the webhook again")
		return b.point(ctx, a)
	}
	if info.LastError != "" && time.Since(time.Unix(info.ErrorDate, 0)) < 2*b.time.check {
		b.log.WarnContext(ctx, "telegram can't deliver to the webhook", "says", printable(info.LastError), "waiting", info.Pending)
	}
	return nil
}

// WebhookPath implements [channel.WebhookPath].
func (b *bot) WebhookPath() string {
	if b.cfg.WebhookURL == "" {
		return ""
	}
	return b.cfg.WebhookPath
}

// Handler implements [channel.Webhook]. Nothing is read of a call without the
// secret, and none is confirmed before what it brings is stored.
func (b *bot) Handler(recv channel.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(status int, why string) {
			w.Header().Set("Connection", "close") // the rest of the body isn't read
			http.Error(w, why, status)
		}
		switch {
		case b.cfg.WebhookURL == "" || b.cfg.WebhookSecret == "":
			refuse(http.StatusNotFound, "this account polls")
			return
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			refuse(http.StatusMethodNotAllowed, "method not allowed")
			return
		case !sameSecret(r.Header.Get(secretHeader), b.cfg.WebhookSecret):
			refuse(http.StatusUnauthorized, "unauthorized")
			return
		case r.ContentLength > maxDelivery:
			refuse(http.StatusRequestEntityTooLarge, "too large")
			return
		case !b.hook.up.Load():
			w.Header().Set("Retry-After", "5")
			refuse(http.StatusServiceUnavailable, "not ready")
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivery))
		if err != nil {
			status := http.StatusBadRequest
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				status = http.StatusRequestEntityTooLarge
			}
			refuse(status, "the body didn't come, or is too large")
			return
		}
		if err := b.take(r.Context(), body, recv); err != nil {
			b.log.WarnContext(r.Context(), "telegram message can't be stored yet", "err", err)
			w.Header().Set("Retry-After", "5")
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		b.alive()
		w.WriteHeader(http.StatusOK)
	})
}

// sameSecret compares in constant time, whatever the lengths.
func sameSecret(got, want string) bool {
	g, w := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return want != "" && subtle.ConstantTimeCompare(g[:], w[:]) == 1
}

// take stores what one delivery brings.
func (b *bot) take(ctx context.Context, raw json.RawMessage, recv channel.Receiver) error {
	u, ok := b.readOne(ctx, raw)
	if !ok {
		return nil // asking again wouldn't help
	}
	b.hook.mu.Lock()
	defer b.hook.mu.Unlock()
	if b.hook.shelf.wants(u) {
		return b.shelve(ctx, u, raw)
	}
	// What was said behind an album doesn't overtake it.
	if m := u.written(); m != nil && b.hook.shelf.holds(m.Chat.ID) {
		if err := b.flushLocked(ctx, recv, true); err != nil {
			return err
		}
	}
	ins, _ := b.messages(ctx, []update{u})
	for _, in := range ins {
		if err := b.hand(ctx, recv, in); err != nil {
			return err
		}
	}
	b.keepWorld(ctx)
	if u.Callback != nil {
		if a, err := b.api(); err == nil {
			b.answer(ctx, a, u.Callback.ID)
		}
	}
	return nil
}
