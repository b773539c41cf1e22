package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// seen is a message as those who read a conversation get it.
type seen struct {
	ID     id.Message `json:"id"`
	From   string     `json:"from"`
	Author id.Peer    `json:"authorId,omitempty"`
	Text   string     `json:"text"`
	At     string     `json:"timestamp,omitempty"`
	Reply  id.Message `json:"replyTo,omitempty"`
}

// maxRead bounds how many messages one action reads.
const maxRead = 100

// onChannel does what needs no outbox.
func onChannel(ctx context.Context, a Action, to msg.Address, c channel.Channel) (any, error) {
	done := map[string]any{"ok": true, "action": a.Do, "channel": to.Channel, "messageId": a.ID}
	need := func() error {
		if a.ID == "" {
			return fault.New(fault.Invalid, "chat.Act", "messageId is missing: say which message")
		}
		return nil
	}
	limit := a.Limit
	if limit <= 0 {
		limit = 20
	}
	limit = min(limit, maxRead)
	switch a.Do {
	case "react":
		r, ok := channel.As[channel.Reactor](c)
		if !ok {
			break
		}
		if a.Emoji == "" && !a.Remove {
			return nil, fault.New(fault.Invalid, "chat.Act", "emoji is missing; to take reactions back, set remove")
		}
		if err := need(); err != nil {
			return nil, err
		}
		if by, ok := channel.As[channel.AuthorReactor](c); ok {
			author := id.Peer(cmp.Or(a.Author, a.AuthorUUID))
			return done, by.ReactTo(ctx, to, author, a.ID, a.Emoji, !a.Remove)
		}
		return done, r.React(ctx, to, a.ID, a.Emoji, !a.Remove)
	case "edit":
		e, ok := channel.As[channel.Editor](c)
		if !ok {
			break
		}
		if err := need(); err != nil {
			return nil, err
		}
		if strings.TrimSpace(a.Message) == "" {
			return nil, fault.New(fault.Invalid, "chat.Act", "message is empty: give the new text")
		}
		return done, e.Edit(ctx, to, a.ID, a.Message)
	case "delete", "unsend":
		d, ok := channel.As[channel.Deleter](c)
		if !ok {
			break
		}
		if err := need(); err != nil {
			return nil, err
		}
		return done, d.Delete(ctx, to, a.ID)
	case "pin", "unpin":
		p, ok := channel.As[channel.Pinner](c)
		if !ok {
			break
		}
		if err := need(); err != nil {
			return nil, err
		}
		return done, p.Pin(ctx, to, a.ID, a.Do == "pin")
	case "list-pins", "pins":
		if p, ok := channel.As[channel.Pinner](c); ok {
			ms, err := p.Pins(ctx, to)
			return map[string]any{"ok": true, "pins": seenOf(ms)}, err
		}
	case "read":
		if r, ok := channel.As[channel.Reader](c); ok {
			ms, err := r.Read(ctx, to, channel.Page{Before: a.Before, After: a.After, Around: a.Around, Limit: limit})
			return map[string]any{"ok": true, "messages": seenOf(ms)}, err
		}
	case "search":
		if s, ok := channel.As[channel.Searcher](c); ok {
			if strings.TrimSpace(a.Query) == "" {
				return nil, fault.New(fault.Invalid, "chat.Act", "query is empty: say what to look for")
			}
			ms, err := s.Search(ctx, to, a.Query, limit)
			return map[string]any{"ok": true, "messages": seenOf(ms)}, err
		}
	case "thread-create":
		if t, ok := channel.As[channel.Threader](c); ok {
			if strings.TrimSpace(a.Name) == "" {
				return nil, fault.New(fault.Invalid, "chat.Act", "threadName is empty: give the thread a name")
			}
			at, err := t.Thread(ctx, to, a.ID, a.Name)
			return map[string]any{"ok": true, "thread": at}, err
		}
	case "channel-list":
		if d, ok := channel.As[channel.Directory](c); ok {
			es, err := d.Groups(ctx, a.Query, limit)
			return map[string]any{"ok": true, "channels": es}, err
		}
	default:
		if act, ok := channel.As[channel.Actor](c); ok {
			for _, x := range act.Actions() {
				if x.Name == a.Do {
					return x.Run(ctx, about(a, to))
				}
			}
		}
	}
	return nil, fault.New(fault.Invalid, "chat.Act", fmt.Sprintf("%s can't do %q; it can: %s", to.Channel, a.Do, strings.Join(capabilities(c), ", ")))
}

// about is the arguments of an action that only one network has, with the place
// and the message that are named beside them. Where nothing is named, nothing is
// meant: an action may delete the place it is about.
func about(a Action, to msg.Address) json.RawMessage {
	if a.Target == "" {
		return a.Args
	}
	args := map[string]json.RawMessage{}
	if len(a.Args) > 0 && json.Unmarshal(a.Args, &args) != nil || args == nil {
		return a.Args // who runs it says what is wrong
	}
	set := func(key string, v any, said bool) {
		if raw, err := json.Marshal(v); err == nil && said && args[key] == nil {
			args[key] = raw
		}
	}
	set("to", a.Target, true)
	set("channelId", to.Peer, to.Peer != "")
	set("messageId", a.ID, a.ID != "")
	set("limit", a.Limit, a.Limit > 0)
	raw, err := json.Marshal(args)
	if err != nil {
		return a.Args
	}
	return raw
}

func seenOf(ms []msg.Inbound) []seen {
	out := make([]seen, 0, len(ms))
	for _, m := range ms {
		s := seen{ID: m.ID, From: label(m.From), Author: m.From.ID, Text: m.Text, Reply: m.ReplyTo}
		if !m.Received.IsZero() {
			s.At = m.Received.UTC().Format(time.RFC3339)
		}
		out = append(out, s)
	}
	return out
}
