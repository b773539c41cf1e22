package test

import (
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
