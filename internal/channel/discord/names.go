package discord

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// normalize brings an allow-list entry into the form of a sender's id, or of a
// name in small letters: "123", user:123, discord:123, <@123>, "alice".
func normalize(entry string) string {
	s := strings.TrimSpace(entry)
	if rest, ok := strings.CutPrefix(s, "<@"); ok {
		rest, ok = strings.CutSuffix(rest, ">")
		if rest = strings.TrimPrefix(rest, "!"); !ok || !snowflake(rest) {
			return ""
		}
		return rest
	}
	prefixed := false
	for _, p := range []string{"discord:", "user:"} {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			s, prefixed = strings.TrimSpace(s[len(p):]), true
		}
	}
	if s == "*" && !prefixed || snowflake(s) {
		return s
	}
	const most = 80
	s = strings.ToLower(strings.TrimPrefix(s, "@"))
	if s == "*" || len(s) > most || strings.ContainsFunc(s, unicode.IsControl) || strings.Trim(s, "0123456789") == "" ||
		strings.HasPrefix(s, "channel:") || strings.HasPrefix(s, "role:") || strings.HasPrefix(s, "pk:") {
		return ""
	}
	return s
}

// forms lists how a sender may stand in an allow list. A name can be taken by
// another.
func forms(from msg.Sender) (ids, names []string) {
	ids = []string{string(from.ID)}
	for _, n := range []string{from.Username, from.Name} {
		for _, f := range []string{normalize(n), slug(n)} {
			if f != "" && f != "*" && !snowflake(f) {
				names = append(names, f)
			}
		}
	}
	return ids, names
}

func isName(entry string) bool { return entry != "*" && !snowflake(entry) }

// slug is how a name stands in a configuration key: "Friends of Claw" is
// friends-of-claw.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, strings.TrimPrefix(strings.TrimSpace(s), "#"))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.Trim(s, "-")
}

// target reads where to send to: user:1, discord:1 and <@1> are people,
// channel:1, thread:1 and <#1> are channels. A bare number could be either.
func target(s string) (msg.Address, error) {
	at := msg.Address{Channel: ID}
	s = strings.TrimSpace(s)
	bad := func(hint string) (msg.Address, error) { return at, fault.New(fault.Invalid, "discord.Target", hint) }
	low := strings.ToLower(s)
	for _, p := range []string{"discord:channel:", "discord:user:", "discord:group:"} {
		if strings.HasPrefix(low, p) {
			s, low = s[len("discord:"):], low[len("discord:"):]
		}
	}
	switch {
	case strings.HasPrefix(low, "user:"), strings.HasPrefix(low, "discord:"), strings.HasPrefix(low, "dm:"):
		_, s, _ = strings.Cut(s, ":")
		at.Kind = msg.Direct
	case strings.HasPrefix(low, "channel:"), strings.HasPrefix(low, "thread:"):
		_, s, _ = strings.Cut(s, ":")
		at.Kind = msg.Channel
	case strings.HasPrefix(low, "group:"):
		_, s, _ = strings.Cut(s, ":")
		at.Kind = msg.Group
	case strings.HasPrefix(s, "<@") && strings.HasSuffix(s, ">"):
		s = strings.TrimPrefix(s[2:len(s)-1], "!")
		at.Kind = msg.Direct
	case strings.HasPrefix(s, "<#") && strings.HasSuffix(s, ">"):
		s = s[2 : len(s)-1]
		at.Kind = msg.Channel
	case snowflake(s):
		return bad("a bare number can be a person or a channel: write user:" + s + " or channel:" + s)
	}
	s = strings.TrimSpace(s)
	if at.Kind == "" || !snowflake(s) {
		return bad("Discord wants an id, as user:123456789012345678 or channel:123456789012345678 (turn on Developer Mode and copy it), not " + strconv.Quote(clean(s)))
	}
	at.Peer = id.Peer(s)
	return at, nil
}

// words are the entries of a list that may hold numbers.
func words(list []any) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		case float64:
			out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return out
}
