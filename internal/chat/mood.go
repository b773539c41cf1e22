package chat

import (
	"cmp"
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// mood shows on the message that is answered what the run does: the reaction
// with which the agent saw it changes with the run (messages.statusReactions).
// It passes everything on to the watcher below it.
type mood struct {
	agent.Watcher

	emojis config.StatusEmojis
	want   chan string // the newest wish counts
	live   chan struct{}
	end    chan string // how it ended; closed without a word when another process goes on
}

// newMood begins to show the mood of w on its last message; nil where reactions
// aren't shown.
func (h *Handler) newMood(ctx context.Context, c channel.Channel, w Work, below agent.Watcher) *mood {
	conf := h.Config().Messages.StatusReactions
	in := w.In[len(w.In)-1]
	if c == nil || !conf.Enabled || in.Client != nil || in.Notice {
		return nil
	}
	r, ok := channel.As[channel.Reactor](c)
	first := AckReaction(h.Config(), w.Session.Agent(), in)
	if !ok || first == "" {
		return nil
	}
	m := &mood{
		Watcher: below, emojis: conf.Emojis.OrUsual(), want: make(chan string, 1), live: make(chan struct{}, 1), end: make(chan string, 1),
	}
	ctx = context.WithoutCancel(ctx)
	last := ""
	if !h.Config().Messages.RemoveAckAfterReply {
		last = first
	}
	react := func(emoji string, on bool) {
		const patience = 10 * time.Second
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err := r.React(ctx, in.At, in.ID, emoji, on); err != nil {
			h.Log.DebugContext(ctx, "reaction not shown", "channel", in.At.Channel, "err", err)
		}
	}
	h.side.Go(func() { m.run(react, conf.Timing.OrUsual(), first, last) })
	return m
}

// run changes the reaction from first on, until the run has ended; then it is
// last after a moment.
func (m *mood) run(react func(emoji string, on bool), t config.StatusTiming, first, last string) {
	shown := first
	put := func(emoji string) {
		if emoji == shown {
			return
		}
		if shown != "" { // some networks have one reaction only: the old one goes first
			react(shown, false)
		}
		if shown = emoji; emoji != "" {
			react(emoji, true)
		}
	}
	settle, soft, hard := time.NewTimer(time.Hour), time.NewTimer(t.StallSoft), time.NewTimer(t.StallHard)
	settle.Stop()
	defer func() { settle.Stop(); soft.Stop(); hard.Stop() }()
	awake := func() { soft.Reset(t.StallSoft); hard.Reset(t.StallHard) }
	next := ""
	for {
		select {
		case next = <-m.want:
			settle.Reset(t.Debounce)
			awake()
		case <-m.live:
			awake()
			if shown == m.emojis.StallSoft || shown == m.emojis.StallHard {
				put(cmp.Or(next, first))
			}
		case <-settle.C:
			put(next)
		case <-soft.C:
			put(m.emojis.StallSoft)
		case <-hard.C:
			put(m.emojis.StallHard)
		case how, ended := <-m.end:
			if !ended {
				return
			}
			put(how)
			hold := t.DoneHold
			if how == m.emojis.Error {
				hold = t.ErrorHold
			}
			settle.Reset(hold)
			<-settle.C
			put(last)
			return
		}
	}
}

func (m *mood) show(emoji string) {
	for {
		select {
		case m.want <- emoji:
			return
		default:
		}
		select {
		case <-m.want: // an older wish
		default:
		}
	}
}

// alive tells that the run goes on.
func (m *mood) alive() {
	select {
	case m.live <- struct{}{}:
	default:
	}
}

// over tells how the run ended. It is called once, or leave is.
func (m *mood) over(failed bool) {
	if m == nil {
		return
	}
	if failed {
		m.end <- m.emojis.Error
		return
	}
	m.end <- m.emojis.Done
}

// leave stops without a change: another process goes on.
func (m *mood) leave() {
	if m != nil {
		close(m.end)
	}
}

// Model implements agent.Watcher.
func (m *mood) Model(x llm.Model, thinking string) {
	m.Watcher.Model(x, thinking)
	m.show(m.emojis.Thinking)
}

// Thinking implements agent.Watcher.
func (m *mood) Thinking(text string) {
	m.Watcher.Thinking(text)
	m.alive()
}

// ToolStart implements agent.Watcher.
func (m *mood) ToolStart(c llm.Call) {
	m.Watcher.ToolStart(c)
	m.show(m.emojis.Of(c.Name))
}

// ToolEnd implements agent.Watcher.
func (m *mood) ToolEnd(c llm.Call, r tool.Result) {
	m.Watcher.ToolEnd(c, r)
	m.show(m.emojis.Thinking)
}

// Compacted implements agent.Compactions.
func (m *mood) Compacted(c engine.Compacted, count int) {
	if x, ok := m.Watcher.(agent.Compactions); ok {
		x.Compacted(c, count)
	}
	m.show(m.emojis.Compacting)
}
