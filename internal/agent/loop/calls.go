package loop

import (
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// What the model is told about calls that weren't made.
const (
	skipped    = "Not run: the person wrote something new while the calls before this one ran. It follows these results; make the call again if it still fits."
	handedOver = "Handed to whoever asked: they make this call, and their next message brings its result."
	unmade     = "Not run: the run was stopped before this call began."
)

// runTools runs calls side by side and adds the results in call order, each as
// soon as those before it are there, so that a crash keeps what had finished.
// A serial call waits for those before it, and those behind it wait for it.
//
// What a person steers in is seen whenever a call has ended: calls that haven't
// begun by then are not made, since they may no longer be wanted.
func (l *looper) runTools(ctx context.Context, calls []llm.Call) ([]llm.Message, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	b := &batch{looper: l, calls: calls, out: make([]llm.Message, len(calls)), done: make([]chan struct{}, len(calls))}
	for i := range calls {
		b.done[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	wg.Go(func() { b.start(ctx) })
	var err error
	for i := range calls {
		<-b.done[i]
		if err == nil {
			b.mu.Lock()
			err = l.add(ctx, b.out[i])
			b.mu.Unlock()
		}
	}
	wg.Wait()
	return b.out, err
}

// batch is the calls of one turn.
type batch struct {
	*looper
	calls []llm.Call
	out   []llm.Message
	done  []chan struct{}

	mu    sync.Mutex // one observation at a time
	ended bool       // a call has ended
}

// start begins the calls in their order and returns when all have ended.
func (b *batch) start(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for i, c := range b.calls {
		serial := b.Tools.serial[c.Name]
		if serial {
			running.Wait()
		}
		if why := b.refused(ctx); why != "" {
			b.begin(c)
			b.end(i, tool.Errorf("%s", why))
			continue
		}
		b.begin(c)
		run := func() {
			b.end(i, b.call(ctx, c, func(partial string) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.obs.ToolUpdate(c, partial)
			}))
		}
		if serial {
			run()
			continue
		}
		running.Go(run)
	}
}

// refused tells why the next call isn't made, "" when it is.
func (b *batch) refused(ctx context.Context) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil && b.ended {
		return unmade
	}
	if b.ended {
		b.early = append(b.early, take(b.Steer)...)
	}
	if len(b.early) > 0 {
		return skipped
	}
	return ""
}

func (b *batch) begin(c llm.Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.obs.ToolStart(c)
}

func (b *batch) end(i int, res tool.Result) {
	c := b.calls[i]
	b.mu.Lock()
	defer b.mu.Unlock()
	b.obs.ToolEnd(c, res)
	b.ended = true
	b.out[i] = llm.Message{
		Role: llm.ToolRole, CallID: c.ID, ToolName: c.Name, Content: res.Content, IsError: res.IsError,
		Time: time.Now().UnixMilli(),
	}
	close(b.done[i])
}
