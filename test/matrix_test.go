package test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// A message on Matrix is answered in its room once, wherever the gateway is
// killed, since each answer has a transaction id.
func TestMatrix(t *testing.T) {
	t.Parallel()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"matrix": object{
		"homeserver": s.URL, "accessToken": matrixtest.Token, "dm": object{"policy": "allowlist", "allowFrom": []any{matrixtest.Person}},
		"groups": object{matrixtest.Group: object{"requireMention": true}}, "groupAllowFrom": []any{matrixtest.Person},
	}}})
	g.Start()
	shown := func(word string) int {
		n := 0
		for _, x := range s.Shown() {
			if strings.Contains(x, word) {
				n++
			}
		}
		return n
	}
	s.Say("hello there")
	harness.Until(t, within, "an answer", func() bool { return shown("hello there") == 1 })
	s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: matrixtest.Person, Type: "m.room.message", Content: object{"msgtype": "m.text", "body": "not for you"}})
	s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: "@bob:test", Type: "m.room.message", Content: object{"msgtype": "m.text", "body": "claw: from a stranger"}})
	s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: matrixtest.Person, Type: "m.room.message", Content: object{"msgtype": "m.text", "body": "claw: for you"}})
	harness.Until(t, within, "an answer in the room", func() bool { return shown("for you") == 1 })
	s.Say("please !hold kill")
	harness.Until(t, within, "the model is asked", func() bool { return len(m.Calls("!hold kill")) > 0 })
	g.Kill()
	m.Release("kill")
	s.Fail("/send/", matrixtest.Fault{Cut: true, After: true}) // the answer leaves, and nobody learns it
	g.Start()
	harness.Until(t, 2*within, "the second answer", func() bool { return shown("please") >= 1 })
	harness.Until(t, 2*within, "it is noted", func() bool {
		code, out := run(t, g, within, "message", "queue")
		return code == 0 && strings.Contains(out, "Nothing is waiting")
	})
	for word, want := range map[string]int{"hello there": 1, "please": 1, "not for you": 0, "stranger": 0} {
		if n := shown(word); n != want {
			t.Errorf("%q is shown %d times, want %d", word, n, want)
		}
	}
}
