package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Run receives until ctx ends. It returns an error only when trying again can't
// help: Slack doesn't accept a token.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	b.loadSeen(ctx)
	defer b.flushSeen(context.WithoutCancel(ctx)) // what is stored is stored, also while stopping
	run := b.socket
	if b.cfg.Mode == "http" {
		run = b.listen
	}
	retry := backoff.Backoff{Policy: b.time.retry}
	var trouble trouble
	for {
		err := run(ctx, recv, retry.Reset)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errRefresh):
			continue // Slack renews its connections every few hours
		}
		b.status(err)
		if trouble.news(err, b.time.quiet) {
			b.log.WarnContext(ctx, "slack connection interrupted", "channel", ID, "err", err)
		}
		if fault.KindOf(err) == fault.Unauthenticated {
			return err
		}
		if retry.Wait(ctx, delay(err)) != nil {
			return nil
		}
	}
}

// trouble keeps the log from saying the same too often.
type trouble struct {
	said string
	at   time.Time
}

func (t *trouble) news(err error, quiet time.Duration) bool {
	if s := err.Error(); s != t.said || time.Since(t.at) > quiet {
		t.said, t.at = s, time.Now()
		return true
	}
	return false
}

// delay is what the network asked for.
func delay(err error) time.Duration {
	if r, ok := errors.AsType[channel.RetryAfter](err); ok {
		return r.After
	}
	return 0
}

// errRefresh says that Slack wants a new connection in place of this one.
const errRefresh = constError("slack renews the connection")

// envelope is one frame of a socket.
type envelope struct {
	ID      string          `json:"envelope_id"`
	Type    string          `json:"type"`
	Reason  string          `json:"reason"` // of a disconnect
	Payload json.RawMessage `json:"payload"`
	Retry   int             `json:"retry_attempt"`
}

const (
	maxFrame = 4 << 20 // Slack's events are far smaller
	// waiting is how many envelopes are read while one is being stored: reading
	// must go on, as that is what answers pings.
	waiting = 128
)

// socket connects once and receives until the connection ends. well is called
// when it is up.
func (b *bot) socket(ctx context.Context, recv channel.Receiver, well func()) error {
	if _, err := b.learn(ctx); err != nil {
		return err
	}
	b.resolveNames(ctx)
	c, err := b.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.CloseNow() }()
	g, ctx := errgroup.WithContext(ctx)
	in := make(chan envelope, waiting)
	up := make(chan struct{}) // closed at hello
	guarded := func(f func() error) { g.Go(func() error { return channel.Guard(f) }) }
	guarded(func() error { return b.read(ctx, c, in, up) })
	guarded(func() error { return b.keepAlive(ctx, c) })
	guarded(func() error {
		late := time.NewTimer(b.time.hello)
		defer late.Stop()
		select {
		case <-up:
		case <-late.C:
			return fault.New(fault.Unavailable, "slack.connect", "the socket opened, but Slack doesn't greet")
		case <-ctx.Done():
			return ctx.Err()
		}
		well()
		b.status(nil)
		b.log.InfoContext(ctx, "slack connected", "channel", ID, "account", b.env.Account, "bot", b.known().Name, "mode", "socket")
		if err := b.backlog(ctx, recv); err != nil {
			return err
		}
		return b.work(ctx, c, in, recv)
	})
	guarded(func() error { return b.noteSeen(ctx) })
	return g.Wait()
}

func (b *bot) known() self {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.me
}

// dial opens a socket where the Web API says.
func (b *bot) dial(ctx context.Context) (*websocket.Conn, error) {
	const op = "slack.connect"
	var ans struct {
		URL string `json:"url"`
	}
	if _, err := b.api.as(ctx, b.cfg.AppToken, "apps.connections.open", params{}, &ans); err != nil {
		if refused(err, "invalid_auth", "not_authed", "not_allowed_token_type", "token_revoked", "missing_scope") {
			return nil, &fault.Error{Kind: fault.Unauthenticated, Op: op, Err: err, Hint: "Slack doesn't accept appToken: make an App-Level Token with connections:write under Basic Information, turn Socket Mode on, and set channels.slack.appToken"}
		}
		return nil, err
	}
	u, err := url.Parse(ans.URL)
	if err != nil || !b.socketURL(u) {
		return nil, fault.New(fault.Unavailable, op, "Slack named a socket that isn't Slack's")
	}
	client := *b.api.http
	dialCtx, cancel := context.WithTimeout(ctx, b.api.timeout)
	defer cancel()
	c, resp, err := websocket.Dial(dialCtx, u.String(), &websocket.DialOptions{
		HTTPClient:     &client,
		OnPingReceived: func(context.Context, []byte) bool { b.alive(); return true },
		OnPongReceived: func(context.Context, []byte) { b.alive() },
	})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		if resp != nil && resp.StatusCode == http.StatusTooManyRequests {
			return nil, limited(op, resp.Header.Get("Retry-After"), &refusal{})
		}
		// The error names the address, which holds a ticket.
		return nil, fault.New(fault.Unavailable, op, "the socket can't be opened")
	}
	c.SetReadLimit(maxFrame)
	return c, nil
}

// socketURL tells sockets of Slack, or of the server that apiRoot names.
func (b *bot) socketURL(u *url.URL) bool {
	as := *u
	switch u.Scheme {
	case "wss":
		as.Scheme = "https"
	case "ws":
		as.Scheme = "http"
	default:
		return false
	}
	return b.trusted(&as)
}

// read reads frames until the connection ends.
func (b *bot) read(ctx context.Context, c *websocket.Conn, in chan<- envelope, up chan struct{}) error {
	hello := false
	for {
		_, raw, err := c.Read(ctx)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "slack.read", bare(err))
		}
		b.alive()
		var e envelope
		if err := json.Unmarshal(raw, &e); err != nil {
			b.log.WarnContext(ctx, "slack sent a frame that can't be read", "channel", ID, "bytes", len(raw), "err", err)
			continue
		}
		switch e.Type {
		case "hello":
			if !hello {
				hello = true
				close(up)
			}
		case "disconnect":
			if e.Reason == "link_disabled" || e.Reason == "socket_mode_disabled" {
				return fault.New(fault.Unavailable, "slack.read", "Socket Mode is turned off for the app: turn it on under Socket Mode, or set channels.slack.mode to http")
			}
			return errRefresh
		case "":
		default:
			select {
			case in <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// keepAlive notices a connection that died without a word.
func (b *bot) keepAlive(ctx context.Context, c *websocket.Conn) error {
	for {
		if err := backoff.Sleep(ctx, b.time.ping); err != nil {
			return err
		}
		pong, cancel := context.WithTimeout(ctx, b.time.pong)
		err := c.Ping(pong)
		cancel()
		if err != nil {
			return fault.New(fault.Unavailable, "slack.ping", "the connection is dead: a ping wasn't answered")
		}
	}
}

// work stores envelopes in order, and answers each once it is stored. What
// can't be stored is tried again; Slack has it until it is answered.
func (b *bot) work(ctx context.Context, c *websocket.Conn, in <-chan envelope, recv channel.Receiver) error {
	for {
		var e envelope
		select {
		case e = <-in:
		case <-ctx.Done():
			return ctx.Err()
		}
		answer, err := b.insist(ctx, e, recv)
		if err != nil {
			return err
		}
		if e.ID == "" {
			continue
		}
		ack := map[string]any{"envelope_id": e.ID}
		if answer != nil {
			ack["payload"] = answer
		}
		raw, err := json.Marshal(ack)
		if err != nil {
			return fault.Wrap(fault.Internal, "slack.work", err)
		}
		if err := c.Write(ctx, websocket.MessageText, raw); err != nil {
			return fault.Wrap(fault.Unavailable, "slack.work", bare(err))
		}
	}
}

// insist delivers e until it is stored. One that can't be read is set aside.
func (b *bot) insist(ctx context.Context, e envelope, recv channel.Receiver) (answer any, err error) {
	retry := backoff.Backoff{Policy: b.time.retry}
	for {
		answer, err := b.deliver(ctx, e.Type, e.Payload, recv)
		switch {
		case err == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fault.KindOf(err) == fault.Invalid:
			b.aside(ctx, e.Payload, err)
			return nil, nil
		}
		b.log.WarnContext(ctx, "slack message can't be stored yet", "channel", ID, "err", err)
		if err := retry.Wait(ctx, delay(err)); err != nil {
			return nil, err
		}
	}
}

// aside keeps the last delivery that couldn't be read.
func (b *bot) aside(ctx context.Context, raw []byte, err error) {
	const most = 4096
	b.log.ErrorContext(ctx, "slack delivery set aside: it can't be read", "channel", ID, "bytes", len(raw), "err", err)
	if b.env.SetState != nil {
		_ = b.env.SetState(ctx, "aside", text.Cut(string(raw), most))
	}
}
