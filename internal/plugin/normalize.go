package plugin

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// dialect is the form that texts have when the plugin gets them.
func dialect(format string) (d *markdown.Dialect, ok bool) {
	var out markdown.Dialect
	switch format {
	case "", "plain":
		out = markdown.Plain()
	case "whatsapp":
		out = markdown.WhatsApp()
	case "irc":
		out = markdown.IRC()
	case "markdown":
		return nil, true // as it is
	default:
		return nil, false
	}
	return &out, true
}

// WhatsApp brings an id as people write it into the form that WhatsApp's
// messages have: +4915112345678 for a person whose number is known, 123@lid
// for one of whom only the linked id is, 1203@g.us for a group. What can't be
// any of them is "", and matches nobody.
func WhatsApp(entry string) string {
	s := strings.ToLower(strings.TrimSpace(entry))
	s = strings.TrimSpace(strings.TrimPrefix(s, "whatsapp:"))
	if s == "*" {
		return s
	}
	user, server, jid := strings.Cut(s, "@")
	if jid {
		if server != "g.us" {
			user, _, _ = strings.Cut(user, ":") // the device
		}
		switch {
		case server == "g.us" && digits(strings.ReplaceAll(user, "-", "")):
			return user + "@g.us"
		case server == "lid" && digits(user):
			return user + "@lid"
		case (server == "s.whatsapp.net" || server == "c.us") && digits(user):
			return "+" + user
		}
		return ""
	}
	plus := strings.HasPrefix(s, "+")
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -.()\u00a0", r) {
			return -1
		}
		return r
	}, strings.TrimPrefix(s, "+"))
	if !plus {
		s = strings.TrimPrefix(s, "00")
	}
	if !digits(s) || len(s) < 7 || len(s) > 15 {
		return ""
	}
	return "+" + s
}

func digits(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "0123456789") == ""
}

// whatsAppTarget reads where to send to.
func whatsAppTarget(ch id.Channel) func(string) (msg.Address, error) {
	return func(s string) (msg.Address, error) {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "user:"), "group:")
		p := WhatsApp(s)
		if p == "" || p == "*" {
			return msg.Address{}, bad("not a WhatsApp number or chat: write it like +15551234567 or 120363000000000000@g.us")
		}
		kind := msg.Direct
		if strings.HasSuffix(p, "@g.us") {
			kind = msg.Group
		}
		return msg.Address{Channel: ch, Kind: kind, Peer: id.Peer(p)}, nil
	}
}
