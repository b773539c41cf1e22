// Package route maps a message to the agent and the session that get it. It is
// pure: the same configuration and message give the same route. [Router] keeps
// the bindings of the configuration in force ready to be asked; a [Table] does
// the work.
package route

import (
	"sync/atomic"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Route is where a message goes.
type Route struct {
	Agent   id.Agent
	Session id.SessionKey
	// By is what decided: peer, parent, guild+roles, guild, team, account or
	// channel (a binding of that tier, most specific first), broadcast, default, or
	// place: the account's section names the agent there.
	By string
}

// Router answers from the table of the configuration that it was asked with
// last, so that a configuration is looked through once and not per message. Its
// zero value works.
type Router struct{ cur atomic.Pointer[Table] }

// For returns the table of cfg.
func (r *Router) For(cfg *config.Config) *Table {
	if t := r.cur.Load(); t != nil && t.cfg == cfg {
		return t
	}
	t := New(cfg)
	r.cur.Store(t) // two that come at once both make it; either is right
	return t
}

// Resolve picks the most specific binding that matches and derives the session
// key. A message that names its agent (one of a broadcast) goes to that one.
func (t *Table) Resolve(in msg.Inbound) Route {
	if a, ok := t.known(in.Agent); ok && in.Agent != "" {
		return Route{Agent: a, Session: t.Key(a, in.At), By: "broadcast"}
	}
	if a, ok := t.ofPlace(in); ok {
		return Route{Agent: a, Session: t.Key(a, in.At), By: "place"}
	}
	a, by := t.agent(in)
	return Route{Agent: a, Session: t.Key(a, in.At), By: by}
}

// ofPlace is the agent that the account's section names for the place of in; one
// that isn't configured counts as none.
func (t *Table) ofPlace(in msg.Inbound) (id.Agent, bool) {
	if in.Room.Agent == "" {
		return "", false
	}
	return t.known(in.Room.Agent)
}

// Broadcast returns the agents that all answer what is written at a place, in
// their order; none where the bindings decide. one tells that each waits for
// the one before it.
func (t *Table) Broadcast(in msg.Inbound) (agents []id.Agent, one bool) {
	if len(t.broadcast) == 0 || in.Agent != "" {
		return nil, false
	}
	if _, ok := t.ofPlace(in); ok {
		return nil, false
	}
	for _, p := range places(in.At) {
		if as := t.broadcast[fold(p)]; len(as) > 0 {
			return as, t.cfg.Broadcast.Strategy == "sequential"
		}
	}
	return nil, false
}

// agent goes through the tiers.
func (t *Table) agent(in msg.Inbound) (id.Agent, string) {
	b := t.channels[id.Channel(fold(in.At.Channel))]
	if b == nil {
		return t.def, "default"
	}
	s := scope{in: in, kind: sameKind(string(in.At.Kind)), roles: in.Room.Roles}
	for _, p := range places(in.At) {
		if a, ok := s.first(b.peers[fold(p)]); ok {
			return a, "peer"
		}
	}
	if p := in.Room.Parent; p != "" {
		if a, ok := s.first(b.peers[fold(p)]); ok {
			return a, "parent"
		}
	}
	for _, tier := range []struct {
		name  string
		rules []rule
	}{
		{"guild+roles", b.guildRoles[in.Room.Guild]},
		{"guild", b.guilds[in.Room.Guild]},
		{"team", b.teams[in.Room.Team]},
		{"account", b.account},
		{"channel", b.channel},
	} {
		if a, ok := s.first(tier.rules); ok {
			return a, tier.name
		}
	}
	return t.def, "default"
}
