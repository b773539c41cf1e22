// Package command is the contract with a slash command, and the table that
// finds and runs them.
package command

import (
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Env is what a command may look at.
type Env struct {
	In      msg.Inbound
	Session id.SessionKey
	Agent   id.Agent
	Owner   bool
}

// Command is one slash command.
type Command struct {
	Name    string // without the slash
	Aliases []string
	Help    string
	Owner   bool // only the owner may use it
	Run     func(ctx context.Context, env Env, args string) (reply string, err error)
}

// Table finds commands by name.
type Table struct{ byName map[string]Command }

// NewTable returns a table of cs. Two commands must not share a name.
func NewTable(cs []Command) (*Table, error) {
	t := &Table{byName: map[string]Command{}}
	for _, c := range cs {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if _, dup := t.byName[n]; dup {
				return nil, fault.New(fault.Conflict, "command.NewTable", "two commands named /"+n)
			}
			t.byName[n] = c
		}
	}
	return t, nil
}

// Apply runs the command that in.Text starts with, if any. It reports whether
// there was one; then reply is the answer to send.
func (t *Table) Apply(ctx context.Context, env Env) (reply string, handled bool, err error) {
	name, args, isCommand := parse(env.In.Text)
	if !isCommand {
		return "", false, nil
	}
	c, ok := t.byName[name]
	if !ok {
		return "", false, nil
	}
	if c.Owner && !env.Owner {
		return "", true, fault.New(fault.Forbidden, "command."+name, "only the owner can do that")
	}
	reply, err = c.Run(ctx, env, strings.TrimSpace(args))
	return reply, true, err
}

// Knows reports whether text begins with one of the table's commands.
func (t *Table) Knows(text string) bool {
	name, _, isCommand := parse(strings.TrimSpace(text))
	if !isCommand || t == nil {
		return false
	}
	_, ok := t.byName[name]
	return ok
}

// parse reads "/name args". The name may be in any case, end in a colon, and
// name a bot as in groups: "/Think@my_bot: high".
func parse(text string) (name, args string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name = text
	if i := strings.IndexAny(text, ": \t\r\n"); i >= 0 {
		name, args = text[:i], strings.TrimPrefix(text[i:], ":")
	}
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), args, true
}
