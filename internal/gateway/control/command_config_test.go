package control_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/command"
)

func TestConfigCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const file = `{ commands: { config: true }, gateway: { auth: { mode: "token", token: "very-secret-token-0123456789" } }, channels: { telegram: { configWrites: false, replyToMode: "off" } } }`
	write(t, filepath.Join(w.dir, "openclaw.json"), file)
	give := func(channel, text string, owner bool) string {
		t.Helper()
		table, err := command.NewTable(w.Feature().Commands)
		if err != nil {
			t.Fatal(err)
		}
		in := msg.Inbound{Text: text, From: msg.Sender{ID: "al"}, At: msg.Address{Kind: msg.Direct, Peer: "al"}}
		in.At.Channel = "irc"
		if channel != "" {
			in.At.Channel = "telegram"
		}
		got, err := table.Apply(t.Context(), command.Env{In: in, Session: "agent:main:main", Agent: "main", Owner: owner, May: true})
		if err != nil {
			return "error: " + err.Error()
		}
		return strings.Join(got.Replies, "\n")
	}
	if got := give("", "/config show", true); !strings.Contains(got, "disabled") {
		t.Errorf("without commands.config: %s", got)
	}
	w.cfg.Commands.Config = true
	for _, tc := range []struct{ channel, text, want string }{
		{"", "/config show", "replyToMode"},
		{"", "/config get gateway.auth.mode", `"token"`},
		{"", "/config get no.such", "No config value"},
		{"", "/config set messages.responsePrefix=\"[bot]\"", "updated: messages.responsePrefix."},
		{"", "/config set messages.queue.mode steer", "updated: messages.queue.mode."},
		{"", "/config set messages.queue.mode=sideways", "Nothing was changed"},
		{"", "/config unset messages.responsePrefix", "removed"},
		{"", "/config what", "Usage"},
		{"telegram", "/config set messages.queue.mode=collect", "configWrites"},
	} {
		if got := give(tc.channel, tc.text, true); !strings.Contains(got, tc.want) || strings.Contains(got, "very-secret") {
			t.Errorf("%s: %s, want %q", tc.text, got, tc.want)
		}
	}
	if got := give("", "/config show", false); !strings.Contains(got, "owner") {
		t.Errorf("somebody else's /config: %s", got)
	}
	raw, err := os.ReadFile(filepath.Join(w.dir, "openclaw.json"))
	if s := string(raw); err != nil || !strings.Contains(s, "steer") || strings.Contains(s, "[bot]") || !strings.Contains(s, "very-secret") {
		t.Errorf("the file: %s, %v", s, err)
	}
}
