package chat_test

import (
	"context"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/command"
)

// Nothing in a script's words is a command but the two that begin a new
// conversation; in a person's words all are.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	h := open(t, t.TempDir(), &mind{})
	defer h.crash()
	said := func(answer string) func(context.Context, command.Env, string) (string, error) {
		return func(context.Context, command.Env, string) (string, error) { return answer, nil }
	}
	var err error
	h.Commands, err = command.NewTable([]command.Command{{Name: "new", Then: true, Run: said("new")}, {Name: "help", Run: said("help")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, script, person string }{
		{"hello", "echo: hello", "echo: hello"},
		{"/help", "echo: /help", "help"},
		{"/new", "new", "new"},
		{"/NEW please", "echo: please", "echo: please"},
		{"/new\n/help", "help", "help"},
		{"stop", "echo: stop", "Nothing is running in this session."},
		{"!ls", "echo: !ls", "⚠️ bash is disabled. Set commands.bash=true to enable. Docs: https://docs.openclaw.ai/tools/slash-commands#config"},
	} {
		for _, plain := range []bool{true, false} {
			run, want := "person "+c.text, c.person
			if plain {
				run, want = "script "+c.text, c.script
			}
			in := say(run, c.text)
			in.Client.Session = id.SessionKey("agent:main:" + run)
			in.Client.Plain = plain
			if _, err := h.Inbox.Put(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if got := h.result(run).Text; got != want {
				t.Errorf("%s: answer %q, want %q", run, got, want)
			}
		}
	}
}
