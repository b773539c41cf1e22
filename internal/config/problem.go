package config

import (
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	// Path is where, as clients of the gateway know it: dotted, numbers for
	// array elements, "" for the root. For an unknown key it is the object.
	Path    string `json:"path"`
	Message string `json:"message"`

	Allowed []any `json:"allowedValues,omitempty"` // at most 12
	Hidden  int   `json:"allowedValuesHiddenCount,omitempty"`

	// Key is the full path of the key to look at, the unknown key included.
	Key    string `json:"key,omitempty"`
	File   string `json:"file,omitempty"` // the file that holds it, which may be an included one
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Mend   string `json:"mend,omitempty"` // what to change or type
	Open   bool   `json:"-"`              // others on this host may read File

	steps  KeyPath // Key as steps, for an unknown key
	hard   bool    // of the wrong shape, rather than out of bounds
	refuse bool    // a warning that a write must not bring about
}

// Where is the path as the command line prints it.
func (p Problem) Where() string {
	if p.Path == "" {
		return "<root>"
	}
	return p.Path
}

// At is "file:line:column", or "" when the place isn't known.
func (p Problem) At() string {
	switch {
	case p.Line == 0 && p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// String is one line: place, path, message and mend.
func (p Problem) String() string {
	var b strings.Builder
	if at := p.At(); at != "" {
		b.WriteString(at + ": ")
	}
	where := p.Key
	if where == "" {
		where = p.Where()
	}
	b.WriteString(where + ": " + p.Message)
	if p.Mend != "" {
		b.WriteString(" (" + p.Mend + ")")
	}
	return b.String()
}

// Invalid is the error of a configuration that can't be used.
type Invalid struct {
	Path     string // the file
	Problems []Problem
	Reason   string // why the last good copy wasn't used either; may be empty
}

func (e *Invalid) Error() string {
	parts := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		parts = append(parts, p.Where()+": "+p.Message)
	}
	s := "invalid config: " + strings.Join(parts, "; ")
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	return s
}

// Unwrap classifies the error.
func (e *Invalid) Unwrap() error {
	return &fault.Error{Kind: fault.Invalid, Op: "config", Hint: "the configuration is invalid; run: openclaw doctor --fix"}
}

// at fills in the place of n.
func (p Problem) at(n *jsonc.Node) Problem {
	if n != nil && n.Doc != nil {
		pos := n.Pos()
		p.File, p.Line, p.Column = n.Doc.Name, pos.Line, pos.Column
	}
	if p.Key == "" {
		p.Key = p.Path
	}
	return p
}

func (p Problem) atMember(m *jsonc.Member) Problem {
	if m != nil && m.Doc != nil {
		pos := m.Pos()
		p.File, p.Line, p.Column = m.Doc.Name, pos.Line, pos.Column
	}
	if p.Key == "" {
		p.Key = p.Path
	}
	return p
}

// dotted joins path steps.
func dotted(path ...string) string { return strings.Join(path, ".") }

// child returns path with one more step. It never shares its tail with
// another call's result.
func child(path []string, step string) []string {
	return append(path[:len(path):len(path)], step)
}
