package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Action is one thing to do on a channel, as the message tool, openclaw message
// and the method message.action ask for it. The names are OpenClaw's.
type Action struct {
	Do         string     `json:"action"`
	Channel    id.Channel `json:"channel,omitempty"` // "" is the asker's, else the only one
	Account    id.Account `json:"accountId,omitempty"`
	Target     string     `json:"target,omitempty"` // "" is where the asker is
	To         string     `json:"to,omitempty"`     // another word for it
	Targets    []string   `json:"targets,omitempty"`
	Thread     id.Thread  `json:"threadId,omitempty"`
	Message    string     `json:"message,omitempty"`
	Media      string     `json:"media,omitempty"`
	ReplyTo    id.Message `json:"replyTo,omitempty"`
	ID         id.Message `json:"messageId,omitempty"` // "" is the message that is being answered
	Emoji      string     `json:"emoji,omitempty"`
	Remove     bool       `json:"remove,omitempty"`
	Author     string     `json:"targetAuthor,omitempty"` // of the message, where the network wants it
	AuthorUUID string     `json:"targetAuthorUuid,omitempty"`
	Silent     bool       `json:"silent,omitempty"`
	Buttons    [][]struct {
		Text  string `json:"text"`
		Data  string `json:"callback_data"`
		URL   string `json:"url"`
		Style string `json:"style"`
	} `json:"buttons,omitempty"`
	Question string          `json:"pollQuestion,omitempty"`
	Options  []string        `json:"pollOption,omitempty"`
	Multi    bool            `json:"pollMulti,omitempty"`
	Public   bool            `json:"pollPublic,omitempty"`
	Hours    int             `json:"pollDurationHours,omitempty"`
	Seconds  int             `json:"pollDurationSeconds,omitempty"`
	Name     string          `json:"threadName,omitempty"`
	Query    string          `json:"query,omitempty"`
	Limit    int             `json:"limit,omitempty"`
	Before   id.Message      `json:"before,omitempty"`
	After    id.Message      `json:"after,omitempty"`
	Around   id.Message      `json:"around,omitempty"`
	Native   json.RawMessage `json:"components,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // of an action that only one network has
	DryRun   bool            `json:"dryRun,omitempty"`

	partOf string // the action that it is one of many of
}

// Asker is who wants an action done.
type Asker struct {
	At      msg.Address // where it is; no channel is nowhere
	Session id.SessionKey
	Run     id.Run
	Key     string // of this request: one that is repeated is done once
	Owner   bool   // may look at and change what others wrote elsewhere
	Tool    bool   // an agent's tool: the rules for other places apply
}

// maxBroadcast bounds the targets of one broadcast.
const maxBroadcast = 100

// Act does one action and returns what came of it, for JSON.
func (h *Handler) Act(ctx context.Context, by Asker, a Action) (any, error) {
	a.Target = cmp.Or(a.Target, a.To)
	if a.Do == "broadcast" {
		return h.broadcast(ctx, by, a)
	}
	to, c, err := h.place(ctx, by, a)
	if err != nil {
		return nil, err
	}
	if by.Tool {
		if err := h.elsewhere(by, to, a.Do); err != nil {
			return nil, err
		}
	}
	if g, ok := channel.As[channel.Gate](c); ok {
		for _, do := range []string{a.Do, a.partOf} {
			if do != "" && !g.Allows(do) {
				return nil, fault.New(fault.Forbidden, "chat.Act", fmt.Sprintf("%s is turned off for %s: see channels.%s.actions", do, to.Channel, to.Channel))
			}
		}
	}
	if a.DryRun {
		return map[string]any{"ok": true, "dryRun": true, "action": a.Do, "to": to}, nil
	}
	switch a.Do {
	case "send", "reply", "thread-reply":
		return h.actSend(ctx, by, a, to)
	case "poll":
		return h.actPoll(ctx, by, a, to, c)
	}
	if a.ID == "" {
		a.ID = h.current(by.Run)
	}
	return onChannel(ctx, a, to, c)
}

// everywhere lists the actions that more than one network can do, all of which
// are about a place.
func everywhere() []string {
	return []string{
		"send", "reply", "thread-reply", "poll", "edit", "delete", "unsend", "react", "pin", "unpin", "list-pins", "pins",
		"thread-create", "read",
	}
}

// capabilities are the actions that c can do and its configuration leaves open.
func capabilities(c channel.Channel) []string {
	out := []string{"send", "reply", "broadcast"}
	add := func(ok bool, names ...string) {
		if ok {
			out = append(out, names...)
		}
	}
	_, edits := channel.As[channel.Editor](c)
	_, deletes := channel.As[channel.Deleter](c)
	_, reacts := channel.As[channel.Reactor](c)
	_, pins := channel.As[channel.Pinner](c)
	_, threads := channel.As[channel.Threader](c)
	_, reads := channel.As[channel.Reader](c)
	_, searches := channel.As[channel.Searcher](c)
	_, directory := channel.As[channel.Directory](c)
	add(edits, "edit")
	add(deletes, "delete", "unsend")
	add(reacts, "react")
	add(pins, "pin", "unpin", "list-pins")
	add(threads, "thread-create", "thread-reply")
	add(reads, "read")
	add(searches, "search")
	add(directory, "channel-list")
	add(c.Limits().Polls, "poll")
	if g, ok := channel.As[channel.Gate](c); ok {
		out = slices.DeleteFunc(out, func(name string) bool { return !g.Allows(name) })
	}
	return out
}
