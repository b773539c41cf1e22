package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	// maxSame is how often a call may have the same outcome within one run.
	maxSame = 30
	// maxCalls is how many calls one run may make at all.
	maxCalls = 2000
	// maxRuns bounds how many runs are remembered.
	maxRuns = 4096
)

// Breaker ends senseless repetition. Within one run it counts calls by tool,
// arguments and result, and failures by tool and error whatever the arguments;
// a count of 30 blocks that call from then on, with a result that says why.
//
// It is always on: a model that loops costs money and never finds out itself.
type Breaker struct {
	seed maphash.Seed

	mu    sync.Mutex
	runs  map[id.Run]*history
	order []id.Run // oldest first
}

// history is what one run has done.
type history struct {
	calls   int
	same    map[uint64]int    // by tool, arguments and result
	errors  map[uint64]int    // by tool and error
	blocked map[uint64]string // by tool and arguments: why
	tools   map[string]string // tools blocked altogether
	tripped string
}

// NewBreaker returns a breaker for all runs of the process.
func NewBreaker() *Breaker {
	return &Breaker{seed: maphash.MakeSeed(), runs: map[id.Run]*history{}}
}

// Middleware guards a tool.
func (b *Breaker) Middleware(t tool.Tool) tool.Tool {
	name := t.Spec().Name
	return around(t, func(ctx context.Context, c tool.Call) (tool.Result, error) {
		if why := b.Blocked(c.Scope.Run, name, c.Args); why != "" {
			return tool.Errorf("%s", why), nil
		}
		res, err := t.Run(ctx, c)
		seen := res
		if err != nil {
			seen = tool.Errorf("%s", fault.Hint(err))
		}
		if why := b.Note(c.Scope.Run, name, c.Args, seen); why != "" {
			return tool.Errorf("%s", why), nil
		}
		return res, err
	})
}

// Blocked returns why a call may not be made any more, or "".
func (b *Breaker) Blocked(run id.Run, name string, args json.RawMessage) string {
	key := b.hash(name, compact(args))
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.runs[run]
	switch {
	case h == nil:
		return ""
	case h.calls >= maxCalls:
		h.tripped = fmt.Sprintf("Stopped: this run has made %d tool calls, which is the most one run may make. Answer with what you have.", maxCalls)
		return h.tripped
	case h.tools[name] != "":
		return h.tools[name]
	}
	return h.blocked[key]
}

// Note records the outcome of a call. It returns why no further call like it
// is made, or "".
func (b *Breaker) Note(run id.Run, name string, args json.RawMessage, res tool.Result) string {
	args = compact(args)
	out := llm.Message{Content: res.Content}.Text()
	call, whole, failure := b.hash(name, args), b.hash(name, args, []byte(out)), b.hash(name, []byte(out))
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.historyLocked(run)
	h.calls++
	h.same[whole]++
	if h.same[whole] >= maxSame {
		h.tripped = fmt.Sprintf("Stopped: %s was called with the same arguments %d times and always gave the same result. It will not change; try something else, or tell the user what is in the way.", name, maxSame)
		h.blocked[call] = h.tripped
		return h.tripped
	}
	if !res.IsError {
		return ""
	}
	h.errors[failure]++
	if h.errors[failure] >= maxSame {
		h.tripped = fmt.Sprintf("Stopped: %s failed %d times with the same error and is blocked for the rest of this run. Tell the user what is in the way.", name, maxSame)
		h.tools[name] = h.tripped
		return h.tripped
	}
	return ""
}

// Tripped returns why calls of a run were blocked, or "".
func (b *Breaker) Tripped(run id.Run) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.runs[run]; h != nil {
		return h.tripped
	}
	return ""
}

// Forget drops what is known about a run that has ended.
func (b *Breaker) Forget(run id.Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.runs, run)
}

func (b *Breaker) historyLocked(run id.Run) *history {
	if h := b.runs[run]; h != nil {
		return h
	}
	if len(b.order) >= maxRuns {
		delete(b.runs, b.order[0])
		b.order = append(b.order[:0:0], b.order[1:]...)
	}
	h := &history{same: map[uint64]int{}, errors: map[uint64]int{}, blocked: map[uint64]string{}, tools: map[string]string{}}
	b.runs[run] = h
	b.order = append(b.order, run)
	return h
}

func (b *Breaker) hash(name string, parts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(b.seed)
	_, _ = h.WriteString(name)
	for _, p := range parts {
		_ = h.WriteByte(0)
		_, _ = h.Write(p)
	}
	return h.Sum64()
}

// compact makes arguments that differ in white space equal.
func compact(args json.RawMessage) json.RawMessage {
	args = Arguments(args)
	var b bytes.Buffer
	if json.Compact(&b, args) != nil {
		return args
	}
	return b.Bytes()
}
