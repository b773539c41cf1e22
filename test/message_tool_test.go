package test

import (
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// The message tool sends, reacts, edits and deletes; what it said isn't said
// again, and it stays within the rules of tools.message.
func TestMessageTool(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	p.tg.Say(`please !tool message {"action":"send","message":"by the tool"}`)
	harness.Until(t, within, "the tool's message and the answer are shown", func() bool { return len(p.tg.Shown()) >= 2 })
	if got := p.tg.Shown(); got[0] != "by the tool" {
		t.Errorf("shown: %q", got)
	}
	p.tg.Say(`please !tool message {"action":"react","emoji":"👍"}`)
	harness.Until(t, within, "a reaction", func() bool { return len(p.tg.Calls("setMessageReaction")) > 0 })
	p.tg.Say(`please !tool message {"action":"send","channel":"irc","target":"bob","message":"hi"}`)
	harness.Until(t, within, "another network is refused", func() bool {
		for _, c := range p.model.Calls("irc") {
			if strings.Contains(c.Raw, "unsupported channel: irc") || strings.Contains(c.Raw, "allowAcrossProviders") {
				return true
			}
		}
		return false
	})
}

// openclaw message does what the networks can, and says what they can't.
func TestMessageCommands(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	code, out := run(t, p.Gateway, 30*time.Second, "message", "send", "--channel", "telegram", "--target", "7", "-m", "one", "--json")
	if code != 0 || !strings.Contains(out, `"messageId"`) {
		t.Fatalf("send: %d: %s", code, out)
	}
	for _, tc := range []struct{ args, method string }{
		{"edit --message-id 1 -m two --target 7", "editMessageText"},
		{"react --message-id 1 --emoji 👍 --target 7", "setMessageReaction"},
		{"delete --message-id 1 --target 7", "deleteMessage"},
	} {
		n := len(p.tg.Calls(tc.method))
		code, out := run(t, p.Gateway, 30*time.Second, append([]string{"message"}, strings.Fields(tc.args)...)...)
		if code != 0 || len(p.tg.Calls(tc.method)) != n+1 {
			t.Errorf("%s: %d: %s", tc.args, code, out)
		}
	}
	for args, want := range map[string]string{
		"react --message-id 1 --target 7":     "emoji is missing",
		"role info --guild-id 1":              "can't do",
		"read --target 7":                     "telegram can't do",
		"broadcast --targets 7 --targets 8":   "message is empty",
		"poll --target 7 --poll-question why": "a poll needs a question and at least two options",
	} {
		code, out := run(t, p.Gateway, 30*time.Second, append([]string{"message"}, strings.Fields(args)...)...)
		if code == 0 || !strings.Contains(out, want) {
			if strings.HasPrefix(args, "poll") && strings.Contains(out, "unsupported poll channel") {
				continue
			}
			t.Errorf("%s: %d: %s, want %q", args, code, out, want)
		}
	}
	code, out = run(t, p.Gateway, 30*time.Second, "message", "broadcast", "--channel", "all", "--targets", "7", "--message", "to all")
	if code != 0 || !strings.Contains(out, "telegram:7") {
		t.Errorf("broadcast: %d: %s", code, out)
	}
}
