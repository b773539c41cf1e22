package access

import (
	"maps"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// toolRules are what a room says about the tools of a run for the sender: the
// nearest entry that speaks about them, by sender before for all. Each policy of
// the result takes away; none gives.
//
// A name that others could take gives nobody more than they have without it:
// what an entry found by such a name says comes on top of the rest, unless the
// account sets dangerouslyAllowNameMatching.
func (s *sender) toolRules(rules []channel.ToolRules) (out []settings.ToolPolicy) {
	for _, r := range rules {
		sure, named, star := s.policies(r.BySender)
		if named != nil && sure == nil {
			out = append(out, *named)
			if s.names {
				return out
			}
		}
		for _, p := range []*settings.ToolPolicy{sure, star, r.All} {
			if p != nil {
				return append(out, *p)
			}
		}
	}
	return out
}

// policies finds the entries of toolsBySender that are about the sender: by what
// only they have, by a name, and the one for anybody. The words are asked in the
// recorded order: id, e164, username, name. Of two spellings of one key the
// first in the order of the alphabet counts.
func (s *sender) policies(by map[string]settings.ToolPolicy) (sure, named, star *settings.ToolPolicy) {
	best := [2]int{len(senderWords()), len(senderWords())}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		p := by[key]
		if strings.TrimSpace(key) == "*" {
			star = &p
			continue
		}
		word, value := senderKey(key)
		rank := slices.Index(senderWords(), word)
		switch sureOf, byName := s.called(word, value); {
		case sureOf && rank < best[0]:
			sure, best[0] = &p, rank
		case byName && rank < best[1]:
			named, best[1] = &p, rank
		}
	}
	return sure, named, star
}

// senderWords are the words that may stand before a key, in their order.
func senderWords() []string { return []string{"id", "e164", "username", "name"} }

// senderKey cuts the word off a key. One that it doesn't know is part of an id,
// as in Matrix's @ann:example.org.
func senderKey(key string) (word, value string) {
	key = strings.TrimSpace(key)
	if w, v, ok := strings.Cut(key, ":"); ok && slices.Contains(senderWords(), strings.ToLower(w)) {
		return strings.ToLower(w), strings.TrimSpace(v)
	}
	return "id", key
}

// called tells whether the sender goes by value: surely, or only by name.
func (s *sender) called(word, value string) (sure, byName bool) {
	plain := func(x string) string { return strings.ToLower(strings.TrimLeft(strings.TrimSpace(x), "@")) }
	v := plain(value)
	if v == "" {
		return false, false
	}
	among := func(list []string) bool {
		return slices.ContainsFunc(list, func(x string) bool { return plain(x) == v })
	}
	switch word {
	case "id":
		n := plain(normalized(s.kind, value))
		all := func(list []string) bool {
			return among(list) || slices.ContainsFunc(list, func(x string) bool { return n != "" && plain(x) == n })
		}
		return plain(string(s.from.ID)) == v || all(s.ids), all(s.allNames)
	case "e164":
		phone := plain(string(s.from.ID))
		return strings.HasPrefix(phone, "+") && strings.TrimPrefix(phone, "+") == strings.TrimPrefix(v, "+"), false
	case "username":
		return false, plain(s.from.Username) == v
	default:
		return false, plain(s.from.Name) == v
	}
}
