// Package exec has the tools exec, which runs a shell command, and process,
// which looks after commands that went on in the background.
//
// Who may run what, in this order:
//
//  1. Only an owner's session runs commands on the gateway's host. Any other
//     session is refused: what others ask for needs a sandbox, and the host is
//     never its substitute.
//  2. tools.exec.security deny refuses everything. A call may ask for a
//     stricter security or ask than configured, never for a laxer one.
//  3. allowlist, and ask always, need [Options.Approve] to say yes; without
//     one they refuse. With full, Approve is asked too, if there is one.
//  4. A host other than the gateway is refused while there is none.
//
// A command leads its own process group and has no input unless it runs in a
// terminal (pty). It has 1800 seconds unless told otherwise, and after
// tools.exec.backgroundMs it goes on in the background as a session of the
// chat that started it; only that chat sees it.
package exec

import (
	"context"
	_ "embed"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	defaultTimeout = 1800 * time.Second
	maxTimeout     = 7 * 24 * time.Hour
	defaultYield   = 10 * time.Second
	minYield       = 10 * time.Millisecond
	maxYield       = 120 * time.Second
	defaultCleanup = 30 * time.Minute
	minCleanup     = time.Minute
	maxCleanup     = 3 * time.Hour

	maxCommand  = 100_000 // bytes; the system takes 128 KiB
	keepBytes   = 200_000 // of each command's output
	updateBytes = 4_000   // of a streamed partial output
	updateEvery = 100 * time.Millisecond
	killGrace   = 2 * time.Second

	maxRunning  = 64 // in the background, in all
	perChat     = 16 // of one chat
	maxFinished = 100
)

// Config is the section tools.exec; zero fields have their defaults.
type Config struct {
	Host         string
	Security     string
	Ask          string
	BackgroundMs int
	TimeoutSec   int
	CleanupMs    int
	NotifyOnExit *bool
}

// Command is what is about to run, for the one who approves it.
type Command struct {
	Text     string
	Dir      string
	Env      map[string]string
	Host     string
	Security string // deny, allowlist, full
	Ask      string // off, on-miss, always
}

// Options are what the tools need. Machine is required.
type Options struct {
	// Machine runs commands of calls that don't bring their own.
	Machine machine.Machine
	// Config is asked at the start of each call; nil is the defaults.
	Config func() Config
	// Approve says whether a command may run. Its error's hint is shown to the
	// model. Nil approves what needs no approval.
	Approve func(context.Context, tool.Scope, Command) error
	// OnExit hears of the end of background commands, unless
	// tools.exec.notifyOnExit is false. It must not block.
	OnExit func(session id.SessionKey, summary string)
}

// Runner keeps the commands that run. Close it to end them.
type Runner struct {
	o Options

	mu       sync.Mutex
	sessions map[string]*session
	closed   bool
	watchers sync.WaitGroup
}

// New returns a runner.
func New(o Options) *Runner { return &Runner{o: o, sessions: map[string]*session{}} }

//go:embed exec.md
var execText string

//go:embed process.md
var processText string

// Tools returns exec and process.
func (r *Runner) Tools() []tool.Tool {
	return []tool.Tool{
		face{tool.New("exec", strings.TrimSpace(execText), r.exec)},
		face{tool.New("process", strings.TrimSpace(processText), r.process)},
	}
}

type face struct{ tool.Tool }

var _ tool.Grouped = face{}

func (face) Group() string { return "runtime" }

// Close ends every command and waits for them. No command starts afterwards.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	for _, s := range r.sessions {
		go s.kill() // the watchers wait for the effect
	}
	r.mu.Unlock()
	r.watchers.Wait()
}

func (r *Runner) config() Config {
	if r.o.Config == nil {
		return Config{}
	}
	return r.o.Config()
}

// between returns d within bounds, or def when d is not set.
func between(d, def, low, high time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return min(max(d, low), high)
}
