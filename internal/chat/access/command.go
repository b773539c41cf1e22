package access

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
)

// MayCommand tells whether the sender of a message that was let in may use
// commands. commands.allowFrom, where it is set, is all that counts. Without it
// the owner and whoever is let into a direct chat may, and in a group who is on
// a list: that a group is open makes nobody one who gives commands there, unless
// commands.useAccessGroups is off. Where commands.ownerAllowFrom names owners,
// only they may.
func (g *Gate) MayCommand(in msg.Inbound, d Decision) bool {
	acc, ok := g.Account(in.At.Channel, in.At.Account)
	if !ok || d.Verdict != Respond {
		return false
	}
	kind, _ := g.Kind(in.At.Channel)
	s := sender{kind: kind, from: in.From, names: acc.Common.DangerouslyAllowNameMatching}
	s.prepare()
	r := roomRules(kind, acc, in)
	s.bots = r.Bots
	return g.mayCommand(in, acc, r, s)
}

func (g *Gate) mayCommand(in msg.Inbound, acc config.Account, r channel.Rules, s sender) bool {
	c := acc.Common
	owner := g.owner(in.At.Channel, c, s)
	if g.Commands != nil {
		cmds := g.Commands()
		if len(cmds.AllowFrom) > 0 {
			list, own := cmds.AllowFrom[string(in.At.Channel)]
			if !own {
				list = cmds.AllowFrom["*"]
			}
			return s.on(list) || hasStar(list) && s.heard()
		}
		if g.ownersNamed(in.At.Channel, cmds.OwnerAllowFrom) {
			return owner
		}
		if cmds.UseAccessGroups != nil && !*cmds.UseAccessGroups {
			return s.heard()
		}
	}
	if owner || direct(in) {
		return true
	}
	for _, list := range [][]string{r.Allow, c.GroupAllowFrom, c.AllowFrom} {
		if s.on(list) {
			return true
		}
	}
	return s.heard() && (hasStar(r.Allow) && s.kind.Rules == nil || hasStar(c.GroupAllowFrom))
}

// ownersNamed tells whether any owner of this network is named.
func (g *Gate) ownersNamed(ch id.Channel, owners []string) bool {
	for _, o := range owners {
		if o = strings.TrimSpace(o); o != "" && o != "*" && !g.elsewhere(ch, o) {
			return true
		}
	}
	return false
}

// elsewhere tells whether an entry is about another network: "irc:2" on
// Telegram.
func (g *Gate) elsewhere(ch id.Channel, entry string) bool {
	where, _, ok := strings.Cut(entry, ":")
	if !ok || strings.EqualFold(where, string(ch)) {
		return false
	}
	_, other := g.Kind(id.Channel(strings.ToLower(where)))
	return other
}
