// Package scripted is a provider that answers from a list: what a test wants
// the model to say, call, fail at or stall on.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// Answer is one answer of the model.
type Answer struct {
	Text     string
	Thinking string
	Calls    []llm.Call
	Usage    llm.Usage
	// Err ends the stream after Text was streamed.
	Err error `json:"-"`
	// Stall keeps the stream silent after Text until the context ends.
	Stall bool
	// From makes the answer from the request, when set; the fields above are
	// then unused.
	From func(llm.Request) Answer `json:"-"`
}

// Kind makes scripted providers whose section holds {"answers": […]}.
func Kind() provider.Kind {
	return provider.Kind{ID: "scripted", New: func(_ *http.Client, cfg provider.Config) (provider.Provider, error) {
		var section struct{ Answers []Answer }
		if len(cfg.Raw) > 0 {
			if err := json.Unmarshal(cfg.Raw, &section); err != nil {
				return nil, fault.Wrap(fault.Invalid, "scripted.New", err)
			}
		}
		return New(section.Answers...), nil
	}}
}

// Provider gives its answers in order and remembers what it was asked.
type Provider struct {
	mu      sync.Mutex
	answers []Answer
	asked   []llm.Request
}

// New returns a provider that gives answers, one a request.
func New(answers ...Answer) *Provider { return &Provider{answers: answers} }

// Add appends answers.
func (p *Provider) Add(answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, answers...)
}

// Asked returns the requests so far.
func (p *Provider) Asked() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]llm.Request(nil), p.asked...)
}

// Left is how many answers remain.
func (p *Provider) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.answers)
}

// Stream gives the next answer, word by word.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		a, n, ok := p.next(req)
		if !ok {
			yield(llm.Event{}, fault.New(fault.Invalid, "scripted.Stream", "no answer is left in the script"))
			return
		}
		if a.Thinking != "" && !yield(llm.Event{Type: llm.ThinkingDelta, Delta: a.Thinking}, nil) {
			return
		}
		for word := range strings.SplitAfterSeq(a.Text, " ") {
			if ctx.Err() != nil {
				break
			}
			if word != "" && !yield(llm.Event{Type: llm.TextDelta, Delta: word}, nil) {
				return
			}
		}
		if a.Stall {
			<-ctx.Done()
		}
		switch {
		case ctx.Err() != nil:
			yield(llm.Event{}, provider.Unreachable(ctx, "scripted.Stream", req.Model.Provider, ctx.Err()))
		case a.Err != nil:
			yield(llm.Event{}, a.Err)
		default:
			yield(llm.Event{Type: llm.Done, Message: a.message(req, n)}, nil)
		}
	}
}

func (p *Provider) next(req llm.Request) (Answer, int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, req)
	if len(p.answers) == 0 {
		return Answer{}, 0, false
	}
	a := p.answers[0]
	p.answers = p.answers[1:]
	if a.From != nil {
		a = a.From(req)
	}
	return a, len(p.asked), true
}

func (a Answer) message(req llm.Request, n int) llm.Message {
	u := a.Usage
	req.Model.Price(&u)
	m := llm.Message{
		Role: llm.Assistant, API: "scripted", Provider: req.Model.Provider, Model: req.Model.ID,
		Usage: &u, Stop: llm.StopEnd, Time: time.Now().UnixMilli(),
	}
	if a.Thinking != "" {
		m.Content = append(m.Content, llm.Block{Type: llm.ThinkingBlock, Text: a.Thinking})
	}
	if a.Text != "" {
		m.Content = append(m.Content, llm.Text(a.Text))
	}
	for i, c := range a.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", n, i+1)
		}
		if len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &c})
		m.Stop = llm.StopTool
	}
	return m
}
