package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/logfile"
	"github.com/openclaw-go/openclaw/internal/cli/term"
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
	if o.Port == 0 {
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

// secrets takes from the environment what the flags leave open.
func (sh *shell) secrets(o *ServeOptions) {
	if o.Token == "" {
		o.Token = secret.String(first(sh.Getenv("OPENCLAW_GATEWAY_TOKEN"), sh.Getenv("CLAWDBOT_GATEWAY_TOKEN")))
	}
	if o.Password == "" {
		o.Password = secret.String(first(sh.Getenv("OPENCLAW_GATEWAY_PASSWORD"), sh.Getenv("CLAWDBOT_GATEWAY_PASSWORD")))
	}
}

// needsToken says whether nothing says yet how clients get in.
func needsToken(c *config.Config, o ServeOptions) bool {
	a := c.Gateway.Auth
	if first(o.Auth, a.Mode, "token") != "token" || o.Token != "" || len(a.Token) > 0 {
		return false
	}
	return a.Mode != "" || o.Password == "" && len(a.Password) == 0
}

// ensureToken makes a token and keeps it in the configuration, where one is
// needed.
func (sh *shell) ensureToken(ctx context.Context, l *config.Loaded, o ServeOptions) (*config.Loaded, error) {
	if !needsToken(l.Config, o) {
		return l, nil
	}
	changes, err := tokenChanges()
	if err != nil {
		return nil, err
	}
	return sh.edit(ctx, changes...)
}

// tokenChanges put a new token into the configuration.
func tokenChanges() ([]change, error) {
	token, err := newToken()
	if err != nil {
		return nil, err
	}
	return []change{{"gateway.auth.mode", "token", false}, {"gateway.auth.token", token, false}}, nil
}

// newToken is 48 hex digits.
func newToken() (string, error) {
	raw := make([]byte, 24)
	if _, err := rand.Read(raw); err != nil {
		return "", fault.Wrap(fault.Internal, "cli.newToken", err)
	}
	return hex.EncodeToString(raw), nil
}

func (sh *shell) port(c *config.Config) int {
	gw := c.Gateway
	if sh.global.dev && gw.Port == 0 {
		gw.Port = config.DevPort
	}
	return client.Port(sh.Getenv, gw)
}

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
	flags := ""
	if sh.global.profile != "" {
		flags = " --profile " + sh.global.profile
	}
	if sh.global.dev {
		flags = " --dev"
	}
	typed := sh.typed() + flags
	if _, p, err := net.SplitHostPort(r.Addr); err == nil && p != strconv.Itoa(sh.port(c)) {
		typed = "OPENCLAW_GATEWAY_PORT=" + p + " " + typed
	}
	sh.line("\nNext, in another terminal:\n  %s\n  %s\n  %s\n  %s\n",
		sh.out.Accent(typed+` agent -m "list the files in your workspace"`), sh.out.Accent(typed+" status"),
		sh.out.Accent(typed+" onboard")+"         "+sh.out.Dim("choose a model, set its key"), sh.out.Accent(typed+" logs --follow"))
}

// typed is how the person called the program: by a path, if it isn't installed.
func (sh *shell) typed() string {
	if !strings.ContainsRune(sh.Program, filepath.Separator) || strings.ContainsAny(sh.Program, " \t") {
		return "openclaw"
	}
	return sh.Program
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

func first(ss ...string) string {
	for _, s := range ss {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
