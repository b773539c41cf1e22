package slack

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// idLike tells the form of Slack's ids: a letter that says of what, and more
// letters and digits.
func idLike(s string) bool {
	const most = 24
	if len(s) < 2 || len(s) > most {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0 && s[0] > '9'
}

// userID is the id of a person or a bot in s, in capitals, or "". "ursula" is a
// name: an id has a digit in it, or is written in capitals.
func userID(s string) string {
	up := strings.ToUpper(s)
	if !idLike(s) || up[0] != 'U' && up[0] != 'W' && up[0] != 'B' {
		return ""
	}
	if !strings.ContainsAny(s, "0123456789") && s != up {
		return ""
	}
	return up
}

// normalize brings an allow-list entry into the form of a sender's id (in
// capitals), or of a name (in small letters).
func normalize(entry string) string {
	s := strings.TrimSpace(entry)
	if rest, ok := strings.CutPrefix(s, "<@"); ok {
		rest, ok = strings.CutSuffix(rest, ">")
		rest, _, _ = strings.Cut(rest, "|")
		if !ok {
			return ""
		}
		return userID(rest)
	}
	prefixed := false
	for _, p := range []string{"slack:", "user:"} {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			s, prefixed = strings.TrimSpace(s[len(p):]), true
			break
		}
	}
	if s == "*" && !prefixed {
		return s
	}
	if id := userID(s); id != "" {
		return id
	}
	const most = 80
	if s = strings.ToLower(strings.TrimPrefix(s, "@")); s == "*" || len(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}

// forms lists how a sender may stand in an allow list. The name that a person
// chose can be chosen by another.
func forms(from msg.Sender) (ids, names []string) {
	ids = []string{strings.ToUpper(string(from.ID))}
	for _, n := range []string{from.Username, from.Name} {
		for _, f := range []string{normalize(n), slug(n)} {
			if f != "" && f != "*" {
				names = append(names, f)
			}
		}
	}
	return ids, names
}

func isName(entry string) bool { return entry != "*" && userID(entry) == "" }

// slug is how a name stands in a configuration key: "Team Ops" is team-ops.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '#', r == '@', r == '.', r == '_', r == '+':
			return unicode.ToLower(r)
		}
		return '-'
	}, strings.TrimSpace(s))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.Trim(s, "-.")
}

// target reads where to send to: user:U1, slack:U1, <@U1> and @U1 are people,
// channel:C1, #C1 and a bare C1 are channels.
func target(s string) (msg.Address, error) {
	at := msg.Address{Channel: ID}
	s = strings.TrimSpace(s)
	bad := func(hint string) (msg.Address, error) { return at, fault.New(fault.Invalid, "slack.Target", hint) }
	person := false
	low := strings.ToLower(s)
	switch {
	case strings.HasPrefix(low, "user:"), strings.HasPrefix(low, "slack:"):
		_, s, _ = strings.Cut(s, ":")
		person = true
	case strings.HasPrefix(low, "channel:"), strings.HasPrefix(low, "group:"):
		_, s, _ = strings.Cut(s, ":")
	case strings.HasPrefix(s, "<@") && strings.HasSuffix(s, ">"):
		s, _, _ = strings.Cut(s[2:len(s)-1], "|")
		person = true
	case strings.HasPrefix(s, "<#") && strings.HasSuffix(s, ">"):
		s, _, _ = strings.Cut(s[2:len(s)-1], "|")
	case strings.HasPrefix(s, "@"):
		s, person = s[1:], true
	case strings.HasPrefix(s, "#"):
		s = s[1:]
	}
	s = strings.ToUpper(strings.TrimSpace(s))
	if !idLike(s) {
		if person {
			return bad("Slack wants the id of a person (user:U0123ABCD, in their profile under More), not " + strconv.Quote(s))
		}
		return bad("Slack wants the id of a channel (channel:C0123ABCD, in its details), not " + strconv.Quote(s))
	}
	switch at.Peer = id.Peer(s); s[0] {
	case 'U', 'W':
		at.Kind = msg.Direct
	case 'D':
		at.Kind = msg.Direct
	case 'G':
		at.Kind = msg.Group
	default:
		if person {
			return bad("not the id of a person, which begins with U or W: " + strconv.Quote(s))
		}
		at.Kind = msg.Channel
	}
	return at, nil
}

// rules says what a section has on the room of a message. Rooms are under
// channels, by id, and by name where names count; group conversations have
// their switch under dm.
func rules(section json.RawMessage, in msg.Inbound) channel.Rules {
	var c struct {
		Channels       map[string]Room `json:"channels"`
		DM             DM              `json:"dm"`
		NameMatching   bool            `json:"dangerouslyAllowNameMatching"`
		RequireMention *bool           `json:"requireMention"`
		AllowBots      any             `json:"allowBots"`
	}
	var r channel.Rules
	if json.Unmarshal(section, &c) != nil {
		r.Disabled, r.Others = true, true // what can't be read opens nothing
		return r
	}
	r.Mention, r.Bots = c.RequireMention, bots(c.AllowBots)
	switch in.At.Kind {
	case msg.Direct:
		return r
	case msg.Group:
		r.Disabled = !c.DM.GroupEnabled || len(c.DM.GroupChannels) > 0 && !listsRoom(c.DM.GroupChannels, in, c.NameMatching)
		if r.Listed = !r.Disabled; r.Listed {
			r.Allow, r.Policy = []string{"*"}, "allowlist" // groupPolicy is about channels
		}
	}
	star, hasStar := c.Channels["*"]
	room, named := findRoom(c.Channels, in, c.NameMatching)
	r.Others = len(c.Channels) > 0
	if !named && !hasStar {
		return r
	}
	r.Listed = true
	if !named {
		room = star
	}
	on := true
	for _, p := range []*bool{room.Enabled, room.Allow, star.Enabled, star.Allow} {
		if p != nil {
			on = *p
			break
		}
	}
	r.Disabled = r.Disabled || !on
	if m := first(room.RequireMention, star.RequireMention); m != nil {
		r.Mention = m
	}
	if b := bots(room.AllowBots); b != "" {
		r.Bots = b
	} else if b := bots(star.AllowBots); b != "" {
		r.Bots = b
	}
	r.Prompt = room.SystemPrompt
	if r.Prompt == "" {
		r.Prompt = star.SystemPrompt
	}
	if r.Skills = room.Skills; r.Skills == nil {
		r.Skills = star.Skills
	}
	r.Tools = channel.ToolsSaid(
		channel.ToolRules{All: room.Tools, BySender: room.ToolsBySender}, channel.ToolRules{All: star.Tools, BySender: star.ToolsBySender},
	)
	users := room.Users
	if users == nil {
		users = star.Users
	}
	r.Allow = []string{"*"} // whoever is in a channel that is listed
	if users != nil {
		r.Allow = words(users)
	}
	return r
}

func first(ps ...*bool) *bool {
	for _, p := range ps {
		if p != nil {
			return p
		}
	}
	return nil
}

// bots reads allowBots: a boolean, or "mentions".
func bots(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "on"
		}
		return "off"
	case string:
		if v == "mentions" || v == "off" || v == "on" {
			return v
		}
		return "off"
	}
	return ""
}

// words are the entries of a list that may hold numbers.
func words(list []any) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case float64:
			out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return out
}

// findRoom is the entry of a message's room: by id whatever its case, else by
// name where names count.
func findRoom(rooms map[string]Room, in msg.Inbound, byName bool) (Room, bool) {
	for k, r := range rooms {
		if strings.EqualFold(roomKey(k), string(in.At.Peer)) {
			return r, true
		}
	}
	if r, ok := rooms[in.Room.Alias]; ok && in.Room.Alias != "*" {
		return r, true
	}
	if !byName || in.Room.Name == "" {
		return Room{}, false
	}
	for _, key := range []string{"#" + in.Room.Name, in.Room.Name, slug(in.Room.Name)} {
		if r, ok := rooms[key]; ok && key != "*" {
			return r, true
		}
	}
	return Room{}, false
}

// roomKey is a key of channels without what people put before an id.
func roomKey(k string) string {
	k = strings.TrimSpace(k)
	if p := "channel:"; len(k) > len(p) && strings.EqualFold(k[:len(p)], p) {
		k = k[len(p):]
	}
	return strings.TrimPrefix(k, "#")
}

func listsRoom(list []any, in msg.Inbound, byName bool) bool {
	for _, w := range words(list) {
		k := roomKey(w)
		if w == "*" || strings.EqualFold(k, string(in.At.Peer)) || byName && k != "" && slug(k) == slug(in.Room.Name) {
			return true
		}
	}
	return false
}
