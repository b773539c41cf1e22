package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/logfile"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
	"github.com/openclaw-go/openclaw/internal/store"
)

type runFlags struct {
	port, bind, auth              string
	token, password, passwordFile string
	tailscale                     string
	unconfigured, dev, reset      bool
	force, verbose                bool
	rawStream                     bool
	rawPath                       string
}

// gatewayRun is openclaw gateway run, and gateway alone.
func (sh *shell) gatewayRun(name string, subs ...*cobra.Command) *cobra.Command {
	var f runFlags
	s := spec{
		name: name, short: "Run the gateway here, until Ctrl-C", subs: subs,
		run: func(ctx context.Context, _ []string) error { return sh.keepGateway(ctx, f) },
	}
	if name == "gateway" {
		s.short = "Run and manage the gateway; alone it runs one"
	}
	cmd := sh.command(s)
	fs := cmd.Flags()
	fs.StringVar(&f.port, "port", "", "listen on this `port` (default: gateway.port, else 18789)")
	fs.StringVar(&f.bind, "bind", "", "listen on loopback, lan, tailnet, auto or custom (`mode`)")
	fs.StringVar(&f.token, "token", "", "clients must know this `token` (default: OPENCLAW_GATEWAY_TOKEN, else the config's)")
	fs.StringVar(&f.auth, "auth", "", "none, token, password or trusted-proxy (`mode`)")
	fs.StringVar(&f.password, "password", "", "clients must know this `password`")
	fs.StringVar(&f.passwordFile, "password-file", "", "read the password from this `path`")
	fs.StringVar(&f.tailscale, "tailscale", "", "off (`mode`)")
	fs.Bool("tailscale-reset-on-exit", false, "no effect without --tailscale")
	fs.BoolVar(&f.unconfigured, "allow-unconfigured", false, "start without a config, or without gateway.mode in it; makes what is missing")
	fs.BoolVar(&f.dev, "dev", false, "make a config and a workspace for trying out, if there are none")
	fs.BoolVar(&f.reset, "reset", false, "with --dev: throw config, sessions and credentials away first")
	fs.BoolVar(&f.force, "force", false, "end whatever listens on the port first")
	fs.BoolVar(&f.verbose, "verbose", false, "log more")
	fs.BoolVar(&f.rawStream, "raw-stream", false, "write what the model streams to a file")
	fs.StringVar(&f.rawPath, "raw-stream-path", "", "that file (`path`)")
	for _, n := range []string{"claude-cli-logs", "compact"} {
		fs.Bool(n, false, "")
		_ = fs.MarkHidden(n) // accepted, as scripts pass it
	}
	fs.String("ws-log", "auto", "")
	_ = fs.MarkHidden("ws-log")
	return cmd
}

// keepGateway runs a gateway, and a new one each time the old one asks for it:
// some changes of the configuration need that.
func (sh *shell) keepGateway(ctx context.Context, f runFlags) error {
	for {
		err := sh.runGateway(ctx, f)
		if !errors.Is(err, ErrRestart) || ctx.Err() != nil {
			return err
		}
		sh.loaded, f.reset = nil, false
		sh.note("%s", sh.err.Dim("Starting again with the new configuration"))
	}
}

func (sh *shell) runGateway(ctx context.Context, f runFlags) error {
	if sh.Serve == nil {
		return say("this build has no gateway in it")
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	paths := sh.paths()
	o.Paths = paths
	if f.reset {
		if !f.dev && !sh.global.dev {
			return say("--reset goes with --dev only")
		}
		if err := sh.wipe(paths, "config+creds+sessions"); err != nil {
			return err
		}
	}
	sh.secrets(&o)
	l, fresh, err := sh.configured(ctx, f, o)
	if err != nil {
		return err
	}
	if err := sh.fit(ctx, l.Config, o); err != nil {
		return err
	}
	if l, err = sh.ensureToken(ctx, l, o); err != nil {
		return err
	}
	if o.FixedPort = o.Port != 0 || client.EnvPort(sh.Getenv) != 0; o.Port == 0 {
		o.Port = sh.port(l.Config)
	}
	if pid, held, err := store.Holder(paths.State); err == nil && held && !f.force {
		return say("Gateway failed to start: gateway already running (pid %d). Stop it: openclaw gateway stop, or kill %d; or keep two apart: openclaw --profile <name> gateway run", pid, pid)
	}
	if err := sh.freePort(ctx, o.Port, f.force); err != nil {
		return err
	}
	log, file, err := sh.gatewayLog(l.Config, f.verbose)
	if err != nil {
		return err
	}
	defer file.Close()
	o.Log, o.LogFile = log, file.Path()
	o.Ready = func(r Ready) { sh.welcome(ctx, l.Config, r, fresh, o) }
	return sh.Serve(ctx, o)
}

// options checks the flags.
func (f runFlags) options() (ServeOptions, error) {
	o := ServeOptions{
		Bind: f.bind, Auth: f.auth, Token: secret.String(f.token), Password: secret.String(f.password),
		Verbose: f.verbose, RawStream: f.rawStream, RawStreamPath: f.rawPath,
	}
	if f.port != "" {
		n, err := strconv.Atoi(f.port)
		if err != nil || n < 1 || n > 65535 {
			return o, say("Invalid port %q: a number from 1 to 65535", f.port)
		}
		o.Port = n
	}
	if !slices.Contains([]string{"", "loopback", "lan", "tailnet", "auto", "custom"}, f.bind) {
		return o, say("Invalid --bind %q: loopback, lan, tailnet, auto or custom", f.bind)
	}
	if !slices.Contains([]string{"", "none", "token", "password", "trusted-proxy"}, f.auth) {
		return o, say("Invalid --auth %q: none, token, password or trusted-proxy", f.auth)
	}
	if f.tailscale != "" && f.tailscale != "off" {
		return o, say("--tailscale %s: this version doesn't have it yet", f.tailscale)
	}
	if f.passwordFile != "" {
		raw, err := os.ReadFile(f.passwordFile)
		if err != nil || len(raw) > 4096 {
			return o, say("--password-file %s can't be read", f.passwordFile)
		}
		o.Password = secret.String(strings.TrimSpace(string(raw)))
	}
	return o, nil
}

// configured loads the configuration and refuses one that nobody set up,
// unless the flags allow to make what is missing.
func (sh *shell) configured(ctx context.Context, f runFlags, o ServeOptions) (l *config.Loaded, fresh bool, err error) {
	l, err = sh.load(ctx)
	if inv, ok := isInvalid(err); ok {
		good, gerr := config.Load(ctx, sh.paths(), config.LoadOptions{Env: sh.Getenv, LastGood: true})
		if gerr != nil {
			return nil, false, gerr // it says why the last good one can't serve
		}
		if !good.LastGood || needsToken(good.Config, o) {
			return nil, false, err
		}
		sh.note("%s", sh.err.Warn("The config file is invalid, so the last one that worked is in force:"))
		for _, p := range inv.Problems {
			sh.note("  %s", p.String())
		}
		sh.loaded, l, err = good, good, nil
	}
	if err != nil {
		return nil, false, err
	}
	allowed := f.unconfigured || f.dev || sh.global.dev
	switch {
	case !l.Exists && !allowed:
		return nil, false, say("Missing config. Run openclaw setup, or openclaw onboard, or pass --allow-unconfigured")
	case l.Config.Gateway.Mode == "remote":
		return nil, false, say("Gateway start blocked: set gateway.mode=local (current: remote). Type: openclaw config set gateway.mode local")
	case l.Config.Gateway.Mode == "" && !allowed:
		return nil, false, say("Gateway start blocked: set gateway.mode=local (current: unset) or pass --allow-unconfigured. Type: openclaw config set gateway.mode local")
	case !l.Exists:
		changes := []change{{"gateway.mode", "local", false}, {"gateway.bind", "loopback", false}}
		if needsToken(l.Config, o) {
			token, err := tokenChanges()
			if err != nil {
				return nil, false, err
			}
			changes = append(changes, token...)
		}
		if o.Port != 0 && o.Port != sh.port(l.Config) {
			changes = append(changes, change{"gateway.port", o.Port, false})
		}
		l, err = sh.edit(ctx, changes...)
		return l, true, err
	}
	return l, false, nil
}

// fit refuses to open the gateway to a network without a secret.
func (sh *shell) fit(_ context.Context, c *config.Config, o ServeOptions) error {
	bind, auth := first(o.Bind, c.Gateway.Bind, "loopback"), first(o.Auth, c.Gateway.Auth.Mode)
	if bind == "loopback" || bind == "auto" || bind == "custom" && localName(c.Gateway.CustomBindHost) {
		return nil
	}
	secretSet := o.Token != "" || o.Password != "" || len(c.Gateway.Auth.Token) > 0 || len(c.Gateway.Auth.Password) > 0 ||
		sh.Getenv("OPENCLAW_GATEWAY_TOKEN") != "" || sh.Getenv("OPENCLAW_GATEWAY_PASSWORD") != ""
	if auth == "none" || !secretSet && auth != "trusted-proxy" {
		return say("Refusing to bind gateway to %s without auth. Set a token: openclaw config set gateway.auth.token <secret>, or pass --token <secret>", bind)
	}
	return nil
}

func localName(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (sh *shell) port(c *config.Config) int { return client.Port(sh.Getenv, c.Gateway) }

// gatewayLog writes to the console for people and to a file for programs.
func (sh *shell) gatewayLog(c *config.Config, verbose bool) (*slog.Logger, *logfile.Handler, error) {
	level := logLevel(first(sh.global.logLevel, sh.Getenv("OPENCLAW_LOG_LEVEL"), c.Logging.Level, "info"))
	name := logfile.Daily(filepath.Join(c.Paths.State, "logs"))
	if c.Logging.File != "" {
		name = logfile.Fixed(c.Paths.Expand(c.Logging.File))
	}
	file, err := logfile.New(name, level)
	if err != nil {
		return nil, nil, &fault.Error{
			Kind: fault.Unavailable, Op: "cli.gatewayLog", Err: err,
			Hint: "can't write the log: " + cause(err) + ". Another place: openclaw config set logging.file <path>",
		}
	}
	console := level
	if v := first(sh.global.logLevel, c.Logging.ConsoleLevel); v != "" {
		console = logLevel(v)
	}
	if verbose {
		console = slog.LevelDebug
	}
	people := tint.NewTextHandler(sh.Stderr, &tint.Options{Level: console, TimeFormat: time.TimeOnly, NoColor: !sh.err.Color})
	return slog.New(slog.NewMultiHandler(people, file)), file, nil
}

func logLevel(name string) slog.Level {
	levels := map[string]slog.Level{
		"silent": 100, "fatal": slog.LevelError + 4, "error": slog.LevelError, "warn": slog.LevelWarn,
		"info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": slog.LevelDebug - 4,
	}
	l, ok := levels[strings.ToLower(name)]
	if !ok {
		return slog.LevelInfo
	}
	return l
}

func first(ss ...string) string {
	for _, s := range ss {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
