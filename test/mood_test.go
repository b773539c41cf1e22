package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// The reaction on a message follows the run: seen, thinking, a tool, done or
// failed, and then what it was or nothing.
func TestStatusReactions(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{false, true} {
		t.Run(fmt.Sprint("remove ", remove), func(t *testing.T) {
			t.Parallel()
			p := newPhone(t, nil)
			p.Edit(func(cfg object) {
				m := cfg["messages"].(object)
				m["ackReactionScope"], m["ackReaction"], m["removeAckAfterReply"] = "all", "👀", remove
				m["statusReactions"] = object{"enabled": true, "timing": object{"debounceMs": 0, "doneHoldMs": 50, "errorHoldMs": 50, "stallSoftMs": 200}}
			})
			p.online(t)
			signs := func() (out []string) {
				for _, c := range p.tg.Calls("setMessageReaction") {
					s := ""
					for _, e := range []string{"👀", "🤔", "👨", "🔥", "👍", "😱", "🥱"} {
						if strings.Contains(fmt.Sprint(c.Params["reaction"]), e) {
							s = e
						}
					}
					if s != "" {
						out = append(out, s)
					}
				}
				return out
			}
			seen := func(e string) {
				t.Helper()
				harness.Until(t, within, e+" is shown", func() bool { return slices.Contains(signs(), e) })
			}
			p.text(7, 7, `work !tool read {"path":"AGENTS.md"} !after go`, nil)
			for _, e := range []string{"👀", "🤔", "🥱"} {
				seen(e)
			}
			p.model.Release("go")
			p.answers(t, "work")
			seen("👍")
			p.text(7, 7, "please !fail 400", nil)
			seen("😱")
			last := func() string {
				c := p.tg.Calls("setMessageReaction")
				return fmt.Sprint(c[len(c)-1].Params["reaction"])
			}
			harness.Until(t, within, "the end", func() bool {
				if remove {
					return !strings.Contains(last(), "emoji")
				}
				return strings.Contains(last(), "👀")
			})
		})
	}
}
