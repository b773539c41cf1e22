package reply

import (
	"cmp"
	"context"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// blocks stores the pieces that are ready.
func (c *Composer) blocks() {
	t := c.book.current()
	t.ready = max(t.ready, t.shown)
	t.cut(c.Settings.Chunk)
	waiting := utf8.RuneCountInString(t.text[t.shown:t.ready])
	switch {
	case waiting == 0:
	case waiting >= c.Settings.Coalesce.Max || c.Settings.Idle == 0:
		c.upTo(c.ctx, t.ready)
	case c.timer == nil:
		c.timer = time.AfterFunc(c.Settings.Idle, c.idle)
	default:
		c.timer.Reset(c.Settings.Idle)
	}
}

// idle stores what is ready because nothing came for a while.
func (c *Composer) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.book.turns) == c.book.over {
		return
	}
	if t := c.book.current(); utf8.RuneCountInString(t.text[t.shown:t.ready]) >= c.Settings.Coalesce.Min {
		c.upTo(c.ctx, t.ready)
	}
}

// flush stores all complete messages, in blocks if they are shown as such.
func (c *Composer) flush(ctx context.Context) {
	if !c.Settings.Blocks {
		c.upTo(ctx, 0)
		return
	}
	for i, t := range c.book.turns[:c.book.over] {
		for t.shown < len(t.text) {
			n := c.Settings.Chunk.Next(t.text[t.shown:], true)
			piece := t.text[t.shown : t.shown+n]
			if !c.store(ctx, strings.Trim(strings.TrimRight(piece, " \t\n"), "\n"), []msg.Span{{Turn: i, From: t.shown, To: t.shown + n, Sum: sum(piece)}}) {
				return
			}
		}
	}
}

// upTo stores complete messages and the one that comes up to byte n of it.
func (c *Composer) upTo(ctx context.Context, n int) {
	if text, spans := c.book.rest(n); len(spans) > 0 {
		c.store(ctx, text, spans)
	}
}

// store puts one message into the outbox. When that fails what it shows stays
// in the ledger, for the next.
func (c *Composer) store(ctx context.Context, text string, spans []msg.Span) bool {
	if c.Show != nil {
		c.edit = cmp.Or(c.Show.Stop(), c.edit)
		c.full = false
	}
	outs := c.streamed(ctx, c.outs(ctx, text, spans))
	if len(outs) > 0 {
		n, last := c.n, c.last
		c.pace(outs)
		if err := c.Put(ctx, outs); err != nil {
			c.Log.ErrorContext(ctx, "a part of an answer can't be stored yet", "run", c.Template.Run, "err", err)
			c.n, c.last = n-len(outs), last
			return false
		}
		c.shown(ctx)
	}
	c.book.mark(spans)
	return true
}

// streamed ends a message that was shown in the network's own way: it is the
// first of outs, which is left out then. What it shows is noted with what is
// stored next.
func (c *Composer) streamed(ctx context.Context, outs []msg.Outbound) []msg.Outbound {
	if c.Show == nil {
		return outs
	}
	first := ""
	if len(outs) > 0 {
		first = outs[0].Text
	}
	if done := c.Show.Complete(ctx, first); done {
		c.carry, c.began = append(c.carry, outs[0].Spans...), true
		c.n -= len(outs)
		outs = outs[1:]
		for i := range outs { // names have no gaps
			outs[i].ID = c.name(c.n)
			c.n++
		}
	}
	if len(outs) > 0 && len(c.carry) > 0 {
		outs[0].Spans = append(c.carry, outs[0].Spans...)
		c.carry = nil
	}
	return outs
}

// shown notes that what was made is stored, so that the preview is spent.
func (c *Composer) shown(ctx context.Context) {
	c.began = true
	if c.edit == "" {
		return
	}
	c.edit = ""
	if c.Forget == nil {
		return
	}
	if err := c.Forget(context.WithoutCancel(ctx)); err != nil {
		c.Log.WarnContext(ctx, "a preview can't be forgotten", "run", c.Template.Run, "err", err)
	}
}

// pace delays blocks as a person would.
func (c *Composer) pace(outs []msg.Outbound) {
	s := c.Settings
	if !s.Blocks || s.DelayMax == 0 {
		return
	}
	now := time.Now()
	if c.last.Before(now) {
		first := c.last.IsZero() && !c.began
		c.last = now
		if first {
			return
		}
	}
	c.last = c.last.Add(s.DelayMin + rand.N(s.DelayMax-s.DelayMin+1)) //nolint:gosec // no secret
	for i := range outs {
		outs[i].After = c.last
	}
}
