// Package command is the contract with a slash command, and the table that
// finds commands and directives in what people write, and runs them.
//
// A command is a message that begins with its name. A directive is a setting
// (/think high) that may stand anywhere: alone it is kept in the session, beside
// other text it is cut out and holds for that message. Who may use either is
// decided here and nowhere else.
package command

import (
	"context"
	"slices"
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
	// May says that the sender may use commands at all. To others a command
	// alone gets no answer, and within a text it is text.
	May bool
	// Begun says that an earlier process began with this message: what a command
	// with Then does was done.
	Begun bool
}

// Command is one slash command.
type Command struct {
	Name    string // without the slash
	Aliases []string
	Help    string
	Owner   bool // only the owner may use it
	Args    []Arg
	Hidden  bool // not in lists and menus
	Run     func(ctx context.Context, env Env, args string) (reply string, err error)
	// Then says that a text behind it goes to the agent, once it ran.
	Then bool
	// Inline says that it also works within a text: it is cut out and answered,
	// and the rest goes on.
	Inline bool
	// Takes makes it a directive: it tells whether the i-th word after the name
	// belongs to it.
	Takes func(i int, word string) bool
	// Once, for a directive, notes what args set for one message.
	Once func(o *Once, args string) error
}

// Arg is one argument, for menus.
type Arg struct {
	Name    string
	Choices []string // empty is free text
}

// Once is what directives set for one message; empty fields leave the session's
// settings.
type Once struct {
	Thinking, Verbose, Reasoning string
	Model                        string // provider/model
	Queue                        string // the mode
}

// Applied is what came of the commands in a message.
type Applied struct {
	Handled bool     // all of it was for commands; Replies are the answer
	Replies []string // what commands said
	Once    Once
}

// Table finds commands by name.
type Table struct {
	byName map[string]Command
	all    []Command
}

// NewTable returns a table of cs. Two commands must not share a name.
func NewTable(cs []Command) (*Table, error) {
	t := &Table{byName: map[string]Command{}, all: slices.Clone(cs)}
	for _, c := range cs {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if _, dup := t.byName[n]; dup {
				return nil, fault.New(fault.Conflict, "command.NewTable", "two commands named /"+n)
			}
			t.byName[n] = c
		}
	}
	slices.SortFunc(t.all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return t, nil
}

// All returns the commands for lists and menus, by name.
func (t *Table) All() []Command {
	return slices.DeleteFunc(slices.Clone(t.all), func(c Command) bool { return c.Hidden })
}

// Apply runs the command that env.In.Text is, or the directives in it. What is
// left for the agent is what [Table.Cut] leaves of the text.
func (t *Table) Apply(ctx context.Context, env Env) (Applied, error) {
	if c, rest, ok := t.then(env.In.Text); ok && env.May {
		if !env.Begun {
			if _, err := t.run(ctx, env, c, rest); err != nil {
				return Applied{Handled: true}, err
			}
		}
		env.In.Text = rest
		return t.Apply(ctx, env)
	}
	name, args, isCommand := parse(strings.TrimSpace(env.In.Text))
	c, known := t.byName[name]
	if isCommand && known && c.Takes == nil {
		if !env.May {
			return Applied{Handled: true}, nil
		}
		reply, err := t.run(ctx, env, c, args)
		return Applied{Handled: true, Replies: replies(reply)}, err
	}
	rest, found := t.find(env.In.Text)
	alone := len(found) > 0 && strings.TrimSpace(rest) == ""
	switch {
	case len(found) == 0:
		return Applied{}, nil
	case !env.May:
		return Applied{Handled: alone}, nil
	}
	out := Applied{Handled: alone}
	for _, f := range found {
		if !alone && f.Takes != nil {
			if f.Once != nil {
				_ = f.Once(&out.Once, f.args) // a value that doesn't fit was left in the text
			}
			continue
		}
		reply, err := t.run(ctx, env, f.Command, f.args)
		if err != nil {
			return out, err
		}
		if alone && len(out.Replies) > 0 { // several settings are acknowledged in one line
			out.Replies[0] += " " + reply
			continue
		}
		out.Replies = append(out.Replies, replies(reply)...)
	}
	return out, nil
}

func replies(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func (t *Table) run(ctx context.Context, env Env, c Command, args string) (string, error) {
	if c.Owner && !env.Owner {
		return "", fault.New(fault.Forbidden, "command."+c.Name, "only the owner can do that")
	}
	return c.Run(ctx, env, strings.TrimSpace(args))
}

// then finds the command that text begins with and goes on behind. Said twice,
// it is meant once.
func (t *Table) then(text string) (c Command, rest string, ok bool) {
	for {
		name, args, isCommand := parse(strings.TrimSpace(text))
		next := t.byName[name]
		args = strings.TrimSpace(args)
		if !isCommand || !next.Then || args == "" {
			return c, text, ok
		}
		c, text, ok = next, args, true
	}
}

// Cut returns texts, the parts of one message, without the directives and inline
// commands in them, and without the command that the first is a text for. Code
// that one part begins goes on in the next.
func (t *Table) Cut(texts ...string) []string {
	out := slices.Clone(texts)
	if len(out) > 0 {
		if _, rest, ok := t.then(out[0]); ok {
			out[0] = rest
		}
	}
	whole := strings.Join(out, "\n")
	if !strings.Contains(whole, "/") {
		return out
	}
	skip, at := shielded(whole), 0
	for i, text := range out {
		rest, found := t.findIn(text, skip[at:at+len(text)])
		at += len(text) + 1
		if len(found) > 0 {
			out[i] = strings.TrimSpace(rest)
		}
	}
	return out
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
		name, args = text[:i], strings.TrimPrefix(strings.TrimLeft(text[i:], " \t"), ":")
	}
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), args, true
}
