package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

type systemd struct{ h Host }

var _ Manager = (*systemd)(nil)

// SystemdUnit is the text of the user unit.
func SystemdUnit(s Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=OpenClaw Gateway (%s)\n", describe(s))
	b.WriteString("After=network-online.target\nWants=network-online.target\n")
	b.WriteString("StartLimitIntervalSec=60\nStartLimitBurst=10\n\n[Service]\n")
	b.WriteString("ExecStart=" + systemdWord(s.Program))
	for _, a := range s.Args {
		b.WriteString(" " + systemdWord(strings.ReplaceAll(a, "$", "$$"))) // $ begins a variable there, and only there
	}
	b.WriteString("\n")
	if s.Dir != "" {
		b.WriteString("WorkingDirectory=" + systemdPath(s.Dir) + "\n")
	}
	for _, kv := range pairs(marked(s, "OPENCLAW_SYSTEMD_UNIT", "openclaw-gateway"+suffix(s.Profile)+".service")) {
		b.WriteString("Environment=" + systemdWord(kv[0]+"="+kv[1]) + "\n")
	}
	// The gateway drains on SIGTERM; its children get the time too, then the
	// whole group is killed.
	b.WriteString("Restart=always\nRestartSec=5\nRestartPreventExitStatus=78\nKillMode=mixed\nTimeoutStopSec=40\nUMask=0077\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

func describe(s Spec) string {
	if s.Profile == "" {
		return s.Version
	}
	return "profile: " + s.Profile + ", " + s.Version
}

// systemdWord quotes one word of a command line or assignment, where %% is %.
func systemdWord(s string) string {
	s = strings.NewReplacer(`%`, `%%`, `\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
	if s != "" && !strings.ContainsAny(s, " '\\;\"") {
		return s
	}
	return `"` + s + `"`
}

// systemdPath is a path outside a command line, where only % is special.
func systemdPath(s string) string { return strings.ReplaceAll(s, "%", "%%") }

func (m *systemd) Kind() string  { return "systemd" }
func (m *systemd) Label() string { return "openclaw-gateway" + suffix(m.h.Profile) + ".service" }
func (m *systemd) Path() string {
	return join(m.h.Home, ".config", "systemd", "user", m.Label())
}

// wants is the link by which the unit is enabled.
func (m *systemd) wants() string {
	return join(m.h.Home, ".config", "systemd", "user", "default.target.wants", m.Label())
}

func (m *systemd) Install(ctx context.Context, s Spec) error {
	back := undo(m.Path())
	if err := write(m.Path(), SystemdUnit(s)); err != nil {
		return err
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", m.Label()}, {"restart", m.Label()}} {
		if err := m.ctl(ctx, args...); err != nil {
			return errors.Join(err, back())
		}
	}
	return nil
}

func (m *systemd) Uninstall(ctx context.Context) error {
	if !exists(m.Path()) {
		return nil
	}
	err := m.ctl(ctx, "disable", "--now", m.Label())
	if err != nil && !errors.Is(err, errNoSession) {
		return err
	}
	if rerr := errors.Join(remove(m.Path()), remove(m.wants())); rerr != nil {
		return rerr
	}
	if err != nil {
		return nil // nothing of this user runs, so nothing has to be told
	}
	return m.ctl(ctx, "daemon-reload")
}

func (m *systemd) Start(ctx context.Context) error   { return m.ctl(ctx, "start", m.Label()) }
func (m *systemd) Stop(ctx context.Context) error    { return m.ctl(ctx, "stop", m.Label()) }
func (m *systemd) Restart(ctx context.Context) error { return m.ctl(ctx, "restart", m.Label()) }

func (m *systemd) State(ctx context.Context) (State, error) {
	st := State{Installed: exists(m.Path())}
	out, err := m.h.Runner.Run(ctx, "systemctl", "--user", "show", m.Label(), "--no-page",
		"--property=ActiveState,SubState,MainPID,ExecMainStatus")
	if err != nil {
		st.Detail = fault.Hint(mend(err))
		return st, nil
	}
	facts := map[string]string{}
	for line := range strings.Lines(out) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		facts[k] = v
	}
	st.Running = facts["ActiveState"] == "active"
	st.PID, _ = strconv.Atoi(facts["MainPID"]) // 0 when there is none
	st.Detail = strings.Trim(facts["ActiveState"]+"/"+facts["SubState"], "/")
	return st, nil
}

func (m *systemd) ctl(ctx context.Context, args ...string) error {
	_, err := m.h.Runner.Run(ctx, "systemctl", append([]string{"--user"}, args...)...)
	return mend(err)
}

var errNoSession = errors.New("no session of this user")

// mend adds what to do when there is no systemd for this user.
func mend(err error) error {
	switch {
	case err == nil:
		return nil
	case fault.KindOf(err) == fault.NotFound:
		return &fault.Error{
			Kind: fault.Unavailable, Op: "service.systemd", Err: err,
			Hint: "systemd is not on this host; run openclaw gateway run under your own supervisor",
		}
	case strings.Contains(fault.Hint(err), "Failed to connect to"):
		return &fault.Error{
			Kind: fault.Unavailable, Op: "service.systemd", Err: errors.Join(err, errNoSession),
			Hint: "systemd has no session for this user: log in once more, or type sudo loginctl enable-linger $USER",
		}
	}
	return err
}
