package access_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
)

// What a room says about the tools of its senders.
func TestToolRules(t *testing.T) {
	t.Parallel()
	no := func(names ...string) settings.ToolPolicy { return settings.ToolPolicy{Deny: names} }
	all := func(names ...string) *settings.ToolPolicy { p := no(names...); return &p }
	by := func(pairs ...string) map[string]settings.ToolPolicy {
		m := map[string]settings.ToolPolicy{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = no(pairs[i+1])
		}
		return m
	}
	for _, tc := range []struct {
		name  string
		rules []channel.ToolRules
		names bool // dangerouslyAllowNameMatching
		want  string
	}{
		{"nothing said", nil, false, ""},
		{"for all", []channel.ToolRules{{All: all("exec")}}, false, "exec"},
		{"the nearer place", []channel.ToolRules{{All: all("near")}, {All: all("far")}}, false, "near"},
		{"a place that says nothing", []channel.ToolRules{{}, {All: all("far")}}, false, "far"},
		{"an id", []channel.ToolRules{{All: all("all"), BySender: by("id:+1555", "id")}}, false, "id"},
		{"an id without a word", []channel.ToolRules{{All: all("all"), BySender: by("+1555", "id")}}, false, "id"},
		{"a word in capitals", []channel.ToolRules{{BySender: by(" ID: +1555 ", "id")}}, false, "id"},
		{"somebody else", []channel.ToolRules{{All: all("all"), BySender: by("id:+1556", "id")}}, false, "all"},
		{"part of an id", []channel.ToolRules{{All: all("all"), BySender: by("id:+155", "id")}}, false, "all"},
		{"an empty key", []channel.ToolRules{{All: all("all"), BySender: by("", "x", "id:", "y", "username:@", "z")}}, false, "all"},
		{"a star before all", []channel.ToolRules{{All: all("all"), BySender: by("*", "star")}}, false, "star"},
		{"an id before a star", []channel.ToolRules{{BySender: by("*", "star", "id:+1555", "id")}}, false, "id"},
		{"a sender of the farther place", []channel.ToolRules{{BySender: by("id:7", "x")}, {BySender: by("id:+1555", "id")}}, false, "id"},
		{"the nearer place before the farther one's sender", []channel.ToolRules{{All: all("near")}, {BySender: by("id:+1555", "id")}}, false, "near"},
		{"a phone number", []channel.ToolRules{{BySender: by("e164:1555", "phone", "*", "star")}}, false, "phone"},
		{"an id before a phone number", []channel.ToolRules{{BySender: by("e164:+1555", "phone", "id:+1555", "id")}}, false, "id"},
		{"a user name comes on top", []channel.ToolRules{{All: all("all"), BySender: by("username:@Ann", "name")}}, false, "name all"},
		{"a name gives nobody more", []channel.ToolRules{{All: all("all"), BySender: by("name:ann lee", "")}, {All: all("far")}}, false, " all"},
		{"a name, and the farther place", []channel.ToolRules{{BySender: by("name:Ann Lee", "name")}, {All: all("far")}}, false, "name far"},
		{"a name that counts", []channel.ToolRules{{All: all("all"), BySender: by("name:Ann Lee", "name")}}, true, "name"},
		{"a user name before a name", []channel.ToolRules{{BySender: by("name:Ann Lee", "name", "username:ann", "user")}}, true, "user"},
		{"an id before a name", []channel.ToolRules{{BySender: by("username:ann", "user", "id:+1555", "id")}}, false, "id"},
		{"two spellings", []channel.ToolRules{{BySender: by("id:+1555", "b", "+1555", "a")}}, false, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := ruled(config.ChannelSection{DangerouslyAllowNameMatching: tc.names}, channel.Rules{Listed: true, Allow: []string{"*"}, Tools: tc.rules})
			in := inRoom("+1555")
			in.From.Username, in.From.Name = "ann", "Ann Lee"
			d, err := g.Admit(t.Context(), in)
			if err != nil || d.Verdict != access.Respond {
				t.Fatalf("%+v, %v", d, err)
			}
			var got []string
			for _, p := range d.Tools {
				got = append(got, strings.Join(p.Deny, ","))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// groups.<id> before groups.*, as it stands in the file.
func TestToolRulesOfGroups(t *testing.T) {
	t.Parallel()
	deny := func(name string) *settings.ToolPolicy { return &settings.ToolPolicy{Deny: []string{name}} }
	g, _ := gate(config.ChannelSection{GroupPolicy: "open", Groups: map[string]config.Group{
		"*":  {Tools: deny("star")},
		"-1": {Tools: deny("own"), ToolsBySender: map[string]settings.ToolPolicy{"id:9": {}}},
		"-2": {},
	}})
	for peer, want := range map[id.Peer]string{"-1": "own", "-2": "star", "-3": "star"} {
		in := direct("1")
		in.At.Kind, in.At.Peer, in.Mentioned = msg.Group, peer, true
		d, err := g.Admit(t.Context(), in)
		if err != nil || len(d.Tools) != 1 || d.Tools[0].Deny[0] != want {
			t.Errorf("%s: %+v, %v, want %s", peer, d.Tools, err, want)
		}
	}
	in := direct("9")
	in.At.Kind, in.At.Peer, in.Mentioned = msg.Group, "-1", true
	if d, err := g.Admit(t.Context(), in); err != nil || len(d.Tools) != 1 || d.Tools[0].Deny != nil {
		t.Errorf("an entry that takes nothing away stands instead: %+v, %v", d.Tools, err)
	}
}

// /activation stands over requireMention, and opens nothing to strangers.
func TestActivation(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	for _, tc := range []struct {
		name    string
		set     string
		err     error
		mention *bool
		r       channel.Rules
		want    access.Verdict
	}{
		{"not set", "", nil, nil, channel.Rules{}, access.Listen},
		{"not set, no mention needed", "", nil, &no, channel.Rules{}, access.Respond},
		{"always", "always", nil, &yes, channel.Rules{}, access.Respond},
		{"mention", "mention", nil, &no, channel.Rules{}, access.Listen},
		{"always, a stranger", "always", nil, nil, channel.Rules{Allow: []string{"2"}}, access.Ignore},
		{"always, disabled", "always", nil, nil, channel.Rules{Disabled: true}, access.Ignore},
		{"it can't be read", "", errors.New("disk"), &no, channel.Rules{}, access.Ignore},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := tc.r
			r.Listed, r.Mention = true, tc.mention
			if r.Allow == nil {
				r.Allow = []string{"*"}
			}
			g := ruled(config.ChannelSection{}, r)
			g.Activation = func(context.Context, msg.Inbound) (string, error) { return tc.set, tc.err }
			in := inRoom("1")
			in.Mentioned = false
			d, err := g.Admit(t.Context(), in)
			if d.Verdict != tc.want || (err != nil) != (tc.err != nil) {
				t.Errorf("%+v, %v; want %v", d, err, tc.want)
			}
		})
	}
}
