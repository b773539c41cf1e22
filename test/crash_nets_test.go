package test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// stage is a network of which a gateway is killed.
type stage struct {
	*harness.Gateway
	model *harness.Model
	say   func(string)
	acked func() int
	shown func(word string) int
	up    func()
}

// mode sets how messages wait.
func (s stage) mode(mode string) {
	s.Edit(func(config map[string]any) {
		config["messages"] = object{"queue": object{"mode": mode, "debounceMs": 0}}
	})
}

func (s stage) answered(t *testing.T, word string) {
	t.Helper()
	harness.Until(t, 2*within, word+" is answered", func() bool { return s.shown(word) > 0 })
}

// killed kills the gateway with one message running and one waiting: both are
// answered, once, since these networks tell a repeated send from a new one.
func (s stage) killed(t *testing.T, mode string) {
	t.Helper()
	s.mode(mode)
	s.up()
	s.say("first !hold one")
	harness.Until(t, within, "a model call", func() bool { return len(s.model.Calls("first")) == 1 })
	s.say("second pear !hold two")
	harness.Until(t, within, "both to be confirmed", func() bool { return s.acked() >= 2 })
	s.Kill()
	s.model.Release("one")
	s.model.Release("two")
	s.up()
	s.answered(t, "second pear")
	s.say("third")
	s.answered(t, "third")
	if n := s.shown("second pear"); n != 1 {
		t.Errorf("the second message was answered %d times", n)
	}
	if n := s.shown("echo: first"); n != 1 && mode != "interrupt" || n > 1 {
		t.Errorf("the first message was answered %d times", n)
	}
	if n := s.shown("third"); n != 1 {
		t.Errorf("the third message was answered %d times", n)
	}
}

func onSlack(t *testing.T) stage {
	t.Helper()
	o := newOffice(t, nil)
	return stage{
		Gateway: o.Gateway, model: o.model, acked: o.slack.Acked,
		say:   func(s string) { o.slack.Say(s) },
		shown: func(word string) int { return len(o.answers(slacktest.DM, word)) },
		up:    func() { o.up(t) },
	}
}

func onMatrix(t *testing.T) stage {
	t.Helper()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"matrix": object{
		"homeserver": s.URL, "accessToken": matrixtest.Token, "dm": object{"policy": "allowlist", "allowFrom": []any{matrixtest.Person}},
	}}})
	return stage{
		Gateway: g, model: m, acked: s.Acked,
		say: func(text string) { s.Say(text) },
		shown: func(word string) (n int) {
			for _, x := range s.Shown() {
				n += strings.Count(x, word)
			}
			return n
		},
		up: func() {
			n := len(s.Calls("/sync"))
			g.Start()
			harness.Until(t, within, "a sync", func() bool { return len(s.Calls("/sync")) > n })
		},
	}
}

// In every mode, on Slack: what waits when the process is killed is answered
// once, and so is what ran.
func TestSlackKillInEachMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			onSlack(t).killed(t, mode)
		})
	}
}

// The same on Matrix.
func TestMatrixKillInEachMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			onMatrix(t).killed(t, mode)
		})
	}
}
