package chat

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/queue"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
)

// SlashCommands are the commands about how messages wait.
func (h *Handler) SlashCommands() []command.Command {
	return []command.Command{
		{Name: "stop", Help: "stop the current answer and what waits behind it", Run: h.cmdStop},
		{
			Name: "queue", Help: "how messages wait while the agent is busy: a mode, debounce:2s cap:25 drop:summarize, or default",
			Args: []command.Arg{{Name: "mode", Choices: []string{"steer", "followup", "collect", "steer-backlog", "interrupt"}}},
			Run:  h.cmdQueue, Takes: queueWord, Once: func(o *command.Once, args string) error {
				s, err := readQueue(args)
				o.Queue = string(s.mode)
				return err
			},
		},
	}
}

// cmdStop is for menus and lists: [Handler.Handle] knows /stop before.
func (h *Handler) cmdStop(ctx context.Context, env command.Env, _ string) (string, error) {
	runs, err := h.halt(ctx, env.Session, "", "stop")
	if err != nil || len(runs) == 0 {
		return nothingRuns, err
	}
	return "⚙️ Agent was aborted.", nil
}

// queueSet is what /queue was asked to set.
type queueSet struct {
	mode  queue.Mode
	quiet *time.Duration
	room  int // cap
	drop  queue.DropPolicy
	reset bool
}

// queueWord tells whether a word belongs to /queue.
func queueWord(_ int, w string) bool {
	k, _, option := strings.Cut(strings.ToLower(strings.Replace(w, "=", ":", 1)), ":")
	_, mode := queue.ParseMode(w)
	return mode || option && (k == "debounce" || k == "cap" || k == "drop") || k == "default" || k == "reset" || k == "clear"
}

func readQueue(args string) (s queueSet, err error) {
	bad := func(format string, a ...any) (queueSet, error) {
		return s, fault.New(fault.Invalid, "command.queue", fmt.Sprintf(format, a...))
	}
	for w := range strings.FieldsSeq(strings.ToLower(args)) {
		k, v, _ := strings.Cut(strings.Replace(w, "=", ":", 1), ":")
		switch k {
		case "default", "reset", "clear":
			s.reset = true
		case "debounce":
			d, err := pause(v)
			if err != nil {
				return bad("Invalid debounce %q. Use ms/s/m (e.g. debounce:1500ms, debounce:2s).", v)
			}
			s.quiet = &d
		case "cap":
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 10_000 {
				return bad("Invalid cap %q. Use a positive integer (e.g. cap:10).", v)
			}
			s.room = n
		case "drop":
			p, ok := queue.ParseDrop(v)
			if !ok {
				return bad("Invalid drop policy %q. Use drop:old, drop:new, or drop:summarize.", v)
			}
			s.drop = p
		default:
			m, ok := queue.ParseMode(w)
			if !ok {
				return bad("Unrecognized queue mode %q. Valid modes: steer, followup, collect, steer+backlog, interrupt.", w)
			}
			s.mode = m
		}
	}
	return s, nil
}

// pause reads a duration; a bare number is milliseconds.
func pause(s string) (time.Duration, error) {
	if n, err := strconv.Atoi(s); err == nil {
		s = strconv.Itoa(n) + "ms"
	}
	d, err := time.ParseDuration(s)
	if err == nil && (d < 0 || d > time.Hour) {
		err = fault.New(fault.Invalid, "command.queue", "out of range")
	}
	return d, err
}

func (h *Handler) cmdQueue(ctx context.Context, env command.Env, args string) (string, error) {
	set, err := readQueue(args)
	if err != nil {
		return "", err
	}
	if args == "" {
		s, _, err := h.Agent.Sessions.Get(ctx, env.Session)
		how := QueueSettings(h.Config(), s, env.In.At.Channel)
		return fmt.Sprintf("Current queue settings: mode=%s, debounce=%dms, cap=%d, drop=%s.\nOptions: modes steer, followup, collect, steer+backlog, interrupt; debounce:<ms|s|m>, cap:<n>, drop:old|new|summarize.",
			how.Mode, how.Quiet.Milliseconds(), how.Cap, how.Drop), err
	}
	if _, _, err := h.Agent.Sessions.Open(ctx, env.Session); err != nil {
		return "", err
	}
	var said []string
	_, err = h.Agent.Sessions.Update(ctx, env.Session, func(s *session.Session) error {
		said = set.into(s)
		return nil
	})
	return strings.Join(said, " "), err
}

// into writes the settings into the index entry and tells what changed.
func (q queueSet) into(s *session.Session) (said []string) {
	if q.reset {
		s.QueueMode, s.QueueDebounceMs, s.QueueCap, s.QueueDrop = "", nil, 0, ""
		return []string{"⚙️ Queue mode reset to default."}
	}
	if q.mode != "" {
		s.QueueMode = string(q.mode)
		said = append(said, "⚙️ Queue mode set to "+string(q.mode)+".")
	}
	if q.quiet != nil {
		ms := int(q.quiet.Milliseconds())
		s.QueueDebounceMs = &ms
		said = append(said, fmt.Sprintf("⚙️ Queue debounce set to %dms.", ms))
	}
	if q.room > 0 {
		s.QueueCap = q.room
		said = append(said, fmt.Sprintf("⚙️ Queue cap set to %d.", q.room))
	}
	if q.drop != "" {
		s.QueueDrop = string(q.drop)
		said = append(said, "⚙️ Queue drop set to "+string(q.drop)+".")
	}
	return said
}

// aside sends what commands within a text said, while the text goes on to the
// agent.
func (h *Handler) aside(ctx context.Context, w Work, replies []string) error {
	for i, text := range replies {
		if w.In[0].Client != nil {
			s, _, err := h.Agent.Sessions.Open(ctx, w.Session)
			if err != nil {
				return err
			}
			m := injected(text)
			m.Key = fmt.Sprintf("%s:command:%d", w.Run, i)
			if err := h.Agent.Sessions.Append(ctx, s, m); err != nil {
				return err
			}
			continue
		}
		out := w.Reply
		out.ID, out.Text = id.Delivery(fmt.Sprintf("command-%s/%d", w.Keys[0], i)), text
		if err := h.Outbox.Send(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// readsText reports whether commands are read out of the text of in: where the
// network has its own menu commands.text may turn that off.
func (h *Handler) readsText(in msg.Inbound) bool {
	cfg := h.Config()
	on := cfg.Commands.Text
	return on == nil || *on || in.Native || in.Client != nil || !cfg.NativeCommands(in.At.Channel, in.At.Account)
}

// begun reports whether the conversation holds a message of w already: an
// earlier process did what its command says, and began to answer.
func (h *Handler) begun(ctx context.Context, w Work) bool {
	if !w.Recovered {
		return false
	}
	s, ok, err := h.Agent.Sessions.Get(ctx, w.Session)
	if err != nil || !ok {
		return false
	}
	entries, err := h.Agent.Sessions.Entries(ctx, s, 0)
	return err == nil && slices.ContainsFunc(entries, func(e session.Entry) bool {
		return e.Message != nil && e.Message.Role == llm.User && e.Message.Key != "" &&
			slices.ContainsFunc(w.In, func(in msg.Inbound) bool { return in.DedupeKey() == e.Message.Key })
	})
}
