// Package reply turns what an agent says into what people see: silence and
// heartbeat tokens are held back, also while the text still streams, reply tags
// are read and removed, the prefix is put on and the text is cut to what the
// channel takes.
package reply

import (
	"regexp"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// The tokens with which an agent says that it has nothing to say.
const (
	Silent    = "NO_REPLY"
	Heartbeat = "HEARTBEAT_OK"
)

// tag is [[reply_to_current]] or [[reply_to:<id>]].
var tag = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`\[\[\s*(?:reply_to_current|reply_to\s*:\s*([^\]\n]+))\s*\]\]\s*`)
})

// Text is the visible part of a finished answer.
type Text struct {
	Text    string
	Silent  bool       // nothing is to be sent
	ReplyTo id.Message // from a reply tag; current means the message answered
	Current bool
}

// Clean reads an answer.
func Clean(raw string) Text {
	var out Text
	s := raw
	if strings.Contains(s, "[[") {
		for _, m := range tag().FindAllStringSubmatch(s, -1) {
			if m[1] != "" {
				out.ReplyTo = id.Message(strings.TrimSpace(m[1]))
			} else {
				out.Current = true
			}
		}
		s = tag().ReplaceAllString(s, "")
	}
	s = strings.TrimSpace(s)
	if s == "" || s == Silent || s == Heartbeat {
		out.Silent = true
		return out
	}
	// A token at the end of real text is the model's habit, not part of it.
	if t, ok := strings.CutSuffix(s, "\n"+Silent); ok {
		s = strings.TrimSpace(t)
	}
	out.Text = s
	return out
}

// Stream lets text through as it comes, holding back what may still become a
// token or a tag. One Stream serves one run; Fresh starts a new message of it.
type Stream struct {
	Emit func(text string, fresh bool)

	held  strings.Builder
	begun bool // something of this message was let through
}

// Fresh starts the next assistant message. What was held of the last one is
// let go unless it is a token.
func (s *Stream) Fresh() {
	s.Flush()
	s.begun = false
}

// Delta adds streamed text.
func (s *Stream) Delta(t string) {
	s.held.WriteString(t)
	h := s.held.String()
	if !s.begun {
		h = strings.TrimLeft(h, " \n\t")
	}
	if strings.Contains(h, "[[") {
		h = tag().ReplaceAllString(h, "")
	}
	cut := safe(h, s.begun)
	if cut == 0 {
		return
	}
	s.held.Reset()
	s.held.WriteString(h[cut:])
	s.emit(h[:cut])
}

// Flush lets go what is held, tokens excepted.
func (s *Stream) Flush() {
	h := s.held.String()
	s.held.Reset()
	if strings.Contains(h, "[[") {
		h = tag().ReplaceAllString(h, "")
	}
	if t := strings.TrimSpace(h); t == "" || !s.begun && (t == Silent || t == Heartbeat) {
		return
	}
	s.emit(h)
}

func (s *Stream) emit(t string) {
	s.Emit(t, !s.begun)
	s.begun = true
}

// safe returns how much of h can't become part of a token or tag any more.
func safe(h string, begun bool) int {
	if !begun && (strings.HasPrefix(Silent, h) || strings.HasPrefix(Heartbeat, h) || strings.TrimSpace(h) == Silent || strings.TrimSpace(h) == Heartbeat) {
		return 0
	}
	if i := strings.LastIndex(h, "[["); i >= 0 && !strings.Contains(h[i:], "]]") && len(h)-i < 200 {
		return i
	}
	if strings.HasSuffix(h, "[") {
		return len(h) - 1
	}
	return len(h)
}

// Outbound makes the messages for t: copies of template, prefix in front, cut
// by split. A reply tag threads the first part only.
func Outbound(template msg.Outbound, t Text, prefix string, split func(string) []string) []msg.Outbound {
	text := t.Text
	if prefix != "" && !strings.HasPrefix(text, prefix) {
		text = prefix + " " + text
	}
	current := template.ReplyTo
	template.ReplyTo = ""
	parts := split(text)
	out := make([]msg.Outbound, 0, len(parts))
	for i, p := range parts {
		o := template
		o.ID, o.Text = id.NewDelivery(), p
		if len(parts) > 1 {
			o.Part, o.Parts = i+1, len(parts)
		}
		if i == 0 {
			switch {
			case t.ReplyTo != "":
				o.ReplyTo = t.ReplyTo
			case t.Current:
				o.ReplyTo = current
			}
		}
		out = append(out, o)
	}
	return out
}
