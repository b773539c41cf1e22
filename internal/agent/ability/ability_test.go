package ability_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent/ability"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// endpoint is a model with the abilities that its fields say.
type endpoint struct {
	tools, eyes, thinks, streams, counts bool
	window                               int // characters; what is before is cut
	refuses                              int // characters
	down                                 bool
}

func (e endpoint) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if e.down {
			yield(llm.Event{}, fault.New(fault.Unavailable, "test", "test: nothing answers"))
			return
		}
		last := req.Messages[len(req.Messages)-1]
		text := last.Text()
		if e.refuses > 0 && len(text) > e.refuses {
			yield(llm.Event{}, fault.New(fault.Invalid, "test", "test: too long"))
			return
		}
		if e.window > 0 && len(text) > e.window {
			text = text[len(text)-e.window:]
		}
		m := llm.Message{Role: llm.Assistant, Stop: llm.StopEnd}
		say := "OK"
		switch {
		case last.Role == llm.ToolRole:
			say = text
		case strings.Contains(text, "ping") && e.tools:
			m.Content = llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "1", Name: "ping", Args: json.RawMessage(`{"count":2}`)}}}
		case strings.Contains(text, "picture") && e.eyes && len(last.Content) == 2 && len(last.Content[1].Data) > 0:
			say = "Red."
		case strings.Contains(text, "PELICAN"):
			say = "pelican"
		case strings.Contains(text, "Count"):
			say = "1 2 3"
		}
		if req.Thinking != "" && e.thinks && !yield(llm.Event{Type: llm.ThinkingDelta, Delta: "Hm."}, nil) {
			return
		}
		pieces := []string{say}
		if e.streams {
			pieces = strings.SplitAfter(say, " ")
		}
		for _, p := range pieces {
			if !yield(llm.Event{Type: llm.TextDelta, Delta: p}, nil) {
				return
			}
		}
		m.Content = append(m.Content, llm.Text(say))
		if e.counts {
			m.Usage = &llm.Usage{Input: int64(len(text) / 4), Output: 1, Total: int64(len(text)/4 + 1)}
		}
		yield(llm.Event{Type: llm.Done, Message: m}, nil)
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		e       endpoint
		context int
		want    string
		words   string
	}{
		"all of it":       {endpoint{true, true, true, true, true, 0, 0, false}, 0, "text stream tools results images thinking usage context", "tokens are kept"},
		"bare":            {endpoint{}, 0, "text context", "no call came"},
		"cuts":            {endpoint{streams: true, window: 16_000}, 0, "text stream", "cut at the beginning, silently; 0 are kept"},
		"cuts later":      {endpoint{window: 64_000}, 40_000, "text", "cut at the beginning, silently; 12000 are kept"},
		"refuses later":   {endpoint{refuses: 64_000}, 40_000, "text context", "12000 tokens are kept; about 24000 are refused"},
		"whole window":    {endpoint{}, 20_000, "text context", "20000 tokens are kept"},
		"nobody is there": {endpoint{down: true}, 0, "", "nothing answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ok, words []string
			for _, f := range ability.All(t.Context(), ability.Target{Model: llm.Model{Provider: "x", ID: "y"}, Provider: tt.e, Context: tt.context}) {
				if f.OK {
					ok = append(ok, f.Name)
				}
				words = append(words, f.Detail)
			}
			if got := strings.Join(ok, " "); got != tt.want {
				t.Errorf("can: %s; want %s", got, tt.want)
			}
			if all := strings.Join(words, "\n"); !strings.Contains(all, tt.words) {
				t.Errorf("details lack %q:\n%s", tt.words, all)
			}
		})
	}
}
