package route

import (
	"cmp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Key is the key of the session that agent a has about a place. Keys are lower
// case.
func (t *Table) Key(a id.Agent, at msg.Address) id.SessionKey {
	if at.Kind != msg.Direct && at.Kind != "" {
		return lower(id.GroupKey(a, at.Channel, string(at.Kind), at.Peer, at.Thread))
	}
	k := t.direct(a, at)
	if at.Thread != "" {
		k += id.SessionKey(":thread:")
		if id.Topics(at.Channel) {
			k += id.SessionKey(at.Peer + ":")
		}
		k += id.SessionKey(at.Thread)
	}
	return lower(k)
}

func (t *Table) direct(a id.Agent, at msg.Address) id.SessionKey {
	peer := t.person(at)
	if peer == "" {
		return t.cfg.MainKey(a)
	}
	switch t.cfg.Session.DMScope {
	case "per-peer":
		return id.AgentKey(a, "direct:"+string(peer))
	case "per-channel-peer":
		return id.DirectKey(a, at.Channel, peer)
	case "per-account-channel-peer":
		return id.AgentKey(a, string(at.Channel)+":"+string(cmp.Or(at.Account, id.DefaultAccount))+":direct:"+string(peer))
	}
	return t.cfg.MainKey(a)
}

// person is the name of somebody known under several ids, or the id. The id
// with its network says more than the bare one.
func (t *Table) person(at msg.Address) id.Peer {
	peer := id.Peer(strings.TrimSpace(string(at.Peer)))
	if name := t.links[fold(string(at.Channel)+":"+string(peer))]; name != "" {
		return name
	}
	if name := t.links[fold(peer)]; name != "" {
		return name
	}
	return peer
}

func lower(k id.SessionKey) id.SessionKey { return id.SessionKey(strings.ToLower(string(k))) }
