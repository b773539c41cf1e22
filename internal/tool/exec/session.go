package exec

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// why is why a command was stopped.
type why int

const (
	notStopped why = iota
	stopTimeout
	stopAbort
	stopKill
	stopShutdown
)

// session is one command.
type session struct {
	id      string
	chat    string // who may see it
	key     id.SessionKey
	command string
	pty     bool
	limit   time.Duration
	started time.Time
	p       machine.Process
	ring    *proc.Ring
	over    chan struct{} // closed when exit is set

	mu         sync.Mutex
	background bool
	seen       int64 // output that polls have returned
	ended      time.Time
	stopped    why
	exit       machine.Exit
}

// chatOf names the chat whose commands belong together.
func chatOf(s tool.Scope) string { return string(s.Agent) + "\x00" + string(s.Session) }

// watch waits for the end of s, or ends it when its time is up.
func (r *Runner) watch(s *session) {
	limit := time.NewTimer(s.limit)
	defer limit.Stop()
	select {
	case <-s.p.Done():
	case <-limit.C:
		s.stop(stopTimeout)
	}
	exit := s.p.Wait()

	s.mu.Lock()
	s.exit, s.ended = exit, time.Now()
	notify := s.background && s.stopped != stopKill && s.stopped != stopShutdown
	s.mu.Unlock()
	close(s.over)
	if !notify || r.o.OnExit == nil {
		return
	}
	if on := r.config().NotifyOnExit; on != nil && !*on {
		return
	}
	if summary := s.summary(); summary != "" {
		r.o.OnExit(s.key, summary)
	}
}

// stop ends the command; the first reason stands.
func (s *session) stop(reason why) {
	s.mu.Lock()
	if s.stopped == notStopped && s.ended.IsZero() {
		s.stopped = reason
	}
	s.mu.Unlock()
	s.p.Kill(killGrace)
}

func (s *session) kill() { s.stop(stopShutdown) }

// summary tells the chat about the end of a background command; a success
// without a word isn't worth one.
func (s *session) summary() string {
	out := strings.TrimSpace(s.text(2000))
	s.mu.Lock()
	exit, stopped := s.exit, s.stopped
	s.mu.Unlock()
	if exit.Code == 0 && out == "" {
		return ""
	}
	verb, how := "completed", fmt.Sprintf("code %d", exit.Code)
	switch {
	case stopped == stopTimeout:
		verb, how = "failed", "timeout"
	case exit.Signal != "":
		verb, how = "failed", "signal "+exit.Signal
	case exit.Code != 0:
		verb = "failed"
	}
	line := fmt.Sprintf("Exec %s (%s, %s)", verb, s.id, how)
	if out != "" {
		line += " :: " + text.TailRunes(out, 400)
	}
	return line
}

// end says how the command ended, in the words of a tool result, and whether
// that is a failure of the call. An ordinary exit code isn't.
func (s *session) end() (note string, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var notes []string
	switch {
	case s.stopped == stopTimeout:
		notes = append(notes, fmt.Sprintf("(stopped after %s, the time limit; give a longer timeout if it needs more)", short(s.limit)))
	case s.stopped == stopAbort:
		notes = append(notes, "(stopped: the run was aborted)")
	case s.stopped == stopKill:
		notes = append(notes, "(killed)")
	case s.stopped == stopShutdown:
		notes = append(notes, "(stopped: the gateway is shutting down)")
	case s.exit.Signal != "":
		notes = append(notes, fmt.Sprintf("(ended by signal %s)", s.exit.Signal))
	case s.exit.Code != 0:
		return joined(append([]string{fmt.Sprintf("(exit code %d)", s.exit.Code)}, s.leftLocked()...)), false
	default:
		return joined(s.leftLocked()), false
	}
	return joined(append(notes, s.leftLocked()...)), true
}

func joined(notes []string) string { return strings.Join(notes, "\n") }

func (s *session) leftLocked() (notes []string) {
	if s.exit.Swept {
		notes = append(notes, "(a process that it left behind still held the output and was ended; use background: true for what should go on running)")
	}
	if n := len(s.exit.Left); n > 0 {
		notes = append(notes, fmt.Sprintf("(still running, detached from this call: process %s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(s.exit.Left), " ", ", "), "[]")))
	}
	return notes
}

// state is the status of s in a few words.
func (s *session) state() string {
	s.mu.Lock()
	ended, exit, stopped := s.ended, s.exit, s.stopped
	s.mu.Unlock()
	switch {
	case ended.IsZero():
		return "running for " + short(time.Since(s.started))
	case stopped == stopTimeout:
		return "stopped by its time limit"
	case stopped == stopKill:
		return "killed"
	case exit.Signal != "":
		return "ended by signal " + exit.Signal
	}
	return fmt.Sprintf("ended with exit code %d after %s", exit.Code, short(ended.Sub(s.started)))
}

func (s *session) done() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

func short(d time.Duration) string {
	if d >= time.Second {
		d = d.Round(time.Second)
	} else {
		d = d.Round(time.Millisecond)
	}
	out := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(out, zero) {
			out = out[:len(out)-2]
		}
	}
	return out
}

// detach lets s go on in the background, unless it has ended.
func (r *Runner) detach(s *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended.IsZero() {
		return false
	}
	s.background = true
	return true
}

// room reports whether one more command may go on in the background.
func (r *Runner) room(sc tool.Scope) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, chat := 0, 0
	for _, s := range r.sessions {
		s.mu.Lock()
		if s.background && s.ended.IsZero() {
			all++
			if s.chat == chatOf(sc) {
				chat++
			}
		}
		s.mu.Unlock()
	}
	return all < maxRunning && chat < perChat
}

func (r *Runner) forget(s *session) {
	r.mu.Lock()
	delete(r.sessions, s.id)
	r.mu.Unlock()
}

func (r *Runner) freshLocked() string {
	for {
		id := strings.ToLower(rand.Text()[:6])
		if _, taken := r.sessions[id]; !taken {
			return id
		}
	}
}
