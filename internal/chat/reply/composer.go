package reply

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Composer turns what one run says into what people see of it. The run calls
// it as things happen; what it makes goes to Put, and what is left at the end
// comes out of [Composer.Finish]. Its fields are set before the first call.
type Composer struct {
	Settings Settings
	// Base names what the run stores: Base/0, Base/1, … It is the same when
	// another process goes on with the run.
	Base     string
	Template msg.Outbound // ReplyTo is the message that is answered
	// Put stores messages in the outbox, all or none.
	Put   func(ctx context.Context, outs []msg.Outbound) error
	Split func(text string) []string
	// Attach makes a file or an address that the agent named ready to be sent;
	// its error says in words why it can't. May be nil.
	Attach func(ctx context.Context, ref string) (msg.Attachment, error)
	// Show shows previews; nil is none.
	Show *Preview
	// Forget drops the durable note of the preview; may be nil.
	Forget func(ctx context.Context) error
	// Note tells that the run shows something (text) or thinks; may be nil.
	Note func(thinking bool)
	Log  *slog.Logger

	mu     sync.Mutex      // held while storing too: the order of what is stored is the order of what was said
	ctx    context.Context //nolint:containedctx // of the run, for what the clock does
	stream Stream
	book   ledger
	n      int // things stored
	edit   id.Message
	full   bool       // the preview has all that there is room for
	carry  []msg.Span // shown, but not noted yet
	last   time.Time  // when the last block goes out
	began  bool       // something went out that may have answered a message
	closed bool
	timer  *time.Timer
	tag    Text // of the message that comes

	model    llm.Model
	thinking string
	thoughts strings.Builder
	doing    string   // the call under way, for a progress preview
	sent     []string // by other means to the same place
}

// Begin makes c ready. Known returns what an earlier process stored under an
// ID, and left is the preview that it left; both are for resumed runs.
func (c *Composer) Begin(ctx context.Context, known func(context.Context, id.Delivery) (msg.Outbound, bool, error), left id.Message) error {
	c.ctx = ctx
	c.stream.Emit = func(text string, _ bool) { c.book.add(text) }
	c.stream.Tag = c.tag.tagged
	for known != nil {
		out, ok, err := known(ctx, c.name(c.n))
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		c.n++
		c.began = true
		c.book.learn(out.Spans)
		if len(out.Spans) > 0 && out.Spans[0].Sum == sentSum {
			c.sent = append(c.sent, out.Text)
		}
		if out.Edit == left {
			left = "" // it is a message of its own by now
		}
	}
	if c.Show != nil {
		c.Show.Continue(left)
	} else {
		c.edit = left // a preview of earlier settings
	}
	return nil
}

func (c *Composer) name(n int) id.Delivery { return id.Delivery(fmt.Sprintf("%s/%d", c.Base, n)) }

// Fresh begins the next message of the run, or the same one anew.
func (c *Composer) Fresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
}

func (c *Composer) fresh() {
	c.stream = Stream{Emit: c.stream.Emit, Tag: c.stream.Tag}
	c.book.restart()
	c.tag = Text{}
}

// Delta adds streamed text.
func (c *Composer) Delta(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.think()
	c.stream.Delta(text)
	if len(c.book.turns) == c.book.over {
		return // nothing to see yet
	}
	if c.Note != nil {
		c.Note(false)
	}
	if !c.book.meet(c.book.over, false) {
		return // it was shown before
	}
	switch {
	case c.Settings.Blocks && !c.Settings.AtEnd:
		c.blocks()
	case c.Show != nil:
		c.preview()
	}
}

// Said completes the message that came, or adds one that an earlier process
// stored.
func (c *Composer) Said(m llm.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.thoughts.Len() == 0 { // a message of an earlier process, or no streamed thoughts
		for _, b := range m.Content {
			if b.Type == llm.ThinkingBlock {
				c.thoughts.WriteString(b.Text)
			}
		}
	}
	c.think()
	c.stream.Flush()
	t := c.book.end(m.Text())
	for _, s := range c.sent {
		c.book.said(s)
	}
	if t != nil && c.Settings.Blocks {
		c.flush(c.ctx)
	} else if t != nil && c.Show != nil && t.text != "" {
		c.preview()
	}
	c.fresh()
}

// Model implements agent.Watcher.
func (c *Composer) Model(m llm.Model, thinking string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model, c.thinking = m, thinking
}

// Thinking implements agent.Watcher.
func (c *Composer) Thinking(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 64 << 10
	if c.closed || c.thoughts.Len() > most {
		return
	}
	c.thoughts.WriteString(text)
	if c.Settings.Reasoning != "stream" {
		return
	}
	if c.Note != nil {
		c.Note(true)
	}
	if c.Show != nil {
		c.preview()
	}
}

// think shows the thoughts before the text that they led to.
func (c *Composer) think() {
	text := strings.TrimSpace(c.thoughts.String())
	c.thoughts.Reset()
	if text != "" && c.Settings.Reasoning == "on" {
		c.aside("thoughts:"+sum(text), reasoned(text))
	}
}

// ToolStart implements agent.Watcher.
func (c *Composer) ToolStart(call llm.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.doing = Summary(call)
	if c.Settings.Verbose == "on" || c.Settings.Verbose == "full" {
		c.aside("call:"+call.ID, c.doing)
	} else if c.Settings.Preview == "progress" && c.Show != nil {
		c.preview()
	}
}

// ToolEnd implements agent.Watcher.
func (c *Composer) ToolEnd(call llm.Call, r tool.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doing = ""
	if c.closed || c.Settings.Verbose != "full" {
		return
	}
	if text := outcome(call, r); text != "" {
		c.aside("result:"+call.ID, text)
	}
}

// aside shows something that isn't the answer, behind what was said before it.
func (c *Composer) aside(name, text string) {
	if c.book.named[name] {
		return
	}
	c.flush(c.ctx)
	if c.store(c.ctx, text, []msg.Span{{Turn: c.book.over, Sum: name}}) {
		c.book.once(name)
	}
}

// sentSum names what was sent beside the answer.
const sentSum = "sent"

// Beside stores messages that something else sends to the same place while the
// run goes on: behind what was said before, and in the place of what says the
// same.
func (c *Composer) Beside(ctx context.Context, outs []msg.Outbound) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.Put(ctx, outs)
	}
	for _, o := range outs {
		c.book.said(o.Text)
		c.sent = append(c.sent, o.Text)
	}
	c.flush(ctx)
	if c.Show != nil { // what is said from here on stands behind outs
		c.edit = cmp.Or(c.Show.Stop(), c.edit)
		c.Show.Abandon(ctx, false)
	}
	n := c.n
	outs[0].Edit = c.edit
	for i := range outs {
		outs[i].ID, outs[i].Spans = c.name(c.n), []msg.Span{{Turn: c.book.over, Sum: sentSum}}
		c.n++
	}
	if err := c.Put(ctx, outs); err != nil {
		c.n = n
		return err
	}
	c.shown(ctx)
	return nil
}

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
