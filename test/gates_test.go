package test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// With every gate of actions closed, nobody can ask for anything by name: not
// the command line, not the agent's tool. What the gateway says of its own accord
// goes out.
func TestTelegramGates(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"actions": object{
		"sendMessage": false, "reactions": false, "editMessage": false, "deleteMessage": false, "poll": false, "sticker": false, "createForumTopic": false,
	}}).online(t)
	for _, args := range []string{
		"send --target 7 -m by-hand", "send --target 7 -m by-hand --silent", "react --target 7 --message-id 5 --emoji 👍", "edit --target 7 --message-id 5 -m other",
		"delete --target 7 --message-id 5", "poll --target 7 --poll-question why --poll-option a --poll-option b", "thread create --target -1001 --thread-name t",
	} {
		out, err := p.Command(t.Context(), append([]string{"message"}, strings.Fields(args)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "channels.telegram.actions") {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
	p.tg.Say(`please !tool message {"action":"react","emoji":"👍"}`)
	p.answers(t, "channels.telegram.actions")
	p.tg.Say(`kindly !tool message {"action":"send","message":"by the tool"}`)
	harness.Until(t, within, "both calls are answered", func() bool { return p.shows("channels.telegram.actions") == 2 })
	if p.shows("by-hand") != 0 || len(p.tg.Calls("setMessageReaction"))+len(p.tg.Calls("sendPoll"))+len(p.tg.Calls("deleteMessage")) != 0 {
		t.Errorf("something went through: %q", p.tg.Shown())
	}
}
