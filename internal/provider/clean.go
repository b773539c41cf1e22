package provider

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Cleaned wraps p so that calls which its models write as text are never shown
// and are made when they are known and whole; see [Clean].
func Cleaned(p Provider) Provider { return cleaned{p} }

type cleaned struct{ Provider }

// Unwrap returns the provider below.
func (c cleaned) Unwrap() Provider { return c.Provider }

func (c cleaned) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return Clean(c.Provider.Stream(ctx, req), req.Tools)
}

// Clean takes calls that a model wrote as text out of a stream: neither the
// deltas nor the message show a marker, a tag or an argument, also not for a
// moment. A call that is whole, names one of tools and fits its schema becomes
// a real call, under the same approval as any; anything else is dropped. Code
// in fences and between backticks stays as it is.
func Clean(seq iter.Seq2[llm.Event, error], tools []llm.ToolSpec) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		text, thinking := newFilter(), newFilter()
		show := func(kind llm.EventType, s string) bool {
			return s == "" || yield(llm.Event{Type: kind, Delta: s}, nil)
		}
		rest := func() bool {
			return show(llm.ThinkingDelta, thinking.end()) && show(llm.TextDelta, text.end())
		}
		for e, err := range seq {
			switch {
			case err != nil:
				if rest() {
					yield(e, err)
				}
				return
			case e.Type == llm.TextDelta:
				if !show(e.Type, text.add(e.Delta)) {
					return
				}
			case e.Type == llm.ThinkingDelta:
				if !show(e.Type, thinking.add(e.Delta)) {
					return
				}
			case e.Type == llm.Done:
				if !rest() {
					return
				}
				if e.Message, err = cleanMessage(e.Message, tools); err != nil {
					yield(llm.Event{}, err)
					return
				}
				yield(e, nil)
				return
			default:
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// cleanMessage cleans the finished answer and makes its calls.
func cleanMessage(m llm.Message, tools []llm.ToolSpec) (llm.Message, error) {
	var found []written
	changed := false
	content := m.Content
	for i, b := range m.Content {
		signed := b.Type == llm.ThinkingBlock && b.Signature != ""
		if b.Type != llm.TextBlock && b.Type != llm.ThinkingBlock || signed || !suspicious(b.Text) {
			continue
		}
		f := newFilter()
		s := f.add(b.Text) + f.end()
		if !f.hid {
			continue
		}
		if !changed {
			content, changed = slices.Clone(m.Content), true
		}
		content[i].Text = strings.TrimRight(s, " \t\r\n")
		if b.Type == llm.TextBlock {
			found = append(found, f.found...)
		}
	}
	if !changed {
		return m, nil
	}
	m.Content = slices.DeleteFunc(content, func(b llm.Block) bool { return b.Call == nil && b.Type == llm.TextBlock && b.Text == "" })
	whole := m.Stop == llm.StopEnd || m.Stop == llm.StopTool
	if whole && len(m.Calls()) == 0 && len(found) <= MaxCalls {
		for _, w := range found {
			if c, ok := w.call(tools); ok {
				m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &c})
				m.Stop = llm.StopTool
			}
		}
	}
	if strings.TrimSpace(m.Text()) == "" && len(m.Calls()) == 0 {
		return m, Garbled("provider.Clean", m.Provider, "the model wrote a tool call as text that can't be made")
	}
	if len(m.Calls()) == 0 && m.Stop == llm.StopTool {
		m.Stop = llm.StopEnd
	}
	return m, nil
}
