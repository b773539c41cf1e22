package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/store"
)

// checks are those of the command line itself, in order.
func (sh *shell) checks(c *config.Config, f doctorFlags) []feature.Check {
	with := func(name string, run func(context.Context, *config.Config) []feature.Finding) feature.Check {
		return feature.Check{Name: name, Run: func(ctx context.Context) []feature.Finding { return run(ctx, c) }}
	}
	out := []feature.Check{
		with("Environment", sh.checkEnv), with("State", checkState), with("Sessions", sh.checkSessions),
		with("Access", checkAccess), with("Gateway token", sh.checkToken), with("Lock and port", sh.checkPort),
		with("Gateway", sh.checkGateway), with("Service", sh.checkService), with("Models", sh.checkModels),
	}
	if !f.noTips {
		out = append(out, with("Workspace", checkWorkspace))
	}
	return out
}

// checkEnv finds variables of older names, which may mislead.
func (sh *shell) checkEnv(context.Context, *config.Config) []feature.Finding {
	var out []feature.Finding
	for _, k := range []string{"CLAWDBOT_STATE_DIR", "CLAWDBOT_CONFIG_PATH", "CLAWDBOT_GATEWAY_TOKEN", "CLAWDBOT_GATEWAY_PASSWORD", "CLAWDBOT_GATEWAY_PORT"} {
		if sh.Getenv(k) != "" {
			now := strings.Replace(k, "CLAWDBOT", "OPENCLAW", 1)
			out = append(out, feature.Finding{Severity: "warning", Text: k + " is an old name.", Mend: "set " + now + " instead"})
		}
	}
	return out
}

// checkState looks at the directories and the modes of what holds secrets.
func checkState(_ context.Context, c *config.Config) []feature.Finding {
	var out []feature.Finding
	state := c.Paths.State
	info, err := os.Stat(state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []feature.Finding{{
			Severity: "warning", Text: "the state directory " + state + " is missing.", Mend: "openclaw setup",
			Fix: func(context.Context) error { return os.MkdirAll(state, 0o700) },
		}}
	case err != nil:
		return []feature.Finding{{Severity: "error", Text: "the state directory can't be read: " + cause(err) + ".", Mend: "check who owns " + state}}
	}
	if probe, err := os.CreateTemp(state, ".doctor-*"); err != nil {
		out = append(out, feature.Finding{Severity: "error", Text: "can't write in " + state + ": " + cause(err) + ".", Mend: "check who owns it"})
	} else {
		_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // an empty file
	}
	if runtime.GOOS == "windows" {
		return out
	}
	mode := func(path string, info fs.FileInfo, want fs.FileMode) {
		if info.Mode().Perm()&0o077 == 0 {
			return
		}
		out = append(out, feature.Finding{
			Severity: "warning", Text: fmt.Sprintf("others may read %s (mode %o).", path, info.Mode().Perm()),
			Mend: fmt.Sprintf("chmod %o %s", want, path), Fix: func(context.Context) error { return os.Chmod(path, want) },
		})
	}
	mode(state, info, 0o700)
	files := []string{c.Paths.Config, filepath.Join(state, store.FileName), filepath.Join(state, ".env")}
	for _, a := range c.AgentIDs() {
		files = append(files, profilesPath(c, a), filepath.Join(c.SessionsDir(a), "sessions.json"))
	}
	for _, pattern := range []string{"identity/*.json", "devices/*.json", "credentials/*.json"} {
		more, err := filepath.Glob(filepath.Join(state, pattern))
		if err == nil {
			files = append(files, more...)
		}
	}
	for _, p := range files {
		if info, err := os.Stat(p); err == nil {
			mode(p, info, 0o600)
		}
	}
	return out
}

// checkSessions looks at the indexes and at the transcripts of the newest
// sessions.
func (sh *shell) checkSessions(ctx context.Context, c *config.Config) []feature.Finding {
	const newest = 5
	var out []feature.Finding
	for _, a := range c.AgentIDs() {
		s := storeOf(c, a)
		rows, err := sh.readSessions(ctx, c, s, time.Now())
		if err != nil {
			text, _, _ := strings.Cut(hint(err), " Try:") // this is what one would try
			out = append(out, feature.Finding{Severity: "error", Text: text, Mend: "openclaw gateway run: it sets " + s.Path + " aside and writes it anew from its database"})
			continue
		}
		sortSessions(rows)
		missing := 0
		for _, r := range rows[:min(len(rows), newest)] {
			if r.SessionID != "" && !hasTranscript(s.Path, r) {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, feature.Finding{
				Severity: "warning",
				Text:     fmt.Sprintf("%d of the newest sessions of %s have no transcript.", missing, a), Mend: "openclaw sessions cleanup --dry-run --fix-missing",
			})
		}
	}
	return out
}

// checkAccess is the security audit, without what checkState mends.
func checkAccess(_ context.Context, c *config.Config) []feature.Finding {
	var out []feature.Finding
	for _, f := range audit(c).Findings {
		if strings.HasPrefix(f.ID, "fs.") {
			continue
		}
		severity := "warning"
		if f.Severity == "critical" {
			severity = "error"
		}
		out = append(out, feature.Finding{Severity: severity, Text: f.Title + ": " + f.Detail, Mend: f.Remediation})
	}
	return out
}

func (sh *shell) checkToken(_ context.Context, c *config.Config) []feature.Finding {
	g := c.Gateway
	if len(g.Auth.Token) > 0 && len(g.Auth.Password) > 0 && g.Auth.Mode == "" {
		return []feature.Finding{{Severity: "warning", Text: "token and password are both set, and gateway.auth.mode says nothing.", Mend: "openclaw config set gateway.auth.mode token"}}
	}
	mode := first(g.Auth.Mode, "token")
	if g.Mode == "remote" || mode != "token" || len(g.Auth.Token) > 0 || sh.Getenv("OPENCLAW_GATEWAY_TOKEN") != "" {
		return nil
	}
	return []feature.Finding{{
		Severity: "warning", Text: "the gateway has no token.", Mend: "openclaw doctor --generate-gateway-token",
		Fix: func(ctx context.Context) error {
			token, err := newToken()
			if err != nil {
				return err
			}
			_, err = sh.edit(ctx, change{"gateway.auth.mode", "token", false}, change{"gateway.auth.token", token, false})
			return err
		},
	}}
}

// checkPort compares the lock of the state with who listens on the port.
func (sh *shell) checkPort(ctx context.Context, c *config.Config) []feature.Finding {
	if c.Gateway.Mode == "remote" {
		return nil
	}
	port := sh.port(c)
	pid, held, err := store.Holder(c.Paths.State)
	taken := busy(ctx, port)
	switch {
	case err != nil:
		return []feature.Finding{{Severity: "warning", Text: "the lock of the state can't be read: " + cause(err) + ".", Mend: "check who owns " + filepath.Join(c.Paths.State, store.LockName)}}
	case held && !taken:
		return []feature.Finding{{
			Severity: "warning", Text: fmt.Sprintf("a gateway (pid %d) runs on this state, but not on port %d.", pid, port),
			Mend: "restart it after a change of the port: openclaw gateway restart",
		}}
	case !held && taken:
		return []feature.Finding{{
			Severity: "error", Text: fmt.Sprintf("port %d is in use%s, not by the gateway of this state directory.", port, ownerText(listeners(port))),
			Mend: "stop it, or choose another port: openclaw config set gateway.port " + strconv.Itoa(port+1),
		}}
	}
	return nil
}

// checkGateway asks a running gateway how it is.
func (sh *shell) checkGateway(ctx context.Context, c *config.Config) []feature.Finding {
	if c.Gateway.Mode != "remote" && !busy(ctx, sh.port(c)) {
		out := []feature.Finding{{Severity: "info", Text: "no gateway runs.", Mend: "openclaw gateway run"}}
		if c.Gateway.Mode == "" && exists(c.Paths.Config) {
			out = append([]feature.Finding{{
				Severity: "warning", Text: "gateway.mode isn't set, so that no gateway starts.", Mend: "openclaw config set gateway.mode local",
				Fix: func(ctx context.Context) error {
					_, err := sh.edit(ctx, change{"gateway.mode", "local", false})
					return err
				},
			}}, out...)
		}
		return out
	}
	var h struct {
		OK bool `json:"ok"`
	}
	if err := sh.call(ctx, target{timeout: 5000}, "health", nil, &h); err != nil {
		return []feature.Finding{{Severity: "error", Text: "the gateway doesn't answer: " + hint(err) + ".", Mend: "openclaw gateway status"}}
	}
	if !h.OK {
		return []feature.Finding{{Severity: "warning", Text: "the gateway says that it isn't well.", Mend: "openclaw health"}}
	}
	return nil
}

// checkService compares an installed service with what we would install now.
func (sh *shell) checkService(ctx context.Context, c *config.Config) []feature.Finding {
	m, err := sh.manager()
	if err != nil {
		return nil
	}
	st, err := m.State(ctx)
	if err != nil || !st.Installed {
		return nil
	}
	exe, err := sh.Executable()
	if err != nil {
		return nil
	}
	text := readString(m.Path())
	if target, err := filepath.EvalSymlinks(exe); err == nil {
		exe = target
	}
	if strings.Contains(text, exe) && strings.Contains(text, strconv.Itoa(sh.port(c))) {
		return nil
	}
	return []feature.Finding{{
		Severity: "warning", Text: "the installed service runs another program or port than this one.", Mend: "openclaw gateway install --force",
		Fix: func(ctx context.Context) error { return sh.installFor(ctx, c) },
	}}
}

// checkModels finds providers in use without a key, and local servers that
// don't answer.
func (sh *shell) checkModels(ctx context.Context, c *config.Config) []feature.Finding {
	var out []feature.Finding
	r, err := sh.modelsFacts(ctx, c, c.DefaultAgent())
	if err != nil {
		return []feature.Finding{{Severity: "error", Text: hint(err), Mend: "openclaw models auth add"}}
	}
	used, _, _ := strings.Cut(r.Default, "/")
	for _, p := range r.Auth.Missing {
		severity := "info"
		if p == used {
			severity = "error"
		}
		out = append(out, feature.Finding{Severity: severity, Text: "no key for " + p + ".", Mend: "openclaw models auth paste-token --provider " + p})
	}
	for _, p := range sortedKeys(c.Models.Providers) {
		base := c.Models.Providers[p].BaseURL
		if base == "" {
			continue
		}
		if err := reachable(ctx, base); err != nil {
			severity := "warning"
			if p == used {
				severity = "error"
			}
			out = append(out, feature.Finding{
				Severity: severity, Text: "the server of " + p + " doesn't answer (" + base + ").",
				Mend: "start it, or check models.providers." + p + ".baseUrl",
			})
		}
	}
	return out
}

// reachable connects to the server of an address, and says nothing to it.
func reachable(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return errors.New("not an address")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	d := net.Dialer{Timeout: 3 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// checkWorkspace warns of files that the prompt cuts.
func checkWorkspace(_ context.Context, c *config.Config) []feature.Finding {
	var out []feature.Finding
	limit := c.Agents.Defaults.BootstrapMaxChars
	if limit <= 0 {
		limit = 20000
	}
	for _, a := range c.AgentIDs() {
		dir := c.Workspace(a)
		if !exists(dir) {
			out = append(out, feature.Finding{Severity: "info", Text: "the workspace of " + string(a) + " isn't there yet; the first turn makes it."})
			continue
		}
		for _, n := range []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"} {
			if info, err := os.Stat(filepath.Join(dir, n)); err == nil && info.Size() > int64(limit) {
				out = append(out, feature.Finding{
					Severity: "warning", Text: fmt.Sprintf("%s of %s has %d bytes; the prompt takes %d characters.", n, a, info.Size(), limit),
					Mend: "shorten it, or raise agents.defaults.bootstrapMaxChars",
				})
			}
		}
	}
	return out
}
