package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/agent/ability"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// abilityCheck is a check as models probe prints it.
type abilityCheck struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Skipped bool   `json:"skipped"`
	Took    int64  `json:"latencyMs"`
	Detail  string `json:"detail"`
}

type abilityReport struct {
	Model         string         `json:"model"`
	API           string         `json:"api"`
	ContextWindow int            `json:"contextWindow"` // as claimed
	MaxTokens     int            `json:"maxTokens"`     // as claimed
	Claims        []string       `json:"claims"`
	Checks        []abilityCheck `json:"checks"`
}

// modelsProbe is openclaw models probe: what an endpoint can really do.
func (sh *shell) modelsProbe() *cobra.Command {
	var (
		agent, limit string
		whole        bool
	)
	cmd := sh.command(spec{
		name: "probe", short: "Ask a model what it can really do: tools, images, streaming, context", args: []string{"model?"},
		example: "openclaw models probe ollama/llama3.3\nopenclaw models probe openai/gpt-5.2 --json",
		run: func(ctx context.Context, args []string) error {
			c, err := sh.config(ctx)
			if err != nil {
				return err
			}
			d, err := milliseconds("--timeout", limit, 30*time.Second)
			if err != nil {
				return err
			}
			ref := ""
			if len(args) > 0 {
				if ref, err = modelRef(c, args[0]); err != nil {
					return err
				}
			}
			a := id.Agent(first(agent, string(c.DefaultAgent())))
			m, p, err := sh.endpoint(ctx, c, a, ref)
			if err != nil {
				return err
			}
			t := ability.Target{Model: m, Provider: p, Timeout: d}
			if whole {
				t.Context = m.ContextWindow
			}
			if !sh.json {
				sh.note("Asking %s; this takes a few short answers of its quota.", m)
			}
			return sh.showAbilities(m, ability.All(ctx, t))
		},
	})
	cmd.Flags().StringVar(&agent, "agent", "", "with the keys of this agent (`id`)")
	cmd.Flags().StringVar(&limit, "timeout", "", "for each check (`ms`, default: 30000)")
	cmd.Flags().BoolVar(&whole, "context", false, "try the whole context window: that many tokens are sent, and paid for")
	sh.jsonFlag(cmd)
	return cmd
}

// endpoint is the first way to ask ref. Rules about what conversations may
// choose don't apply: a person asks.
func (sh *shell) endpoint(ctx context.Context, c *config.Config, a id.Agent, ref string) (llm.Model, provider.Provider, error) {
	if sh.Resolver == nil {
		return llm.Model{}, nil, say("this build has no models to ask")
	}
	if ref != "" && len(c.Agents.Defaults.Models) > 0 {
		free := *c
		free.Agents.Defaults.Models = nil
		c = &free
	}
	return firstAttempt(ctx, sh.Resolver(c), a, ref)
}

func firstAttempt(ctx context.Context, r *model.Resolver, a id.Agent, ref string) (llm.Model, provider.Provider, error) {
	for at := range r.Attempts(ctx, a, ref) {
		return at.Model, at.Provider, nil
	}
	return llm.Model{}, nil, say("no model can be asked; see: openclaw models status")
}

// milliseconds reads the value of a flag.
func milliseconds(flag, s string, or time.Duration) (time.Duration, error) {
	if s == "" {
		return or, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || n > 3_600_000 {
		return 0, say("%s must be > 0", flag)
	}
	return time.Duration(n) * time.Millisecond, nil
}

// showAbilities prints what was found. A model that doesn't answer at all is a
// failure of the command.
func (sh *shell) showAbilities(m llm.Model, found []ability.Finding) error {
	r := abilityReport{Model: m.String(), API: m.API, ContextWindow: m.ContextWindow, MaxTokens: m.MaxTokens, Claims: slices.Clone(m.Input), Checks: []abilityCheck{}}
	if m.Reasoning {
		r.Claims = append(r.Claims, "thinking")
	}
	t := term.Table{Head: []string{"Check", "Result", "Took", "Seen"}, Max: map[int]int{3: 90}}
	answered := false
	for _, f := range found {
		answered = answered || f.OK
		r.Checks = append(r.Checks, abilityCheck{f.Name, f.OK, f.Skipped, f.Took.Milliseconds(), f.Detail})
		result, took := sh.out.Bad("no"), fmt.Sprintf("%d ms", f.Took.Milliseconds())
		switch {
		case f.OK:
			result = sh.out.Good("yes")
		case f.Skipped:
			result, took = "skipped", "-"
		}
		t.Rows = append(t.Rows, []string{f.Name, result, took, f.Detail})
	}
	if sh.json {
		sh.printJSON(r)
	} else {
		sh.line("%s over %s, said to take %d tokens", sh.out.Accent(r.Model), r.API, r.ContextWindow)
		sh.table(t)
	}
	if !answered {
		return quiet{1}
	}
	return nil
}
