package chat

import (
	"errors"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
)

// joined is one message made of several of the same sender.
func joined(ins []msg.Inbound) msg.Inbound {
	in := ins[0]
	for _, x := range ins[1:] {
		in.Text += "\n" + x.Text
		in.Mentioned = in.Mentioned || x.Mentioned
	}
	return in
}

func texts(ins []msg.Inbound) (out []string) {
	for _, in := range ins {
		out = append(out, in.Text)
	}
	return out
}

func keys(items []inbox.Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Key
	}
	return out
}

// merged is the work of a whole batch: answered under the run of its first
// message, or under a new one when that was announced as waiting.
func (h *Handler) merged(batch []Work) Work {
	h.submit.Lock()
	h.submit.Unlock() //nolint:staticcheck // only waits for Submit to note whether the run waits
	w := batch[0]
	if h.results.isQueued(w.Run) {
		w.Run = id.NewRun()
	}
	for _, b := range batch[1:] {
		w.In = append(w.In, b.In...)
		w.Keys = append(w.Keys, b.Keys...)
		w.Reply.ReplyTo = b.Reply.ReplyTo
	}
	return w
}

func zoneOf(cfg *config.Config) *time.Location {
	if tz := cfg.Agents.Defaults.UserTimezone; tz != "" {
		if z, err := time.LoadLocation(tz); err == nil {
			return z
		}
	}
	return time.Local
}

// visible is what a person is told about err.
func visible(err error) string {
	if hint := fault.Hint(err); fault.KindOf(err) != fault.Internal || hint != "something went wrong" {
		return hint
	}
	return "Something went wrong inside the gateway. Its log has the details: openclaw logs"
}

// wired is err as clients of the gateway are told it: the service's own words
// with its status, as recorded.
func wired(err error) string {
	if words, ok := provider.Words(err); ok {
		return words
	}
	return visible(err)
}

// abortedText is what a person is told about a run that was stopped; whoever
// stopped it needs no words.
func abortedText(a *agent.Aborted) string {
	switch a.Origin {
	case "timeout":
		return timedOut
	case "stuck":
		return gotStuck
	}
	return ""
}

// gotStuck is the answer to a message whose run stopped doing anything.
const gotStuck = "This answer got stuck: nothing happened for a long time, so I stopped it. Ask again, in other words or smaller steps if it happens twice."

// timedOut is the answer to a message whose run nobody stopped but the clock.
const timedOut = "I ran out of time for this and stopped. Ask again, in smaller steps if you can; the owner can raise agents.defaults.timeoutSeconds."

func asAborted(err error) *agent.Aborted {
	a, _ := errors.AsType[*agent.Aborted](err)
	return a
}

// injected is an assistant message that the gateway wrote itself, in the
// recorded shape.
func injected(text string) llm.Message {
	return llm.Message{
		Role: llm.Assistant, Content: llm.Content{llm.Text(text)}, Time: time.Now().UnixMilli(), Stop: llm.StopEnd,
		Usage: &llm.Usage{}, API: "openai-responses", Provider: "openclaw", Model: "gateway-injected",
	}
}

// chatEnded is the event that ends w for its clients.
func chatEnded(w Work, out agent.Outcome, err error) event.ChatEnded {
	e := event.ChatEnded{Run: w.Run, Session: w.Session, State: "final"}
	say := func(text string) *llm.Message {
		if text == "" {
			return nil
		}
		return &llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text(text)}, Time: time.Now().UnixMilli()}
	}
	// The texts of one run follow each other in the stream without a break, and
	// the final text is what was streamed.
	text := reply.Clean(strings.Join(out.Texts, "")).Text
	switch a := asAborted(err); {
	case a != nil:
		e.State, e.Stop, e.Message = "aborted", a.Origin, say(strings.Join(out.Texts, "")+strings.TrimRight(out.Partial, " "))
	case err != nil:
		e.State, e.Error = "error", wired(err)
	default:
		e.Message = say(text)
	}
	return e
}

// remember notes in the index entry where the messages of w came from.
func remember(s *session.Session, w Work) {
	in := w.In[len(w.In)-1]
	if in.Client != nil && !in.Client.Deliver {
		if s.Delivery == nil && in.At.Channel != "" {
			s.ChatType, s.LastChannel = "direct", string(in.At.Channel)
			s.Delivery = &session.Delivery{Channel: string(in.At.Channel)}
			s.Origin = &session.Origin{Provider: string(in.At.Channel), Surface: string(in.At.Channel), ChatType: "direct"}
		}
		return
	}
	at := in.At
	s.ChatType = string(at.Kind)
	s.Channel, s.LastChannel, s.LastTo = string(at.Channel), string(at.Channel), string(at.Peer)
	s.LastAccountID, s.LastThreadID = string(at.Account), string(at.Thread)
	s.Delivery = &session.Delivery{Channel: string(at.Channel), To: string(at.Peer), AccountID: string(at.Account), ThreadID: string(at.Thread)}
	s.Origin = &session.Origin{
		Label: string(at.Channel) + ":" + label(in.From), Provider: string(at.Channel), Surface: string(at.Channel), ChatType: string(at.Kind),
		From: string(at.Channel) + ":" + string(in.From.ID), To: string(at.Peer), AccountID: string(at.Account), ThreadID: string(at.Thread),
	}
}
