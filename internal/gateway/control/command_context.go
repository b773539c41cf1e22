package control

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/command"
)

type contextReport struct {
	Model         string        `json:"model"`
	ContextTokens int           `json:"contextTokens"`
	TotalTokens   *int64        `json:"totalTokens"`
	Files         []contextPart `json:"files"`
	Tools         []contextPart `json:"tools"`
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
	fmt.Fprintf(&b, "Context of %s: %s of %s", r.Model, total, count(int64(r.ContextTokens)))
	for _, part := range []struct {
		title string
		parts []contextPart
	}{{"Workspace files", r.Files}, {"Tools", r.Tools}} {
		sum := 0
		for _, p := range part.parts {
			sum += p.Chars
		}
		fmt.Fprintf(&b, "\n%s: %d, about %s tokens", part.title, len(part.parts), count(int64(sum/4)))
		if mode == "detail" {
			for _, p := range part.parts {
				fmt.Fprintf(&b, "\n  %s  %s characters", p.Name, count(int64(p.Chars)))
			}
		}
	}
	b.WriteString("\nThe rest is the conversation. /new starts an empty one.")
	return b.String(), nil
}

func (c *Control) contextReport(ctx context.Context, env command.Env) (contextReport, error) {
	cfg := c.Config()
	s, err := c.current(ctx, env.Session)
	if err != nil {
		return contextReport{}, err
	}
	m := c.modelOf(s)
	r := contextReport{Model: m.String(), ContextTokens: contextOf(cfg, m), Files: []contextPart{}, Tools: []contextPart{}}
	if s.TotalTokensFresh {
		r.TotalTokens = &s.TotalTokens
	}
	dir := cfg.Workspace(env.Agent)
	if root, err := os.OpenRoot(dir); err == nil {
		defer root.Close()
		for _, name := range append(fileNames(), memoryName) {
			if row := statFile(root, dir, name); !row.Missing {
				r.Files = append(r.Files, contextPart{name, int(*row.Size)})
			}
		}
	}
	if c.Tools != nil {
		for _, t := range c.Tools() {
			spec := t.Spec()
			r.Tools = append(r.Tools, contextPart{spec.Name, len(spec.Name) + len(spec.Description) + len(spec.Schema)})
		}
	}
	return r, nil
}
