package e2e_test

import (
	"testing"
)

// A message is answered, over a kill of the gateway and one of the plugin.
func TestKilled(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil).linked()
	h.say("hello")
	h.answered("echo: hello")

	// The gateway is killed with one message running and one waiting.
	h.say("first !hold one")
	h.until("a model call", func() bool { return len(h.model.Calls("first")) == 1 })
	h.say("second")
	h.until("both are stored", func() bool { return network.Pending(h.bot) == 0 })
	h.Kill()
	h.say("while it was down")
	h.model.Release("one")
	h.up()
	for _, word := range []string{"echo: first", "echo: second", "echo: while it was down"} {
		h.answered(word)
	}

	// The plugin is killed with a message running; what comes before it is back
	// follows.
	h.say("third !hold three")
	h.until("a model call", func() bool { return len(h.model.Calls("third")) == 1 })
	h.killPlugin()
	h.until("the plugin is gone", func() bool { return network.Online(h.bot) == 0 })
	h.say("without a plugin")
	h.model.Release("three")
	h.online()
	h.answered("echo: third")
	h.answered("echo: without a plugin")
	h.say("last")
	h.answered("echo: last")
	for _, word := range []string{"echo: hello", "echo: first", "echo: second", "echo: while", "echo: third", "echo: without", "echo: last"} {
		if s := h.once(word); s.Copies != 1 {
			t.Errorf("%q came %d times", word, s.Copies)
		}
	}
}
