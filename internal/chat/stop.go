package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
)

// stops reports whether text asks to stop the run of its session. The phrases
// (reference: slash-commands.json) count only as the whole message.
func (h *Handler) stops(text string) (answer string, ok bool) {
	if Stops(text) {
		return "⚙️ Agent was aborted.", true
	}
	return "", false
}

// Stops reports whether text, as a whole, asks to stop what runs.
func Stops(text string) bool {
	const longest = 80 // bytes, with room for punctuation
	if len(text) > longest {
		return false
	}
	t := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("’", "'", "`", "'").Replace(text)), " "))
	t = strings.TrimSpace(strings.TrimRight(t, ".!?…,，。;；:：'\"’”)]}"))
	if name, bot, ok := strings.Cut(t, "@"); ok && name == "/stop" && !strings.Contains(bot, " ") {
		t = name
	}
	switch t {
	case "/stop", "stop", "abort", "esc", "wait", "exit", "interrupt", "halt", "please stop", "stop please",
		"stop action", "stop current action", "stop run", "stop current run", "stop agent", "stop the agent",
		"stop openclaw", "openclaw stop", "stop doing anything", "stop don't do anything", "stop dont do anything",
		"stop do not do anything", "do not do that",
		"detente", "deten", "detén", "arrete", "arrête", "停止", "やめて", "止めて", "रुको", "توقف", "стоп", "остановись",
		"останови", "остановить", "прекрати", "anhalten", "aufhören", "hoer auf", "stopp", "pare":
		return true
	}
	return false
}

const nothingRuns = "Nothing is running in this session."

// resets reports whether text asks for a new conversation.
func resets(text string) bool {
	word, _, _ := strings.Cut(strings.Join(strings.Fields(text[:min(len(text), 64)]), " "), " ")
	return strings.EqualFold(word, "/new") || strings.EqualFold(word, "/reset")
}

// triggered is text with an own word of session.resetTriggers as /new.
func (h *Handler) triggered(text string) string {
	t := strings.TrimSpace(text)
	for _, w := range h.Config().Session.ResetTriggers {
		if w = strings.TrimSpace(w); w == "" || resets(w) || len(t) < len(w) || !strings.EqualFold(t[:len(w)], w) {
			continue
		}
		if rest := t[len(w):]; rest == "" || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\n") {
			return "/new" + rest
		}
	}
	return text
}

// bash reports whether text is a shell command of the chat, and what to say to
// it: running them is not built, whatever commands.bash says.
func bash(text string) (answer string, ok bool) {
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, "!") && t != "/bash" && !strings.HasPrefix(t, "/bash ") {
		return "", false
	}
	return "⚠️ bash is disabled. Set commands.bash=true to enable. Docs: https://docs.openclaw.ai/tools/slash-commands#config", true
}

// stop ends the session's run and what waits behind it, and says so.
func (h *Handler) stop(ctx context.Context, w Work, answer string) error {
	runs, err := h.halt(ctx, w.Session, "", "stop")
	if err != nil {
		return err
	}
	for _, d := range h.queue.Drop(w.Session) {
		if err := h.finish(ctx, d, "", &agent.Aborted{Origin: "stop"}); err != nil {
			return err
		}
		h.results.done([]Work{d}, d.Run, Result{Run: d.Run, Status: "aborted"})
	}
	children := 0
	if h.Children != nil {
		children = h.Children(ctx, w.Session)
	}
	if len(runs) == 0 && children == 0 {
		answer = nothingRuns
	}
	return h.answered(ctx, w, answer)
}

// Abort stops the run of a session, or only the named one, and returns the runs
// that it stopped. Origin says who asked: rpc or stop.
func (h *Handler) Abort(key id.SessionKey, run id.Run, origin string) []id.Run {
	runs, _ := h.abort(key, run, origin)
	return runs
}

// halt is Abort for good: the messages are done before it returns, so that a
// crash before their run has ended doesn't bring them back.
func (h *Handler) halt(ctx context.Context, key id.SessionKey, run id.Run, origin string) ([]id.Run, error) {
	runs, batch := h.abort(key, run, origin)
	for _, w := range batch {
		if err := h.finish(ctx, w, "", &agent.Aborted{Origin: origin}); err != nil {
			return runs, err
		}
	}
	return runs, nil
}

func (h *Handler) abort(key id.SessionKey, run id.Run, origin string) ([]id.Run, []Work) {
	batch := h.queue.Abort(key, &agent.Aborted{Origin: origin}, func(w Work) bool {
		s, _ := h.results.get(w.Run)
		return run == "" || w.Run == run || s != nil && s.as == run
	})
	var out []id.Run
	for _, w := range batch {
		r := w.Run
		if s, ok := h.results.get(w.Run); ok {
			r = s.as
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out, batch
}

// Poisoned tells the sender of a message that it was set aside.
func (h *Handler) Poisoned(ctx context.Context, it inbox.Item, reason string) {
	in := it.In
	if in.Client != nil {
		h.results.begin(in.Client.Run, in.Client.Session)
		h.results.done([]Work{{Run: in.Client.Run}}, in.Client.Run, Result{Run: in.Client.Run, Status: "error", Error: reason})
		h.Bus.Publish(event.ChatEnded{Run: in.Client.Run, Session: in.Client.Session, State: "error", Error: reason})
		return
	}
	for _, next := range after([]msg.Inbound{in}) { // the agents behind it still get theirs
		if err := h.Inbox.Accept(ctx, next); err != nil {
			h.Log.ErrorContext(ctx, "a message isn't handed to the next agent", "key", it.Key, "err", err)
		}
	}
	err := h.Outbox.Send(ctx, msg.Outbound{To: in.At, ReplyTo: in.ID, Edit: h.setAside(ctx, it.Key, in), Text: "Your message could not be processed and was set aside: " + reason + "."})
	if err != nil {
		h.Log.ErrorContext(ctx, "the sender isn't told about a message set aside", "key", it.Key, "err", err)
	}
}

// Busy reports whether something runs or waits in a session.
func (h *Handler) Busy(key id.SessionKey) bool { return h.queue != nil && h.queue.Busy(key) }

// Halt stops what runs in a session and waits until it ended, so that its
// transcript can be taken away. What waits stays and is answered afterwards.
func (h *Handler) Halt(ctx context.Context, key id.SessionKey) error {
	for _, run := range h.Abort(key, "", "rpc") {
		if s, ok := h.results.get(run); ok {
			if _, err := s.wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
