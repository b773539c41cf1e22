package discord

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Run receives until ctx ends. It returns an error only when trying again can't
// help: Discord doesn't accept the token, or what the bot asks to be told.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	b.load(ctx)
	defer b.flush(context.WithoutCancel(ctx)) // what is stored is stored, also while stopping
	retry := backoff.Backoff{Policy: b.time.retry}
	var trouble trouble
	for {
		err := b.connect(ctx, recv, retry.Reset)
		if ctx.Err() != nil {
			return nil
		}
		b.status(err)
		if trouble.news(err, b.time.quiet) {
			b.log.WarnContext(ctx, "discord connection interrupted", "channel", ID, "account", b.env.Account, "err", err)
		}
		if fault.KindOf(err) == fault.Unauthenticated {
			return err
		}
		wait := delay(err)
		if errors.Is(err, errRefused) {
			wait = max(wait, b.time.invalid)
		}
		if retry.Wait(ctx, wait) != nil {
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

// errRefused says that Discord wants a new session in place of this one.
var errRefused = errors.New("discord refuses to go on with the session")

// What a frame is about.
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opPresence  = 3
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// frame is one frame of the gateway.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
}

const (
	// maxFrame bounds a frame: a large guild with its channels, roles and threads
	// comes in one.
	maxFrame = 32 << 20
	// waiting is how many events are read while one is being stored: reading must
	// go on, as that is how heartbeats are answered.
	waiting = 1024
)

// link is one connection.
type link struct {
	*bot
	conn    *websocket.Conn
	in      chan frame
	beat    chan struct{}
	ack     atomic.Bool  // the last heartbeat was answered
	stuck   atomic.Bool  // the reader waits for room among the events
	done    atomic.Int64 // number of the last event that is stored; -1 is none
	well    func()
	resumed bool
	over    chan struct{} // closed when the reader ends
	why     error         // it ended; set before
}

// connect connects once and receives until the connection ends. well is called
// when it is up.
func (b *bot) connect(ctx context.Context, recv channel.Receiver, well func()) error {
	if _, err := b.self(ctx); err != nil {
		return err
	}
	was := b.session.get()
	if was.ID != "" && !b.gatewayURL(was.URL) {
		was = resumable{}
	}
	address := was.URL
	if was.ID == "" {
		var err error
		if address, err = b.gateway(ctx); err != nil {
			return err
		}
	}
	l := &link{bot: b, in: make(chan frame, waiting), beat: make(chan struct{}, 1), over: make(chan struct{}), well: well, resumed: was.ID != ""}
	every, err := l.dial(ctx, address)
	if err != nil {
		if was.ID != "" {
			b.session.set(resumable{ID: was.ID, Seq: was.Seq, URL: b.fallback(ctx, was.URL)})
		}
		return err
	}
	// No closing frame: it would end the session, and with it what can be resumed.
	defer func() { _ = l.conn.CloseNow() }()
	l.done.Store(-1)
	hello := frame{Op: opIdentify}
	var d any = b.identify()
	if l.resumed {
		hello.Op, d = opResume, map[string]any{"token": b.cfg.Token, "session_id": was.ID, "seq": was.Seq}
		l.done.Store(was.Seq)
	}
	if err := l.write(ctx, hello.Op, d); err != nil {
		return err
	}
	b.now.Store(l)
	defer b.now.CompareAndSwap(l, nil)
	g, ctx := errgroup.WithContext(ctx)
	for _, f := range []func() error{
		func() error { return l.read(ctx) },
		func() error { return l.beats(ctx, every) },
		func() error { return l.work(ctx, recv) },
		func() error { return l.notes(ctx) },
	} {
		g.Go(func() error { return channel.Guard(f) })
	}
	return g.Wait()
}

// next reads one frame. One that can't be read is passed over by its caller: Op
// is then -1.
func (l *link) next(ctx context.Context) (frame, error) {
	_, raw, err := l.conn.Read(ctx)
	if err != nil {
		return frame{}, l.closed(ctx, err)
	}
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		l.log.WarnContext(ctx, "discord sent a frame that can't be read", "channel", ID, "bytes", len(raw), "err", err)
		return frame{Op: -1}, nil
	}
	return f, nil
}

func (l *link) write(ctx context.Context, op int, d any) error {
	raw, err := json.Marshal(map[string]any{"op": op, "d": d})
	if err != nil {
		return fault.Wrap(fault.Internal, "discord.write", err)
	}
	limit, cancel := context.WithTimeout(ctx, l.time.hello)
	defer cancel()
	if err := l.conn.Write(limit, websocket.MessageText, raw); err != nil {
		return l.closed(ctx, err)
	}
	return nil
}

// read reads frames until the connection ends.
func (l *link) read(ctx context.Context) error {
	l.why = l.frames(ctx)
	close(l.over)
	return l.why
}

func (l *link) frames(ctx context.Context) error {
	for {
		f, err := l.next(ctx)
		if err != nil {
			return err
		}
		l.alive()
		switch f.Op {
		case opDispatch:
			if f.Type == "READY" || f.Type == "RESUMED" {
				l.up(ctx, f.Type)
			}
			select {
			case l.in <- f:
				continue
			default:
			}
			l.stuck.Store(true)
			select {
			case l.in <- f:
			case <-ctx.Done():
				return ctx.Err()
			}
			l.stuck.Store(false)
		case opHeartbeat:
			select {
			case l.beat <- struct{}{}:
			default:
			}
		case opAck:
			l.ack.Store(true)
		case opReconnect:
			return fault.New(fault.Unavailable, "discord.read", "Discord asks to connect anew")
		case opInvalid:
			var resume bool
			if json.Unmarshal(f.Data, &resume) != nil || !resume {
				l.session.set(resumable{})
			}
			return fault.Wrap(fault.Unavailable, "discord.read", errRefused)
		}
	}
}

func (l *link) up(ctx context.Context, how string) {
	l.well()
	l.status(nil)
	l.log.InfoContext(ctx, "discord connected", "channel", ID, "account", l.env.Account, "bot", l.known().Name, "resumed", how == "RESUMED")
}
