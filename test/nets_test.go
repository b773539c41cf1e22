package test

import (
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// What a network's actions turn off is refused by name, and not done.
func TestActionGates(t *testing.T) {
	t.Parallel()
	dis, sl, mx, sig := discordtest.New(), slacktest.New(), matrixtest.New(), signaltest.New()
	for _, close := range []func(){dis.Close, sl.Close, mx.Close, sig.Close} {
		t.Cleanup(close)
	}
	off := object{"reactions": false}
	g := harness.New(t, harness.NewModel(t).URL, object{"channels": object{
		"discord": object{"token": dis.Token, "apiRoot": dis.URL, "actions": off},
		"slack":   object{"botToken": sl.BotToken, "appToken": sl.AppToken, "apiRoot": sl.URL, "actions": off},
		"matrix":  object{"homeserver": mx.URL, "accessToken": matrixtest.Token, "actions": off},
		"signal":  object{"account": signaltest.Bot, "httpUrl": sig.URL, "actions": off},
	}})
	g.Start()
	for ch, to := range map[string][2]string{
		"discord": {"user:" + discordtest.Person, "1"}, "slack": {"user:" + slacktest.Person, "1700000000.000100"},
		"matrix": {matrixtest.Person, "$e1"}, "signal": {signaltest.Person, "1796096000000"},
	} {
		code, out := run(t, g, 30*time.Second, "message", "react", "--channel", ch, "--target", to[0], "--message-id", to[1], "--emoji", "👍")
		if code == 0 || !strings.Contains(out, "channels."+ch+".actions") {
			t.Errorf("%s: %d: %s", ch, code, out)
		}
	}
	n := len(dis.Calls("PUT /channels/")) + len(sl.Calls("reactions.add")) + len(mx.Sent("m.reaction")) + len(sig.Calls("sendReaction"))
	if n != 0 {
		t.Errorf("%d reactions all the same", n)
	}
}

// What keeps an IRC account out of a room is said by channels status, and a
// room is a target.
func TestIRCRooms(t *testing.T) {
	t.Parallel()
	srv := harness.NewIRC(t)
	section := srv.Config("claw")["irc"].(map[string]any)
	section["channels"], section["groups"] = []any{"#here"}, object{"#here": object{}, "#there": object{}}
	g := harness.New(t, harness.NewModel(t).URL, object{"channels": object{"irc": section}})
	al := srv.Join(t, "al")
	g.Start()
	srv.Online(t, "claw")
	harness.Until(t, within, "the audit", func() bool {
		_, out := run(t, g, within, "channels", "status", "--probe")
		return strings.Contains(out, "groups lists #there") && !strings.Contains(out, "not in #here")
	})
	if code, out := run(t, g, within, "message", "send", "--channel", "irc", "--target", "al", "-m", "psst"); code != 0 {
		t.Errorf("to a nick: %s", out)
	}
	al.See("psst", within)
	if code, out := run(t, g, within, "message", "send", "--channel", "irc", "--target", "channel:here", "-m", "hello room"); code != 0 {
		t.Errorf("to a room: %s", out)
	}
}

// A channel of Slack that is listed by its name, and what was said in a thread
// before the bot was asked there.
func TestSlackThreadOfANamedChannel(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"channels": object{"#general": object{}}}).up(t)
	root := o.slack.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "shall we ship the walrus?"})
	o.slack.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "ask the bot"})
	o.slack.Write(slacktest.Message{Channel: slacktest.Elsewhere, User: slacktest.Person, Text: "<@U0CLAW> lime"}, "channel")
	o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "<@U0CLAW> your opinion?"}, "channel")
	o.answered(t, slacktest.General, "your opinion?")
	calls := o.model.Calls("your opinion?")
	if len(calls) != 1 || len(o.model.Calls("lime")) != 0 {
		t.Fatalf("%d calls, %d about a channel that isn't listed", len(calls), len(o.model.Calls("lime")))
	}
	said := ""
	for _, m := range calls[0].Messages {
		said += m.Text() + "\n"
	}
	for _, want := range []string{"shall we ship the walrus?", "ask the bot"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model wasn't told %q: %s", want, said)
		}
	}
	o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "thanks, plum"}, "channel")
	o.answered(t, slacktest.General, "plum")
	again := o.model.Calls("thanks, plum")
	last := again[len(again)-1].Messages
	if strings.Contains(last[len(last)-1].Text(), "walrus") {
		t.Error("the thread was told again")
	}
}
