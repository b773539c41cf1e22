package chat

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/session"
)

// storeRun stores the end of a run: the messages done, the answer in the outbox
// and the session's entry, in one transaction.
func (h *Handler) storeRun(lane context.Context, w Work, t *talk, out agent.Outcome, text reply.Text, res Result) error {
	ctx := context.WithoutCancel(lane) // a stopped run has an end too
	if t.say != nil {
		text.Silent = true // t says it
	}
	f, err := h.finished(ctx, w, text, res)
	if err != nil {
		return err
	}
	if f.Outs, err = t.rest(ctx, f.Outs, w, out, text, res.Err); err != nil {
		return err
	}
	// The parts of f have their names now, so none is stored twice.
	err = persist(lane, h.Log, func() error { return h.storeFinished(ctx, w, out, f) })
	if err == nil {
		h.onward(ctx, f)
	} else {
		h.Outbox.Kick(f.Outs)
	}
	t.done(ctx, err)
	return err
}

func (h *Handler) storeFinished(ctx context.Context, w Work, out agent.Outcome, f inbox.Finished) error {
	if out.Session != "" { // the transcript is durable before the message counts as done, or with it
		tail, ok := h.Agent.Sessions.Tail(out.Session)
		if !ok {
			if err := h.Agent.Sessions.Sync(ctx, out.Session); err != nil {
				return err
			}
		}
		f.Tail = tail
	}
	tried := false
	_, err := h.Agent.Sessions.UpdateBy(ctx, w.Session, func(s *session.Session) error {
		out.Note(s)
		remember(s, w)
		return nil
	}, func(s session.Session) error {
		tried, f.Session = true, &s
		return h.Inbox.Store.Finish(ctx, f)
	})
	if err != nil && !tried { // there is an answer, even if its session has no entry
		f.Session = nil
		err = errors.Join(err, h.Inbox.Store.Finish(ctx, f))
	}
	return err
}

// store marks the messages of w done and puts its answer in the outbox, in one
// transaction.
func (h *Handler) store(ctx context.Context, w Work, text reply.Text, res Result) error {
	f, err := h.finished(ctx, w, text, res)
	if err != nil {
		return err
	}
	return h.settle(ctx, f)
}

// discard marks the messages of w dropped; words, when not empty, go to their
// sender.
func (h *Handler) discard(ctx context.Context, w Work, words string) error {
	w.Keys, w.Dropped = nil, w.Keys
	return h.store(ctx, w, reply.Text{Text: words, Silent: words == ""}, droppedResult(w))
}

// finished is what came of w, ready to be stored.
func (h *Handler) finished(ctx context.Context, w Work, text reply.Text, res Result) (inbox.Finished, error) {
	var outs []msg.Outbound
	if w.Reply.To.Channel != "" && !text.Silent && text.Text != "" {
		tmpl := w.Reply
		tmpl.Run, tmpl.Session = w.Run, w.Session
		set, prefix, err := h.plainly(ctx, w)
		if err != nil {
			return inbox.Finished{}, err
		}
		text.Current = text.Current || set.ReplyTo != "off"
		outs = reply.Outbound(tmpl, text, prefix, func(s string) []string { return h.split(w.Reply.To, s) })
		for i := range outs {
			if err := h.Hooks.Outbound.Run(ctx, &outs[i]); err != nil {
				return inbox.Finished{}, err
			}
		}
	}
	raw, err := json.Marshal(res)
	if err != nil {
		return inbox.Finished{}, err
	}
	h.Log.DebugContext(ctx, "reply.Finish", "run", w.Run, "parts", len(outs))
	return inbox.Finished{Keys: w.Keys, Dropped: w.Dropped, Reason: droppedReason, Outs: outs, Result: raw, Next: append(after(w.In), w.Next...), Told: w.Told}, nil
}
