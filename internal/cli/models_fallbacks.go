package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/config"
)

func (sh *shell) modelsFallbacks(name, key string) *cobra.Command {
	path := "agents.defaults." + key + ".fallbacks"
	get := func(c *config.Config) []string {
		if key == "model" {
			return c.Agents.Defaults.Model.Fallbacks
		}
		return c.Agents.Defaults.ImageModel.Fallbacks
	}
	put := func(ctx context.Context, list []string) error {
		changes := []change{{path, list, false}}
		if c, err := sh.config(ctx); err == nil && key == "model" && c.Agents.Defaults.Model.Primary != "" {
			// The file may hold the bare name; with fallbacks it must be an object.
			changes = append(changes, change{"agents.defaults.model.primary", c.Agents.Defaults.Model.Primary, false})
		}
		if _, err := sh.edit(ctx, changes...); err != nil {
			return err
		}
		sh.line("Fallbacks: %s", orDash(strings.Join(list, ", ")))
		return nil
	}
	var bare bool
	list := sh.command(spec{name: "list", short: "List them", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		fs := get(c)
		switch {
		case sh.json:
			sh.printJSON(map[string]any{"fallbacks": append([]string{}, fs...)})
		case bare:
			sh.line("%s", strings.Join(fs, "\n"))
		default:
			sh.line("Fallbacks (%d): %s", len(fs), orDash(strings.Join(fs, ", ")))
		}
		return nil
	}})
	list.Flags().BoolVar(&bare, "plain", false, "names only")
	sh.jsonFlag(list)
	change := func(name, short string, do func(list []string, ref string) ([]string, error)) *cobra.Command {
		return sh.command(spec{name: name, short: short, args: []string{"model"}, run: func(ctx context.Context, args []string) error {
			c, err := sh.config(ctx)
			if err != nil {
				return err
			}
			ref, err := modelRef(c, args[0])
			if err != nil {
				return err
			}
			fs, err := do(slices.Clone(get(c)), ref)
			if err != nil {
				return err
			}
			return put(ctx, fs)
		}})
	}
	return sh.command(spec{name: name, short: "The models to try when the first one fails", subs: []*cobra.Command{
		list,
		change("add", "Add one at the end", func(l []string, ref string) ([]string, error) {
			if slices.Contains(l, ref) {
				return l, nil
			}
			return append(l, ref), nil
		}),
		change("remove", "Take one out", func(l []string, ref string) ([]string, error) {
			if !slices.Contains(l, ref) {
				return nil, say("%s isn't a fallback. What there is: openclaw models %s list", ref, name)
			}
			return slices.DeleteFunc(l, func(x string) bool { return x == ref }), nil
		}),
		sh.command(spec{name: "clear", short: "Take all out", run: func(ctx context.Context, _ []string) error { return put(ctx, []string{}) }}),
	}})
}

func (sh *shell) modelsAliases() *cobra.Command {
	var bare bool
	list := sh.command(spec{name: "list", short: "List them", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		aliases := aliasesOf(c)
		if sh.json {
			sh.printJSON(map[string]any{"aliases": aliases})
			return nil
		}
		if !bare {
			sh.line("Aliases (%d):", len(aliases))
		}
		for _, a := range sortedKeys(aliases) {
			sh.line("%s -> %s", a, aliases[a])
		}
		return nil
	}})
	list.Flags().BoolVar(&bare, "plain", false, "lines only")
	sh.jsonFlag(list)
	add := sh.command(spec{name: "add", short: "Give a model a short name", args: []string{"alias", "model"}, run: func(ctx context.Context, args []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ref, err := modelRef(c, args[1])
		if err != nil {
			return err
		}
		if old, ok := aliasesOf(c)[args[0]]; ok && old != ref {
			return say("%s is an alias of %s already; first: openclaw models aliases remove %s", args[0], old, args[0])
		}
		v, err := json.Marshal(args[0])
		if err != nil {
			return err
		}
		if len(modelSettings(c)) == 0 && !hasWildcard(c) {
			// A list with one entry would be all that conversations may choose.
			if _, err := sh.saved(sh.file().Set(ctx, settingPath(anyModel), []byte("{}"))); err != nil {
				return err
			}
		}
		if _, err := sh.saved(sh.file().Set(ctx, settingPath(ref, "alias"), v)); err != nil {
			return err
		}
		sh.line("Alias %s -> %s", args[0], ref)
		return nil
	}})
	remove := sh.command(spec{name: "remove", short: "Take a short name away", args: []string{"alias"}, run: func(ctx context.Context, args []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ref, ok := aliasesOf(c)[args[0]]
		if !ok {
			return say("Alias not found: %s. What there is: openclaw models aliases list", args[0])
		}
		// The model itself stays on the list.
		if _, err := sh.saved(sh.file().Set(ctx, settingPath(ref), []byte("{}"))); err != nil {
			return err
		}
		sh.line("Removed alias %s", args[0])
		return nil
	}})
	return sh.command(spec{name: "aliases", short: "Short names of models", subs: []*cobra.Command{list, add, remove}})
}

func aliasesOf(c *config.Config) map[string]string {
	out := map[string]string{}
	for m, s := range modelSettings(c) {
		if s.Alias != "" {
			out[s.Alias] = m
		}
	}
	return out
}
