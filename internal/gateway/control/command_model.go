package control

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
)

func (c *Control) cmdModel(ctx context.Context, env command.Env, args string) (string, error) {
	name, _, _ := strings.Cut(args, " ")
	switch strings.ToLower(name) {
	case "", "status":
		s, err := c.current(ctx, env.Session)
		if err != nil {
			return "", err
		}
		return c.modelText(s, strings.EqualFold(name, "status")), nil
	case "list":
		return c.listText(), nil
	case "default", "reset":
		err := c.choose(ctx, env.Session, "", "")
		return "The model is the agent's own again: " + c.Models.Default(env.Agent).String(), err
	}
	m, err := c.find(name)
	if err != nil {
		return "", err
	}
	err = c.choose(ctx, env.Session, m.Provider, m.ID)
	return "The model of this session is now " + m.String() + ".", err
}

// find reads a model as people write it: a number of /model list, a reference
// or an alias.
func (c *Control) find(name string) (llm.Model, error) {
	const op = "command.model"
	if n, err := strconv.Atoi(name); err == nil {
		if all := c.Models.List(); n >= 1 && n <= len(all) {
			return all[n-1], nil
		}
		return llm.Model{}, fault.New(fault.NotFound, op, "There is no model with that number. See /model list")
	}
	m, err := c.Models.Lookup(name)
	switch {
	case err != nil:
		return llm.Model{}, fault.New(fault.NotFound, op, "There is no model "+strconv.Quote(text.Ellipsis(name, 80))+". See /model list, or write provider/model")
	case !c.Models.Allowed(m):
		return llm.Model{}, fault.New(fault.Forbidden, op, m.String()+" isn't among the allowed models (agents.defaults.models). See /model list")
	}
	return m, nil
}

func (c *Control) modelText(s session.Session, detail bool) string {
	m := c.modelOf(s)
	text := "Model: " + m.String()
	if override(s) != "" {
		text += " (chosen for this session; the agent's own is " + c.Models.Default(s.Key.Agent()).String() + ")"
	}
	if detail {
		text += fmt.Sprintf("\nContext window: %s tokens, answers up to %s\nReasoning: %t, input: %s",
			count(int64(m.ContextWindow)), count(int64(m.MaxTokens)), m.Reasoning, strings.Join(m.Input, ", "))
	}
	return text + "\nChoose another with /model <name>, see them with /model list"
}

// listed bounds a list in a chat.
const listed = 30

func (c *Control) listText() string {
	all := c.Models.List()
	if len(all) == 0 {
		return "No models are configured. Add a provider: openclaw onboard"
	}
	var b strings.Builder
	b.WriteString("Models:")
	for i, m := range all[:min(len(all), listed)] {
		fmt.Fprintf(&b, "\n%d. %s", i+1, m)
	}
	if len(all) > listed {
		fmt.Fprintf(&b, "\n… and %d more; see /models", len(all)-listed)
	}
	b.WriteString("\nChoose one with /model <number>")
	return b.String()
}

// cmdModels lists providers, or the models of one of them in pages.
func (c *Control) cmdModels(_ context.Context, _ command.Env, args string) (string, error) {
	by := map[string][]llm.Model{}
	var names []string
	for _, m := range c.Models.List() {
		if by[m.Provider] == nil {
			names = append(names, m.Provider)
		}
		by[m.Provider] = append(by[m.Provider], m)
	}
	slices.Sort(names)
	provider, page, size := browsing(args)
	if provider == "" {
		var b strings.Builder
		b.WriteString("Providers:")
		for _, n := range names {
			fmt.Fprintf(&b, "\n%s (%d)", n, len(by[n]))
		}
		b.WriteString("\nSee the models of one with /models <provider>")
		return b.String(), nil
	}
	all := by[provider]
	if len(all) == 0 {
		return "", wrong("models", provider, names)
	}
	pages := (len(all) + size - 1) / size
	page = min(max(1, page), pages)
	var b strings.Builder
	fmt.Fprintf(&b, "Models of %s, page %d of %d:", provider, page, pages)
	for _, m := range all[(page-1)*size : min(page*size, len(all))] {
		b.WriteString("\n" + m.String())
	}
	if page < pages {
		fmt.Fprintf(&b, "\nNext: /models %s %d", provider, page+1)
	}
	return b.String(), nil
}

// browsing reads "[provider] [page] [size=n|all]".
func browsing(args string) (provider string, page, size int) {
	page, size = 1, 20
	for _, w := range strings.Fields(strings.ToLower(args)) {
		n, err := strconv.Atoi(w)
		v, sized := strings.CutPrefix(w, "size=")
		switch {
		case w == "all" || sized && v == "all":
			size = 100
		case sized:
			if n, err := strconv.Atoi(v); err == nil {
				size = min(max(1, n), 100)
			}
		case err == nil:
			page = n
		case provider == "":
			provider = w
		}
	}
	return provider, page, size
}
