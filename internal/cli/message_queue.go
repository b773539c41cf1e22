package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// queueReply is what the gateway says about messages on their way.
type queueReply struct {
	Open    []queueIn  `json:"open"`
	Aside   []queueIn  `json:"setAside"`
	Waiting []queueOut `json:"waiting"`
	Failed  []queueOut `json:"failed"`
}

type queueIn struct {
	Channel, From, Text, Reason string
	ReceivedAt                  int64
	Tries                       int
}

type queueOut struct {
	Channel, To, Text, State, Reason string
	StoredAt                         int64
	Tries                            int
}

// messageQueue is openclaw message queue: what is accepted and not answered,
// what is answered and not delivered, and what was given up.
func (sh *shell) messageQueue() *cobra.Command {
	cmd := sh.command(spec{
		name: "queue", short: "Show messages on their way, and those given up",
		example: `openclaw message queue`,
		run: func(ctx context.Context, _ []string) error {
			var raw json.RawMessage
			if err := sh.call(ctx, target{}, "queue.status", map[string]any{}, &raw); err != nil {
				return err
			}
			if sh.json {
				sh.printJSON(raw)
				return nil
			}
			var q queueReply
			if err := json.Unmarshal(raw, &q); err != nil {
				return err
			}
			sh.showQueue(q)
			return nil
		},
	})
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) showQueue(q queueReply) {
	t := term.Table{Head: []string{"What", "Channel", "Who", "Text", "Since", "Tries", "Why"}, Max: map[int]int{3: 40, 6: 40}}
	in := func(what string, rows []queueIn) {
		for _, r := range rows {
			t.Rows = append(t.Rows, []string{what, r.Channel, r.From, r.Text, since(r.ReceivedAt), strconv.Itoa(r.Tries), r.Reason})
		}
	}
	out := func(what string, rows []queueOut) {
		for _, r := range rows {
			t.Rows = append(t.Rows, []string{what, r.Channel, r.To, r.Text, since(r.StoredAt), strconv.Itoa(r.Tries), r.Reason})
		}
	}
	in("not answered", q.Open)
	in("set aside", q.Aside)
	out("not delivered", q.Waiting)
	out("given up", q.Failed)
	if len(t.Rows) == 0 {
		sh.line("Nothing is waiting, and nothing was given up.")
		return
	}
	sh.table(t)
}

func since(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.Since(time.UnixMilli(ms)).Round(time.Second).String()
}
