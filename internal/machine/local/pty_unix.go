//go:build unix

package local

import (
	"os"

	"github.com/charmbracelet/x/xpty"

	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
)

// startTerminal starts the command on a pseudo-terminal.
func (p *process) startTerminal(machine.Command) error {
	pty, err := xpty.NewUnixPty(columns, rows)
	if err != nil {
		return err
	}
	proc.OwnTerminal(p.cmd)
	p.cmd.Env = terminalEnv(p.cmd.Env)
	if err := p.start(func() error { return pty.Start(p.cmd) }); err != nil {
		pty.Close()
		return err
	}
	// Ours must be the only open end, or the command's end is never seen.
	pty.Slave().Close()
	master := pty.Master()
	p.term, p.output = master, master
	p.run()
	return nil
}

// wait waits for the program itself.
func (p *process) wait() error { return p.cmd.Wait() }

var _ terminal = (*os.File)(nil)
