package reply

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

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
