package route_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/route"
	"github.com/openclaw-go/openclaw/internal/config"
)

// session.scope global gives all that would be the default agent's main session
// one of its own; groups, other agents and what dmScope sets apart keep theirs.
func TestGlobalScope(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ scope, dm, at, want string }{
		{"", "main", "telegram/default/direct/7", "agent:home:main"},
		{"per-sender", "main", "telegram/default/direct/7", "agent:home:main"},
		{"global", "main", "telegram/default/direct/7", "agent:home:global"},
		{"global", "", "irc/default/direct/bob", "agent:home:global"},
		{"global", "main", "telegram/default/group/-100", "agent:home:telegram:group:-100"},
		{"global", "main", "slack/default/channel/c1/17.1", "agent:home:slack:channel:c1:thread:17.1"},
		{"global", "per-peer", "telegram/default/direct/7", "agent:home:direct:7"},
		{"global", "per-channel-peer", "telegram/default/direct/7", "agent:home:telegram:direct:7"},
		{"global", "main", "discord/default/direct/8", "agent:work:main"},
	} {
		cfg := &config.Config{
			Session:  config.Session{Scope: tc.scope, DMScope: tc.dm},
			Agents:   config.Agents{List: []config.Agent{{ID: "work"}, {ID: "home", Default: true}}},
			Bindings: []config.Binding{{Agent: "work", Match: config.Match{Channel: "discord", Account: "*"}}},
		}
		if got := route.New(cfg).Resolve(msg.Inbound{At: place(tc.at)}); string(got.Session) != tc.want {
			t.Errorf("%s, %s: %s goes to %s, want %s", tc.scope, tc.dm, tc.at, got.Session, tc.want)
		}
	}
	cfg := &config.Config{Session: config.Session{Scope: "global"}}
	for raw, want := range map[string]string{"": "agent:main:global", "main": "agent:main:global", "global": "agent:main:global", "agent:main:main": "agent:main:global", "agent:work:main": "agent:work:main", "telegram:group:-1": "agent:main:telegram:group:-1"} {
		if got := cfg.Key("main", raw); string(got) != want {
			t.Errorf("Key(%q) = %s, want %s", raw, got, want)
		}
	}
}
