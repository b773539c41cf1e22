package chat_test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
)

// withCommands gives a house its own commands.
func (h *house) withCommands(more ...command.Command) {
	h.t.Helper()
	var err error
	if h.Commands, err = command.NewTable(append(h.SlashCommands(), more...)); err != nil {
		h.t.Fatal(err)
	}
}

func TestQueueCommand(t *testing.T) {
	t.Parallel()
	h := open(t, t.TempDir(), &mind{})
	defer h.crash()
	h.withCommands()
	h.Config().Messages.Queue = config.Queue{Mode: "followup"}
	for i, tc := range []struct{ text, want string }{
		{"/queue", "mode=followup, debounce=1000ms, cap=20, drop=summarize."},
		{"/queue collect debounce:2s cap:25 drop:old", "Queue mode set to collect. ⚙️ Queue debounce set to 2000ms. ⚙️ Queue cap set to 25. ⚙️ Queue drop set to old."},
		{"/queue: steer+backlog", "Queue mode set to steer-backlog."},
		{"/queue", "mode=steer-backlog, debounce=2000ms, cap=25, drop=old."},
		{"/queue debounce:soon", `Invalid debounce "soon".`},
		{"/queue reset", "Queue mode reset to default."},
		{"/queue", "mode=followup, debounce=1000ms, cap=20, drop=summarize."},
	} {
		run := "q" + string(rune('0'+i))
		h.put(run, tc.text)
		if r := h.result(run); !strings.Contains(r.Text, tc.want) {
			t.Errorf("%s: %q, want %q", tc.text, r.Text, tc.want)
		}
	}
	if h.asked("/queue") > 0 {
		t.Error("a command went to the model")
	}
}

// A directive beside text is cut out of it and isn't kept.
func TestADirectiveHoldsForOneMessage(t *testing.T) {
	t.Parallel()
	h := open(t, t.TempDir(), &mind{})
	defer h.crash()
	h.withCommands()
	h.put("r1", "hello /queue steer there")
	if r := h.result("r1"); r.Text != "echo: hello there" {
		t.Errorf("result %+v", r)
	}
	h.put("r2", "/queue")
	if r := h.result("r2"); !strings.Contains(r.Text, "mode=collect") {
		t.Errorf("the setting was kept: %q", r.Text)
	}
	h.put("r3", "what does `/queue steer` do?")
	if r := h.result("r3"); r.Text != "echo: what does `/queue steer` do?" {
		t.Errorf("result %+v", r)
	}
}
