package discord_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	k := discord.Kind()
	for in, want := range map[string]string{
		"123456789012345678": "123456789012345678", " user:123 ": "123", "discord:123": "123", "Discord:User:123": "123", "<@123>": "123", "<@!123>": "123",
		"*": "*", "user:*": "", "discord:*": "", "<@x>": "", "<@123": "", "": "", "0": "", "99999999999999999999999": "", "channel:1": "", "role:1": "", "pk:x": "",
		"@Alice": "alice", "alice#1234": "alice#1234", "a\x00b": "", strings.Repeat("x", 81): "",
	} {
		if got := k.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
	ids, names := k.Forms(msg.Sender{ID: "7", Username: "Al.B", Name: "Al Bee"})
	if d := cmp.Diff([]string{"7"}, ids); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"al.b", "al-b", "al bee", "al-bee"}, names); d != "" {
		t.Error(d)
	}
	// Who calls himself by the id of another, or by the star, is nobody by that.
	if _, names := k.Forms(msg.Sender{ID: "7", Username: "123456789012345678", Name: "*"}); len(names) != 0 {
		t.Errorf("names are %q", names)
	}
	if !k.IsName("al") || k.IsName("123") || k.IsName("*") {
		t.Error("IsName")
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	k := discord.Kind()
	for in, want := range map[string]string{
		"user:123": "direct 123", "discord:123": "direct 123", "<@123>": "direct 123", "<@!123>": "direct 123", "discord:user:5": "direct 5",
		"channel:123": "channel 123", "<#123>": "channel 123", "Channel: 123": "channel 123", "thread:9": "channel 9", "discord:channel:5": "channel 5", "group:4": "group 4",
		"123": "", "": "", "@alice": "", "#general": "", "user:x": "", "channel:../1": "", "user:": "", "<@": "", "<@>": "", "<#>": "",
	} {
		at, err := k.Target(in)
		switch {
		case want == "":
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("Target(%q) = %v, %v", in, at, err)
			}
		case err != nil || string(at.Kind)+" "+string(at.Peer) != want:
			t.Errorf("Target(%q) = %v, %v, want %s", in, at, err, want)
		}
	}
}

func FuzzTarget(f *testing.F) {
	for _, s := range []string{"user:123", "<@!1>", "<#2>", "discord:channel:3", "123"} {
		f.Add(s)
	}
	k := discord.Kind()
	f.Fuzz(func(t *testing.T, s string) {
		at, err := k.Target(s)
		if err == nil && (at.Kind == "" || strings.Trim(string(at.Peer), "0123456789") != "" || at.Peer == "") {
			t.Errorf("Target(%q) = %+v", s, at)
		}
		if n := k.Normalize(s); n != "" && k.Normalize(n) != n {
			t.Errorf("Normalize(%q) = %q, which becomes %q", s, n, k.Normalize(n))
		}
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	in := func(peer, parent, name string) msg.Inbound {
		return msg.Inbound{
			At:   msg.Address{Kind: msg.Channel, Peer: id.Peer(peer)},
			Room: msg.Room{Guild: "3", GuildName: "Friends of Claw", Name: name, Parent: id.Peer(parent)},
		}
	}
	star := []string{"*"}
	for _, tt := range []struct {
		name, section string
		in            msg.Inbound
		want          channel.Rules
	}{
		{"nothing", `{}`, in("40", "", "general"), channel.Rules{}},
		{"another guild", `{"guilds":{"4":{}}}`, in("40", "", "general"), channel.Rules{Others: true}},
		{"by id", `{"guilds":{"3":{"requireMention":false}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &no}},
		{"by slug of its name", `{"guilds":{"friends-of-claw":{}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star}},
		{"by slug", `{"guilds":{"x":{"slug":"friends-of-claw"}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star}},
		{"star", `{"guilds":{"*":{"requireMention":true}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &yes}},
		{"id before star", `{"guilds":{"*":{"requireMention":true},"3":{"requireMention":false}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &no}},
		{"a name that is a part", `{"guilds":{"friends":{}}}`, in("40", "", "general"), channel.Rules{Others: true}},
		{
			"users and roles", `{"guilds":{"3":{"users":["user:7",987654321098765432],"roles":["61","role:62","<@&63>","Crew"]}}}`, in("40", "", "general"),
			channel.Rules{Others: true, Listed: true, Allow: []string{"user:7", "987654321098765432"}, Roles: []string{"61", "62", "63"}},
		},
		{"roles alone", `{"guilds":{"3":{"roles":[123456789012345679]}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: []string{}, Roles: []string{"123456789012345679"}}},
		{"nobody", `{"guilds":{"3":{"users":[]}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: []string{}}},
		{"room by id", `{"guilds":{"3":{"channels":{"40":{"requireMention":false,"systemPrompt":"p","skills":["a"]}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &no, Prompt: "p", Skills: []string{"a"}}},
		{"room by name", `{"guilds":{"3":{"requireMention":false,"channels":{"#General":{"users":["7"]}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: []string{"7"}, Mention: &no}},
		{
			"tools", `{"guilds":{"3":{"toolsBySender":{"id:7":{}},"channels":{"40":{"tools":{"deny":["exec"]}}}}}}`, in("40", "", "general"),
			channel.Rules{Others: true, Listed: true, Allow: star, Tools: []channel.ToolRules{
				{All: &settings.ToolPolicy{Deny: []string{"exec"}}}, {BySender: map[string]settings.ToolPolicy{"id:7": {}}},
			}},
		},
		{"a room that isn't listed", `{"guilds":{"3":{"channels":{"41":{}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Disabled: true}},
		{"star room", `{"guilds":{"3":{"channels":{"*":{"requireMention":false},"41":{}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &no}},
		{"not allowed", `{"guilds":{"3":{"channels":{"40":{"allow":false}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Disabled: true, Allow: star}},
		{"not enabled", `{"guilds":{"3":{"channels":{"general":{"allow":true,"enabled":false}}}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Disabled: true, Allow: star}},
		{"a thread has its room's entry", `{"guilds":{"3":{"channels":{"40":{"requireMention":false}}}}}`, in("99", "40", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &no}},
		{"or its own", `{"guilds":{"3":{"channels":{"40":{"requireMention":false},"99":{"requireMention":true}}}}}`, in("99", "40", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Mention: &yes}},
		{"bots", `{"allowBots":"mentions","guilds":{"3":{}}}`, in("40", "", "general"), channel.Rules{Others: true, Listed: true, Allow: star, Bots: "mentions"}},
		{"a group conversation", `{}`, msg.Inbound{At: msg.Address{Kind: msg.Group, Peer: "50"}}, channel.Rules{Others: true, Disabled: true}},
		{"let in", `{"dm":{"groupEnabled":true}}`, msg.Inbound{At: msg.Address{Kind: msg.Group, Peer: "50"}}, channel.Rules{Others: true, Listed: true, Allow: star, Policy: "allowlist"}},
		{"those listed", `{"dm":{"groupEnabled":true,"groupChannels":[51]}}`, msg.Inbound{At: msg.Address{Kind: msg.Group, Peer: "50"}}, channel.Rules{Others: true, Disabled: true}},
		{"direct", `{"allowBots":true}`, msg.Inbound{At: msg.Address{Kind: msg.Direct, Peer: "7"}}, channel.Rules{Bots: "on"}},
		{"unreadable", `{"guilds":7}`, in("40", "", "general"), channel.Rules{Others: true, Disabled: true}},
	} {
		if d := cmp.Diff(tt.want, discord.Kind().Rules(json.RawMessage(tt.section), tt.in)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// What people see of what is sent is the text.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"**a** *b* ~~c~~ `d` snake_case_x 2*3*4 ||no||", "# H\n\n- a\n  - b\n\n1. x\n\n> q\n\n```go\nx := \"```\"\n```", "`` a`b ``",
		"\\# no\n\\> no", "<@123456> <#1> <:x:12> <t:1:R> <b>", "| a | b |\n|---|---|\n| 1 | `2` |", "https://e.test/a_b_c*d (x)", "a\\*b\\_c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 || strings.Contains(s, "](") || strings.Contains(s, "]:") {
			return
		}
		shown := discord.Render(s, "")
		if !utf8.ValidString(shown) {
			t.Errorf("Render(%q) isn't UTF-8", s)
		}
		plain := markdown.Plain()
		if got, want := letters(discordtest.Strip(shown)), letters(markdown.Render(markdown.Parse(s), &plain)); got != want && !strings.Contains(s, "://") && !strings.Contains(s, "```") && !strings.Contains(s, "~~~") {
			t.Errorf("Render(%q) = %q shows\n%q, want\n%q", s, shown, got, want)
		}
	})
}

func TestSplit(t *testing.T) {
	t.Parallel()
	c := build(t, json.RawMessage(`{"token":"x"}`)).ch
	s := c.(channel.Splitter)
	var b strings.Builder
	for range 40 {
		b.WriteString("line\n\n")
	}
	b.WriteString("```go\n" + strings.Repeat("code()\n", 60) + "```\n")
	parts := s.Split(b.String())
	for i, p := range parts {
		shown := discord.Render(p, "")
		if n := strings.Count(shown, "\n") + 1; n > 17 || len(shown) > 2000 || strings.Count(shown, "```")%2 != 0 {
			t.Errorf("part %d has %d lines:\n%s", i, n, shown)
		}
	}
	if n := strings.Count(strings.Join(parts, ""), "code()"); n != 60 {
		t.Errorf("%d lines of code", n)
	}
	if parts := s.Split(strings.Repeat("😀", 1500)); len(parts) != 2 {
		t.Errorf("%d parts", len(parts))
	}
	if got := s.Split("a\n\nb"); !slices.Equal(got, []string{"a\n\nb"}) {
		t.Errorf("Split = %q", got)
	}
}
