package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/service"
	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// serviceReply is what --json of the service commands prints.
type serviceReply struct {
	Action   string       `json:"action"`
	OK       bool         `json:"ok"`
	Result   string       `json:"result,omitempty"`
	Message  string       `json:"message,omitempty"`
	Error    string       `json:"error,omitempty"`
	Hints    []string     `json:"hints,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Service  *serviceFact `json:"service,omitempty"`
}

type serviceFact struct {
	Label     string `json:"label"`
	Loaded    bool   `json:"loaded"`
	Loaded1   string `json:"loadedText"`
	NotLoaded string `json:"notLoadedText"`
}

func factOf(m service.Manager, st service.State) *serviceFact {
	f := &serviceFact{Label: m.Kind(), Loaded: st.Installed, Loaded1: "enabled", NotLoaded: "disabled"}
	switch m.Kind() {
	case "launchd":
		f.Loaded1, f.NotLoaded = "loaded", "not loaded"
	case "schtasks":
		f.Label, f.Loaded1, f.NotLoaded = "Scheduled Task", "registered", "missing"
	}
	return f
}

func (sh *shell) manager() (service.Manager, error) {
	return service.New(service.Host{OS: sh.OS, Home: sh.paths().Home, UID: os.Getuid(), Profile: sh.paths().Profile, Runner: sh.Runner})
}

// serviceDo is gateway start, stop and restart.
func (sh *shell) serviceDo(action string) *cobra.Command {
	cmd := sh.command(spec{name: action, short: firstUpper(action) + " the installed service", run: func(ctx context.Context, _ []string) error {
		m, err := sh.manager()
		if err != nil {
			return err
		}
		st, err := m.State(ctx)
		if err != nil {
			return err
		}
		r := serviceReply{Action: action, OK: true, Service: factOf(m, st)}
		if !st.Installed {
			r.Result, r.Message = "not-loaded", "Gateway service "+r.Service.NotLoaded+"."
			if action != "stop" {
				r.Hints = []string{"openclaw gateway install", "openclaw gateway run"}
			} else if l := sh.foreground(ctx); l != "" {
				r.Hints = []string{l}
			}
			return sh.told(r, nil)
		}
		do, done := m.Start, "started"
		switch action {
		case "stop":
			do, done = m.Stop, "stopped"
		case "restart":
			do, done = m.Restart, "restarted"
		}
		end := term.Progress(sh.Stderr, sh.err, "Waiting for "+m.Kind())
		err = do(ctx)
		end()
		r.Result, r.Message = done, "Gateway service "+done+"."
		return sh.told(r, err)
	}})
	sh.jsonFlag(cmd)
	return cmd
}

// foreground says how to end a gateway that runs without the service.
func (sh *shell) foreground(ctx context.Context) string {
	c, err := sh.config(ctx)
	if err != nil || !busy(ctx, sh.port(c)) {
		return ""
	}
	for _, l := range listeners(sh.port(c)) {
		return "A program outside the service listens on the port; end it with: kill " + strconv.Itoa(l.PID)
	}
	return "A program outside the service listens on port " + strconv.Itoa(sh.port(c)) + "."
}

// told prints the reply of a service command.
func (sh *shell) told(r serviceReply, err error) error {
	if err != nil {
		r.OK, r.Result, r.Message = false, "", ""
		r.Error = "Gateway " + r.Action + " failed: " + text(err)
	}
	switch {
	case sh.json:
		sh.printJSON(r)
		if err != nil {
			sh.note("%s", r.Error)
		}
	case err != nil:
		sh.note("%s", r.Error)
	default:
		sh.line("%s", r.Message)
		for _, h := range r.Hints {
			sh.line("  %s", sh.out.Accent(h))
		}
	}
	if err != nil {
		return quiet{1}
	}
	return nil
}

// serviceInstall is gateway install.
func (sh *shell) serviceInstall() *cobra.Command {
	var (
		port         int
		token        string
		force        bool
		runtimeIgnor string
	)
	cmd := sh.command(spec{
		name: "install", short: "Install the gateway as a service of this user and start it",
		run: func(ctx context.Context, _ []string) error { return sh.installService(ctx, port, token, force) },
	})
	cmd.Flags().IntVar(&port, "port", 0, "listen on this `port` (default: the config's)")
	cmd.Flags().StringVar(&token, "token", "", "keep this `token` in the config")
	cmd.Flags().BoolVar(&force, "force", false, "install again over an installed one")
	cmd.Flags().StringVar(&runtimeIgnor, "runtime", "", "no effect: this is one binary (`runtime`)")
	_ = cmd.Flags().MarkHidden("runtime")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) installService(ctx context.Context, port int, token string, force bool) error {
	r := serviceReply{Action: "install", OK: true}
	l, err := sh.load(ctx)
	if err != nil {
		return err
	}
	m, err := sh.manager()
	if err != nil {
		return sh.told(r, err)
	}
	st, err := m.State(ctx)
	if err != nil {
		return sh.told(r, err)
	}
	if st.Installed && !force {
		r.Result, r.Message, r.Service = "already-installed", "Gateway service already installed. Over it: openclaw gateway install --force", factOf(m, st)
		return sh.told(r, nil)
	}
	var changes []change
	if token != "" {
		changes = append(changes, change{"gateway.auth.mode", "token", false}, change{"gateway.auth.token", token, false})
	}
	if l.Config.Gateway.Mode == "" {
		changes = append(changes, change{"gateway.mode", "local", false})
	}
	if port != 0 && port != sh.port(l.Config) { // for the commands that look for it
		changes = append(changes, change{"gateway.port", port, false})
	}
	if len(changes) > 0 {
		if l, err = sh.edit(ctx, changes...); err != nil {
			return sh.told(r, err)
		}
	}
	var o ServeOptions
	sh.secrets(&o)
	if l, err = sh.ensureToken(ctx, l, o); err != nil {
		return sh.told(r, err)
	}
	if port == 0 {
		port = sh.port(l.Config)
	}
	s, err := sh.serviceSpec(port)
	if err == nil {
		err = m.Install(ctx, s)
	}
	r.Result, r.Message = "installed", "Gateway service installed: "+m.Path()
	r.Service = factOf(m, service.State{Installed: err == nil})
	return sh.told(r, err)
}

// serviceSpec is this binary with this configuration. Secrets stay in the
// configuration: others may read the service's text.
func (sh *shell) serviceSpec(port int) (service.Spec, error) {
	exe, err := sh.Executable()
	if err != nil {
		return service.Spec{}, err
	}
	if target, err := filepath.EvalSymlinks(exe); err == nil {
		exe = target
	}
	paths := sh.paths()
	env := map[string]string{"OPENCLAW_GATEWAY_PORT": strconv.Itoa(port), "HOME": first(sh.Getenv("HOME"), paths.Home)}
	for _, k := range []string{"PATH", "OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "TMPDIR", "LANG", "TZ"} {
		if v := sh.Getenv(k); v != "" {
			env[k] = v
		}
	}
	args := []string{"gateway", "run", "--port", strconv.Itoa(port)}
	if p := paths.Profile; p != "" {
		env["OPENCLAW_PROFILE"] = p
		args = append([]string{"--profile", p}, args...)
	}
	return service.Spec{
		Profile: paths.Profile, Program: exe, Args: args, Env: env, Dir: paths.State, Version: version.String(),
		Log: filepath.Join(paths.State, "logs", "gateway.log"),
	}, os.MkdirAll(filepath.Join(paths.State, "logs"), 0o700)
}

// serviceUninstall is gateway uninstall.
func (sh *shell) serviceUninstall() *cobra.Command {
	cmd := sh.command(spec{name: "uninstall", short: "Stop the service and remove it", run: func(ctx context.Context, _ []string) error {
		m, err := sh.manager()
		if err != nil {
			return err
		}
		st, err := m.State(ctx)
		r := serviceReply{Action: "uninstall", OK: true, Result: "uninstalled", Message: "Gateway service removed."}
		if err == nil && !st.Installed {
			r.Result, r.Message = "not-loaded", "Gateway service is not installed."
		}
		if err == nil {
			err = m.Uninstall(ctx)
		}
		r.Service = factOf(m, service.State{})
		return sh.told(r, err)
	}})
	sh.jsonFlag(cmd)
	return cmd
}
