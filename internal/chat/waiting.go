package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/chat/queue"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// bound is how many runs of a lane go at once (recorded defaults).
func (h *Handler) bound(lane string) int {
	cfg := h.Config()
	n, usual := cfg.Agents.Defaults.MaxConcurrent, 4
	switch lane {
	case "cron":
		n, usual = cfg.Cron.MaxConcurrentRuns, 1
	case "subagent":
		n, usual = cfg.Agents.Defaults.Subagents.MaxConcurrent, 8
	}
	if n > 0 {
		return n
	}
	return usual
}

// joins reports whether b may be answered together with a: by its place, by
// what its sender may do, and because nothing of it is special.
func joins(a, b Work) bool {
	x, y := a.In[0], b.In[0]
	return !a.Recovered && !b.Recovered && a.Owner == b.Owner && a.Lane == b.Lane && a.Once == b.Once && a.Reply.To == b.Reply.To &&
		reflect.DeepEqual(a.Tools, b.Tools) && slices.Equal(a.Skills, b.Skills) && (x.Client == nil) == (y.Client == nil) &&
		(x.Client == nil || x.Client.Conn == y.Client.Conn && !x.Client.Lost && !y.Client.Lost && asks(x) == asks(y))
}

// asks are what a client's message asks of its run.
func asks(in msg.Inbound) [3]string {
	return [3]string{in.Client.Model, in.Client.Thinking, in.Client.System}
}

// waits is how w waits behind a run of its session.
func (h *Handler) waits(ctx context.Context, w Work) queue.Wait {
	in := w.In[0]
	s, _, err := h.Agent.Sessions.Get(ctx, w.Session)
	if err != nil {
		h.Log.WarnContext(ctx, "the queue settings of a session can't be read", "session", w.Session, "err", err)
	}
	how := QueueSettings(h.Config(), s, in.At.Channel)
	how.Pool = w.Lane
	if m, ok := queue.ParseMode(w.Once.Queue); ok {
		how.Mode = m
	}
	switch {
	case in.Client != nil && (in.Client.Plain || in.Client.Lost):
		// A program waits for the answer to each of its requests.
		if how.Mode != queue.Collect {
			how.Mode = queue.Followup
		}
		how.Quiet, how.Cap = 0, 0
	case w.Recovered:
		// What an earlier process accepted is answered, whatever came after it.
		how.Mode, how.Quiet = queue.Followup, 0
	case how.Mode == queue.Interrupt:
		how.Quiet, how.Interrupt = 0, &agent.Aborted{Origin: "interrupt"}
	}
	return how
}

// QueueSettings is how messages of a channel wait in a session: what /queue set
// there, else what the configuration says for the channel, else for all.
func QueueSettings(cfg *config.Config, s session.Session, ch id.Channel) queue.Wait {
	q := cfg.Messages.Queue
	how := queue.Wait{Mode: queue.Collect, Quiet: time.Second, Cap: 20, Drop: queue.DropSummarize}
	for _, m := range []string{s.QueueMode, q.ByChannel[ch], q.Mode} {
		if mode, ok := queue.ParseMode(m); ok {
			how.Mode = mode
			break
		}
	}
	for _, d := range []string{s.QueueDrop, q.Drop} {
		if drop, ok := queue.ParseDrop(d); ok {
			how.Drop = drop
			break
		}
	}
	switch by, ok := q.DebounceMsByChannel[ch]; {
	case s.QueueDebounceMs != nil:
		how.Quiet = time.Duration(*s.QueueDebounceMs) * time.Millisecond
	case ok:
		how.Quiet = time.Duration(by) * time.Millisecond
	case q.DebounceMs != nil:
		how.Quiet = time.Duration(*q.DebounceMs) * time.Millisecond
	}
	if n := s.QueueCap; n > 0 {
		how.Cap = n
	} else if q.Cap > 0 {
		how.Cap = q.Cap
	}
	return how
}

// letGo ends work that there was no room for. Its sender is told once, until
// the lane has room again.
func (h *Handler) letGo(ctx context.Context, got queue.Submitted[Work]) {
	for i, w := range got.Dropped {
		words := ""
		if i == 0 && got.Lost == len(got.Dropped) {
			words = "⚠️ Too many messages wait in this chat, so I dropped one: “" + text.Ellipsis(oneLine(joined(w.In).Text), shownText) + "”. Further ones may be dropped until I have caught up."
		}
		h.Log.WarnContext(ctx, "message dropped: too many wait in its session", "session", w.Session, "key", w.Keys[0])
		err := h.discard(ctx, w, words)
		if err != nil {
			h.Log.ErrorContext(ctx, "a dropped message can't be marked", "key", w.Keys[0], "err", err)
		}
		h.results.done([]Work{w}, w.Run, droppedResult(w))
		h.Bus.Publish(event.ChatEnded{Run: w.Run, Session: w.Session, State: "error", Error: droppedReason})
	}
}

const droppedReason = "dropped: too many messages waited in its session"

func droppedResult(w Work) Result {
	now := time.Now().UnixMilli()
	return Result{Run: w.Run, Status: "error", Error: droppedReason, Started: now, Ended: now}
}

// dropNote tells the agent about messages that nobody answers, in the recorded
// shape.
func dropNote(dropped []Work) string {
	var b strings.Builder
	plural := "s"
	if len(dropped) == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "[Queue overflow] Dropped %d message%s due to cap.\nSummary:", len(dropped), plural)
	const most = 20
	for _, w := range dropped[max(0, len(dropped)-most):] {
		b.WriteString("\n- " + text.Ellipsis(oneLine(joined(w.In).Text), 160))
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// answeredBefore reports whether the messages of recovered work were taken up
// by the run of an earlier one, which was answered meanwhile.
func (h *Handler) answeredBefore(ctx context.Context, batch []Work) bool {
	for _, w := range batch {
		for _, k := range w.Keys {
			it, ok, err := h.Inbox.Store.Inbound(ctx, k)
			if err != nil || !ok || !it.Done {
				return false
			}
			r := Result{Run: w.Run, Status: "ok"}
			if json.Unmarshal(it.Result, &r) != nil {
				return false
			}
			h.results.done([]Work{w}, w.Run, r)
		}
	}
	return true
}

// takenUp is what a run took up on the way.
type takenUp struct {
	h  *Handler
	by Work

	mu    sync.Mutex
	works []Work
}

// againKey marks, in the transcript, a message that was steered in and comes
// once more in its own turn: it isn't the answer to its inbox entry.
const againKey = ":steer"

// more takes up what waits to be steered in.
func (u *takenUp) more() []agent.Input {
	items, again := u.h.queue.Take(u.by.Session)
	if len(items) == 0 && len(again) == 0 {
		return nil
	}
	zone := zoneOf(u.h.Config())
	var out []agent.Input
	add := func(w Work, suffix string) {
		for _, in := range w.In {
			out = append(out, agent.Input{Key: in.DedupeKey() + suffix, Text: envelope(in, nil, zone), Images: images(in)})
		}
	}
	for _, w := range again {
		add(w, againKey)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range items {
		u.h.results.started(w.Run, u.by.Run)
		u.works = append(u.works, w)
		add(w, "")
	}
	return out
}

// joined is the batch and its work with what the run took up: their entries end
// with it. What it didn't get to waits again.
func (u *takenUp) joined(b queue.Batch[Work], w Work, out agent.Outcome) ([]Work, Work) {
	u.mu.Lock()
	defer u.mu.Unlock()
	batch := slices.Clone(b.Items)
	var back []Work
	for _, x := range u.works {
		if !out.GivenUp && !slices.ContainsFunc(x.In, func(in msg.Inbound) bool { return slices.Contains(out.Took, in.DedupeKey()) }) {
			back = append(back, x)
			continue
		}
		batch = append(batch, x)
		w.In, w.Keys = append(w.In[:len(w.In):len(w.In)], x.In...), append(w.Keys[:len(w.Keys):len(w.Keys)], x.Keys...)
		w.Reply.ReplyTo = x.Reply.ReplyTo
	}
	for _, k := range out.Took { // by an earlier process, before it ended
		if !slices.Contains(w.Keys, k) && !strings.HasSuffix(k, againKey) {
			w.Keys = append(w.Keys, k)
		}
	}
	for _, d := range b.Dropped {
		batch = append(batch, d)
		w.Dropped = append(w.Dropped, d.Keys...)
		w.Next = append(w.Next, after(d.In)...)
	}
	u.h.queue.Return(w.Session, back)
	return batch, w
}
