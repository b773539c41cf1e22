package access_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
)

// What is said about one direct chat: it narrows, and opens only in so many
// words.
func TestDirectChats(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	type chats = map[string]config.DirectChat
	group := func(g config.Group) config.DirectChat { return config.DirectChat{Group: g} }
	in7 := func(thread bool) msg.Inbound {
		in := direct("7")
		if thread {
			in = topic(in, "42")
		}
		return in
	}
	for _, tc := range []struct {
		name   string
		policy string
		allow  []string
		chats  chats
		in     msg.Inbound
		want   access.Verdict
	}{
		{"nothing said", "allowlist", []string{"7"}, nil, in7(false), access.Respond},
		{"another chat", "allowlist", []string{"7"}, chats{"8": group(config.Group{Enabled: &no})}, in7(false), access.Respond},
		{"off", "allowlist", []string{"7"}, chats{"7": group(config.Group{Enabled: &no})}, in7(false), access.Ignore},
		{"all off", "allowlist", []string{"7"}, chats{"*": group(config.Group{Enabled: &no})}, in7(false), access.Ignore},
		{"all off but this", "allowlist", []string{"7"}, chats{"*": group(config.Group{Enabled: &no}), "7": group(config.Group{Enabled: &yes})}, in7(false), access.Respond},
		{"listed isn't let in", "allowlist", []string{"8"}, chats{"7": {}}, in7(false), access.Ignore},
		{"its own list", "allowlist", []string{"8"}, chats{"7": group(config.Group{AllowFrom: []string{"7"}})}, in7(false), access.Respond},
		{"its own list names another", "allowlist", []string{"7"}, chats{"7": group(config.Group{AllowFrom: []string{"8"}})}, in7(false), access.Ignore},
		{"its own list is empty", "open", []string{"*"}, chats{"7": group(config.Group{AllowFrom: []string{}})}, in7(false), access.Ignore},
		{"a star opens nothing", "allowlist", nil, chats{"7": group(config.Group{AllowFrom: []string{"*"}})}, in7(false), access.Ignore},
		{"its policy", "open", []string{"*"}, chats{"7": {DMPolicy: "disabled"}}, in7(false), access.Ignore},
		{"open for it", "disabled", nil, chats{"7": {DMPolicy: "open"}}, in7(false), access.Respond},
		{"open for it, a bot", "disabled", nil, chats{"7": {DMPolicy: "open"}}, bot(in7(false)), access.Ignore},
		{"open for all needs a star", "disabled", nil, chats{"*": {DMPolicy: "open"}}, in7(false), access.Ignore},
		{"a misspelt policy", "open", []string{"*"}, chats{"7": {DMPolicy: "opne"}}, in7(false), access.Ignore},
		{"a group's policy says nothing here", "allowlist", nil, chats{"7": group(config.Group{GroupPolicy: "open"})}, in7(false), access.Ignore},
		{"pairing for it", "disabled", nil, chats{"7": {DMPolicy: "pairing"}}, in7(false), access.Pair},
		{"only in topics", "open", []string{"*"}, chats{"7": {RequireTopic: &yes}}, in7(false), access.Ignore},
		{"in a topic", "open", []string{"*"}, chats{"7": {RequireTopic: &yes}}, in7(true), access.Respond},
		{"in a topic that is off", "open", []string{"*"}, chats{"7": group(config.Group{Topics: map[string]config.Group{"42": {Enabled: &no}}})}, in7(true), access.Ignore},
		{"a topic's list", "open", []string{"*"}, chats{"7": group(config.Group{Topics: map[string]config.Group{"42": {AllowFrom: []string{"8"}}}})}, in7(true), access.Ignore},
	} {
		g, _ := gate(config.ChannelSection{DMPolicy: tc.policy, AllowFrom: tc.allow, Direct: tc.chats})
		d, err := g.Admit(t.Context(), tc.in)
		if err != nil || d.Verdict != tc.want {
			t.Errorf("%s: %+v, %v; want verdict %d", tc.name, d, err, tc.want)
		}
		if listed := len(tc.allow) > 0 && tc.allow[0] == "7"; d.Owner && !listed {
			t.Errorf("%s: what is said about the chat made an owner", tc.name)
		}
	}

	// A chat that speaks is heard where it is listed, and is never the owner.
	in := inGroup("-5", "-1", true)
	in.From.Chat, in.At.Channel = true, "slack" // whose entries are taken as they are
	g, _ := gate(config.ChannelSection{GroupPolicy: "allowlist", AllowFrom: []string{"-5"}, Groups: map[string]config.Group{"-1": {}}})
	if d, err := g.Admit(t.Context(), in); err != nil || d.Verdict != access.Respond || d.Owner {
		t.Errorf("a listed channel: %+v, %v", d, err)
	}
	deny := &settings.ToolPolicy{Deny: []string{"exec"}}
	g, _ = gate(config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"7"}, Direct: chats{"7": group(config.Group{
		SystemPrompt: "be brief", Skills: []string{"docs"}, Tools: deny,
		Topics: map[string]config.Group{"42": {SystemPrompt: "be long"}},
	})}})
	d, err := g.Admit(t.Context(), in7(false))
	if err != nil || d.Prompt != "be brief" || len(d.Skills) != 1 || len(d.Tools) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := g.Admit(t.Context(), in7(true)); err != nil || d.Prompt != "be long" || len(d.Skills) != 1 {
		t.Errorf("in the topic: %+v, %v", d, err)
	}
}
