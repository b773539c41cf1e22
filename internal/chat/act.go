package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/rpc"
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
	if g, ok := channel.As[channel.Gate](c); ok && !g.Allows(a.Do) {
		return nil, fault.New(fault.Forbidden, "chat.Act", fmt.Sprintf("%s is turned off for %s: see channels.%s.actions", a.Do, to.Channel, to.Channel))
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

// Actions lists what can be done on at least one attached channel, sorted.
func (h *Handler) Actions() []string {
	out := []string{"send", "reply", "broadcast"}
	for _, k := range h.Outbox.Attached() {
		out = append(out, capabilities(k)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everywhere lists the actions that more than one network can do, all of which
// are about a place.
func everywhere() []string {
	return []string{
		"send", "reply", "thread-reply", "poll", "edit", "delete", "unsend", "react", "pin", "unpin", "list-pins", "pins",
		"thread-create", "read",
	}
}

// capabilities are the actions that c can do beside sending.
func capabilities(c channel.Channel) []string {
	var out []string
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

// place finds where an action goes and the channel that does it.
func (h *Handler) place(ctx context.Context, by Asker, a Action) (msg.Address, channel.Channel, error) {
	ch := a.Channel
	if ch == "" && by.At.Channel != "webchat" {
		ch = by.At.Channel
	}
	if ch == "" || a.Channel != "" && a.Channel != by.At.Channel {
		picked, err := h.sendChannel(string(ch))
		if e, ok := errors.AsType[*rpc.Error](err); ok {
			return msg.Address{}, nil, fault.New(fault.Invalid, "chat.Act", e.Message)
		}
		ch = picked
	}
	acc := a.Account
	if acc == "" && ch == by.At.Channel {
		acc = by.At.Account
	}
	acc = cmp.Or(acc, id.DefaultAccount)
	c, ok := h.Outbox.Channel(ch, acc)
	if !ok {
		return msg.Address{}, nil, fault.New(fault.NotFound, "chat.Act", fmt.Sprintf("channel %s has no running account %s; see openclaw channels status", ch, acc))
	}
	to := by.At
	if a.Target != "" {
		var err error
		if to, err = h.address(ctx, c, ch, acc, a.Target); err != nil {
			return msg.Address{}, nil, err
		}
	} else if by.At.Channel != ch || by.At.Peer == "" {
		if !slices.Contains(everywhere(), a.Do) { // one of the network's own says itself what about
			return msg.Address{Channel: ch, Account: acc}, c, nil
		}
		return msg.Address{}, nil, fault.New(fault.Invalid, "chat.Act", "target is missing: say whom or where to")
	}
	if a.Thread != "" {
		to.Thread = a.Thread
	}
	return to, c, nil
}

// address reads a target as people write it: the channel's own forms first,
// then a name in its directory.
func (h *Handler) address(ctx context.Context, c channel.Channel, ch id.Channel, acc id.Account, target string) (msg.Address, error) {
	to := msg.Address{Kind: msg.Direct, Peer: id.Peer(strings.TrimSpace(target))}
	var err error
	if k, ok := h.kind(ch); ok && k.Target != nil {
		to, err = k.Target(target)
	}
	if d, ok := channel.As[channel.Directory](c); ok && err != nil {
		if found, ok := named(ctx, d, target); ok {
			to, err = found, nil
		}
	}
	if err != nil {
		return msg.Address{}, err
	}
	to.Channel, to.Account = ch, acc
	return to, nil
}

// named looks a name up: one that means several is none.
func named(ctx context.Context, d channel.Directory, name string) (msg.Address, bool) {
	plain := strings.TrimLeft(strings.TrimSpace(name), "#@")
	var hits []channel.Entry
	for _, list := range []func(context.Context, string, int) ([]channel.Entry, error){d.Groups, d.Peers} {
		es, err := list(ctx, plain, 20)
		if err != nil {
			continue // one of the two lists may need rights that the account lacks
		}
		for _, e := range es {
			if strings.EqualFold(e.Name, plain) || strings.EqualFold(e.Handle, plain) {
				hits = append(hits, e)
			}
		}
	}
	if len(hits) != 1 {
		return msg.Address{}, false
	}
	return msg.Address{Kind: hits[0].Kind, Peer: hits[0].ID}, true
}

func (h *Handler) kind(ch id.Channel) (channel.Kind, bool) {
	if h.Access == nil || h.Access.Kind == nil {
		return channel.Kind{}, false
	}
	return h.Access.Kind(ch)
}

// elsewhere applies tools.message: an agent that talks in one place may write
// to others of the same network, and to other networks only where that is
// turned on. What others wrote there is for the owner only.
func (h *Handler) elsewhere(by Asker, to msg.Address, do string) error {
	const op = "chat.Act"
	if by.At.Channel == "" || by.At.Channel == "webchat" || by.At == to {
		return nil
	}
	same := by.At.Channel == to.Channel && by.At.Account == to.Account && by.At.Peer == to.Peer
	if !writes(do) && !same && !by.Owner {
		return fault.New(fault.Forbidden, op, "only the owner may have the agent do that in another conversation")
	}
	m := h.Config().Tools.Message
	switch {
	case same, m.AllowCrossContextSend:
	case by.At.Channel == to.Channel && m.CrossContext.AllowWithinProvider != nil && !*m.CrossContext.AllowWithinProvider:
		return fault.New(fault.Forbidden, op, "tools.message.crossContext.allowWithinProvider is off, so only this conversation can be written to")
	case by.At.Channel != to.Channel && !m.CrossContext.AllowAcrossProviders:
		return fault.New(fault.Forbidden, op, fmt.Sprintf("this conversation is on %s; writing to %s needs tools.message.crossContext.allowAcrossProviders", by.At.Channel, to.Channel))
	}
	return nil
}

func writes(do string) bool {
	return slices.Contains([]string{"send", "reply", "thread-reply", "poll", "broadcast"}, do)
}

// marked puts in front where a text comes from when an agent writes to another
// place than the one it talks in.
func (h *Handler) marked(by Asker, to msg.Address, text string) string {
	mark := h.Config().Tools.Message.CrossContext.Marker
	if !by.Tool || text == "" || by.At.Channel == "" || by.At.Channel == "webchat" || by.At.Channel == to.Channel && by.At.Peer == to.Peer ||
		mark.Enabled != nil && !*mark.Enabled {
		return text
	}
	prefix := "[from {channel}] "
	if mark.Prefix != nil {
		prefix = *mark.Prefix
	}
	fill := func(s string) string { return strings.ReplaceAll(s, "{channel}", string(by.At.Channel)) }
	return fill(prefix) + text + fill(mark.Suffix)
}

func (h *Handler) actSend(ctx context.Context, by Asker, a Action, to msg.Address) (any, error) {
	if strings.TrimSpace(a.Message) == "" && a.Media == "" && len(a.Native) == 0 {
		return nil, fault.New(fault.Invalid, "chat.Act", "message is empty: give it a text")
	}
	out := msg.Outbound{
		ID: id.Delivery("send-" + by.Key), Run: by.Run, Session: by.Session, To: to, Text: h.marked(by, to, a.Message), ReplyTo: a.ReplyTo,
		Quiet: a.Silent, Native: a.Native,
	}
	if a.Do == "reply" && out.ReplyTo == "" {
		out.ReplyTo = cmp.Or(a.ID, h.current(by.Run))
	}
	for _, row := range a.Buttons {
		var buttons []msg.Button
		for _, b := range row {
			buttons = append(buttons, msg.Button{Text: b.Text, Data: b.Data, URL: b.URL, Style: b.Style})
		}
		out.Buttons = append(out.Buttons, buttons)
	}
	if a.Media != "" {
		agent := by.Session.Agent()
		if by.Session == "" {
			agent = h.Config().DefaultAgent()
		}
		file, err := h.attach(ctx, agent, to, a.Media)
		if err != nil {
			return nil, err
		}
		out.Attachments = append(out.Attachments, file)
	}
	if by.Tool { // in its place among what the run says
		if err := h.Say(ctx, by.Run, h.parts(out)...); err != nil {
			return nil, err
		}
	}
	return h.sendPatiently(ctx, out)
}

// sendPatiently sends out and waits a while for the network to take it.
func (h *Handler) sendPatiently(ctx context.Context, out msg.Outbound) (sent, error) {
	r := sent{Run: out.Run, Message: out.ID, Channel: out.To.Channel}
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	err := h.sendOnce(ctx, out)
	if q, ok := errors.AsType[outbox.Queued](err); ok {
		r.Queued, r.Reason = true, visible(q.Err)
		return r, nil
	}
	return r, err
}

func (h *Handler) actPoll(ctx context.Context, by Asker, a Action, to msg.Address, c channel.Channel) (any, error) {
	const op = "chat.Act"
	if !c.Limits().Polls {
		return nil, fault.New(fault.Invalid, op, "unsupported poll channel: "+string(to.Channel))
	}
	options := slices.DeleteFunc(slices.Clone(a.Options), func(o string) bool { return strings.TrimSpace(o) == "" })
	if strings.TrimSpace(a.Question) == "" || len(options) < 2 {
		return nil, fault.New(fault.Invalid, op, "a poll needs a question and at least two options")
	}
	p := &msg.Poll{Question: a.Question, Options: options, Multi: a.Multi, Public: a.Public}
	p.Open = time.Duration(a.Hours)*time.Hour + time.Duration(a.Seconds)*time.Second
	return h.sendPatiently(ctx, msg.Outbound{
		ID: id.Delivery("poll-" + by.Key), Run: by.Run, Session: by.Session, To: to, Poll: p, Quiet: a.Silent, ReplyTo: a.ReplyTo,
	})
}

// broadcast sends one message to many; one that fails doesn't stop the others.
func (h *Handler) broadcast(ctx context.Context, by Asker, a Action) (any, error) {
	const op = "chat.Act"
	if on := h.Config().Tools.Message.Broadcast.Enabled; by.Tool && on != nil && !*on {
		return nil, fault.New(fault.Forbidden, op, "tools.message.broadcast.enabled is off")
	}
	switch {
	case len(a.Targets) == 0:
		return nil, fault.New(fault.Invalid, op, "targets is empty: say whom to send to")
	case len(a.Targets) > maxBroadcast:
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("%d targets are too many; %d are the most", len(a.Targets), maxBroadcast))
	}
	type one struct {
		Channel id.Channel `json:"channel"`
		To      string     `json:"to"`
		OK      bool       `json:"ok"`
		Error   string     `json:"error,omitempty"`
		Result  any        `json:"result,omitempty"`
	}
	channels := []id.Channel{a.Channel}
	if a.Channel == "all" {
		channels = h.Outbox.Channels()
	}
	var out []one
	for _, ch := range channels {
		for i, target := range a.Targets {
			each := a
			each.Do, each.Channel, each.Target, each.Targets = "send", ch, target, nil
			who := by
			who.Key = fmt.Sprintf("%s/%s/%d", by.Key, ch, i+1)
			r, err := h.Act(ctx, who, each)
			o := one{Channel: ch, To: target, OK: err == nil, Result: r}
			if err != nil {
				o.Error = visible(err)
			}
			out = append(out, o)
		}
	}
	return map[string]any{"results": out}, nil
}
