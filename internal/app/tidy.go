package app

import (
	"context"
	"log/slog"

	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// tidy keeps the sessions of each agent within session.maintenance, or tells
// what would go. It runs beside the messages, never in their way.
func (g *daemon) tidy(ctx context.Context) {
	limits := session.LimitsOf(g.cfg.Current().Session.Maintenance)
	for _, a := range g.cfg.Current().AgentIDs() {
		c, err := g.book.Maintain(ctx, session.Upkeep{Agent: a, Limits: limits})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			g.log.ErrorContext(ctx, "sessions are not cleaned up", "agent", a, "err", err)
		case c.Mutates && limits.Enforce:
			g.log.InfoContext(ctx, "sessions cleaned up", "agent", a, "sessions", len(c.Gone))
		case c.Mutates:
			g.log.WarnContext(ctx, "sessions are beyond session.maintenance; see openclaw sessions cleanup --dry-run", "agent", a, "sessions", len(c.Gone))
		}
	}
}

// CleanSessions cleans up sessions without a gateway. It takes the lock of the
// state directory, so it refuses beside a running one.
func CleanSessions(ctx context.Context, cfg *config.Config, log *slog.Logger, ups ...session.Upkeep) (out []session.Cleanup, err error) {
	lock, err := store.Lock(cfg.Paths.State)
	if err != nil {
		return nil, err
	}
	defer closing(ctx, log, "lock", lock)
	db, err := store.Open(ctx, store.Options{StateDir: cfg.Paths.State, Log: log})
	if err != nil {
		return nil, err
	}
	defer closing(ctx, log, "store", db)
	c, err := buildCore(config.NewStore(cfg), db, log) //nolint:contextcheck // as above
	if err != nil {
		return nil, err
	}
	defer closing(ctx, log, "transcripts", c.book)
	defer c.tools.close()
	if err := c.book.Restore(ctx); err != nil {
		return nil, err
	}
	for _, u := range ups {
		x, err := c.book.Maintain(ctx, u)
		if err != nil {
			return out, err
		}
		out = append(out, x)
	}
	return out, nil
}
