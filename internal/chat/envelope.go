package chat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// The envelope is what stands in front of a person's words in the transcript
// and in the prompt: who wrote them, marked as untrusted, and when. Its shape is
// the recorded one (reference: wire/state/session.tool-turn.jsonl), so that the
// original can read our transcripts and we its.
const (
	senderHead = "Sender (untrusted metadata):\n```json\n"
	senderFoot = "\n```\n\n"
	systemHead = "System: "
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
		b.WriteString(senderHead)
		b.Write(sender(in))
		b.WriteString(senderFoot)
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

func sender(in msg.Inbound) []byte {
	var s struct {
		Label    string `json:"label,omitempty"`
		ID       string `json:"id,omitempty"`
		Name     string `json:"name,omitempty"`
		Username string `json:"username,omitempty"`
		Channel  string `json:"channel,omitempty"`
		Group    string `json:"group,omitempty"`
	}
	if in.Client != nil {
		s.Label, s.ID = in.Client.Label, in.Client.Label
	} else {
		s.Label, s.ID, s.Name, s.Username = label(in.From), string(in.From.ID), in.From.Name, in.From.Username
		s.Channel = string(in.At.Channel)
		if in.At.Kind != msg.Direct {
			s.Group = string(in.At.Peer)
		}
	}
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return []byte("{}")
	}
	// A name can't end the fence: ` is not special in JSON, so it is escaped.
	return []byte(strings.ReplaceAll(string(raw), "`", `\u0060`))
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
	if rest, ok := strings.CutPrefix(text, senderHead); ok {
		if meta, after, ok := strings.Cut(rest, senderFoot); ok {
			var s struct {
				Label string `json:"label"`
			}
			if json.Unmarshal([]byte(meta), &s) == nil {
				senderLabel = s.Label
			}
			text = after
		}
	}
	if m := stamp().FindString(text); m != "" {
		text = text[len(m):]
	}
	return text, senderLabel
}
