package control

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/agent/prompt"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/command"
)

// contextReport is what fills the window of a session, in characters where
// nothing else is said.
type contextReport struct {
	Model         string          `json:"model"`
	ContextTokens int             `json:"contextTokens"`
	TotalTokens   *int64          `json:"totalTokens"` // as the model counted last
	Conversation  int             `json:"conversationTokens"`
	Messages      int             `json:"messages"`
	Sections      []contextPart   `json:"sections"`
	Report        json.RawMessage `json:"report"`

	files []prompt.FileShare
	tools prompt.ToolShares
	chars int
}

type contextPart struct {
	Name  string `json:"name"`
	Chars int    `json:"chars"`
}

// cmdContext says what goes into every request to the model, with sizes. A
// token is about four characters.
func (c *Control) cmdContext(ctx context.Context, env command.Env, args string) (string, error) {
	mode := strings.ToLower(args)
	if !slices.Contains([]string{"", "list", "detail", "json"}, mode) {
		return "", wrong("context", args, []string{"list", "detail", "json"})
	}
	r, err := c.contextReport(ctx, env)
	if err != nil {
		return "", err
	}
	if mode == "json" {
		raw, err := json.MarshalIndent(r, "", "  ")
		return "```json\n" + string(raw) + "\n```", err
	}
	var b strings.Builder
	total := "not counted yet"
	if r.TotalTokens != nil {
		total = count(*r.TotalTokens) + " tokens"
	}
	fmt.Fprintf(&b, "🧠 Context of %s: %s of %s", r.Model, total, count(int64(r.ContextTokens)))
	fmt.Fprintf(&b, "\nSystem prompt: %s characters, about %s tokens", count(int64(r.chars)), tokens(r.chars))
	if mode == "detail" {
		for _, s := range r.Sections {
			fmt.Fprintf(&b, "\n  %s  %s", s.Name, count(int64(s.Chars)))
		}
	}
	raw, injected := 0, 0
	for _, f := range r.files {
		raw, injected = raw+f.Raw, injected+f.Injected
	}
	fmt.Fprintf(&b, "\nWorkspace files: %s of %s characters injected, about %s tokens", count(int64(injected)), count(int64(raw)), tokens(injected))
	for _, f := range r.files {
		if f.Missing && mode != "detail" {
			continue
		}
		state := ""
		if f.Missing {
			state = " (missing)"
		} else if f.Truncated {
			state = " (shortened)"
		}
		fmt.Fprintf(&b, "\n  %s  raw %s, injected %s%s", f.Name, count(int64(f.Raw)), count(int64(f.Injected)), state)
	}
	fmt.Fprintf(&b, "\nTools: %d, schemas %s characters, about %s tokens", len(r.tools.Entries), count(int64(r.tools.Schemas)), tokens(r.tools.Schemas))
	if mode == "detail" {
		for _, t := range r.tools.Entries {
			fmt.Fprintf(&b, "\n  %s  text %s, schema %s, %d properties", t.Name, count(int64(t.Summary)), count(int64(t.Schema)), t.Properties)
		}
	}
	fmt.Fprintf(&b, "\nConversation: %d messages, about %s tokens. /compact sums it up, /new starts an empty one.", r.Messages, count(int64(r.Conversation)))
	return b.String(), nil
}

func tokens(chars int) string { return count(int64((chars + 3) / 4)) }

func (c *Control) contextReport(ctx context.Context, env command.Env) (contextReport, error) {
	cfg := c.Config()
	s, err := c.current(ctx, env.Session)
	if err != nil {
		return contextReport{}, err
	}
	m := c.modelOf(s)
	r := contextReport{Model: m.String(), ContextTokens: contextOf(cfg, m), Sections: []contextPart{}}
	if s.TotalTokensFresh {
		r.TotalTokens = &s.TotalTokens
	}
	if c.Prompt != nil {
		p, err := c.Prompt(ctx, env.Session, env.Owner)
		if err != nil {
			return r, err
		}
		for _, x := range p.Report.Sections {
			r.Sections = append(r.Sections, contextPart{x.Name, x.Chars})
		}
		r.files, r.tools, r.chars = p.Report.Files, p.Report.Tools, p.Report.Prompt.Chars
		if r.Report, err = json.Marshal(p.Report); err != nil {
			return r, err
		}
	}
	var ms []llm.Message
	if c.History != nil {
		if ms, err = c.History(ctx, s); err != nil {
			return r, err
		}
	}
	r.Messages, r.Conversation = len(ms), compaction.Size(ms)
	return r, nil
}
