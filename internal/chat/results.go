package chat

import (
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
)

// Result is what came of a run. It is kept with the inbox entry, so that a
// client that asks again after a restart gets the same answer.
type Result struct {
	Run      id.Run     `json:"run"`
	Status   string     `json:"status"` // ok, error, aborted
	Text     string     `json:"text,omitempty"`
	Error    string     `json:"error,omitempty"`
	Session  id.Session `json:"session,omitempty"`
	Model    string     `json:"model,omitempty"`
	Provider string     `json:"provider,omitempty"`
	Stop     string     `json:"stop,omitempty"`
	Calls    []llm.Call `json:"calls,omitempty"` // of the asker's own tools
	Usage    llm.Usage  `json:"usage,omitzero"`
	Last     llm.Usage  `json:"last,omitzero"`
	Started  int64      `json:"started,omitempty"` // Unix milliseconds
	Ended    int64      `json:"ended,omitempty"`

	Err error `json:"-"`
}

func resultOf(w Work, out agent.Outcome, text reply.Text, err error) Result {
	r := Result{
		Run: w.Run, Status: "ok", Text: text.Text, Session: out.Session, Model: out.Model.ID, Provider: out.Model.Provider,
		Stop: string(out.Stop), Calls: out.Handed, Usage: out.Usage, Last: out.Last, Started: out.Started.UnixMilli(), Ended: out.Ended.UnixMilli(), Err: err,
	}
	switch {
	case asAborted(err) != nil:
		r.Status, r.Text = "aborted", out.Partial
	case err != nil:
		r.Status, r.Text, r.Error = "error", "", wired(err)
	}
	return r
}

// keep is how many ended runs are remembered in memory; the store has the rest.
const keep = 1024

// results knows the runs under way and the last that ended.
type results struct {
	mu   sync.Mutex
	runs map[id.Run]*runState
	old  []id.Run // ended, oldest first
}

type runState struct {
	as      id.Run // the run that takes it up; itself unless merged or queued
	session id.SessionKey
	queued  bool
	started time.Time
	done    chan struct{}
	res     Result
	watch   func(string)
}

// begin notes that a run was asked for; key may be "" when it isn't known yet.
func (r *results) begin(run id.Run, key id.SessionKey) *runState {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.beginLocked(run)
	if key != "" {
		s.session = key
	}
	return s
}

// observe has text of run forwarded to f as it comes.
func (r *results) observe(run id.Run, key id.SessionKey, f func(string)) *runState {
	s := r.begin(run, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	s.watch = f
	return s
}

// running returns the session of a run that has not ended.
func (r *results) running(run id.Run) (id.SessionKey, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.runs[run]
	if s == nil || s.ended() {
		return "", false
	}
	return s.session, true
}

func (r *results) beginLocked(run id.Run) *runState {
	if r.runs == nil {
		r.runs = map[id.Run]*runState{}
	}
	s := r.runs[run]
	if s == nil {
		s = &runState{as: run, done: make(chan struct{})}
		r.runs[run] = s
	}
	return s
}

func (r *results) queued(run id.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beginLocked(run).queued = true
}

func (r *results) isQueued(run id.Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.runs[run]
	return s != nil && s.queued
}

// started notes that run began as part of as.
func (r *results) started(run, as id.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.beginLocked(run)
	s.as, s.started = as, time.Now()
	if as != run {
		t := r.beginLocked(as)
		t.started = s.started
		if t.watch == nil {
			t.watch = s.watch
		}
	}
}

// delta forwards streamed text to whoever watches run.
func (r *results) delta(run id.Run, text string) {
	r.mu.Lock()
	var f func(string)
	if s := r.runs[run]; s != nil {
		f = s.watch
	}
	r.mu.Unlock()
	if f != nil {
		f(text)
	}
}

// done ends the runs of a batch.
func (r *results) done(batch []Work, as id.Run, res Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := func(run id.Run) {
		s := r.runs[run]
		if s == nil || s.ended() {
			return
		}
		s.res, s.watch = res, nil
		close(s.done)
		r.old = append(r.old, run)
	}
	for _, w := range batch {
		end(w.Run)
	}
	end(as)
	for len(r.old) > keep {
		delete(r.runs, r.old[0])
		r.old = r.old[1:]
	}
}

func (s *runState) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// get returns the state of run; known is false when memory doesn't hold it.
func (r *results) get(run id.Run) (s *runState, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known = r.runs[run]
	return s, known
}

// wait blocks until run ended.
func (s *runState) wait(ctx context.Context) (Result, error) {
	select {
	case <-s.done:
		return s.res, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}
