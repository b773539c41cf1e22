package route_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/route"
	"github.com/openclaw-go/openclaw/internal/config"
)

// place reads "channel/account/kind/peer/thread", where the end may be missing.
func place(s string) msg.Address {
	p := strings.Split(s, "/")
	for len(p) < 5 {
		p = append(p, "")
	}
	return msg.Address{Channel: id.Channel(p[0]), Account: id.Account(p[1]), Kind: msg.PeerKind(p[2]), Peer: id.Peer(p[3]), Thread: id.Thread(p[4])}
}

// room reads "guild=G team=T parent=P roles=a,b".
func room(s string) (r msg.Room) {
	for _, f := range strings.Fields(s) {
		k, v, _ := strings.Cut(f, "=")
		switch k {
		case "guild":
			r.Guild = v
		case "team":
			r.Team = v
		case "parent":
			r.Parent = id.Peer(v)
		case "roles":
			r.Roles = strings.Split(v, ",")
		}
	}
	return r
}

// binding reads "agent: channel account=a peer=kind:id guild=G team=T roles=a,b".
func binding(s string) config.Binding {
	agent, rest, _ := strings.Cut(s, ": ")
	f := strings.Fields(rest)
	b := config.Binding{Agent: id.Agent(agent), Match: config.Match{Channel: id.Channel(f[0])}}
	for _, x := range f[1:] {
		k, v, _ := strings.Cut(x, "=")
		switch k {
		case "account":
			b.Match.Account = id.Account(v)
		case "peer":
			kind, p, _ := strings.Cut(v, ":")
			b.Match.Peer = &config.MatchPeer{Kind: kind, ID: id.Peer(p)}
		case "guild":
			b.Match.Guild = v
		case "team":
			b.Match.Team = v
		case "roles":
			b.Match.Roles = strings.Split(v, ",")
		case "type":
			b.Type = v
		}
	}
	return b
}

func configOf(bindings []string, session config.Session, agents ...id.Agent) *config.Config {
	cfg := &config.Config{Session: session}
	for _, b := range bindings {
		cfg.Bindings = append(cfg.Bindings, binding(b))
	}
	for _, a := range agents {
		cfg.Agents.List = append(cfg.Agents.List, config.Agent{ID: a})
	}
	return cfg
}

// ladder has a binding on each tier, the least specific first, so that only the
// tier can decide.
var ladder = []string{
	"channel: discord account=*",
	"account: discord",
	"named: discord account=work",
	"team: discord team=T1",
	"guild: discord guild=G1",
	"roles: discord guild=G1 roles=R1,R2",
	"peer: discord peer=channel:100",
	"thread: discord peer=channel:900",
	"friend: discord peer=direct:7",
	"slack-any: slack account=*",
	"slack-team: slack account=* team=T1",
	"slack-room: slack peer=channel:C1",
	"slack-work-room: slack account=work peer=channel:C1",
	"topic: telegram peer=group:-100:topic:5",
	"forum: telegram peer=group:-100",
	"tg-dm: telegram peer=dm:42",
	"tg: telegram",
	"odd: irc account=*",
}

// The ladder, one step at a time.
func TestTiers(t *testing.T) {
	t.Parallel()
	table := route.New(configOf(ladder, config.Session{}))
	for _, tc := range []struct{ at, room, want string }{
		// Nothing matches: the default agent.
		{"whatsapp/default/direct/+1", "", "main default"},
		{"whatsapp/work/group/1@g.us", "guild=G1 team=T1", "main default"},
		{"signal//direct/+1", "", "main default"},
		{"matrix/default/channel/!r:x", "parent=100", "main default"},
		// The channel, any account.
		{"discord/third/direct/8", "", "channel channel"},
		{"discord/third/channel/8", "", "channel channel"},
		{"discord/other/group/8", "", "channel channel"},
		{"discord/third/channel/100", "", "channel channel"},         // the room is bound on the default account only
		{"discord/third/channel/8", "guild=G1", "channel channel"},   // and so is the guild
		{"discord/third/channel/8", "team=T1", "channel channel"},    // and the team
		{"discord/third/channel/8", "parent=100", "channel channel"}, // and the parent
		{"irc/default/channel/#go", "", "odd channel"},
		{"irc/libera/direct/bob", "", "odd channel"},
		{"slack/default/direct/U1", "", "slack-any channel"},
		{"slack/x/channel/C9", "", "slack-any channel"},
		{"slack/x/channel/C1", "", "slack-any channel"},
		// The account: an omitted one is the default.
		{"discord/default/direct/8", "", "account account"},
		{"discord//direct/8", "", "account account"},
		{"discord/DEFAULT/direct/8", "", "account account"},
		{"discord/work/direct/8", "", "named account"},
		{"discord/Work/direct/8", "", "named account"},
		{"discord/work/channel/100", "", "named account"},
		{"discord/work/channel/8", "guild=G1 roles=R1", "named account"},
		{"discord/default/channel/8", "guild=G2", "account account"},
		{"discord/default/channel/8", "team=T2", "account account"},
		{"discord/default/group/8", "parent=8", "account account"},
		{"telegram/default/direct/43", "", "tg account"},
		{"telegram/default/group/-200", "", "tg account"},
		{"telegram/default/group/-200/5", "", "tg account"},
		{"telegram/second/direct/42", "", "main default"},
		// The team.
		{"discord/default/channel/8", "team=T1", "team team"},
		{"slack/default/channel/C9", "team=T1", "slack-team team"},
		{"slack/zzz/direct/U1", "team=T1", "slack-team team"},
		{"slack/zzz/direct/U1", "team=t1", "slack-any channel"}, // ids are exact
		// The guild wins over the team.
		{"discord/default/channel/8", "guild=G1", "guild guild"},
		{"discord/default/channel/8", "guild=G1 team=T1", "guild guild"},
		{"discord/default/channel/8", "guild=G1 roles=R9", "guild guild"},
		{"discord/default/channel/8/55", "guild=G1", "guild guild"},
		{"discord/default/direct/8", "guild=G1", "guild guild"},
		// Guild and roles: one of the roles is enough, and the guild must be right.
		{"discord/default/channel/8", "guild=G1 roles=R1", "roles guild+roles"},
		{"discord/default/channel/8", "guild=G1 roles=R9,R2", "roles guild+roles"},
		{"discord/default/channel/8", "guild=G1 team=T1 roles=R1", "roles guild+roles"},
		{"discord/default/channel/8", "guild=G2 roles=R1", "account account"},
		{"discord/default/channel/8", "guild=G2 roles=R1 team=T1", "team team"},
		{"discord/default/channel/8", "roles=R1", "account account"},
		{"discord/default/channel/8", "guild=G1 roles=r1", "guild guild"},
		// The parent of a thread wins over the guild and its roles.
		{"discord/default/channel/8", "parent=100", "peer parent"},
		{"discord/default/channel/8", "parent=100 guild=G1 roles=R1", "peer parent"},
		{"discord/default/channel/8", "parent=101 guild=G1 roles=R1", "roles guild+roles"},
		{"discord/default/group/8", "parent=100", "peer parent"},
		// The peer wins over all.
		{"discord/default/channel/100", "", "peer peer"},
		{"discord//channel/100", "", "peer peer"},
		{"discord/default/channel/100", "guild=G1 team=T1 roles=R1", "peer peer"},
		{"discord/default/channel/900", "parent=100", "thread peer"},
		{"discord/default/channel/100", "parent=900", "peer peer"},
		{"discord/default/group/100", "", "peer peer"}, // a group and a room are one to bindings
		{"discord/default/direct/100", "", "account account"},
		{"discord/default/direct/7", "", "friend peer"},
		{"discord/default/direct/7", "guild=G1", "friend peer"},
		{"discord/default/channel/7", "", "account account"},
		{"discord/default/direct/77", "", "account account"}, // never a part
		{"discord/default/channel/10", "", "account account"},
		{"discord/default/channel/1000", "", "account account"},
		// A thread inside a room: itself first, then its room.
		{"discord/default/channel/100/900", "", "thread peer"},
		{"discord/default/channel/100/901", "", "peer peer"},
		{"discord/default/channel/101/900", "", "thread peer"},
		{"slack/default/channel/C1/171.1", "", "slack-room peer"},
		{"slack/default/channel/c1", "", "slack-room peer"},
		{"slack/work/channel/C1", "", "slack-work-room peer"},
		{"slack/work/channel/C1", "team=T1", "slack-work-room peer"},
		{"slack/default/channel/C1", "team=T1", "slack-room peer"},
		// Topics of Telegram.
		{"telegram/default/group/-100", "", "forum peer"},
		{"telegram/default/group/-100/5", "", "topic peer"},
		{"telegram/default/group/-100/6", "", "forum peer"},
		{"telegram/default/group/-100/55", "", "forum peer"},
		{"telegram/default/channel/-100", "", "forum peer"},
		{"telegram/default/direct/-100", "", "tg account"},
		{"telegram/default/direct/42", "", "tg-dm peer"},
		{"telegram/default/direct/42/5", "", "tg-dm peer"},
		{"telegram/default/group/42", "", "tg account"},
		{"TELEGRAM/default/direct/42", "", "tg-dm peer"},
	} {
		got := table.Resolve(msg.Inbound{At: place(tc.at), Room: room(tc.room)})
		if s := fmt.Sprint(got.Agent, " ", got.By); s != tc.want {
			t.Errorf("%s %s goes to %s, want %s", tc.at, tc.room, s, tc.want)
		}
	}
}

// All that a binding says must hold, and within a tier the file's order
// decides.
func TestBindings(t *testing.T) {
	t.Parallel()
	two := []id.Agent{"main", "work"}
	for _, tc := range []struct {
		name     string
		bindings []string
		at, room string
		agents   []id.Agent
		want     string
	}{
		{"the first of two", []string{"a: irc", "b: irc"}, "irc/default/direct/x", "", nil, "a account"},
		{"the first that matches", []string{"a: irc account=x", "b: irc"}, "irc/default/direct/x", "", nil, "b account"},
		{"two peers", []string{"a: irc peer=group:#x", "b: irc peer=channel:#x"}, "irc/default/channel/#x", "", nil, "a peer"},
		{"two guilds", []string{"a: d guild=G", "b: d guild=G"}, "d/default/channel/x", "guild=G", nil, "a guild"},
		{"two sets of roles", []string{"a: d guild=G roles=2", "b: d guild=G roles=1,2"}, "d/default/channel/x", "guild=G roles=1", nil, "b guild+roles"},
		{"the earlier set of roles", []string{"a: d guild=G roles=2", "b: d guild=G roles=1,2"}, "d/default/channel/x", "guild=G roles=1,2", nil, "a guild+roles"},
		{"two teams", []string{"a: s team=T", "b: s team=T"}, "s/default/channel/x", "team=T", nil, "a team"},
		{"any account before a named one, same tier", []string{"a: s account=* team=T", "b: s account=w team=T"}, "s/w/channel/x", "team=T", nil, "a team"},
		{"a named account before any, same tier", []string{"b: s account=w team=T", "a: s account=* team=T"}, "s/w/channel/x", "team=T", nil, "b team"},
		{"the account's tier before the channel's", []string{"a: s account=*", "b: s account=w"}, "s/w/channel/x", "", nil, "b account"},
		{"peer and guild, the guild is wrong", []string{"a: d peer=channel:1 guild=G"}, "d/default/channel/1", "guild=H", nil, "main default"},
		{"peer and guild, both right", []string{"a: d peer=channel:1 guild=G"}, "d/default/channel/1", "guild=G", nil, "a peer"},
		{"peer and guild, none known", []string{"a: d peer=channel:1 guild=G"}, "d/default/channel/1", "", nil, "main default"},
		{"peer, guild and roles", []string{"a: d peer=channel:1 guild=G roles=R"}, "d/default/channel/1", "guild=G roles=R", nil, "a peer"},
		{"peer, guild and roles, no role", []string{"a: d peer=channel:1 guild=G roles=R"}, "d/default/channel/1", "guild=G", nil, "main default"},
		{"a peer that fails leaves the guild", []string{"a: d peer=channel:1 guild=H", "b: d guild=G"}, "d/default/channel/1", "guild=G", nil, "b guild"},
		{"the second peer, as the first fails", []string{"a: d peer=channel:1 guild=H", "b: d peer=channel:1"}, "d/default/channel/1", "guild=G", nil, "b peer"},
		{"guild and team, both needed", []string{"a: d guild=G team=T"}, "d/default/channel/1", "guild=G", nil, "main default"},
		{"guild and team", []string{"a: d guild=G team=T"}, "d/default/channel/1", "guild=G team=T", nil, "a guild"},
		{"guild of an account", []string{"a: d account=w guild=G"}, "d/w/channel/1", "guild=G", nil, "a guild"},
		{"guild of another account", []string{"a: d account=w guild=G"}, "d/default/channel/1", "guild=G", nil, "main default"},
		{"guild of any account", []string{"a: d account=* guild=G"}, "d/zz/channel/1", "guild=G", nil, "a guild"},
		{"roles without a guild", []string{"a: d roles=R"}, "d/default/channel/1", "guild=G roles=R", nil, "a account"},
		{"roles without a guild, not held", []string{"a: d roles=R"}, "d/default/channel/1", "guild=G roles=Q", nil, "main default"},
		{"parent of another account", []string{"a: d account=w peer=channel:1"}, "d/default/channel/2", "parent=1", nil, "main default"},
		{"parent and guild", []string{"a: d peer=channel:1 guild=G"}, "d/default/channel/2", "parent=1 guild=G", nil, "a parent"},
		{"parent and wrong guild", []string{"a: d peer=channel:1 guild=G"}, "d/default/channel/2", "parent=1 guild=H", nil, "main default"},
		{"a direct peer is nobody's parent", []string{"a: d peer=direct:1"}, "d/default/channel/2", "parent=1", nil, "main default"},
		{"a peer without a kind", []string{"a: d peer=:1"}, "d/default/channel/1", "", nil, "main default"},
		{"a peer of a kind that isn't one", []string{"a: d peer=server:1"}, "d/default/channel/1", "", nil, "main default"},
		{"a peer without an id", []string{"a: d peer=channel:"}, "d/default/channel/", "", nil, "main default"},
		{"an acp binding routes nothing", []string{"a: d type=acp", "b: d"}, "d/default/channel/1", "", nil, "b account"},
		{"another channel", []string{"a: slack account=*"}, "d/default/channel/1", "", nil, "main default"},
		{"ids without case", []string{"a: irc peer=channel:#Go"}, "irc/default/channel/#gO", "", nil, "a peer"},
		{"an agent that exists", []string{"work: irc"}, "irc/default/direct/x", "", two, "work account"},
		{"an agent in another spelling", []string{"Work: irc"}, "irc/default/direct/x", "", two, "work account"},
		{"an agent that is gone", []string{"ghost: irc"}, "irc/default/direct/x", "", two, "main account"},
		{"the first of the list is the default", nil, "irc/default/direct/x", "", []id.Agent{"work", "main"}, "work default"},
	} {
		table := route.New(configOf(tc.bindings, config.Session{}, tc.agents...))
		got := table.Resolve(msg.Inbound{At: place(tc.at), Room: room(tc.room)})
		if s := fmt.Sprint(got.Agent, " ", got.By); s != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, s, tc.want)
		}
	}
}

func TestDefaultAgent(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Agents: config.Agents{List: []config.Agent{{ID: "a"}, {ID: "b", Default: true}}}}
	if got := route.New(cfg).Resolve(msg.Inbound{At: place("irc/default/direct/x")}); got.Agent != "b" {
		t.Errorf("the default agent is %s, want b", got.Agent)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	links := map[string][]string{"alice": {"telegram:5", "Discord:77", "+4670"}, "bob": {"telegram:5", "slack:U2"}, " ": {"irc:x"}, "none": {""}}
	for _, tc := range []struct{ scope, at, want string }{
		// Direct chats.
		{"", "telegram/default/direct/5", "agent:main:main"},
		{"main", "telegram/default/direct/9", "agent:main:main"},
		{"main", "slack/work/direct/U1", "agent:main:main"},
		{"bogus", "telegram/default/direct/9", "agent:main:main"},
		{"per-peer", "telegram/default/direct/9", "agent:main:direct:9"},
		{"per-peer", "slack/default/direct/U9", "agent:main:direct:u9"},
		{"per-peer", "telegram/default//9", "agent:main:direct:9"},
		{"per-channel-peer", "telegram/default/direct/9", "agent:main:telegram:direct:9"},
		{"per-channel-peer", "telegram/b/direct/9", "agent:main:telegram:direct:9"},
		{"per-channel-peer", "signal/default/direct/+1555", "agent:main:signal:direct:+1555"},
		{"per-account-channel-peer", "telegram/b/direct/9", "agent:main:telegram:b:direct:9"},
		{"per-account-channel-peer", "telegram//direct/9", "agent:main:telegram:default:direct:9"},
		{"per-account-channel-peer", "telegram/B/direct/9", "agent:main:telegram:b:direct:9"},
		{"per-peer", "telegram/default/direct/", "agent:main:main"},
		// One person under several ids.
		{"main", "discord/default/direct/77", "agent:main:main"},
		{"per-peer", "discord/default/direct/77", "agent:main:direct:alice"},
		{"per-peer", "telegram/default/direct/5", "agent:main:direct:alice"},
		{"per-peer", "signal/default/direct/+4670", "agent:main:direct:alice"},
		{"per-peer", "slack/default/direct/u2", "agent:main:direct:bob"},
		{"per-peer", "slack/default/direct/5", "agent:main:direct:5"},
		{"per-channel-peer", "discord/default/direct/77", "agent:main:discord:direct:alice"},
		{"per-account-channel-peer", "discord/x/direct/77", "agent:main:discord:x:direct:alice"},
		{"per-peer", "irc/default/direct/x", "agent:main:direct:x"},
		// Groups and rooms: never part of the main session, whatever dmScope says.
		{"main", "telegram/default/group/-100", "agent:main:telegram:group:-100"},
		{"per-peer", "telegram/b/group/-100", "agent:main:telegram:group:-100"},
		{"per-peer", "discord/default/channel/77", "agent:main:discord:channel:77"},
		{"main", "whatsapp/default/group/120@g.us", "agent:main:whatsapp:group:120@g.us"},
		{"main", "irc/default/channel/#Go", "agent:main:irc:channel:#go"},
		{"main", "slack/default/group/G1", "agent:main:slack:group:g1"},
		// Threads.
		{"main", "telegram/default/group/-100/42", "agent:main:telegram:group:-100:topic:42"},
		{"main", "discord/default/channel/1/987", "agent:main:discord:channel:1:thread:987"},
		{"main", "slack/default/channel/C1/171.25", "agent:main:slack:channel:c1:thread:171.25"},
		{"main", "matrix/default/channel/!r:x/$E", "agent:main:matrix:channel:!r:x:thread:$e"},
		{"main", "telegram/default/direct/5/7", "agent:main:main:thread:5:7"},
		{"per-channel-peer", "telegram/default/direct/9/7", "agent:main:telegram:direct:9:thread:9:7"},
		{"main", "slack/default/direct/U1/171.25", "agent:main:main:thread:171.25"},
	} {
		table := route.New(configOf(nil, config.Session{DMScope: tc.scope, IdentityLinks: links}))
		if got := table.Resolve(msg.Inbound{At: place(tc.at)}).Session; string(got) != tc.want {
			t.Errorf("%s under %q is %s, want %s", tc.at, tc.scope, got, tc.want)
		}
	}
}

func TestBroadcast(t *testing.T) {
	t.Parallel()
	cfg := configOf([]string{"bound: whatsapp peer=group:g1@g.us"}, config.Session{DMScope: "per-channel-peer"}, "a", "b", "c", "bound")
	cfg.Broadcast = config.Broadcast{Strategy: "sequential", Peers: map[string][]id.Agent{
		"G1@g.us": {"a", "B", "a", "ghost"}, "+15": {"c"}, "empty": {}, "ghosts": {"ghost"}, "-100:topic:5": {"a", "b"}, "-100": {"b", "c"},
	}}
	table := route.New(cfg)
	for _, tc := range []struct{ at, want string }{
		{"whatsapp/default/group/g1@g.us", "[a b]"},
		{"whatsapp/default/direct/+15", "[c]"},
		{"whatsapp/default/direct/+155", "[]"},
		{"whatsapp/default/group/empty", "[]"},
		{"whatsapp/default/group/ghosts", "[]"},
		{"telegram/default/group/-100/5", "[a b]"},
		{"telegram/default/group/-100/6", "[b c]"},
	} {
		in := msg.Inbound{At: place(tc.at)}
		got, one := table.Broadcast(in)
		if fmt.Sprint(got) != tc.want || len(got) > 0 != one {
			t.Errorf("%s goes to %v (sequential %v), want %s", tc.at, got, one, tc.want)
		}
		for _, a := range got { // each copy goes to its agent, in a session of its own
			in.Agent = a
			r := table.Resolve(in)
			if r.Agent != a || r.Session.Agent() != a || r.By != "broadcast" {
				t.Errorf("the copy for %s goes to %+v", a, r)
			}
			if again, _ := table.Broadcast(in); len(again) > 0 {
				t.Errorf("the copy for %s is sent to %v again", a, again)
			}
		}
	}
}

// A configuration is looked through once.
func TestRouter(t *testing.T) {
	t.Parallel()
	var r route.Router
	one, two := configOf([]string{"a: irc"}, config.Session{}), configOf([]string{"b: irc"}, config.Session{})
	first := r.For(one)
	if first != r.For(one) {
		t.Error("the table is made anew for each message")
	}
	if got := r.For(two).Resolve(msg.Inbound{At: place("irc/default/direct/x")}).Agent; got != "b" {
		t.Errorf("after a change of the configuration the agent is %s, want b", got)
	}
}

func BenchmarkResolve(b *testing.B) {
	table := route.New(configOf(ladder, config.Session{}))
	in := msg.Inbound{At: place("discord/default/channel/100/901"), Room: room("guild=G1 roles=R1")}
	b.ReportAllocs()
	for b.Loop() {
		table.Resolve(in)
	}
}

// The agent that a section names for a place goes before the bindings and the
// broadcasts, but only one that there is.
func TestAgentOfAPlace(t *testing.T) {
	t.Parallel()
	cfg := configOf([]string{"bound: telegram peer=group:-100"}, config.Session{}, "main", "bound", "coder")
	cfg.Broadcast.Peers = map[string][]id.Agent{"-200": {"bound", "main"}}
	table := route.New(cfg)
	for _, tc := range []struct {
		at    string
		agent id.Agent
		want  string
		cast  int
	}{
		{"telegram/default/group/-100/3", "coder", "coder place agent:coder:telegram:group:-100:topic:3", 0},
		{"telegram/default/group/-100/3", "", "bound peer agent:bound:telegram:group:-100:topic:3", 0},
		{"telegram/default/group/-100/3", "ghost", "bound peer agent:bound:telegram:group:-100:topic:3", 0},
		{"telegram/default/group/-200/3", "coder", "coder place agent:coder:telegram:group:-200:topic:3", 0},
		{"telegram/default/group/-200/3", "", "main default agent:main:telegram:group:-200:topic:3", 2},
		{"telegram/default/direct/7/5", "coder", "coder place agent:coder:main:thread:7:5", 0},
	} {
		in := msg.Inbound{At: place(tc.at), Room: msg.Room{Agent: tc.agent}}
		r := table.Resolve(in)
		if got := fmt.Sprint(r.Agent, " ", r.By, " ", r.Session); got != tc.want {
			t.Errorf("%s, %q: %s, want %s", tc.at, tc.agent, got, tc.want)
		}
		if agents, _ := table.Broadcast(in); len(agents) != tc.cast {
			t.Errorf("%s, %q: broadcast to %v", tc.at, tc.agent, agents)
		}
	}
}
