package signal

import (
	"regexp"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

//nolint:gochecknoglobals // compiled on first use
var (
	numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+?[1-9]\d{5,14}$`) })
	uuids   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)
	})
	groupIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+/_=-]{8,128}$`) })
)

// number is s as E.164, or "".
func number(s string) string {
	s = strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", ".", "").Replace(strings.TrimSpace(s))
	if !numbers().MatchString(s) {
		return ""
	}
	return "+" + strings.TrimPrefix(s, "+")
}

// uuid is s as a lower-case UUID, or "".
func uuid(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if !uuids().MatchString(s) {
		return ""
	}
	return s
}

// normalize is an entry of an allow list in the form of a sender's id: a number
// or uuid:<id>. "signal:" may stand before it.
func normalize(entry string) string {
	e := strings.TrimSpace(entry)
	if rest, ok := cutFold(e, "signal:"); ok {
		e = strings.TrimSpace(rest)
	}
	if rest, ok := cutFold(e, "uuid:"); ok {
		if u := uuid(rest); u != "" {
			return "uuid:" + u
		}
		return ""
	}
	if u := uuid(e); u != "" {
		return "uuid:" + u
	}
	return number(e)
}

// forms are the ids by which a list may name a sender: its number and its uuid.
// The uuid, when there is one, is kept in Username.
func forms(from msg.Sender) (ids, names []string) {
	if from.ID != "" {
		ids = append(ids, string(from.ID))
	}
	if u := uuid(strings.TrimPrefix(from.Username, "uuid:")); u != "" && string(from.ID) != "uuid:"+u {
		ids = append(ids, "uuid:"+u)
	}
	return ids, nil
}

// target reads where to send to: a number, a uuid, group:<id>, username:<name>.
func target(s string) (msg.Address, error) {
	t := strings.TrimSpace(s)
	if rest, ok := cutFold(t, "signal:"); ok {
		t = strings.TrimSpace(rest)
	}
	if rest, ok := cutFold(t, "group:"); ok {
		if g := strings.TrimSpace(rest); groupIDs().MatchString(g) {
			return msg.Address{Kind: msg.Group, Peer: id.Peer(g)}, nil
		}
		return msg.Address{}, fault.New(fault.Invalid, "signal", "not the id of a group: "+s)
	}
	for _, prefix := range []string{"username:", "u:"} {
		if rest, ok := cutFold(t, prefix); ok && strings.TrimSpace(rest) != "" {
			return msg.Address{Kind: msg.Direct, Peer: id.Peer("username:" + strings.TrimSpace(rest))}, nil
		}
	}
	if p := normalize(t); p != "" {
		return msg.Address{Kind: msg.Direct, Peer: id.Peer(p)}, nil
	}
	return msg.Address{}, fault.New(fault.Invalid, "signal", "not a number, uuid:<id>, group:<id> or username:<name>: "+s)
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
