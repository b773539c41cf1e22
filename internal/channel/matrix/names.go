package matrix

import (
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// sigiled is s when it is an id with that sigil, a local part and a server, as
// in @alice:example.org; else "".
func sigiled(s string, sigil byte) string {
	s = strings.TrimSpace(s)
	if len(s) < 4 || len(s) > 255 || s[0] != sigil {
		return ""
	}
	local, server, ok := strings.Cut(s[1:], ":")
	if !ok || local == "" || server == "" || strings.ContainsAny(s, " \t\r\n\x00") {
		return ""
	}
	return s
}

func userID(s string) string { return sigiled(s, '@') }

// roomID is the id or alias of a room. Rooms of newer versions have no server
// in their id.
func roomID(s string) string {
	s = strings.TrimSpace(s)
	if a := sigiled(s, '#'); a != "" {
		return a
	}
	if len(s) > 3 && len(s) <= 255 && s[0] == '!' && !strings.ContainsAny(s, " \t\r\n\x00") {
		return s
	}
	return ""
}

func bare(s string) string {
	s = strings.TrimSpace(s)
	for _, p := range []string{"matrix:", "user:", "room:", "channel:"} {
		if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
			s = strings.TrimSpace(s[len(p):])
		}
	}
	return s
}

// normalize is an entry of an allow list as a full user id; names and bare
// local parts never match.
func normalize(entry string) string {
	if e := strings.TrimSpace(entry); e == "*" {
		return e
	}
	return strings.ToLower(userID(bare(entry)))
}

func forms(from msg.Sender) (ids, names []string) {
	return []string{strings.ToLower(string(from.ID))}, nil
}

// target reads where to send to: @user:server, !room:server or #alias:server.
func target(s string) (msg.Address, error) {
	t := bare(s)
	if u := userID(t); u != "" {
		return msg.Address{Kind: msg.Direct, Peer: id.Peer(u)}, nil
	}
	if r := roomID(t); r != "" {
		return msg.Address{Kind: msg.Group, Peer: id.Peer(r)}, nil
	}
	return msg.Address{}, fault.New(fault.Invalid, "matrix", "not @user:server, !room:server or #alias:server: "+s)
}

// rules is what groups (or rooms) says about the room of in, by its id or its
// alias.
func rules(section json.RawMessage, in msg.Inbound) channel.Rules {
	var c Config
	if json.Unmarshal(section, &c) != nil {
		return channel.Rules{Others: true}
	}
	rooms := c.Groups
	if rooms == nil {
		rooms = c.Rooms
	}
	r := channel.Rules{Others: len(rooms) > 0}
	apply := func(g Room) {
		r.Listed = true
		if g.Enabled != nil {
			r.Disabled = !*g.Enabled
		}
		if g.Allow != nil {
			r.Disabled = r.Disabled || !*g.Allow
		}
		if g.AutoReply != nil {
			off := !*g.AutoReply
			r.Mention = &off
		}
		if g.RequireMention != nil {
			r.Mention = g.RequireMention
		}
		if g.Users != nil {
			r.Allow = texts(g.Users)
		}
		if g.SystemPrompt != "" {
			r.Prompt = g.SystemPrompt
		}
		if g.Skills != nil {
			r.Skills = g.Skills
		}
		if g.Tools != nil {
			r.Tools = append([]channel.ToolRules{{All: g.Tools}}, r.Tools...)
		}
	}
	if star, ok := rooms["*"]; ok {
		apply(star)
	}
	for _, name := range []string{in.Room.Alias, string(in.At.Peer)} {
		for k, g := range rooms {
			if k != "*" && name != "" && strings.EqualFold(bare(k), name) {
				r.Disabled = false
				apply(g)
			}
		}
	}
	return r
}

// texts are the strings of a list.
func texts(list []any) []string {
	out := make([]string, 0, len(list))
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
