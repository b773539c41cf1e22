package service

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

type launchd struct{ h Host }

var _ Manager = (*launchd)(nil)

// LaunchdPlist is the text of the launch agent.
func LaunchdPlist(s Spec) string {
	label := launchdLabel(s.Profile)
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`)
	text := func(key, value string) {
		fmt.Fprintf(&b, "\t<key>%s</key>\n\t<string>%s</string>\n", key, escape(value))
	}
	text("Label", label)
	text("Comment", "OpenClaw Gateway ("+describe(s)+")")
	b.WriteString("\t<key>RunAtLoad</key>\n\t<true/>\n\t<key>KeepAlive</key>\n\t<true/>\n")
	b.WriteString("\t<key>ThrottleInterval</key>\n\t<integer>5</integer>\n\t<key>ExitTimeOut</key>\n\t<integer>40</integer>\n")
	b.WriteString("\t<key>Umask</key>\n\t<integer>63</integer>\n") // 0077
	b.WriteString("\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, a := range append([]string{s.Program}, s.Args...) {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", escape(a))
	}
	b.WriteString("\t</array>\n")
	if s.Dir != "" {
		text("WorkingDirectory", s.Dir)
	}
	if s.Log != "" {
		text("StandardOutPath", s.Log)
		text("StandardErrorPath", s.Log)
	}
	b.WriteString("\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, kv := range pairs(marked(s, "OPENCLAW_LAUNCHD_LABEL", label)) {
		fmt.Fprintf(&b, "\t\t<key>%s</key>\n\t\t<string>%s</string>\n", escape(kv[0]), escape(kv[1]))
	}
	b.WriteString("\t</dict>\n</dict>\n</plist>\n")
	return b.String()
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder doesn't fail
	return b.String()
}

func launchdLabel(profile string) string {
	if suffix(profile) == "" {
		return "ai.openclaw.gateway"
	}
	return "ai.openclaw." + profile
}

func (m *launchd) Kind() string  { return "launchd" }
func (m *launchd) Label() string { return launchdLabel(m.h.Profile) }
func (m *launchd) Path() string {
	return join(m.h.Home, "Library", "LaunchAgents", m.Label()+".plist")
}

func (m *launchd) domain() string { return "gui/" + strconv.Itoa(m.h.UID) }
func (m *launchd) target() string { return m.domain() + "/" + m.Label() }

func (m *launchd) Install(ctx context.Context, s Spec) error {
	back := undo(m.Path())
	if err := write(m.Path(), LaunchdPlist(s)); err != nil {
		return err
	}
	_, _ = m.h.Runner.Run(ctx, "launchctl", "bootout", m.target()) // an older one, if any
	if _, err := m.h.Runner.Run(ctx, "launchctl", "enable", m.target()); err != nil {
		return errors.Join(err, back())
	}
	if _, err := m.h.Runner.Run(ctx, "launchctl", "bootstrap", m.domain(), m.Path()); err != nil {
		return errors.Join(err, back())
	}
	return nil
}

func (m *launchd) Uninstall(ctx context.Context) error {
	if !exists(m.Path()) {
		return nil
	}
	_, _ = m.h.Runner.Run(ctx, "launchctl", "bootout", m.target()) // not loaded is fine
	return remove(m.Path())
}

// Start loads the agent again after Stop, which unloads it: KeepAlive would
// bring a killed one back.
func (m *launchd) Start(ctx context.Context) error {
	if !exists(m.Path()) {
		return notInstalled()
	}
	if _, err := m.h.Runner.Run(ctx, "launchctl", "print", m.target()); err == nil {
		_, err = m.h.Runner.Run(ctx, "launchctl", "kickstart", m.target())
		return err
	}
	_, err := m.h.Runner.Run(ctx, "launchctl", "bootstrap", m.domain(), m.Path())
	return err
}

func (m *launchd) Stop(ctx context.Context) error {
	_, err := m.h.Runner.Run(ctx, "launchctl", "bootout", m.target())
	return err
}

func (m *launchd) Restart(ctx context.Context) error {
	if _, err := m.h.Runner.Run(ctx, "launchctl", "print", m.target()); err != nil {
		return m.Start(ctx)
	}
	_, err := m.h.Runner.Run(ctx, "launchctl", "kickstart", "-k", m.target())
	return err
}

func (m *launchd) State(ctx context.Context) (State, error) {
	st := State{Installed: exists(m.Path())}
	out, err := m.h.Runner.Run(ctx, "launchctl", "print", m.target())
	if err != nil {
		st.Detail = "not loaded"
		return st, nil
	}
	if f := regexp.MustCompile(`(?m)^\s*state = (.+)$`).FindStringSubmatch(out); f != nil {
		st.Detail = f[1]
		st.Running = f[1] == "running"
	}
	if f := regexp.MustCompile(`(?m)^\s*pid = (\d+)$`).FindStringSubmatch(out); f != nil {
		st.PID, _ = strconv.Atoi(f[1]) // digits, by the expression
	}
	return st, nil
}

func notInstalled() error {
	return fault.New(fault.NotFound, "service", "the gateway service isn't installed: openclaw gateway install")
}
