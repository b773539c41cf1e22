package local

import (
	"context"

	"github.com/charmbracelet/x/xpty"

	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
)

// startTerminal starts the command on a pseudo-console.
func (p *process) startTerminal(machine.Command) error {
	pty, err := xpty.NewConPty(columns, rows)
	if err != nil {
		return err
	}
	proc.OwnTerminal(p.cmd)
	p.cmd.Env = terminalEnv(p.cmd.Env)
	if err := p.start(func() error { return pty.Start(p.cmd) }); err != nil {
		pty.Close()
		return err
	}
	p.term, p.output = pty, pty
	p.run()
	return nil
}

// wait waits for the program itself; os/exec can't on a pseudo-console.
func (p *process) wait() error {
	if p.term == nil {
		return p.cmd.Wait()
	}
	return xpty.WaitProcess(context.Background(), p.cmd) //nolint:forbidigo // ends with the process, which Kill ends
}
