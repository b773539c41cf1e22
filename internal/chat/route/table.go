package route

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Table is what one configuration says about routing, ready to be asked. It is
// safe for concurrent use.
type Table struct {
	cfg       *config.Config
	def       id.Agent
	agents    map[string]id.Agent // configured, by folded name; nil is any
	channels  map[id.Channel]*bindings
	broadcast map[string][]id.Agent
	links     map[string]id.Peer // canonical names by folded id
}

// bindings are those of one channel by tier, each tier in the file's order.
type bindings struct {
	peers      map[string][]rule
	guildRoles map[string][]rule
	guilds     map[string][]rule
	teams      map[string][]rule
	account    []rule
	channel    []rule
}

// rule is one binding.
type rule struct {
	agent id.Agent
	match config.Match
	kind  string // of its peer
}

// New looks cfg through.
func New(cfg *config.Config) *Table {
	t := &Table{cfg: cfg, def: cfg.DefaultAgent(), channels: map[id.Channel]*bindings{}}
	if len(cfg.Agents.List) > 0 {
		t.agents = map[string]id.Agent{}
		for _, a := range cfg.Agents.List {
			t.agents[fold(a.ID)] = a.ID
		}
	}
	for _, b := range cfg.Bindings {
		if b.Type != "acp" {
			t.add(b)
		}
	}
	t.addBroadcast()
	t.addLinks()
	return t
}

// known is an agent as it is configured. Without a list any may be meant.
func (t *Table) known(a id.Agent) (id.Agent, bool) {
	if t.agents == nil {
		return a, a != ""
	}
	x, ok := t.agents[fold(a)]
	return x, ok
}

func (t *Table) add(b config.Binding) {
	m := b.Match
	m.Guild, m.Team = strings.TrimSpace(m.Guild), strings.TrimSpace(m.Team)
	m.Account = id.Account(strings.TrimSpace(string(m.Account)))
	a, ok := t.known(b.Agent)
	if !ok {
		a = t.def // an agent that was taken away: its people still get an answer
	}
	r := rule{agent: a, match: m}
	ch := id.Channel(fold(m.Channel))
	x := t.channels[ch]
	if x == nil {
		x = &bindings{peers: map[string][]rule{}, guildRoles: map[string][]rule{}, guilds: map[string][]rule{}, teams: map[string][]rule{}}
		t.channels[ch] = x
	}
	switch {
	case m.Peer != nil:
		r.kind = sameKind(m.Peer.Kind)
		if p := fold(m.Peer.ID); p != "" && r.kind != "" {
			x.peers[p] = append(x.peers[p], r)
		}
	case m.Guild != "" && len(m.Roles) > 0:
		x.guildRoles[m.Guild] = append(x.guildRoles[m.Guild], r)
	case m.Guild != "":
		x.guilds[m.Guild] = append(x.guilds[m.Guild], r)
	case m.Team != "":
		x.teams[m.Team] = append(x.teams[m.Team], r)
	case m.Account != "*":
		x.account = append(x.account, r)
	default:
		x.channel = append(x.channel, r)
	}
}

func (t *Table) addBroadcast() {
	t.broadcast = map[string][]id.Agent{}
	for peer, agents := range t.cfg.Broadcast.Peers {
		var known []id.Agent
		for _, a := range agents {
			if x, ok := t.known(a); ok && !slices.Contains(known, x) {
				known = append(known, x)
			}
		}
		if p := fold(peer); p != "" && len(known) > 0 {
			t.broadcast[p] = known
		}
	}
}

// addLinks turns identityLinks round. An id under two names belongs to the
// first in the order of the alphabet, so that it never wanders.
func (t *Table) addLinks() {
	t.links = map[string]id.Peer{}
	for _, name := range slices.Sorted(maps.Keys(t.cfg.Session.IdentityLinks)) {
		for _, x := range t.cfg.Session.IdentityLinks[name] {
			if k := fold(x); k != "" && t.links[k] == "" && strings.TrimSpace(name) != "" {
				t.links[k] = id.Peer(strings.TrimSpace(name))
			}
		}
	}
}

// scope is a message as bindings look at it.
type scope struct {
	in    msg.Inbound
	kind  string
	roles []string
}

// first is the agent of the first rule all of which matches. What was looked up
// by (its peer or its parent) isn't compared again.
func (s scope) first(rules []rule) (id.Agent, bool) {
	for _, r := range rules {
		m := r.match
		switch {
		case m.Account != "*" && !strings.EqualFold(string(cmp.Or(m.Account, id.DefaultAccount)), string(cmp.Or(s.in.At.Account, id.DefaultAccount))),
			r.kind != "" && r.kind != s.kind,
			m.Guild != "" && m.Guild != s.in.Room.Guild,
			m.Team != "" && m.Team != s.in.Room.Team,
			len(m.Roles) > 0 && !slices.ContainsFunc(m.Roles, func(x string) bool { return slices.Contains(s.roles, x) }):
			continue
		}
		return r.agent, true
	}
	return "", false
}

// sameKind folds the kinds of peers: dm is direct, and a room is a group to
// bindings, whatever its network calls it. "" is no kind.
func sameKind(kind string) string {
	switch fold(kind) {
	case "direct", "dm":
		return string(msg.Direct)
	case "group", "channel":
		return string(msg.Group)
	}
	return ""
}

// places are the names of a conversation in bindings, the narrower first: a
// topic of Telegram is <group>:topic:<id>, a thread elsewhere may be a peer of
// its own.
func places(at msg.Address) []id.Peer {
	switch {
	case at.Thread == "" || at.Kind == msg.Direct || at.Kind == "":
		return []id.Peer{at.Peer}
	case id.Topics(at.Channel):
		return []id.Peer{at.Peer + ":topic:" + id.Peer(at.Thread), at.Peer}
	}
	return []id.Peer{id.Peer(at.Thread), at.Peer}
}

func fold[S ~string](s S) string { return strings.ToLower(strings.TrimSpace(string(s))) }
