package reply

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/engine"
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
	// Album is how many files one message holds; 0 is one.
	Album int
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

// Compacted implements agent.Compactions.
func (c *Composer) Compacted(done engine.Compacted, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !c.Settings.Notify {
		return
	}
	c.aside(fmt.Sprint("compaction:", count), fmt.Sprintf("🧹 Auto-compaction complete (count %d): about %d tokens became %d.", count, done.Before, done.After))
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
