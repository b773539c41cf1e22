package agent

import (
	"context"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/engine"
)

// maxSeen is how many sessions are known to have been shown to the engine.
const maxSeen = 4096

// seen are the sessions that the context engine knows.
type seen struct {
	mu sync.Mutex
	by map[id.Session]engine.Engine
}

// first reports whether e hasn't seen s yet.
func (x *seen) first(s id.Session, e engine.Engine) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by[s] == e {
		return false
	}
	if x.by == nil || len(x.by) >= maxSeen {
		x.by = map[id.Session]engine.Engine{}
	}
	x.by[s] = e
	return true
}

// bootstrap shows the engine the session when it is new to it.
func (w *work) bootstrap(ctx context.Context) {
	b, ok := w.engine.(engine.Bootstrapper)
	if !ok || !w.seen.first(w.session.ID, w.engine) {
		return
	}
	if err := b.Bootstrap(ctx, w.place()); err != nil {
		w.Log.WarnContext(ctx, "the context engine can't begin", "engine", w.engine.Info().ID, "session", w.req.Session, "err", err)
	}
}

// after gives the engine what the run added. Before is how many messages there
// were.
func (w *work) after(ctx context.Context, before int) {
	batch, batched := w.engine.(engine.BatchIngester)
	ender, ends := w.engine.(engine.TurnEnder)
	if !batched && !ends && w.engine.Info().ID == "legacy" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	all := w.reread(ctx, nil)
	before = min(before, len(all))
	if w.compactions > 0 {
		before = 0
	}
	var err error
	if batched {
		_, err = batch.IngestBatch(ctx, engine.Batch{Session: w.place(), Messages: all[before:]})
	} else {
		for _, m := range all[before:] {
			if _, err = w.engine.Ingest(ctx, engine.Ingest{Session: w.place(), Message: m}); err != nil {
				break
			}
		}
	}
	if err == nil && ends {
		err = ender.AfterTurn(ctx, engine.Turn{Session: w.place(), Messages: all, Before: before, Budget: w.window(w.out.Model)})
	}
	if err != nil {
		w.Log.WarnContext(ctx, "the context engine failed behind a run", "engine", w.engine.Info().ID, "run", w.req.Run, "err", err)
	}
}
