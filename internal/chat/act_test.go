package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat"
)

// gated is a wire whose configuration leaves only some actions open.
type gated struct {
	*wire
	open string
}

func (g gated) Allows(action string) bool { return strings.Contains(" "+g.open+" ", " "+action+" ") }

func (g gated) Actions() []channel.Action {
	return []channel.Action{{Name: "dance", Run: func(context.Context, json.RawMessage) (any, error) { return "danced", nil }}}
}

// Every action that somebody asks for by name is asked of the channel's gate,
// whether a tool or a client asks; a dry run too.
func TestGates(t *testing.T) {
	t.Parallel()
	at := msg.Address{Channel: "telegram", Account: "default", Kind: msg.Direct, Peer: "7"}
	actions := []string{
		"send", "reply", "thread-reply", "poll", "edit", "delete", "unsend", "react", "pin", "unpin", "list-pins", "pins", "read", "search",
		"thread-create", "channel-list", "dance",
	}
	ask := func(p *parlor, do string, a chat.Action, tool bool) error {
		a.Do, a.Message, a.ID, a.Emoji = do, "words", "m0", "👍"
		_, err := p.Act(t.Context(), chat.Asker{At: at, Key: t.Name() + do, Owner: true, Tool: tool}, a)
		return err
	}
	closed := func(err error) bool {
		return fault.KindOf(err) == fault.Forbidden && strings.Contains(fault.Hint(err), "channels.telegram.actions")
	}
	net := &wire{}
	p := furnishOn(t, t.TempDir(), gated{net, "send react"}, net, &teller{}, `{"dmPolicy":"open","allowFrom":["*"]}`, "")
	for _, do := range actions {
		open := do == "send" || do == "react"
		for _, a := range []chat.Action{{}, {DryRun: true}} {
			if err := ask(p, do, a, false); closed(err) == open {
				t.Errorf("%s, open %t, dry %t: %v", do, open, a.DryRun, err)
			}
		}
	}
	if err := ask(p, "pin", chat.Action{}, true); !closed(err) {
		t.Errorf("a tool's pin: %v", err)
	}
	r, err := p.Act(t.Context(), chat.Asker{At: at, Key: "b", Owner: true}, chat.Action{Do: "broadcast", Channel: "telegram", Targets: []string{"7"}, Message: "to all"})
	if s := strings.Join(net.sees(), " "); err != nil || strings.Contains(s, "to all") {
		t.Errorf("a broadcast behind a closed gate: %v %v, seen %q", r, err, s)
	}
	if got := net.sees(); len(got) != 1 || got[0] != "words" {
		t.Errorf("seen: %q", got)
	}
}
