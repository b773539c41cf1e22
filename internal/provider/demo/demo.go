// Package demo is the model that is there when no other is: a few fixed rules,
// no network, the same answer to the same conversation. It says so, and lets a
// person try the whole loop, tools included, before any key is set.
//
// What it understands is in intent.go, how it tells the outcome of a tool in
// report.go.
package demo

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// The names of the provider, its model and its wire format.
const (
	API      = "demo"
	Name     = "demo"
	modelID  = "demo"
	notice   = "I am the built-in demo model: no real AI, only a few fixed rules. To use a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run `openclaw onboard`."
	helpText = `Here is what I understand:
- "list files" or "list the files in docs"
- "read notes.txt"
- "write some text to notes.txt"
- "run date"
- "status" or "what time is it"
- "my name is …" and later "what is my name"
- "remember that …" and later "what do you remember"`
)

// Kind makes the demo provider.
func Kind() provider.Kind {
	return provider.Kind{ID: API, New: func(*http.Client, provider.Config) (provider.Provider, error) {
		return Provider{}, nil
	}}
}

// Model describes the demo model.
func Model() llm.Model {
	return llm.Model{Provider: Name, ID: modelID, Name: "Demo (built in)", API: API, ContextWindow: 128_000, MaxTokens: 4096, Input: []string{"text"}}
}

// Provider is the demo model. It keeps nothing: all it knows is the
// conversation that it is given.
type Provider struct{}

// Models lists the one model.
func (Provider) Models(context.Context) ([]llm.Model, error) { return []llm.Model{Model()}, nil }

// Stream answers word by word.
func (Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		text, call := answer(&req)
		for _, word := range words(text) {
			if ctx.Err() != nil {
				yield(llm.Event{}, provider.Unreachable(ctx, "demo.Stream", Name, ctx.Err()))
				return
			}
			if !yield(llm.Event{Type: llm.TextDelta, Delta: word}, nil) {
				return
			}
		}
		m := llm.Message{
			Role: llm.Assistant, API: API, Provider: req.Model.Provider, Model: req.Model.ID,
			Stop: llm.StopEnd, Usage: count(&req, text), Time: time.Now().UnixMilli(),
		}
		if text != "" {
			m.Content = append(m.Content, llm.Text(text))
		}
		if call != nil {
			m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: call})
			m.Stop = llm.StopTool
		}
		yield(llm.Event{Type: llm.Done, Message: m}, nil)
	}
}

// answer is the text of the answer, or a call.
func answer(req *llm.Request) (string, *llm.Call) {
	last := len(req.Messages) - 1
	for last >= 0 && req.Messages[last].Role == llm.Assistant {
		last--
	}
	if last < 0 {
		return introduce(req, "Say \"help\" to see what I can do."), nil
	}
	if req.Messages[last].Role == llm.ToolRole {
		return introduce(req, report(req.Messages[:last+1])), nil
	}
	said := plain(req.Messages[last].Text())
	if strings.Contains(said, "HEARTBEAT_OK") {
		return "HEARTBEAT_OK", nil
	}
	if name, args, ok := want(said); ok {
		if slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == name }) {
			raw, err := json.Marshal(args)
			if err == nil {
				return "", &llm.Call{ID: provider.NewCallID(), Name: name, Args: raw}
			}
		}
		return introduce(req, "For that I need the tool "+name+", which isn't allowed here."), nil
	}
	return introduce(req, talk(said, req.Messages[:last])), nil
}

// introduce puts the notice before the first answer of a conversation.
func introduce(req *llm.Request, text string) string {
	for i := range req.Messages {
		if m := &req.Messages[i]; m.Role == llm.Assistant && m.Stop != llm.StopTool && strings.TrimSpace(m.Text()) != "" {
			return text
		}
	}
	return notice + "\n\n" + text
}

// words cuts s after each run of white space, so that joined they are s again.
func words(s string) []string {
	var out []string
	for s != "" {
		end := strings.IndexAny(s, " \n")
		if end < 0 {
			return append(out, s)
		}
		for end < len(s) && (s[end] == ' ' || s[end] == '\n') {
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// count guesses tokens as a quarter of the characters.
func count(req *llm.Request, text string) *llm.Usage {
	in := len(req.System)
	for i := range req.Messages {
		for j := range req.Messages[i].Content {
			in += len(req.Messages[i].Content[j].Text)
		}
	}
	u := &llm.Usage{Input: int64(in/4 + 1), Output: int64(utf8.RuneCountInString(text)/4 + 1)}
	u.Total = u.Input + u.Output
	return u
}
