// Package cli is the command line: one file for each command.
//
// [Main] reads the flags that stand before the command, builds the tree of
// commands (root.go) and runs one. A command gets what it needs from the
// shell: the configuration (settings.go), a connection to the gateway
// (gateway.go), and the ways to print (output.go, package term). What starts a
// gateway or runs an agent is not here: the caller hands it over in [Deps].
//
// Names, flags, exit codes and --json shapes are those of OpenClaw 2026.3.13,
// except that --json prints JSON and nothing else, errors say what to type
// next, and nobody sees a stack trace.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/service"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// ErrRestart is what Serve returns to be called again.
var ErrRestart = errors.New("restart")

// Deps is what the command line needs of the rest of the house. A nil function
// makes its command say that this build doesn't have it.
type Deps struct {
	// Serve runs a gateway until ctx ends. With [ErrRestart] it asks to be run
	// again, on what the configuration says then.
	Serve func(ctx context.Context, o ServeOptions) error
	// Local runs one turn in this process, without a gateway.
	Local func(ctx context.Context, o LocalOptions) (Answer, error)
	// Checks are what the features of this configuration let doctor look at.
	Checks func(ctx context.Context, c *config.Config) []feature.Check
	// Models lists the models that this configuration can use.
	Models func(ctx context.Context, c *config.Config) ([]llm.Model, error)
	// Resolver finds the ways to ask the models of a configuration.
	Resolver func(c *config.Config) *model.Resolver
	// Channels are the channels in this build.
	Channels []id.Channel
	// Resolve turns a secret of the file, a string or a reference, into its value.
	Resolve func(ctx context.Context, c *config.Config, raw json.RawMessage) (secret.String, error)
}

// ServeOptions are the flags of gateway run, after the configuration was
// found fit to start with. Zero fields leave the configuration's word.
type ServeOptions struct {
	Paths config.Paths
	Port  int
	// FixedPort says that a flag or the environment chose the port, so that the
	// configuration can't move it.
	FixedPort     bool
	Bind          string
	Auth          string
	Token         secret.String
	Password      secret.String
	Verbose       bool
	RawStream     bool
	RawStreamPath string
	Log           *slog.Logger
	LogFile       string
	// Ready is called once, when the gateway accepts connections.
	Ready func(Ready)
}

// Ready is what a gateway that started says about itself.
type Ready struct {
	Addr  string // host:port that it listens on
	Model string // provider/model of the default agent
}

// LocalOptions is one turn in this process.
type LocalOptions struct {
	Paths     config.Paths
	Log       *slog.Logger
	Agent     id.Agent
	Session   id.SessionKey
	SessionID id.Session
	To        string
	Message   string
	Thinking  string
	Verbose   string
	Channel   string
	Deliver   bool
	ReplyTo   string
	ReplyOn   string // channel
	ReplyAs   id.Account
	Timeout   time.Duration
	Run       id.Run
}

// Answer is what a turn came to. Its JSON is the recorded one.
type Answer struct {
	Payloads []Payload       `json:"payloads"`
	Meta     json.RawMessage `json:"meta"`
}

// Payload is one message of an answer.
type Payload struct {
	Text      string   `json:"text"`
	MediaURL  *string  `json:"mediaUrl"`
	MediaURLs []string `json:"mediaUrls,omitempty"`
	IsError   bool     `json:"isError,omitempty"`
}

// IO is the process that a command line runs in. The zero value of a field
// isn't useful; [Main] fills them from the system, tests with their own.
type IO struct {
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Executable func() (string, error)
	Program    string // as the person typed it
	Runner     service.Runner
	OS         string // as in runtime.GOOS
}

// shell is one run of the program.
type shell struct {
	IO
	Deps
	global global
	argv   []string
	json   bool // --json of the command that runs
	root   *cobra.Command
	out    term.Style
	err    term.Style
	loaded *config.Loaded
}

// Main runs the command line args and returns the exit code.
func Main(ctx context.Context, args []string, d Deps) int {
	return Run(ctx, args, d, System())
}

// Run is Main in a process of the caller's choice.
func Run(ctx context.Context, args []string, d Deps, p IO) int {
	sh := &shell{IO: p, Deps: d, argv: args}
	g, rest, err := parseGlobal(args)
	sh.global = g
	sh.out, sh.err = sh.style(p.Stdout), sh.style(p.Stderr)
	switch {
	case err != nil:
		return sh.report(err)
	case g.version:
		_, _ = io.WriteString(p.Stdout, version.Banner()+"\n")
		return 0
	}
	sh.root = sh.tree()
	sh.root.SetArgs(rest)
	return sh.report(sh.root.ExecuteContext(ctx))
}

func (sh *shell) style(w io.Writer) term.Style {
	return term.Style{Color: !sh.global.noColor && term.Colors(w, sh.Getenv)}
}

// System is the process we are in.
func System() IO {
	return IO{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Executable: os.Executable, Program: os.Args[0], Runner: service.Exec{}, OS: goos,
	}
}
