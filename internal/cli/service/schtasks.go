package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

type schtasks struct{ h Host }

var _ Manager = (*schtasks)(nil)

// TaskXML is the text of the scheduled task, which runs script at logon. A
// task has no environment of its own, so [TaskScript] sets it.
func TaskXML(s Spec, script string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>%s</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>999</Count>
    </RestartOnFailure>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Hidden>true</Hidden>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%s</Command>
`, escape("OpenClaw Gateway ("+describe(s)+")"), escape(script))
	if s.Dir != "" {
		fmt.Fprintf(&b, "      <WorkingDirectory>%s</WorkingDirectory>\n", escape(s.Dir))
	}
	b.WriteString("    </Exec>\n  </Actions>\n</Task>\n")
	return b.String()
}

// TaskScript is the command file that the task runs.
func TaskScript(s Spec) string {
	var b strings.Builder
	b.WriteString("@echo off\r\nrem OpenClaw Gateway (" + describe(s) + ")\r\n")
	if s.Dir != "" {
		b.WriteString("cd /d " + cmdWord(s.Dir) + "\r\n")
	}
	for _, kv := range pairs(marked(s, "OPENCLAW_WINDOWS_TASK_NAME", taskName(s.Profile))) {
		b.WriteString(`set "` + kv[0] + "=" + cmdText(kv[1]) + "\"\r\n")
	}
	b.WriteString(cmdWord(s.Program))
	for _, a := range s.Args {
		b.WriteString(" " + cmdWord(a))
	}
	if s.Log != "" {
		b.WriteString(" >> " + cmdWord(s.Log) + " 2>&1")
	}
	b.WriteString("\r\n")
	return b.String()
}

// cmdText is text inside quotes of a command file: % begins a variable, and a
// quote or line break can't be there.
func cmdText(s string) string {
	return strings.NewReplacer(`%`, `%%`, `"`, "", "\r", "", "\n", "").Replace(s)
}

func cmdWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " &|<>^%()!\"=;,'`+[]{}~") {
		return s
	}
	return `"` + cmdText(s) + `"`
}

func taskName(profile string) string {
	if suffix(profile) == "" {
		return "OpenClaw Gateway"
	}
	return "OpenClaw Gateway (" + profile + ")"
}

func (m *schtasks) Kind() string  { return "schtasks" }
func (m *schtasks) Label() string { return taskName(m.h.Profile) }
func (m *schtasks) Path() string {
	return join(m.h.Home, "AppData", "Local", "OpenClaw", "gateway"+suffix(m.h.Profile)+".cmd")
}

func (m *schtasks) xmlPath() string { return strings.TrimSuffix(m.Path(), ".cmd") + ".xml" }

func (m *schtasks) Install(ctx context.Context, s Spec) error {
	script, xml := undo(m.Path()), undo(m.xmlPath())
	err := write(m.Path(), TaskScript(s))
	if err == nil {
		err = write(m.xmlPath(), TaskXML(s, m.Path()))
	}
	if err == nil {
		err = m.ctl(ctx, "/Create", "/F", "/TN", m.Label(), "/XML", m.xmlPath())
	}
	if err != nil {
		return errors.Join(err, script(), xml())
	}
	return m.Start(ctx)
}

func (m *schtasks) Uninstall(ctx context.Context) error {
	if !exists(m.Path()) {
		return nil
	}
	_ = m.ctl(ctx, "/End", "/TN", m.Label()) // not running is fine
	if err := m.ctl(ctx, "/Delete", "/F", "/TN", m.Label()); err != nil {
		return err
	}
	if err := remove(m.xmlPath()); err != nil {
		return err
	}
	return remove(m.Path())
}

func (m *schtasks) Start(ctx context.Context) error { return m.ctl(ctx, "/Run", "/TN", m.Label()) }
func (m *schtasks) Stop(ctx context.Context) error  { return m.ctl(ctx, "/End", "/TN", m.Label()) }

func (m *schtasks) Restart(ctx context.Context) error {
	_ = m.Stop(ctx) // not running is fine
	return m.Start(ctx)
}

func (m *schtasks) State(ctx context.Context) (State, error) {
	st := State{Installed: exists(m.Path())}
	out, err := m.h.Runner.Run(ctx, "schtasks", "/Query", "/TN", m.Label(), "/FO", "LIST")
	if err != nil {
		st.Detail = "not registered"
		return st, nil
	}
	for line := range strings.Lines(out) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "Status" {
			st.Detail = strings.TrimSpace(v)
		}
	}
	st.Running = strings.EqualFold(st.Detail, "running")
	return st, nil
}

func (m *schtasks) ctl(ctx context.Context, args ...string) error {
	_, err := m.h.Runner.Run(ctx, "schtasks", args...)
	return err
}
