package access_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
)

func TestMayCommand(t *testing.T) {
	t.Parallel()
	off := false
	for _, tc := range []struct {
		name     string
		section  config.ChannelSection
		commands config.Commands
		kind     msg.PeerKind
		from     id.Peer
		ignored  bool
		want     bool
	}{
		{name: "somebody let into a direct chat", kind: msg.Direct, from: "bob", want: true},
		{name: "somebody who isn't let in", kind: msg.Direct, from: "bob", ignored: true},
		{name: "somebody in an open group", section: config.ChannelSection{GroupPolicy: "open"}, kind: msg.Group, from: "bob"},
		{name: "somebody on the group's list", section: config.ChannelSection{GroupAllowFrom: []string{"bob"}}, kind: msg.Group, from: "bob", want: true},
		{name: "an open group without access groups", commands: config.Commands{UseAccessGroups: &off}, kind: msg.Group, from: "bob", want: true},
		{name: "not on commands.allowFrom", commands: config.Commands{AllowFrom: map[string][]string{"*": {"al"}}}, kind: msg.Direct, from: "bob"},
		{name: "on commands.allowFrom", commands: config.Commands{AllowFrom: map[string][]string{"*": {"al"}}}, kind: msg.Group, from: "al", want: true},
		{name: "the channel's list goes before the star", commands: config.Commands{AllowFrom: map[string][]string{"*": {"*"}, "net": {}}}, kind: msg.Direct, from: "al"},
		{name: "everybody, in so many words", commands: config.Commands{AllowFrom: map[string][]string{"net": {"*"}}}, kind: msg.Group, from: "bob", want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := &access.Gate{
				Account: func(id.Channel, id.Account) (config.Account, bool) {
					return config.Account{Enabled: true, Common: tc.section}, true
				},
				Commands: func() config.Commands { return tc.commands },
				Kind:     func(id.Channel) (channel.Kind, bool) { return channel.Kind{ID: "net"}, true },
			}
			d := access.Decision{Verdict: access.Respond}
			if tc.ignored {
				d.Verdict = access.Ignore
			}
			in := msg.Inbound{From: msg.Sender{ID: tc.from}, At: msg.Address{Channel: "net", Kind: tc.kind, Peer: "x"}}
			if got := g.MayCommand(in, d); got != tc.want {
				t.Errorf("MayCommand = %v, want %v", got, tc.want)
			}
		})
	}
}
