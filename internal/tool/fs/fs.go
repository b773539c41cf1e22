// Package fs has the file tools: read, write, edit, ls, grep and find.
//
// Whose call it is decides how far they reach. An owner's session reaches the
// whole host, unless tools.fs.workspaceOnly keeps it in the agent's workspace;
// everybody else's is always kept there, and is never shown the gateway's own
// files. No session may write to the gateway's files with these tools. Inside
// a workspace paths are walked with [os.Root], so neither links nor a swap
// during the call lead out of it.
//
// Start at [New]; where a path leads is decided in one place, tools.at.
package fs

import (
	_ "embed"
	"strings"

	"github.com/openclaw-go/openclaw/internal/tool"
)

// Options are what the tools take from configuration. The zero value works.
type Options struct {
	// WorkspaceOnly is tools.fs.workspaceOnly; it is asked at each call.
	WorkspaceOnly func() bool
	// Home is what ~ stands for.
	Home string
	// Protect are files of the gateway outside of its state directory, such as
	// a configuration file named by the environment.
	Protect []string
}

// New returns the file tools.
func New(o Options) []tool.Tool {
	t := &tools{o}
	return []tool.Tool{
		face{tool.New("read", strings.TrimSpace(readText), t.read), false},
		face{tool.New("write", strings.TrimSpace(writeText), t.write), true},
		face{tool.New("edit", strings.TrimSpace(editText), t.edit), true},
		face{tool.New("ls", strings.TrimSpace(lsText), t.ls), false},
		face{tool.New("grep", strings.TrimSpace(grepText), t.grep), false},
		face{tool.New("find", strings.TrimSpace(findText), t.find), false},
	}
}

//go:embed read.md
var readText string

//go:embed write.md
var writeText string

//go:embed edit.md
var editText string

//go:embed ls.md
var lsText string

//go:embed grep.md
var grepText string

//go:embed find.md
var findText string

type tools struct{ Options }

// face is a tool with its place in the catalogue. Calls that change files run
// one after the other.
type face struct {
	tool.Tool
	writes bool
}

var (
	_ tool.Serial  = face{}
	_ tool.Grouped = face{}
)

func (f face) Serial() bool  { return f.writes }
func (f face) Group() string { return "fs" }

// either returns the first of two spellings of an argument that is set.
func either(a, b *string) (string, bool) {
	switch {
	case a != nil:
		return *a, true
	case b != nil:
		return *b, true
	}
	return "", false
}
