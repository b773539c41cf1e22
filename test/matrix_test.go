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

// What a room says about itself opens nothing, allowlistOnly closes what is
// open, and polls go out.
func TestMatrixRooms(t *testing.T) {
	t.Parallel()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	s.Alias("#team:test", matrixtest.Group)
	s.AddRoom("!trap:test", "@bob:test", "@eve:test")
	empty := ""
	s.Put(matrixtest.Event{Room: "!trap:test", Sender: "@eve:test", Type: "m.room.canonical_alias", StateKey: &empty, Content: object{"alias": "#team:test"}})
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"matrix": object{
		"homeserver": s.URL, "accessToken": matrixtest.Token, "allowlistOnly": true, "groupPolicy": "open", "dm": object{"policy": "pairing"},
		"groups": object{"#team:test": object{"requireMention": false}, "#gone:test": object{}}, "groupAllowFrom": []any{"@bob:test"},
	}}})
	n := len(s.Calls("/sync"))
	g.Start()
	harness.Until(t, within, "a sync", func() bool { return len(s.Calls("/sync")) > n+1 })
	text := func(room, body string) matrixtest.Event {
		return matrixtest.Event{Room: room, Sender: "@bob:test", Type: "m.room.message", Content: object{"msgtype": "m.text", "body": body}}
	}
	s.Say("may I pair?")
	s.Put(text("!trap:test", "claw: from the trap"))
	s.Put(text(matrixtest.Group, "from the team"))
	harness.Until(t, within, "an answer", func() bool { return len(s.Shown()) > 0 })
	if code, out := run(t, g, within, "message", "poll", "--channel", "matrix", "--target", "#team:test", "--poll-question", "Ship it?", "--poll-option", "Yes", "--poll-option", "No"); code != 0 || len(s.Sent("m.poll.start")) != 1 {
		t.Errorf("poll: %d: %s", code, out)
	}
	if got := s.Shown(); len(got) != 1 || !strings.Contains(got[0], "from the team") {
		t.Errorf("shown: %q", got)
	}
	if _, out := run(t, g, within, "channels", "status", "--probe"); !strings.Contains(out, "knows no room #gone:test") {
		t.Errorf("channels status: %s", out)
	}
}
