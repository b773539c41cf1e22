package route_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/route"
	"github.com/openclaw-go/openclaw/internal/config"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	bindings := []config.Binding{
		{Agent: "any", Match: config.Match{Channel: "irc", Account: "*"}},
		{Agent: "dflt", Match: config.Match{Channel: "irc"}},
		{Agent: "work", Match: config.Match{Channel: "irc", Account: "work"}},
		{Agent: "bob", Match: config.Match{Channel: "irc", Account: "*", Peer: &config.MatchPeer{Kind: "dm", ID: "bob"}}},
		{Agent: "acp", Type: "acp", Match: config.Match{Channel: "telegram", Account: "*"}},
	}
	for _, tc := range []struct {
		name    string
		at      msg.Address
		session config.Session
		agent   id.Agent
		key     id.SessionKey
	}{
		{"nothing matches", msg.Address{Channel: "telegram", Account: "default", Kind: msg.Direct, Peer: "5"}, config.Session{}, "main", "agent:main:main"},
		{"omitted account is the default one", msg.Address{Channel: "irc", Account: "default", Kind: msg.Direct, Peer: "Al"}, config.Session{}, "dflt", "agent:dflt:main"},
		{"named account", msg.Address{Channel: "irc", Account: "work", Kind: msg.Direct, Peer: "al"}, config.Session{}, "work", "agent:work:main"},
		{"any account", msg.Address{Channel: "irc", Account: "third", Kind: msg.Direct, Peer: "al"}, config.Session{}, "any", "agent:any:main"},
		{"peer wins over account", msg.Address{Channel: "irc", Account: "work", Kind: msg.Direct, Peer: "Bob"}, config.Session{}, "bob", "agent:bob:main"},
		{"peer kind counts", msg.Address{Channel: "irc", Account: "work", Kind: msg.Group, Peer: "bob"}, config.Session{}, "work", "agent:work:irc:group:bob"},
		{"channel with thread", msg.Address{Channel: "irc", Account: "default", Kind: msg.Channel, Peer: "#Go", Thread: "9"}, config.Session{}, "dflt", "agent:dflt:irc:channel:#go:topic:9"},
		{"per peer", msg.Address{Channel: "telegram", Kind: msg.Direct, Peer: "5"}, config.Session{DMScope: "per-peer"}, "main", "agent:main:direct:5"},
		{"per channel and peer", msg.Address{Channel: "telegram", Kind: msg.Direct, Peer: "5"}, config.Session{DMScope: "per-channel-peer"}, "main", "agent:main:telegram:direct:5"},
		{"per account, channel and peer", msg.Address{Channel: "telegram", Account: "b", Kind: msg.Direct, Peer: "5"}, config.Session{DMScope: "per-account-channel-peer"}, "main", "agent:main:telegram:b:direct:5"},
		{"linked identity", msg.Address{Channel: "telegram", Kind: msg.Direct, Peer: "5"}, config.Session{DMScope: "per-peer", IdentityLinks: map[string][]string{"alice": {"telegram:5"}}}, "main", "agent:main:direct:alice"},
	} {
		cfg := &config.Config{Bindings: bindings, Session: tc.session}
		got := route.Resolve(cfg, msg.Inbound{At: tc.at})
		if got.Agent != tc.agent || got.Session != tc.key {
			t.Errorf("%s: %s %s, want %s %s", tc.name, got.Agent, got.Session, tc.agent, tc.key)
		}
	}
}
