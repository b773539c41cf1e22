package app

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
)

// restarted tells the session that asked the process before to restart that it
// is done: its agent with the next turn, its people at once.
func (g *daemon) restarted(ctx context.Context) {
	s, ok, err := control.TakeSentinel(g.cfg.Current().Paths.State)
	if err != nil {
		g.log.WarnContext(ctx, "the note of the last restart can't be read", "err", err)
	}
	if !ok {
		return
	}
	text := "The gateway restarted (" + s.Kind + ": " + s.Status + ")."
	if s.Message != nil {
		text += " " + *s.Message
	}
	key := s.SessionKey
	if key == "" {
		cfg := g.cfg.Current()
		key = cfg.MainKey(cfg.DefaultAgent())
	}
	if err := g.db.PutSystemEvent(ctx, key, text, time.Now()); err != nil {
		g.log.ErrorContext(ctx, "a restart is not noted in its session", "session", key, "err", err)
	}
	if d := s.Delivery; d != nil && d.Channel != "" && d.To != "" {
		entry, _, err := g.book.Get(ctx, key)
		if err != nil {
			g.log.ErrorContext(ctx, "nobody is told of a restart", "session", key, "err", err)
			return
		}
		at := entry.Last()
		if at.Channel == "" || at.Peer == "" {
			return
		}
		if err := g.outbox.Send(ctx, msg.Outbound{To: at, Session: key, Text: text}); err != nil {
			g.log.ErrorContext(ctx, "nobody is told of a restart", "session", key, "err", err)
		}
	}
}
