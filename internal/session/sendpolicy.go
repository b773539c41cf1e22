package session

import (
	"cmp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
)

// MaySend tells whether answers of s may go out at a place: what /send set for
// the session, else the rules, of which one that denies wins, else the default.
func MaySend(c config.Session, s Session, at msg.Address) bool {
	switch strings.ToLower(s.SendPolicy) {
	case "allow", "on":
		return true
	case "deny", "off":
		return false
	}
	full := strings.ToLower(string(s.Key))
	rest := strings.ToLower(s.Key.Rest())
	allowed := false
	for _, r := range c.SendPolicy.Rules {
		m := r.Match
		prefix, raw := fold(m.KeyPrefix), fold(m.RawKeyPrefix)
		switch {
		case m.Channel != "" && fold(string(m.Channel)) != fold(string(cmp.Or(at.Channel, channelOf(s)))),
			m.ChatType != "" && chatType(m.ChatType) != chatType(cmp.Or(string(at.Kind), s.ChatType, types(s)[0])),
			prefix != "" && !strings.HasPrefix(full, prefix) && !strings.HasPrefix(rest, prefix),
			raw != "" && !strings.HasPrefix(full, raw):
			continue
		case fold(r.Action) == "deny":
			return false
		}
		allowed = true
	}
	return allowed || fold(c.SendPolicy.Default) != "deny"
}

func chatType(s string) string {
	if s = fold(s); s == "dm" {
		return "direct"
	}
	return s
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
