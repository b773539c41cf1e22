package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// pairing is openclaw pairing: strangers who wrote to the agent and wait to be
// let in.
func (sh *shell) pairing() *cobra.Command {
	return sh.command(spec{name: "pairing", short: "Let people in who wrote to the agent", subs: []*cobra.Command{sh.pairingList(), sh.pairingApprove()}})
}

func (sh *shell) pairingList() *cobra.Command {
	var channel, account string
	cmd := sh.command(spec{name: "list", short: "List who waits on a channel", args: []string{"channel?"}, run: func(ctx context.Context, args []string) error {
		ch := id.Channel(strings.ToLower(first(channel, at(args, 0))))
		if ch == "" {
			return say("Channel required: openclaw pairing list <%s>", joinChannels(sh.known(), "|"))
		}
		p, done, err := sh.pairings(ctx)
		if err != nil {
			return err
		}
		defer done()
		reqs, err := p.pending(ctx, ch, id.Account(account))
		if err != nil {
			return err
		}
		if sh.json {
			sh.printJSON(map[string]any{"channel": ch, "requests": reqs})
			return nil
		}
		if len(reqs) == 0 {
			sh.line("No pending %s pairing requests.", ch)
			return nil
		}
		t := term.Table{Head: []string{"Code", "Sender", "Account", "About", "Asked"}}
		for _, r := range reqs {
			t.Rows = append(t.Rows, []string{sh.out.Accent(r.Code), r.ID, orDash(r.Meta["accountId"]), r.about(), r.asked()})
		}
		sh.table(t)
		sh.line("\nLet one in: openclaw pairing approve %s <code>", ch)
		return nil
	}})
	cmd.Flags().StringVar(&channel, "channel", "", "which `channel`")
	cmd.Flags().StringVar(&account, "account", "", "only this account (`accountId`)")
	sh.jsonFlag(cmd)
	return cmd
}

func (r pairRequest) about() string {
	var out []string
	for _, k := range sortedKeys(r.Meta) {
		if k != "accountId" && r.Meta[k] != "" && !slices.Contains(out, r.Meta[k]) {
			out = append(out, r.Meta[k])
		}
	}
	return orDash(strings.Join(out, " "))
}

func (r pairRequest) asked() string {
	t, err := time.Parse(time.RFC3339Nano, r.CreatedAt)
	if err != nil {
		return "-"
	}
	return ago(time.Since(t))
}

func (sh *shell) pairingApprove() *cobra.Command {
	var (
		channel, account string
		notify           bool
	)
	cmd := sh.command(spec{
		name: "approve", short: "Let in who has this code", args: []string{"codeOrChannel", "code?"},
		example: "openclaw pairing approve telegram ABCD2345",
		run: func(ctx context.Context, args []string) error {
			ch, code := id.Channel(strings.ToLower(channel)), args[0]
			if len(args) == 2 {
				ch, code = id.Channel(strings.ToLower(args[0])), args[1]
			}
			if ch == "" {
				return say("Channel required: openclaw pairing approve <%s> <code>", joinChannels(sh.known(), "|"))
			}
			p, done, err := sh.pairings(ctx)
			if err != nil {
				return err
			}
			defer done()
			r, ok, err := p.approve(ctx, ch, id.Account(account), strings.ToUpper(strings.TrimSpace(code)))
			if err != nil {
				return err
			}
			if !ok {
				return say("No pending pairing request found for code: %s. Who waits: openclaw pairing list %s", code, ch)
			}
			sh.line("Approved %s sender %s.", ch, r.ID)
			if notify {
				sh.tell(ctx, ch, r)
			}
			return nil
		},
	})
	cmd.Flags().StringVar(&channel, "channel", "", "which `channel`")
	cmd.Flags().StringVar(&account, "account", "", "only this account (`accountId`)")
	cmd.Flags().BoolVar(&notify, "notify", false, "tell them")
	return cmd
}

// tell writes to one who was let in; that it fails changes nothing.
func (sh *shell) tell(ctx context.Context, ch id.Channel, r pairRequest) {
	err := sh.call(ctx, target{timeout: 15000}, "send", map[string]any{
		"to": r.ID, "channel": ch, "accountId": first(r.Meta["accountId"], string(id.DefaultAccount)),
		"message": "You may talk to the agent now.", "idempotencyKey": "pairing-" + r.Code,
	}, nil)
	if err != nil {
		sh.note("They could not be told: %s", text(err))
	}
}
