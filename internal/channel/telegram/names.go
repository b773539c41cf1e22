package telegram

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// normalize brings an allow-list entry into the form of a sender's id: digits,
// since user names can be taken by others. Below zero they are of a channel that
// writes as itself; the administrators of a group who write as the group stand
// there as "admins:-100123", so that the number of a group, which belongs under
// groups, opens nothing by mistake.
func normalize(entry string) string {
	s := strings.TrimSpace(entry)
	if s == "*" {
		return s
	}
	s = trimFold(trimFold(s, "telegram:"), "tg:")
	prefix := ""
	if rest := trimFold(s, admins); rest != s {
		s, prefix = rest, admins
	}
	if n, below := strings.CutPrefix(s, "-"); below {
		s, prefix = n, prefix+"-"
	} else if prefix != "" {
		return "" // groups are below zero
	}
	if s == "" || len(s) > 20 || strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return prefix + s
}

// admins begins the sender id of the administrators of a group who write as it.
const admins = "admins:"

func trimFold(s, prefix string) string {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return strings.TrimSpace(s[len(prefix):])
	}
	return s
}

// handle is @name of a public chat.
var handle = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)
})

// chatAndTopic reads where to send to: a chat id or @name, maybe with a topic behind
// it, as "-100123:topic:42", "-100123:42" or "-100123/42".
func chatAndTopic(s string) (peer, topic string) {
	s = strings.TrimSpace(s)
	for _, p := range []string{"telegram:", "tg:", "group:", "channel:", "user:", "chat:"} {
		s = trimFold(s, p)
	}
	s = strings.TrimPrefix(s, "https://")
	if name, ok := strings.CutPrefix(s, "t.me/"); ok && handle().MatchString("@"+name) {
		return "@" + name, ""
	}
	for _, cut := range []string{":topic:", "/", ":"} {
		if p, t, ok := strings.Cut(s, cut); ok {
			return p, t
		}
	}
	return s, ""
}

// target implements [channel.Kind.Target]. Ids below zero are groups and
// channels; a name is of a public one.
func target(s string) (msg.Address, error) {
	at := msg.Address{Channel: ID}
	peer, topic := chatAndTopic(s)
	n, err := strconv.ParseInt(peer, 10, 64)
	switch {
	case err == nil && n > 0:
		at.Kind = msg.Direct
	case err == nil && n < 0:
		at.Kind = msg.Group
	case handle().MatchString(peer):
		at.Kind = msg.Group
	default:
		return at, fault.New(fault.Invalid, "telegram.Target", "Telegram wants a chat id, as 123456 or -1001234567890, with a topic as -1001234567890:topic:42, or the @name of a public chat; not "+strconv.Quote(printable(s)))
	}
	if topic != "" {
		t, err := strconv.ParseInt(topic, 10, 64)
		if err != nil || t <= 0 || at.Kind == "" {
			return at, fault.New(fault.Invalid, "telegram.Target", "not the number of a topic: "+strconv.Quote(printable(topic)))
		}
		at.Thread = id.Thread(strconv.FormatInt(t, 10))
	}
	at.Peer = id.Peer(peer)
	if err == nil {
		at.Peer = id.Peer(strconv.FormatInt(n, 10))
	}
	return at, nil
}
