package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"
)

// channelsLogin is openclaw channels login: it shows the code to scan and
// waits until the account is linked.
func (sh *shell) channelsLogin() *cobra.Command {
	var channel, account string
	cmd := sh.command(spec{name: "login", short: "Link an account by a QR code", run: func(ctx context.Context, _ []string) error {
		if channel != "" && channel != "whatsapp" {
			return say("%s has no login: openclaw channels add --channel %s", channel, channel)
		}
		params := map[string]any{}
		if account != "" {
			params["accountId"] = account
		}
		var r struct {
			Message   string `json:"message"`
			Text      string `json:"qrText"`
			Connected bool   `json:"connected"`
		}
		if err := sh.call(ctx, target{timeout: 60000}, "web.login.start", params, &r); err != nil {
			return err
		}
		shown := ""
		for {
			if r.Text != "" && r.Text != shown {
				shown = r.Text
				code, err := terminalQR(r.Text)
				if err != nil {
					return err
				}
				sh.line("%s\n%s", code, r.Message)
			}
			if r.Connected {
				sh.line("%s", r.Message)
				return nil
			}
			params["timeoutMs"] = 3000
			r.Text = ""
			if err := sh.call(ctx, target{timeout: 30000}, "web.login.wait", params, &r); err != nil {
				return err
			}
		}
	}})
	cmd.Flags().StringVar(&channel, "channel", "", "which `channel`")
	cmd.Flags().StringVar(&account, "account", "", "which account (`id`)")
	cmd.Flags().Bool("verbose", false, "say more")
	return cmd
}

// terminalQR draws a QR code with half blocks, light on dark.
func terminalQR(s string) (string, error) {
	c, err := qr.Encode(s, qr.L)
	if err != nil {
		return "", err
	}
	const edge = 2
	var b strings.Builder
	for y := -edge; y < c.Size+edge; y += 2 {
		for x := -edge; x < c.Size+edge; x++ {
			up, down := !c.Black(x, y), !c.Black(x, y+1)
			b.WriteString(map[[2]bool]string{{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " "}[[2]bool{up, down}])
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
