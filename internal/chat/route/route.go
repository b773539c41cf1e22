// Package route maps a message to the agent and the session that get it. It is
// pure: the same configuration and message give the same route.
package route

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Route is where a message goes.
type Route struct {
	Agent   id.Agent
	Session id.SessionKey
	By      string // the tier that matched: "peer", "account", "channel", "default"
}

// tiers are the kinds of bindings, most specific first; within one, the order
// in the file decides.
var tiers = []struct { //nolint:gochecknoglobals // a constant table
	name string
	is   func(m config.Match) bool
}{
	{"peer", func(m config.Match) bool { return m.Peer != nil }},
	{"guild", func(m config.Match) bool { return m.Guild != "" || m.Team != "" || len(m.Roles) > 0 }},
	{"account", func(m config.Match) bool { return m.Account != "*" }},
	{"channel", func(config.Match) bool { return true }},
}

// Resolve picks the most specific binding that matches and derives the session
// key.
func Resolve(cfg *config.Config, in msg.Inbound) Route {
	a, by := agent(cfg, in.At)
	return Route{Agent: a, Session: key(cfg.Session, a, in.At), By: by}
}

func agent(cfg *config.Config, at msg.Address) (id.Agent, string) {
	for i, t := range tiers {
		for _, b := range cfg.Bindings {
			if b.Type == "acp" || tierOf(b.Match) != i || !matches(b.Match, at) {
				continue
			}
			return b.Agent, t.name
		}
	}
	return cfg.DefaultAgent(), "default"
}

func tierOf(m config.Match) int {
	for i, t := range tiers {
		if t.is(m) {
			return i
		}
	}
	return len(tiers) - 1
}

func matches(m config.Match, at msg.Address) bool {
	switch {
	case m.Channel != at.Channel:
		return false
	case m.Guild != "" || m.Team != "" || len(m.Roles) > 0:
		return false // no channel of this build has guilds or teams
	case m.Account == "" && at.Account != id.DefaultAccount,
		m.Account != "" && m.Account != "*" && m.Account != at.Account:
		return false
	}
	return m.Peer == nil || strings.EqualFold(string(m.Peer.ID), string(at.Peer)) && sameKind(m.Peer.Kind, at.Kind)
}

func sameKind(want string, got msg.PeerKind) bool {
	if want == "dm" {
		want = string(msg.Direct)
	}
	return want == "" || want == string(got)
}

// key derives the session key; keys are lower case.
func key(s config.Session, a id.Agent, at msg.Address) id.SessionKey {
	if at.Kind != msg.Direct {
		return lower(id.GroupKey(a, at.Channel, string(at.Kind), at.Peer, at.Thread))
	}
	peer := linked(s, at)
	switch s.DMScope {
	case "per-peer":
		return lower(id.AgentKey(a, "direct:"+string(peer)))
	case "per-channel-peer":
		return lower(id.DirectKey(a, at.Channel, peer))
	case "per-account-channel-peer":
		return lower(id.AgentKey(a, string(at.Channel)+":"+string(at.Account)+":direct:"+string(peer)))
	}
	return id.MainKey(a)
}

// linked is the canonical name of a person known under several ids.
func linked(s config.Session, at msg.Address) id.Peer {
	for name, ids := range s.IdentityLinks {
		for _, x := range ids {
			if strings.EqualFold(x, string(at.Channel)+":"+string(at.Peer)) || strings.EqualFold(x, string(at.Peer)) {
				return id.Peer(name)
			}
		}
	}
	return at.Peer
}

func lower(k id.SessionKey) id.SessionKey { return id.SessionKey(strings.ToLower(string(k))) }
