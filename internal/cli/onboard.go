package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
)

type onboardFlags struct {
	workspace, resetScope, flow, mode, authChoice         string
	reset, nonInteractive, acceptRisk                     bool
	tokenProvider, token, profileID, expires, secretInput string
	keys                                                  map[string]*string // by provider flag
	baseURL, customKey, modelID, customProvider, compat   string
	port                                                  int
	bind, auth, gatewayToken, tokenEnv, password          string
	remoteURL, remoteToken                                string
	installDaemon, skipHealth                             bool
}

// onboard is openclaw onboard: from nothing to an agent that answers.
func (sh *shell) onboard() *cobra.Command {
	f := onboardFlags{keys: map[string]*string{}}
	cmd := sh.command(spec{
		name: "onboard", short: "Set everything up, by questions or by flags",
		example: `openclaw onboard
openclaw onboard --non-interactive --accept-risk --anthropic-api-key sk-...`,
		run: func(ctx context.Context, _ []string) error { return sh.runOnboard(ctx, f) },
	})
	fs := cmd.Flags()
	fs.StringVar(&f.workspace, "workspace", "", "the default agent's workspace (`dir`; default: ~/.openclaw/workspace)")
	fs.BoolVar(&f.reset, "reset", false, "start over first; see --reset-scope")
	fs.StringVar(&f.resetScope, "reset-scope", "config+creds+sessions", "config, config+creds+sessions or full (`scope`)")
	fs.BoolVar(&f.nonInteractive, "non-interactive", false, "ask nothing")
	fs.BoolVar(&f.acceptRisk, "accept-risk", false, "you know that an agent runs programs on this host")
	fs.StringVar(&f.flow, "flow", "", "quickstart, advanced or manual (`flow`)")
	fs.StringVar(&f.mode, "mode", "", "local or remote (`mode`)")
	fs.StringVar(&f.authChoice, "auth-choice", "", "which provider's key, custom-api-key or skip (`choice`)")
	fs.StringVar(&f.tokenProvider, "token-provider", "", "with --auth-choice token: the provider (`id`)")
	fs.StringVar(&f.token, "token", "", "with --auth-choice token: the `token`")
	fs.StringVar(&f.profileID, "token-profile-id", "", "keep it under this `id` (default: <provider>:manual)")
	fs.StringVar(&f.expires, "token-expires-in", "", "it ends after this `duration`")
	fs.StringVar(&f.secretInput, "secret-input-mode", "plaintext", "plaintext, or ref to name the environment variable only (`mode`)")
	for _, k := range keyChoices() {
		f.keys[k.flag] = fs.String(k.flag, "", "the `key` of "+k.provider)
	}
	fs.StringVar(&f.baseURL, "custom-base-url", "", "another provider's `url`")
	fs.StringVar(&f.customKey, "custom-api-key", "", "its `key` (default: CUSTOM_API_KEY)")
	fs.StringVar(&f.modelID, "custom-model-id", "", "its model (`id`)")
	fs.StringVar(&f.customProvider, "custom-provider-id", "", "what to call it (`id`)")
	fs.StringVar(&f.compat, "custom-compatibility", "openai", "openai or anthropic (`mode`)")
	fs.IntVar(&f.port, "gateway-port", 0, "the gateway's `port`")
	fs.StringVar(&f.bind, "gateway-bind", "", "loopback, lan, tailnet, auto or custom (`mode`)")
	fs.StringVar(&f.auth, "gateway-auth", "", "token or password (`mode`)")
	fs.StringVar(&f.gatewayToken, "gateway-token", "", "the gateway's `token` (default: a new one)")
	fs.StringVar(&f.tokenEnv, "gateway-token-ref-env", "", "take the token from this variable (`name`)")
	fs.StringVar(&f.password, "gateway-password", "", "the gateway's `password`")
	fs.StringVar(&f.remoteURL, "remote-url", "", "with --mode remote: that gateway's `url`")
	fs.StringVar(&f.remoteToken, "remote-token", "", "with --mode remote: its `token`")
	fs.BoolVar(&f.installDaemon, "install-daemon", false, "install the gateway as a service")
	fs.BoolVar(&f.skipHealth, "skip-health", false, "don't wait for a running gateway")
	for _, n := range []string{"no-install-daemon", "skip-daemon", "skip-channels", "skip-skills", "skip-search", "skip-ui", "tailscale-reset-on-exit"} {
		fs.Bool(n, false, "")
		_ = fs.MarkHidden(n) // accepted: that is what we do anyway
	}
	for _, n := range []string{"daemon-runtime", "node-manager", "tailscale"} {
		fs.String(n, "", "")
		_ = fs.MarkHidden(n)
	}
	sh.jsonFlag(cmd)
	return cmd
}

// onboardReply is what onboard --json prints.
type onboardReply struct {
	OK         bool   `json:"ok"`
	Mode       string `json:"mode"`
	Workspace  string `json:"workspace,omitempty"`
	AuthChoice string `json:"authChoice,omitempty"`
	Gateway    any    `json:"gateway,omitempty"`
	RemoteURL  string `json:"remoteUrl,omitempty"`
	Auth       string `json:"auth,omitempty"`
	Daemon     *bool  `json:"installDaemon,omitempty"`
	SkipSkills *bool  `json:"skipSkills,omitempty"`
	SkipHealth *bool  `json:"skipHealth,omitempty"`
	Phase      string `json:"phase,omitempty"`
	Message    string `json:"message,omitempty"`
}

func (sh *shell) runOnboard(ctx context.Context, f onboardFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.nonInteractive && !f.acceptRisk {
		sh.note("Non-interactive setup requires explicit risk acknowledgement.")
		return say("an agent runs programs and changes files on this host. If you accept that: openclaw onboard --non-interactive --accept-risk")
	}
	if f.reset {
		if _, err := sh.load(ctx); err != nil && sh.loaded == nil {
			sh.note("The old config is invalid; it goes to the trash.")
		}
		if err := sh.wipe(sh.paths(), f.resetScope); err != nil {
			return err
		}
	}
	l, err := sh.load(ctx)
	if err != nil {
		return err
	}
	if !f.nonInteractive {
		if err := sh.interview(ctx, l.Config, &f); err != nil {
			return err
		}
	}
	if f.mode == "remote" {
		return sh.onboardRemote(ctx, f)
	}
	choice, err := f.choice()
	if err != nil {
		return err
	}
	if l, err = sh.applySettings(ctx, l.Config, f, choice); err != nil {
		return err
	}
	made, err := sh.seedMain(ctx, l.Config)
	if err != nil {
		return err
	}
	if !sh.json {
		sh.line("Updated %s", sh.short(l.Path))
		for _, m := range made {
			sh.line("%s", m)
		}
	}
	return sh.finish(ctx, l.Config, f, choice)
}

// check refuses flags that contradict each other.
func (f onboardFlags) check() error {
	switch {
	case !slices.Contains([]string{"", "quickstart", "advanced", "manual"}, f.flow):
		return say("Invalid --flow %q: quickstart, advanced or manual", f.flow)
	case !slices.Contains([]string{"", "local", "remote"}, f.mode):
		return say("Invalid --mode %q: local or remote", f.mode)
	case f.port < 0 || f.port > 65535:
		return say("Invalid --gateway-port: a number from 1 to 65535")
	case !slices.Contains([]string{"", "token", "password"}, f.auth):
		return say("Invalid --gateway-auth %q: token or password", f.auth)
	case !slices.Contains([]string{"", "loopback", "lan", "tailnet", "auto", "custom"}, f.bind):
		return say("Invalid --gateway-bind %q: loopback, lan, tailnet, auto or custom", f.bind)
	case f.gatewayToken != "" && f.tokenEnv != "":
		return say("--gateway-token and --gateway-token-ref-env can't both be given")
	case f.auth == "password" && f.password == "" && f.nonInteractive:
		return say("--gateway-auth password needs --gateway-password")
	case f.mode == "remote" && f.remoteURL == "" && f.nonInteractive:
		return say("--mode remote needs --remote-url wss://<host>")
	case f.reset:
		return validScope(f.resetScope)
	}
	return nil
}

func (sh *shell) onboardRemote(ctx context.Context, f onboardFlags) error {
	if _, err := client.Locate(ctx, client.Search{URL: f.remoteURL, Token: first(f.remoteToken, "-"), Getenv: sh.Getenv}); err != nil {
		return err
	}
	changes := append(wizardStamp("remote"), change{"gateway.mode", "remote", false}, change{"gateway.remote.url", f.remoteURL, false})
	r := onboardReply{OK: true, Mode: "remote", RemoteURL: f.remoteURL, Auth: "none"}
	if f.remoteToken != "" {
		r.Auth = "token"
		changes = append(changes, change{"gateway.remote.token", f.remoteToken, false})
	}
	if _, err := sh.edit(ctx, changes...); err != nil {
		return err
	}
	if sh.json {
		sh.printJSON(r)
		return nil
	}
	sh.line("Remote gateway: %s (auth: %s)", r.RemoteURL, r.Auth)
	sh.line("Next: %s", sh.out.Accent("openclaw status"))
	return nil
}

func wizardStamp(mode string) []change {
	return []change{
		{"wizard.lastRunAt", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), false},
		{"wizard.lastRunVersion", version.Protocol, false},
		{"wizard.lastRunCommand", "onboard", false},
		{"wizard.lastRunMode", mode, false},
	}
}

// applySettings writes what the flags and answers say, in one change.
func (sh *shell) applySettings(ctx context.Context, c *config.Config, f onboardFlags, choice string) (*config.Loaded, error) {
	changes := wizardStamp("local")
	add := func(path string, v any) { changes = append(changes, change{path, v, false}) }
	model, err := sh.applyAuth(c, f, choice, add)
	if err != nil {
		return nil, err
	}
	if model != "" {
		add("agents.defaults.model.primary", model)
	}
	add("agents.defaults.workspace", c.Paths.Expand(first(f.workspace, c.Workspace(c.DefaultAgent()))))
	if c.Tools.Profile == "" {
		add("tools.profile", "coding")
	}
	if c.Session.DMScope == "" || len(sh.loaded.Raw) == 0 {
		add("session.dmScope", "per-channel-peer")
	}
	add("gateway.mode", "local")
	add("gateway.port", f.gatewayPort(sh, c))
	add("gateway.bind", first(f.bind, c.Gateway.Bind, "loopback"))
	if err := sh.applyGatewayAuth(c, f, add); err != nil {
		return nil, err
	}
	return sh.edit(ctx, changes...)
}

func (f onboardFlags) gatewayPort(sh *shell, c *config.Config) int {
	if f.port > 0 {
		return f.port
	}
	return sh.port(c)
}

func (sh *shell) applyGatewayAuth(c *config.Config, f onboardFlags, add func(string, any)) error {
	mode := first(f.auth, c.Gateway.Auth.Mode, "token")
	if mode != "token" && mode != "password" {
		return nil // none and trusted-proxy were chosen by hand
	}
	add("gateway.auth.mode", mode)
	switch {
	case mode == "password":
		if f.password != "" {
			add("gateway.auth.password", f.password)
		}
	case f.tokenEnv != "":
		if sh.Getenv(f.tokenEnv) == "" {
			return say("--gateway-token-ref-env: the variable %s isn't set", f.tokenEnv)
		}
		add("gateway.auth.token", map[string]string{"source": "env", "provider": "default", "id": f.tokenEnv})
	case f.gatewayToken != "":
		add("gateway.auth.token", f.gatewayToken)
	case len(c.Gateway.Auth.Token) == 0:
		token, err := newToken()
		if err != nil {
			return err
		}
		add("gateway.auth.token", token)
	}
	return nil
}

// finish installs the service if wished, waits for a gateway and sums up.
func (sh *shell) finish(ctx context.Context, c *config.Config, f onboardFlags, choice string) error {
	no := false
	r := onboardReply{
		OK: true, Mode: "local", Workspace: c.Workspace(c.DefaultAgent()), AuthChoice: choice,
		Gateway: map[string]any{"port": sh.port(c), "bind": bindOf(c.Gateway), "authMode": first(c.Gateway.Auth.Mode, "token"), "tailscaleMode": "off"},
		Daemon:  &f.installDaemon, SkipSkills: &no, SkipHealth: &f.skipHealth,
	}
	if f.installDaemon {
		if err := sh.installFor(ctx, c); err != nil {
			return sh.onboardFailed(r, "daemon-install", err)
		}
	}
	if !f.skipHealth && (f.nonInteractive || f.installDaemon) {
		limit := 15 * time.Second
		if f.installDaemon {
			limit = 45 * time.Second
		}
		if err := sh.awaitGateway(ctx, limit); err != nil {
			return sh.onboardFailed(r, "gateway-health", err)
		}
	}
	if sh.json {
		sh.printJSON(r)
		return nil
	}
	card := term.Card{Title: "\nReady"}
	card.Add("Config", sh.short(c.Paths.Config))
	card.Add("Workspace", sh.short(r.Workspace))
	card.Add("Model", first(c.Agents.Defaults.Model.Primary, "chosen at start: a key in the environment, a local server, else the demo model"))
	card.Write(sh.Stdout, sh.out)
	sh.line("\nNext:\n  %s\n  %s", sh.out.Accent(sh.typed()+" gateway run"), sh.out.Accent(sh.typed()+` agent -m "hello"`))
	return nil
}

func (sh *shell) onboardFailed(r onboardReply, phase string, err error) error {
	if !sh.json {
		return err
	}
	raw, jerr := json.Marshal(r)
	out := map[string]any{}
	if jerr == nil {
		jerr = json.Unmarshal(raw, &out)
	}
	if jerr != nil {
		return jerr
	}
	out["ok"], out["phase"], out["message"], out["detail"] = false, phase, hint(err), text(err)
	out["hints"] = []string{"openclaw gateway run", "openclaw gateway status", "openclaw onboard --skip-health …"}
	sh.printJSON(out)
	return quiet{1}
}

func (sh *shell) installFor(ctx context.Context, c *config.Config) error {
	m, err := sh.manager()
	if err != nil {
		return err
	}
	s, err := sh.serviceSpec(sh.port(c))
	if err != nil {
		return err
	}
	return m.Install(ctx, s)
}

// awaitGateway waits until the gateway answers.
func (sh *shell) awaitGateway(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer term.Progress(sh.Stderr, sh.err, "Waiting for the gateway")()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		err := sh.call(ctx, target{timeout: 3000}, "health", nil, nil)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return say("no gateway answered within %s; start one (openclaw gateway run) or pass --skip-health\n%s", limit, text(err))
		}
	}
}

func trimSlash(s string) string { return strings.TrimRight(strings.TrimSpace(s), "/") }
