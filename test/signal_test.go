package test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// A message on Signal is answered there once, also when the gateway is killed
// while it is being answered.
func TestSignal(t *testing.T) {
	t.Parallel()
	s := signaltest.New()
	t.Cleanup(s.Close)
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"signal": object{
		"account": signaltest.Bot, "httpUrl": s.URL, "allowFrom": []any{signaltest.Person}, "dmPolicy": "allowlist",
	}}})
	g.Start()
	s.Say("hello there")
	shown := func(word string) int {
		n := 0
		for _, x := range s.Shown() {
			if strings.Contains(x, word) {
				n++
			}
		}
		return n
	}
	harness.Until(t, within, "an answer", func() bool { return shown("hello there") == 1 })
	s.Say("please !hold kill")
	harness.Until(t, within, "the model is asked", func() bool { return len(m.Calls("!hold kill")) > 0 })
	g.Kill()
	m.Release("kill")
	g.Start()
	harness.Until(t, within, "the second answer", func() bool { return shown("please") == 1 })
	if n := shown("hello there"); n != 1 {
		t.Errorf("the first answer is shown %d times", n)
	}
}

// In a group Signal wants the author of a message that is reacted to.
func TestSignalReactInGroup(t *testing.T) {
	t.Parallel()
	s := signaltest.New()
	t.Cleanup(s.Close)
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"signal": object{
		"account": signaltest.Bot, "httpUrl": s.URL, "groupAllowFrom": []any{signaltest.Person},
		"groups": object{signaltest.Group: object{"requireMention": false}, signaltest.Left: object{}},
	}}})
	g.Start()
	at := s.Say("hello there", `"groupInfo":{"groupId":"`+signaltest.Group+`","groupName":"Family"}`)
	harness.Until(t, within, "an answer", func() bool { return len(s.Shown()) == 1 })
	react := func(more ...string) (int, string) {
		return run(t, g, within, append([]string{
			"message", "react", "--channel", "signal", "--target", "group:" + signaltest.Group, "--emoji", "👍",
		}, more...)...)
	}
	if code, out := react("--message-id", strconv.FormatInt(at, 10)); code != 0 {
		t.Errorf("a message that was seen: %s", out)
	}
	if code, out := react("--message-id", "1796000000000"); code == 0 || !strings.Contains(out, "targetAuthor") {
		t.Errorf("a message of nobody: %d: %s", code, out)
	}
	if code, out := react("--message-id", "1796000000000", "--target-author", "+15550002222"); code != 0 {
		t.Errorf("with its author: %s", out)
	}
	var got []any
	for _, c := range s.Calls("sendReaction") {
		got = append(got, c.Params["targetAuthor"])
	}
	if fmt.Sprint(got) != fmt.Sprint([]any{signaltest.Person, "+15550002222"}) {
		t.Errorf("reacted to messages of %v", got)
	}
	if _, out := run(t, g, within, "channels", "status", "--probe"); !strings.Contains(out, "isn't in group "+signaltest.Left) {
		t.Errorf("channels status: %s", out)
	}
}
