package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// The envelope is what stands in front of a person's words in the transcript
// and in the prompt: where and by whom they were written, what they answer and
// what was said before, each marked as untrusted, and when. Its shape is the
// recorded one, so that the original can read our transcripts and we its.
const (
	infoHead    = "Conversation info (untrusted metadata):\n```json\n"
	senderHead  = "Sender (untrusted metadata):\n```json\n"
	repliedHead = "Replied message (untrusted, for context):\n```json\n"
	historyHead = "Chat history since last reply (untrusted, for context):\n```json\n"
	blockFoot   = "\n```\n\n"
	systemHead  = "System: "
)

// Line is one system event that waits for the next turn.
type Line struct {
	ID   int64
	Text string
	At   time.Time
}

// envelope puts events, the sender and the time before the text of in. Scripts
// are no sender.
func envelope(in msg.Inbound, events []Line, zone *time.Location) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s[%s] %s\n", systemHead, e.At.In(zone).Format("2006-01-02 15:04:05 MST"), strings.ReplaceAll(e.Text, "\n", " "))
	}
	if len(events) > 0 {
		b.WriteByte('\n')
	}
	if in.Client == nil || !in.Client.Plain {
		block(&b, infoHead, infoOf(in))
		block(&b, senderHead, senderOf(in))
		block(&b, repliedHead, repliedOf(in))
		block(&b, historyHead, historyOf(in))
	}
	b.WriteString("[" + in.Received.In(zone).Format("Mon 2006-01-02 15:04 MST") + "] ")
	b.WriteString(in.Text)
	return b.String()
}

// called puts messagePrefix before what somebody wrote on WhatsApp.
func (h *Handler) called(in msg.Inbound) msg.Inbound {
	if in.Client != nil || in.At.Channel != "whatsapp" {
		return in
	}
	cfg := h.Config()
	p := cfg.Messages.MessagePrefix
	if own := cfg.Account(in.At.Channel, in.At.Account).MessagePrefix; own != nil {
		p = *own
	}
	if p != "" {
		in.Text = p + " " + in.Text
	}
	return in
}

// block writes one part of the envelope; nil is none.
func block(b *strings.Builder, head string, v any) {
	if v == nil {
		return
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return // of strings and numbers: it can't be
	}
	// No word can end the fence: ` is not special in JSON, so it is escaped.
	b.WriteString(head + strings.ReplaceAll(string(raw), "`", `\u0060`) + blockFoot)
}

// infoOf is what a channel tells about the place of a message.
func infoOf(in msg.Inbound) any {
	if in.Client != nil || in.At.Channel == "" {
		return nil
	}
	var s struct {
		Message   string `json:"message_id,omitempty"`
		ReplyTo   string `json:"reply_to_id,omitempty"`
		SenderID  string `json:"sender_id,omitempty"`
		Label     string `json:"conversation_label,omitempty"`
		Sender    string `json:"sender,omitempty"`
		Subject   string `json:"group_subject,omitempty"`
		Channel   string `json:"group_channel,omitempty"`
		Space     string `json:"group_space,omitempty"`
		Thread    string `json:"thread_label,omitempty"`
		Topic     string `json:"topic_id,omitempty"`
		Group     bool   `json:"is_group_chat,omitempty"`
		Mentioned bool   `json:"was_mentioned,omitempty"`
		Reply     bool   `json:"has_reply_context,omitempty"`
		History   int    `json:"history_count,omitempty"`
	}
	s.Message, s.ReplyTo, s.SenderID, s.Sender = string(in.ID), string(in.ReplyTo), string(in.From.ID), label(in.From)
	s.Topic, s.Reply, s.History = string(in.At.Thread), repliedOf(in) != nil, len(in.Before)
	if in.At.Kind != msg.Direct && in.At.Kind != "" {
		s.Group, s.Mentioned = true, in.Mentioned
		s.Label = cmp.Or(in.Room.Name, string(in.At.Peer))
		s.Subject, s.Space = cmp.Or(in.Room.Name, string(in.At.Peer)), cmp.Or(in.Room.GuildName, in.Room.Guild, in.Room.Team)
		if in.At.Kind == msg.Channel && in.Room.Name != "" {
			s.Channel = "#" + strings.TrimPrefix(in.Room.Name, "#")
		}
		if in.At.Thread != "" {
			s.Thread = in.Room.Topic
		}
	}
	return s
}

func senderOf(in msg.Inbound) any {
	var s struct {
		Label    string `json:"label,omitempty"`
		ID       string `json:"id,omitempty"`
		Name     string `json:"name,omitempty"`
		Username string `json:"username,omitempty"`
	}
	if in.Client != nil {
		s.Label, s.ID = in.Client.Label, in.Client.Label
	} else {
		s.Label, s.ID, s.Name, s.Username = label(in.From), string(in.From.ID), in.From.Name, in.From.Username
	}
	return s
}

func repliedOf(in msg.Inbound) any {
	const longest = 2000
	if in.Quote == nil || in.Quote.Text == "" {
		return nil
	}
	var s struct {
		Sender string `json:"sender_label,omitempty"`
		Body   string `json:"body"`
	}
	s.Sender, s.Body = label(in.Quote.From), text.Ellipsis(in.Quote.Text, longest)
	return s
}

// historyOf is what was said beside the agent since it last answered.
func historyOf(in msg.Inbound) any {
	if len(in.Before) == 0 {
		return nil
	}
	type entry struct {
		Sender string `json:"sender"`
		At     int64  `json:"timestamp_ms"`
		Body   string `json:"body"`
	}
	out := make([]entry, len(in.Before))
	for i, x := range in.Before {
		out[i] = entry{x.From, x.At.UnixMilli(), x.Text}
	}
	return out
}

func label(f msg.Sender) string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Username != "":
		return f.Username
	}
	return string(f.ID)
}

var stamp = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d{2}-\d{2} \d{2}:\d{2} [^\]\n]{1,12}\] `)
})

// bare takes the envelope off a transcript text: what the person wrote, and the
// sender's label.
func bare(text string) (words, senderLabel string) {
	for strings.HasPrefix(text, systemHead+"[") {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			break
		}
		text = rest
	}
	text = strings.TrimLeft(text, "\n")
	for _, head := range []string{infoHead, senderHead, repliedHead, historyHead} {
		rest, ok := strings.CutPrefix(text, head)
		if !ok {
			continue
		}
		meta, after, ok := strings.Cut(rest, blockFoot)
		if !ok {
			break
		}
		var s struct {
			Label string `json:"label"`
		}
		if head == senderHead && json.Unmarshal([]byte(meta), &s) == nil {
			senderLabel = s.Label
		}
		text = after
	}
	if m := stamp().FindString(text); m != "" {
		text = text[len(m):]
	}
	return text, senderLabel
}
