package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Strictest first.
var (
	securities = []string{"deny", "allowlist", "full"} //nolint:gochecknoglobals // read-only
	asks       = []string{"always", "on-miss", "off"}  //nolint:gochecknoglobals // read-only
)

// allow decides whether a call may run c, and completes it. The reason is for
// the model.
func (r *Runner) allow(ctx context.Context, s tool.Scope, cfg Config, c *Command, a execArgs) (reason string) {
	if !s.Owner {
		return "Commands are not run in this chat: it isn't the owner's, and there is no sandbox to run them in. The owner can ask in their own chat."
	}
	var bad string
	if c.Security, bad = stricter(securities, "full", cfg.Security, a.Security); bad != "" {
		return fmt.Sprintf("security %q is unknown; it is one of deny, allowlist, full", bad)
	}
	if c.Ask, bad = stricter(asks, "off", cfg.Ask, a.Ask); bad != "" {
		return fmt.Sprintf("ask %q is unknown; it is one of off, on-miss, always", bad)
	}
	if c.Security == "deny" {
		if cfg.Security == "deny" {
			return "Running commands is turned off here (tools.exec.security is deny)."
		}
		return "The call itself asked for security deny, so nothing was run."
	}
	if reason := host(cfg.Host, a.Host, a.Node); reason != "" {
		return reason
	}
	c.Host = "gateway"
	if r.o.Approve == nil {
		switch {
		case c.Security == "allowlist":
			return "Only commands of the allowlist may run here (security allowlist), and none is set up. The owner can set tools.exec.security to full."
		case c.Ask == "always":
			return "Every command needs an approval here (ask always), and nobody is connected who could give it."
		}
		return ""
	}
	if err := r.o.Approve(ctx, s, *c); err != nil {
		return "Not approved: " + fault.Hint(err)
	}
	return ""
}

// stricter returns the stricter of what is configured and what a call asks
// for, or the value that isn't in order.
func stricter(order []string, def, configured, asked string) (value, unknown string) {
	if configured == "" {
		configured = def
	}
	i := slices.Index(order, configured)
	if i < 0 {
		return "", configured
	}
	if asked == "" {
		return configured, ""
	}
	j := slices.Index(order, asked)
	if j < 0 {
		return "", asked
	}
	return order[min(i, j)], ""
}

// host refuses places that aren't there. A configured place is never replaced
// by another.
func host(configured, asked, node string) string {
	for _, h := range []string{configured, asked} {
		switch h {
		case "", "gateway", "auto":
		case "sandbox":
			return "There is no sandbox here, and a command meant for one is not run on the gateway's host. Leave host out, or let the owner set tools.exec.host to gateway."
		case "node":
			return "No node can run commands here. Leave host out to run on the gateway's host."
		default:
			return fmt.Sprintf("host %q is unknown; leave it out to run on the gateway's host", h)
		}
	}
	if node != "" {
		return "No node can run commands here. Leave node out to run on the gateway's host."
	}
	return ""
}
