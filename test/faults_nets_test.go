package test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

// SL-02: an answer stays in its thread, whatever it says about what it answers,
// and so does what the session says later; an anchor that is none of Slack's
// never reaches Slack.
func TestSlackStaysInTheThread(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"replyToMode": "all"}).up(t)
	root := o.slack.Miss(slacktest.Message{Channel: slacktest.General, User: "U0OTHER1", Text: "root"})
	ask := func(text string) slacktest.Message {
		t.Helper()
		o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "<@" + slacktest.BotUser + "> " + text}, "channel")
		return o.answered(t, slacktest.General, strings.Fields(text)[len(strings.Fields(text))-1])
	}
	for _, text := range []string{"plum", "[[reply_to_current]] cherry", "[[reply_to:announce:v1:agent:main:subagent:1]] quince", "[[reply_to:wake-7]] medlar"} {
		if got := ask(text); got.Thread != root {
			t.Errorf("%s: answered in the thread %q, want %q", text, got.Thread, root)
		}
	}
	key := "agent:main:slack:channel:" + strings.ToLower(slacktest.General) + ":thread:" + root
	if code, out := run(t, o.Gateway, within, "gateway", "call", "agent", "--params", `{"sessionKey":"`+key+`","message":"later sloe","deliver":true,"idempotencyKey":"k1"}`); code != 0 {
		t.Errorf("a turn of the session: %s", out)
	}
	if got := o.answered(t, slacktest.General, "sloe"); got.Thread != root {
		t.Errorf("what came later stands in the thread %q, want %q", got.Thread, root)
	}
	for _, c := range o.slack.Calls("chat.postMessage") {
		if ts := c.Params["thread_ts"]; ts != "" && ts != root {
			t.Errorf("Slack was told the anchor %q", ts)
		}
	}
}
