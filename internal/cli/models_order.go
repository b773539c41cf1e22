package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// authOrder is openclaw models auth order: which of a provider's keys an agent
// tries first.
func (sh *shell) authOrder() *cobra.Command {
	var provider, agent string
	flags := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&provider, "provider", "", "whose keys (`name`)")
		cmd.Flags().StringVar(&agent, "agent", "", "the agent's `id` (default: the default agent)")
		require(cmd, "provider")
		return cmd
	}
	type place struct {
		c     *config.Config
		agent id.Agent
		path  string
	}
	open := func(ctx context.Context) (place, error) {
		c, err := sh.config(ctx)
		if err != nil {
			return place{}, err
		}
		a := c.DefaultAgent()
		if agent != "" {
			if _, ok := c.Agent(id.Agent(agent)); !ok {
				return place{}, say("Unknown agent id %q. What there is: openclaw agents list", agent)
			}
			a = id.Agent(agent)
		}
		provider = strings.ToLower(strings.TrimSpace(provider))
		return place{c, a, profilesPath(c, a)}, nil
	}
	get := flags(sh.command(spec{name: "get", short: "Show it", run: func(ctx context.Context, _ []string) error {
		at, err := open(ctx)
		if err != nil {
			return err
		}
		ps, err := readProfiles(at.path)
		if err != nil {
			return err
		}
		order := ps.order()[provider]
		if sh.json {
			sh.printJSON(struct {
				Agent    id.Agent `json:"agentId"`
				Dir      string   `json:"agentDir"`
				Provider string   `json:"provider"`
				Path     string   `json:"authStorePath"`
				Order    []string `json:"order"` // null without one
			}{at.agent, at.c.AgentDir(at.agent), provider, sh.short(at.path), order})
			return nil
		}
		sh.line("Agent: %s\nProvider: %s\nAuth file: %s", at.agent, provider, sh.short(at.path))
		sh.line("Order override: %s", first(strings.Join(order, ", "), "(none)"))
		return nil
	}}))
	sh.jsonFlag(get)
	put := func(at place, order []string) error {
		ps, err := readProfiles(at.path)
		if err != nil {
			return err
		}
		for _, name := range order {
			p, ok := ps.Profiles[name]
			if !ok {
				return say("Auth profile %q not found in %s.", name, sh.short(at.c.AgentDir(at.agent)))
			}
			if !strings.EqualFold(p.Provider, provider) {
				return say("Auth profile %q is for %s, not %s.", name, p.Provider, provider)
			}
		}
		all := ps.order()
		if all[provider] = order; order == nil {
			delete(all, provider)
		}
		return ps.write(at.path, all)
	}
	set := flags(sh.command(spec{name: "set", short: "Choose it", args: []string{"profileIds..."}, run: func(ctx context.Context, args []string) error {
		at, err := open(ctx)
		if err != nil {
			return err
		}
		if err := put(at, args); err != nil {
			return err
		}
		sh.line("Agent: %s\nProvider: %s\nOrder override: %s", at.agent, provider, strings.Join(args, ", "))
		return nil
	}}))
	drop := flags(sh.command(spec{name: "clear", short: "Leave it to the names again", run: func(ctx context.Context, _ []string) error {
		at, err := open(ctx)
		if err != nil {
			return err
		}
		if err := put(at, nil); err != nil {
			return err
		}
		sh.line("Agent: %s\nProvider: %s\nCleared per-agent order override.", at.agent, provider)
		return nil
	}}))
	return sh.command(spec{name: "order", short: "Which of a provider's keys is tried first", subs: []*cobra.Command{get, set, drop}})
}

// order is what the file says about the order of keys, by provider.
func (ps profiles) order() map[string][]string {
	out := map[string][]string{}
	if raw, ok := ps.rest["order"]; ok {
		if json.Unmarshal(raw, &out) != nil || out == nil {
			out = map[string][]string{}
		}
	}
	return out
}

// write replaces the file with ps and an order.
func (ps profiles) write(path string, order map[string][]string) error {
	out := map[string]any{}
	for k, v := range ps.rest {
		out[k] = v
	}
	if delete(out, "order"); len(order) > 0 {
		out["order"] = order
	}
	out["version"], out["profiles"] = 1, ps.Profiles
	raw, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(raw, '\n'))
}
