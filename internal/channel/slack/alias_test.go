package slack_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

// A channel that is listed by name is the one that had the name when it was
// asked for; another one that gets the name later isn't.
func TestChannelsByName(t *testing.T) {
	t.Parallel()
	s := server(t)
	raw := config(s, `,"channels":{"#General":{"systemPrompt":"here"},"nowhere":{}}`)
	r := build(t, raw)
	stop := r.run()
	r.connected()
	listed := func(room, text string) channel.Rules {
		t.Helper()
		s.Write(slacktest.Message{Channel: room, User: slacktest.Person, Text: text}, "channel")
		return slack.Kind().Rules(raw, r.next())
	}
	if got := listed(slacktest.General, "one"); !got.Listed || got.Prompt != "here" {
		t.Errorf("the channel of the name: %+v", got)
	}
	if got := listed(slacktest.Elsewhere, "two"); got.Listed {
		t.Errorf("another channel: %+v", got)
	}
	s.Rename(slacktest.General, "old-general")
	s.Rename(slacktest.Elsewhere, "general")
	stop()
	r.make(raw)
	r.run()
	r.connected()
	if got := listed(slacktest.Elsewhere, "three"); got.Listed {
		t.Errorf("a channel that took the name: %+v", got)
	}
	if got := listed(slacktest.General, "four"); !got.Listed {
		t.Errorf("the channel after it was renamed: %+v", got)
	}
	issues, err := r.ch.(channel.Auditor).Audit(t.Context())
	text, _ := json.Marshal(issues)
	for _, want := range []string{`\"nowhere\" is the name of no channel`, "is called #old-general now"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("Audit = %s, %v, want %s", text, err, want)
		}
	}
}

// What was said in a thread comes with the first message that is for the bot.
func TestThreadBefore(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, `,"channels":{"C0GENERAL":{}},"thread":{"initialHistoryLimit":3}`))
	write := func(thread, text string) string {
		return s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: thread, Text: text})
	}
	tell := func(channel, thread, text string) (out []string) {
		t.Helper()
		s.Write(slacktest.Message{Channel: channel, User: slacktest.Person, Thread: thread, Text: text}, "channel")
		in := r.next()
		for _, x := range in.Before {
			out = append(out, x.From+": "+x.Text)
		}
		return out
	}
	root := write("", "shall we ship?")
	for i := range 5 {
		write(root, "reason "+strconv.Itoa(i))
	}
	if got := tell(slacktest.General, root, "not for the bot"); got != nil {
		t.Errorf("told with what is for nobody: %q", got)
	}
	want := []string{"Al: shall we ship?", "Al: reason 4", "Al: not for the bot"}
	if d := cmp.Diff(want, tell(slacktest.General, root, "<@U0CLAW> what do you think?")); d != "" {
		t.Error(d)
	}
	if got := tell(slacktest.General, root, "<@U0CLAW> and now?"); got != nil {
		t.Errorf("told again: %q", got)
	}
	ours := write("", "another")
	s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.BotUser, BotID: slacktest.BotID, Thread: ours, Text: "I was here"})
	if got := tell(slacktest.General, ours, "<@U0CLAW> go on"); got != nil {
		t.Errorf("told of a thread that the bot wrote in: %q", got)
	}
	n := len(s.Calls("conversations.replies"))
	if got := tell(slacktest.Elsewhere, root, "<@U0CLAW> in a channel that isn't listed"); got != nil || len(s.Calls("conversations.replies")) != n {
		t.Errorf("told in a channel that isn't listed: %q", got)
	}
}
