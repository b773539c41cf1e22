package cli

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// welcome tells the person at the terminal where the gateway is and what to
// type next.
func (sh *shell) welcome(ctx context.Context, c *config.Config, r Ready, fresh bool, o ServeOptions) {
	card := term.Card{Title: "OpenClaw gateway " + version.String()}
	host, port, err := net.SplitHostPort(r.Addr)
	if err != nil {
		host, port = r.Addr, strconv.Itoa(o.Port)
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	addr := net.JoinHostPort(host, port)
	card.Add("Address", sh.out.Accent("ws://"+addr)+"  http://"+addr)
	card.Add("Secret", sh.whereSecret(ctx, c, fresh, o))
	model := first(r.Model, c.Agents.Defaults.Model.Primary, "none chosen")
	if strings.HasPrefix(model, "demo/") {
		model += "  " + sh.out.Dim("(built in, no AI; for a real one set ANTHROPIC_API_KEY or OPENAI_API_KEY and start again)")
	}
	card.Add("Model", model)
	card.Add("Config", sh.short(c.Paths.Config))
	card.Add("Log", sh.short(o.LogFile))
	card.Write(sh.Stdout, sh.out)
	typed := sh.typed()
	if _, p, err := net.SplitHostPort(r.Addr); err == nil && p != strconv.Itoa(sh.port(c)) {
		typed = "OPENCLAW_GATEWAY_PORT=" + p + " " + typed
	}
	sh.line("\nNext, in another terminal:\n  %s\n  %s\n  %s\n  %s\n",
		sh.out.Accent(typed+` agent -m "list the files in your workspace"`), sh.out.Accent(typed+" status"),
		sh.out.Accent(typed+" onboard")+"         "+sh.out.Dim("choose a model, set its key"), sh.out.Accent(typed+" logs --follow"))
}

// typed is what the person types to call the program: a path, if it isn't
// installed, and the profile.
func (sh *shell) typed() string {
	name := "openclaw"
	if strings.ContainsRune(sh.Program, filepath.Separator) && !strings.ContainsAny(sh.Program, " \t") {
		name = sh.Program
	}
	switch {
	case sh.global.dev:
		return name + " --dev"
	case sh.global.profile != "":
		return name + " --profile " + sh.global.profile
	}
	return name
}

// whereSecret says where a client finds what it needs; a token that was just
// made is shown, once.
func (sh *shell) whereSecret(ctx context.Context, c *config.Config, fresh bool, o ServeOptions) string {
	switch {
	case first(o.Auth, c.Gateway.Auth.Mode) == "none":
		return sh.out.Warn("none: everybody on this host may use the gateway")
	case fresh:
		if v, err := sh.resolve(ctx, c, c.Gateway.Auth.Token); err == nil && v != "" {
			return v.Reveal() + "  " + sh.out.Dim("(kept in "+sh.short(c.Paths.Config)+")")
		}
	case o.Token != "" || o.Password != "":
		return "from the command line or the environment"
	case first(o.Auth, c.Gateway.Auth.Mode) == "password":
		return "gateway.auth.password in " + sh.short(c.Paths.Config)
	}
	return "gateway.auth.token in " + sh.short(c.Paths.Config)
}
