package access

import (
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// MayCommand tells whether the sender of a message that was let in may use
// commands. commands.allowFrom, where it is set, is all that counts. Without it
// the owner and whoever is let into a direct chat may, and in a group who is on
// a list: that a group is open makes nobody one who gives commands there, unless
// commands.useAccessGroups is off.
func (g *Gate) MayCommand(in msg.Inbound, d Decision) bool {
	acc, ok := g.Account(in.At.Channel, in.At.Account)
	if !ok || d.Verdict != Respond {
		return false
	}
	kind, _ := g.Kind(in.At.Channel)
	s := sender{kind: kind, from: in.From, names: acc.Common.DangerouslyAllowNameMatching}
	s.prepare()
	if g.Commands != nil {
		c := g.Commands()
		if len(c.AllowFrom) > 0 {
			list, own := c.AllowFrom[string(in.At.Channel)]
			if !own {
				list = c.AllowFrom["*"]
			}
			return s.on(list) || hasStar(list)
		}
		if c.UseAccessGroups != nil && !*c.UseAccessGroups {
			return true
		}
	}
	if d.Owner || in.At.Kind == msg.Direct || in.At.Kind == "" {
		return true
	}
	r := rulesFor(acc.Common, in.At)
	for _, list := range [][]string{r.allow, acc.Common.GroupAllowFrom, acc.Common.AllowFrom} {
		if s.on(list) {
			return true
		}
	}
	return hasStar(r.allow) || hasStar(acc.Common.GroupAllowFrom)
}
