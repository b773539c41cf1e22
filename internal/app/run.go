package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/chat/queue"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/secret"
	"github.com/openclaw-go/openclaw/internal/store"
)

// Options says how to run the gateway.
type Options struct {
	Paths config.Paths
	Port  int    // 0 is the configured one
	Bind  string // "" is the configured one
	// Auth, Token and Password replace gateway.auth's when not empty.
	Auth     string
	Token    secret.String
	Password secret.String
	Log      *slog.Logger
	LogFile  string // that logs.tail reads; "" is none
	// Ready is called once the gateway answers, with what people want to know.
	Ready func(Started)
	// Drain is how long running turns may go on after ctx ended; 0 is 20 s.
	Drain time.Duration
	// Hurry, once closed, ends the drain: what still runs is cut and resumed by
	// the next start. Nil never does.
	Hurry <-chan struct{}
}

// Started is a gateway that answers.
type Started struct {
	Addr     string // host:port, numeric
	Model    string
	Problems []config.Problem // an invalid file that was not taken
	Waiting  int              // messages of an earlier process taken up
	Took     time.Duration
}

// ErrRestart is what Run returns when the configuration asks for a new process.
var ErrRestart = errors.New("restart")

// Run runs the gateway until ctx ends. Then it stops taking up work, gives what
// runs its time to end, and leaves the rest stored for the next start.
func Run(ctx context.Context, o Options) error {
	began := time.Now()
	lock, err := store.Lock(o.Paths.State)
	if err != nil {
		return err
	}
	defer closing(ctx, o.Log, "lock", lock)
	private(ctx, o.Paths.State, o.Log)

	loaded, err := config.Load(ctx, o.Paths, config.LoadOptions{LastGood: true})
	if err != nil {
		return err
	}
	if loaded.Config == nil {
		return &config.Invalid{Path: loaded.Path, Problems: loaded.Problems}
	}
	for _, p := range loaded.Problems {
		o.Log.ErrorContext(ctx, "configuration is invalid; the last good one is in force", "problem", p.String())
	}
	override(loaded.Config, o)
	cfg := config.NewStore(loaded.Config)

	db, err := store.Open(ctx, store.Options{StateDir: o.Paths.State, Log: o.Log})
	if err != nil {
		return err
	}
	defer closing(ctx, o.Log, "store", db)

	c, err := buildCore(cfg, db, o.Log)
	if err != nil {
		return err
	}
	defer closing(ctx, o.Log, "transcripts", c.book)
	if err := c.book.Restore(ctx); err != nil {
		return err
	}
	g := &daemon{core: c, opts: o, problems: loaded.Problems}
	if err := g.build(ctx); err != nil {
		return err
	}
	return g.run(ctx, began)
}

func override(c *config.Config, o Options) {
	if o.Port != 0 {
		c.Gateway.Port = o.Port
	}
	if o.Bind != "" {
		c.Gateway.Bind = o.Bind
	}
}

func closing(ctx context.Context, log *slog.Logger, what string, c io.Closer) {
	if err := c.Close(); err != nil {
		log.ErrorContext(context.WithoutCancel(ctx), "not closed cleanly", "what", what, "err", err)
	}
}

// settleTime is how long after the start the gateway gives memory back.
const settleTime = 3 * time.Second

// run is the life of the gateway, from the first listener to the last row.
func (g *daemon) run(ctx context.Context, began time.Time) error {
	if err := gateway.CheckBind(g.cfg.Current().Gateway, g.settings()); err != nil {
		return err
	}
	port := g.cfg.Current().Gateway.Port
	if port == 0 {
		port = gateway.DefaultPort
	}
	listeners, err := gateway.Listen(ctx, g.cfg.Current().Gateway, port)
	if err != nil {
		return err
	}
	addr := listeners[0].Addr().String()
	base := context.WithoutCancel(ctx) // work outlives the signal that ends it; stop below bounds it
	runCtx, stop := context.WithCancelCause(base)
	defer stop(nil)
	g.stop, g.life = stop, runCtx

	var wg sync.WaitGroup
	served := make(chan error, 1)
	serveCtx, stopServing := context.WithCancel(base)
	defer stopServing()
	wg.Go(func() { served <- g.server.Serve(serveCtx, listeners...) })

	g.chat.Start()
	waiting, err := g.inbox.Recover(runCtx)
	if err != nil {
		stopServing()
		wg.Wait()
		return err
	}
	g.restarted(runCtx)
	g.channels.apply(runCtx, g.cfg.Current())
	wg.Go(func() { g.watch(runCtx) })
	wg.Go(func() { g.maintain(runCtx) })
	wg.Go(func() { g.models.Probe(runCtx) })
	wg.Go(func() { g.files.Run(runCtx) })
	if run := g.control.Feature().Run; run != nil {
		wg.Go(func() {
			if err := run(runCtx); err != nil && runCtx.Err() == nil {
				g.log.ErrorContext(runCtx, "a part of the gateway ended", "part", "control", "err", err)
			}
		})
	}
	g.ready.Store(true)
	// Starting takes more memory than waiting: what is free now goes back.
	give := time.AfterFunc(settleTime, func() {
		debug.FreeOSMemory()
		_ = proc.Shed() // it only saves memory
	})
	defer give.Stop()
	if g.opts.Ready != nil {
		g.opts.Ready(Started{
			Addr: addr, Model: g.models.Default(g.cfg.Current().DefaultAgent()).String(), Problems: g.problems, Waiting: waiting, Took: time.Since(began),
		})
	}
	g.log.InfoContext(ctx, "gateway ready", "addr", addr, "took", time.Since(began), "waiting", waiting)

	var cause error
	select {
	case <-ctx.Done():
	case <-runCtx.Done():
		cause = context.Cause(runCtx)
	case cause = <-served:
		served <- cause
	}
	g.ready.Store(false)
	g.drain(base, cause)
	stop(nil)
	stopServing()
	wg.Wait()
	if errors.Is(cause, context.Canceled) {
		cause = nil
	}
	return cause
}

// drain ends the work: channels stop receiving, nothing new starts, what runs
// gets its time, the outbox what it can send meanwhile.
func (g *daemon) drain(ctx context.Context, cause error) {
	ev := event.Shutdown{Reason: "gateway stopping"}
	if errors.Is(cause, ErrRestart) {
		ev = event.Shutdown{Reason: "gateway restarting", RestartExpected: 1500 * time.Millisecond}
	}
	g.bus.Publish(ev)
	limit := g.opts.Drain
	if limit == 0 {
		limit = 20 * time.Second
	}
	g.log.InfoContext(ctx, "what runs may end", "why", ev.Reason, "within", limit)
	g.inbox.Close()
	dctx, cancel := context.WithTimeoutCause(ctx, limit, queue.ErrShutdown)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		select {
		case <-g.opts.Hurry:
			cancel()
		case <-dctx.Done():
		}
	})
	g.chat.Close(dctx)
	g.outbox.Flush(dctx, 3*time.Second)
	g.channels.close()
	g.tools.close()
	g.log.InfoContext(ctx, "gateway stopped")
}

// maintain does what needs doing once an hour.
func (g *daemon) maintain(ctx context.Context) {
	const kept = 48 * time.Hour // longer than any network redelivers
	t := time.NewTicker(time.Hour)
	defer t.Stop()
	for {
		if n, err := g.db.ForgetInbound(ctx, time.Now().Add(-kept)); err != nil && ctx.Err() == nil {
			g.log.ErrorContext(ctx, "old messages are not removed", "err", err)
		} else if n > 0 {
			g.log.DebugContext(ctx, "old messages removed", "n", n)
		}
		if _, err := g.db.ForgetOutbound(ctx, time.Now().Add(-kept)); err != nil && ctx.Err() == nil {
			g.log.ErrorContext(ctx, "old deliveries are not removed", "err", err)
		}
		g.tidy(ctx)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}
