package access_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
)

// ruled is a gate of a network that says itself what a section has on a room.
func ruled(c config.ChannelSection, r channel.Rules) *access.Gate {
	g, _ := gate(c)
	g.Kind = func(ch id.Channel) (channel.Kind, bool) {
		return channel.Kind{ID: "discord", Label: "Discord", Rules: func(json.RawMessage, msg.Inbound) channel.Rules { return r }}, true
	}
	return g
}

func inRoom(sender string, roles ...string) msg.Inbound {
	in := direct(sender)
	in.At = msg.Address{Channel: "discord", Account: "default", Kind: msg.Channel, Peer: "100"}
	in.Room.Roles = roles
	return in
}

func TestRules(t *testing.T) {
	t.Parallel()
	no, yes, three := false, true, 3
	unmentioned := func(in msg.Inbound) msg.Inbound { in.Mentioned = false; return in }
	native := func(in msg.Inbound) msg.Inbound { in.Native = true; return in }
	notice := func(in msg.Inbound) msg.Inbound { in.Notice = true; return in }
	answer := func(in msg.Inbound) msg.Inbound { in.Quote = &msg.Quote{Self: true}; return in }
	command := func(in msg.Inbound) msg.Inbound { in.Text = "/status"; return in }
	all := channel.Rules{Listed: true, Allow: []string{"*"}}
	with := func(r channel.Rules, change func(*channel.Rules)) channel.Rules { change(&r); return r }
	for _, tc := range []struct {
		name string
		c    config.ChannelSection
		r    channel.Rules
		in   msg.Inbound
		want access.Verdict
	}{
		{"nothing set", config.ChannelSection{}, channel.Rules{}, inRoom("1"), access.Ignore},
		{"listed for all", config.ChannelSection{}, all, inRoom("1"), access.Respond},
		{"listed, nobody named", config.ChannelSection{}, channel.Rules{Listed: true}, inRoom("1"), access.Ignore},
		{"listed, an empty list", config.ChannelSection{GroupPolicy: "open"}, channel.Rules{Listed: true, Allow: []string{}}, inRoom("1"), access.Ignore},
		{"listed, another is named", config.ChannelSection{GroupPolicy: "open"}, channel.Rules{Listed: true, Allow: []string{"2"}}, inRoom("1"), access.Ignore},
		{"listed, named", config.ChannelSection{}, channel.Rules{Listed: true, Allow: []string{"1"}}, inRoom("1"), access.Respond},
		{"listed, on groupAllowFrom", config.ChannelSection{GroupAllowFrom: []string{"1"}}, channel.Rules{Listed: true}, inRoom("1"), access.Respond},
		{"listed, on allowFrom", config.ChannelSection{AllowFrom: []string{"1"}}, channel.Rules{Listed: true}, inRoom("1"), access.Respond},
		{"disabled", config.ChannelSection{GroupPolicy: "open"}, with(all, func(r *channel.Rules) { r.Disabled = true }), inRoom("1"), access.Ignore},
		{"the room's policy", config.ChannelSection{GroupPolicy: "open"}, with(all, func(r *channel.Rules) { r.Policy = "disabled" }), inRoom("1"), access.Ignore},
		{"the room's policy, misspelt", config.ChannelSection{GroupPolicy: "open"}, with(all, func(r *channel.Rules) { r.Policy = "opne" }), inRoom("1"), access.Ignore},
		{"open, not listed", config.ChannelSection{GroupPolicy: "open"}, channel.Rules{}, inRoom("1"), access.Respond},
		{"open, others are listed", config.ChannelSection{GroupPolicy: "open"}, channel.Rules{Others: true}, inRoom("1"), access.Ignore},
		{"a role", config.ChannelSection{}, channel.Rules{Listed: true, Roles: []string{"R"}}, inRoom("1", "Q", "R"), access.Respond},
		{"not the role", config.ChannelSection{}, channel.Rules{Listed: true, Roles: []string{"R"}}, inRoom("1", "Q"), access.Ignore},
		{"no role at all", config.ChannelSection{GroupPolicy: "open"}, channel.Rules{Listed: true, Roles: []string{}}, inRoom("1", "R"), access.Ignore},
		{"an empty role", config.ChannelSection{}, channel.Rules{Listed: true, Roles: []string{""}}, inRoom("1", ""), access.Ignore},
		{"a role or a name", config.ChannelSection{}, channel.Rules{Listed: true, Roles: []string{"R"}, Allow: []string{"1"}}, inRoom("1"), access.Respond},
		{"not mentioned", config.ChannelSection{}, all, unmentioned(inRoom("1")), access.Listen},
		{"not mentioned, not let in", config.ChannelSection{}, channel.Rules{Listed: true, Allow: []string{"2"}}, unmentioned(inRoom("1")), access.Ignore},
		{"no mention needed", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Mention = &no }), unmentioned(inRoom("1")), access.Respond},
		{"a mention needed", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Mention = &yes }), unmentioned(inRoom("1")), access.Listen},
		{"from a menu", config.ChannelSection{}, all, native(unmentioned(inRoom("1"))), access.Respond},
		{"from a menu, not let in", config.ChannelSection{}, channel.Rules{Listed: true}, native(unmentioned(inRoom("1"))), access.Ignore},
		{"a notice", config.ChannelSection{}, all, notice(unmentioned(inRoom("1"))), access.Respond},
		{"a notice of a stranger", config.ChannelSection{}, channel.Rules{Listed: true}, notice(inRoom("1")), access.Ignore},
		{"an answer to the agent", config.ChannelSection{}, all, answer(unmentioned(inRoom("1"))), access.Respond},
		{"a command of anybody", config.ChannelSection{}, all, command(unmentioned(inRoom("1"))), access.Listen},
		{"a command of the owner", config.ChannelSection{AllowFrom: []string{"1"}}, all, command(unmentioned(inRoom("1"))), access.Respond},
		{"a bot", config.ChannelSection{}, all, bot(inRoom("1")), access.Ignore},
		{"a bot that is named", config.ChannelSection{}, channel.Rules{Listed: true, Allow: []string{"1"}}, bot(inRoom("1")), access.Respond},
		{"bots are off", config.ChannelSection{AllowBots: "on"}, with(all, func(r *channel.Rules) { r.Bots = "off" }), bot(inRoom("1")), access.Ignore},
		{"bots are on", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Bots = "on" }), bot(inRoom("1")), access.Respond},
		{"bots are on for the account", config.ChannelSection{AllowBots: "on"}, all, bot(inRoom("1")), access.Respond},
		{"bots are on, the list is for others", config.ChannelSection{}, channel.Rules{Listed: true, Bots: "on", Allow: []string{"2"}}, bot(inRoom("1")), access.Ignore},
		{"bots that mention", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Bots = "mentions" }), bot(inRoom("1")), access.Respond},
		{"bots that don't", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Bots, r.Mention = "mentions", &no }), bot(unmentioned(inRoom("1"))), access.Ignore},
		{"an odd value for bots", config.ChannelSection{}, with(all, func(r *channel.Rules) { r.Bots = "yes" }), bot(inRoom("1")), access.Ignore},
		{"role of a bot", config.ChannelSection{}, channel.Rules{Listed: true, Roles: []string{"R"}}, bot(inRoom("1", "R")), access.Ignore},
	} {
		tc.r.Prompt, tc.r.Skills, tc.r.History = "be brief", []string{"docs"}, &three
		g := ruled(tc.c, tc.r)
		g.IsCommand = func(text string) bool { return strings.HasPrefix(text, "/") }
		d, err := g.Admit(t.Context(), tc.in)
		if err != nil || d.Verdict != tc.want {
			t.Errorf("%s: Admit = %+v, %v", tc.name, d, err)
		}
		if d.Verdict == access.Respond && (d.Prompt != "be brief" || !slices.Equal(d.Skills, []string{"docs"}) || d.History == nil || *d.History != 3) {
			t.Errorf("%s: the room's wishes are lost: %+v", tc.name, d)
		}
	}
}

// Names that others can take open nothing, however they are spelt.
func TestNamesAreNoIdentity(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{{"alice"}, {"1001"}, {"@alice"}, {"Al"}, {"200"}, {"20021"}, {""}, {" "}, {"*"}} {
		for _, policy := range []string{"allowlist", "alowlist", "disabled", "Open", " open"} {
			g, _ := gate(config.ChannelSection{DMPolicy: policy, GroupPolicy: policy, AllowFrom: list, GroupAllowFrom: list[:0], Groups: map[string]config.Group{"team": {}}})
			in := direct("2002")
			in.From.Username, in.From.Name = "alice", "1001"
			in.Room.Name = "team" // a group that took an allowed group's name
			for _, kind := range []msg.PeerKind{msg.Direct, msg.Group} {
				in.At.Kind, in.At.Peer = kind, "2002"
				if d, err := g.Admit(t.Context(), in); err != nil || d.Verdict != access.Ignore {
					t.Errorf("under %s with %q a %s chat gives %+v, %v", policy, list, kind, d, err)
				}
			}
		}
	}
}

// Two bots don't talk for hours: MaxBotTurns turns, then a person must write;
// and MaxBotHour in an hour, person or not.
func TestBotsStop(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := ruled(config.ChannelSection{}, channel.Rules{Listed: true, Allow: []string{"*"}, Bots: "on"})
	g.Now = func() time.Time { return now }
	n := 0
	speaks := func(in msg.Inbound) bool {
		t.Helper()
		n++
		in.ID = id.Message(fmt.Sprint("m", n))
		in.At.Thread = id.Thread(fmt.Sprint(n)) // a new thread is no new beginning
		d, err := g.Admit(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		// The same message, handled again, is decided the same.
		if again, err := g.Admit(t.Context(), in); err != nil || again.Verdict != d.Verdict {
			t.Errorf("handled again: %+v, first %+v", again, d)
		}
		return d.Verdict == access.Respond
	}
	answered := func(tries int, minutes time.Duration) (ok int) {
		for range tries {
			now = now.Add(minutes * time.Minute)
			if speaks(bot(inRoom("77"))) {
				ok++
			}
		}
		return ok
	}
	if got := answered(42, 1); got != access.MaxBotTurns {
		t.Errorf("a bot was answered %d times in a row", got)
	}
	if got := answered(10, 60); got != 0 {
		t.Errorf("slowly, it was answered %d times more", got)
	}
	if speaks(bot(inRoom("78"))) {
		t.Error("another bot goes on in its place")
	}
	hour := 0
	for range 5 {
		if !speaks(inRoom("1")) {
			t.Fatal("a person isn't answered")
		}
		hour += answered(20, 0)
	}
	if hour != access.MaxBotHour {
		t.Errorf("with a person in between a bot was answered %d times in an hour", hour)
	}
	other := bot(inRoom("77"))
	other.At.Peer = "200"
	if !speaks(other) {
		t.Error("a bot was stopped in another room too")
	}
}

func TestBotsOfManyPlaces(t *testing.T) {
	t.Parallel()
	g := ruled(config.ChannelSection{}, channel.Rules{Listed: true, Allow: []string{"*"}, Bots: "on"})
	for i := range 3000 { // memory stays bounded; nothing breaks
		in := bot(inRoom(fmt.Sprint(i)))
		in.ID, in.At.Peer = id.Message(fmt.Sprint(i)), id.Peer(fmt.Sprint(i%1500))
		if d, err := g.Admit(t.Context(), in); err != nil || d.Verdict != access.Respond {
			t.Fatalf("%d: %+v, %v", i, d, err)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{}
	cfg.Agents.List = []config.Agent{
		{ID: "a", Identity: config.Identity{Name: "Ada  Bot", Emoji: "🦞"}},
		{ID: "b", GroupChat: config.GroupChat{MentionPatterns: []string{`\bbee\b`}}},
		{ID: "c"},
		{ID: "d", Identity: config.Identity{Name: "Жук"}},
	}
	for _, tc := range []struct {
		text  string
		agent id.Agent
		want  bool
	}{
		{"hi ada bot", "a", true},
		{"@Ada Bot?", "a", true},
		{"ada", "a", false},
		{"ada bots", "a", false},
		{"look 🦞", "a", true},
		{"bee!", "b", true},
		{"beer", "b", false},
		{"ada bot", "b", false},
		{"anything", "c", false},
		{"", "c", false},
		{"привет, жук!", "d", true},
		{"жуки", "d", false},
		{strings.Repeat("x", 1<<20) + " ada bot", "a", false},
	} {
		if got := access.NewNames(cfg).Address(tc.text, tc.agent); got != tc.want {
			t.Errorf("%.30q addresses %s: %v", tc.text, tc.agent, got)
		}
	}
	cfg.Messages.GroupChat.MentionPatterns = []string{"", "x*", "[", "bot", strings.Repeat("a", 5000)}
	n := access.NewNames(cfg)
	for text, want := range map[string]bool{"ada bot": true, "ada": false, "": false, "x": false, "BOT": true} {
		if got := n.Address(text, "a"); got != want {
			t.Errorf("%q addresses the agent under general patterns: %v", text, got)
		}
	}
	if !n.Address("bee", "b") || n.Address("bot", "b") {
		t.Error("an agent's own patterns don't go before the general ones")
	}
}

// Where owners are named, nobody else gives commands.
func TestOwnersCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		owners []string
		from   string
		want   bool
	}{
		{nil, "1", true},
		{nil, "2", true},
		{[]string{"1"}, "1", true},
		{[]string{"1"}, "2", false},
		{[]string{"*"}, "2", true},
		{[]string{"irc:1"}, "2", true}, // about another network
		{[]string{"discord:1"}, "2", false},
	} {
		g, _ := gate(config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"*"}})
		g.Kind = func(ch id.Channel) (channel.Kind, bool) {
			return channel.Kind{ID: ch, Normalize: func(e string) string { return strings.TrimPrefix(e, "discord:") }}, ch == "irc" || ch == "discord"
		}
		g.Commands = func() config.Commands { return config.Commands{OwnerAllowFrom: tc.owners} }
		in := direct(tc.from)
		in.At.Channel = "discord"
		d, err := g.Admit(t.Context(), in)
		if err != nil || g.MayCommand(in, d) != tc.want {
			t.Errorf("owners %q: %s may command %v, %v", tc.owners, tc.from, !tc.want, err)
		}
	}
}
