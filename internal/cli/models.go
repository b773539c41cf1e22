package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// models is openclaw models; alone it shows the status.
func (sh *shell) models() *cobra.Command {
	cmd := sh.modelsStatus("models",
		sh.modelsList(), sh.modelsStatus("status"), sh.modelsSet("set", "model"), sh.modelsSet("set-image", "imageModel"),
		sh.modelsFallbacks("fallbacks", "model"), sh.modelsFallbacks("image-fallbacks", "imageModel"), sh.modelsAliases(), sh.modelsScan(), sh.modelsProbe(), sh.modelsAuth())
	cmd.Short = "Which models the agents use, and the keys for them"
	return cmd
}

// modelRow is a model as models list prints it.
type modelRow struct {
	Key           string   `json:"key"`
	Name          string   `json:"name"`
	Input         string   `json:"input"`
	ContextWindow *int     `json:"contextWindow"`
	Local         *bool    `json:"local"`
	Available     *bool    `json:"available"`
	Tags          []string `json:"tags"`
	Missing       bool     `json:"missing"`
}

func (sh *shell) modelsList() *cobra.Command {
	var (
		all, local, bare bool
		provider         string
	)
	cmd := sh.command(spec{name: "list", short: "List the models in use, or all there are", loose: true, run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		rows, err := sh.modelRows(ctx, c, all)
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r modelRow) bool {
			return local && !deref(r.Local) || provider != "" && !strings.HasPrefix(r.Key, provider+"/")
		})
		sh.showModels(rows, bare)
		return nil
	}})
	cmd.Flags().BoolVar(&all, "all", false, "every model of every provider")
	cmd.Flags().BoolVar(&local, "local", false, "only those on this host")
	cmd.Flags().StringVar(&provider, "provider", "", "only this provider's (`name`)")
	cmd.Flags().BoolVar(&bare, "plain", false, "names only")
	sh.jsonFlag(cmd)
	return cmd
}

// modelRows lists the models that the configuration names, and with all those
// that its providers have.
func (sh *shell) modelRows(ctx context.Context, c *config.Config, all bool) ([]modelRow, error) {
	known := map[string]llm.Model{}
	var order []string
	add := func(m llm.Model) {
		if _, ok := known[m.String()]; !ok {
			order = append(order, m.String())
		}
		known[m.String()] = m
	}
	for _, p := range sortedKeys(c.Models.Providers) {
		for _, m := range c.Models.Providers[p].Models {
			add(llm.Model{Provider: p, ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, Input: m.Input})
		}
	}
	if sh.Models != nil {
		ms, err := sh.Models(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			add(m)
		}
	}
	tags, wanted := modelTags(c)
	var rows []modelRow
	for _, ref := range wanted {
		m, ok := known[ref]
		rows = append(rows, sh.modelRow(ctx, c, ref, m, ok, tags[ref]))
	}
	if !all {
		return rows, nil
	}
	for _, ref := range order {
		if !slices.Contains(wanted, ref) {
			rows = append(rows, sh.modelRow(ctx, c, ref, known[ref], true, []string{}))
		}
	}
	return rows, nil
}

func (sh *shell) modelRow(ctx context.Context, c *config.Config, ref string, m llm.Model, found bool, tags []string) modelRow {
	r := modelRow{Key: ref, Name: first(m.Name, ref), Input: first(strings.Join(m.Input, "+"), "text"), Tags: tags, Missing: !found}
	if m.ContextWindow > 0 {
		r.ContextWindow = &m.ContextWindow
	}
	provider, _, _ := strings.Cut(ref, "/")
	local := provider == "demo" || localAddress(c.Models.Providers[provider].BaseURL)
	r.Local = &local
	ready := provider == "demo" || sh.keySource(ctx, c, provider).kind != "missing"
	r.Available = &ready
	return r
}

// localAddress reports whether a base URL is of this host or its network.
func localAddress(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".local") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}

// modelTags says why a model is in the list, and the order of the list.
func modelTags(c *config.Config) (tags map[string][]string, order []string) {
	tags = map[string][]string{}
	add := func(ref, tag string) {
		if ref == "" {
			return
		}
		if tags[ref] == nil {
			order = append(order, ref)
		}
		if !slices.Contains(tags[ref], tag) {
			tags[ref] = append(tags[ref], tag)
		}
	}
	d := c.Agents.Defaults
	add(d.Model.Primary, "default")
	for i, f := range d.Model.Fallbacks {
		add(f, fmt.Sprintf("fallback#%d", i+1))
	}
	add(d.ImageModel.Primary, "image")
	for i, f := range d.ImageModel.Fallbacks {
		add(f, fmt.Sprintf("img-fallback#%d", i+1))
	}
	for _, m := range sortedKeys(modelSettings(c)) {
		add(m, "configured")
		if a := modelSettings(c)[m].Alias; a != "" {
			add(m, "alias:"+a)
		}
	}
	return tags, order
}

// modelSetting is one of agents.defaults.models.
type modelSetting struct {
	Alias string `json:"alias,omitempty"`
}

// anyModel is the entry of agents.defaults.models that allows all models.
const anyModel = "*"

func modelSettings(c *config.Config) map[string]modelSetting {
	out := map[string]modelSetting{}
	if len(c.Agents.Defaults.Models) > 0 {
		_ = json.Unmarshal(c.Agents.Defaults.Models, &out) // the schema checked it
	}
	delete(out, anyModel)
	return out
}

// hasWildcard reports whether all models are allowed, whatever else is listed.
func hasWildcard(c *config.Config) bool {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(c.Agents.Defaults.Models, &all) // the schema checked it
	_, ok := all[anyModel]
	return ok
}

func (sh *shell) showModels(rows []modelRow, bare bool) {
	switch {
	case sh.json:
		if rows == nil {
			rows = []modelRow{}
		}
		sh.printJSON(struct {
			Count  int        `json:"count"`
			Models []modelRow `json:"models"`
		}{len(rows), rows})
	case bare:
		for _, r := range rows {
			sh.line("%s", r.Key)
		}
	case len(rows) == 0:
		sh.line("No model is configured, so the gateway chooses one at start. What there is: openclaw models list --all. Choose one: openclaw models set <provider>/<model>")
	default:
		t := term.Table{Head: []string{"Model", "Input", "Ctx", "Local", "Auth", "Tags"}, Max: map[int]int{0: 60}}
		for _, r := range rows {
			ctx := "-"
			if r.ContextWindow != nil {
				ctx = fmt.Sprintf("%dk", *r.ContextWindow/1024)
			}
			auth := sh.out.Bad("no")
			if deref(r.Available) {
				auth = sh.out.Good("yes")
			}
			t.Rows = append(t.Rows, []string{sh.out.Accent(r.Key), r.Input, ctx, yesNo(deref(r.Local)), auth, strings.Join(r.Tags, ",")})
		}
		sh.table(t)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// modelRef checks a model reference and follows an alias.
func modelRef(c *config.Config, ref string) (string, error) {
	for m, s := range modelSettings(c) {
		if strings.EqualFold(s.Alias, ref) && ref != "" {
			return m, nil
		}
	}
	p, m, ok := strings.Cut(ref, "/")
	if !ok || p == "" || m == "" {
		return "", say("a model is <provider>/<model>, as in anthropic/claude-sonnet-4-5, or an alias; what there is: openclaw models list --all")
	}
	return ref, nil
}

func (sh *shell) modelsSet(name, key string) *cobra.Command {
	label, short := "Default model", "Choose the model of all agents"
	if key == "imageModel" {
		label, short = "Image model", "Choose the model that looks at images"
	}
	return sh.command(spec{name: name, short: short, args: []string{"model"}, run: func(ctx context.Context, args []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ref, err := modelRef(c, args[0])
		if err != nil {
			return err
		}
		known := modelSettings(c)
		if _, ok := known[ref]; !ok && len(known) > 0 && !hasWildcard(c) {
			if err := sh.allow(ctx, ref); err != nil {
				return err
			}
		}
		if _, err := sh.edit(ctx, change{"agents.defaults." + key + ".primary", ref, false}); err != nil {
			return err
		}
		sh.line("Updated %s\n%s: %s", sh.short(sh.paths().Config), label, ref)
		sh.doubt(ctx, c, ref)
		return nil
	}})
}

// doubt warns when ref can't be used as things are.
func (sh *shell) doubt(ctx context.Context, c *config.Config, ref string) {
	if sh.Models == nil || strings.HasPrefix(ref, "demo/") { // the embedded model is always there, and never listed
		return
	}
	ms, err := sh.Models(ctx, c)
	if err != nil || slices.ContainsFunc(ms, func(m llm.Model) bool { return m.String() == ref }) {
		return
	}
	provider, _, _ := strings.Cut(ref, "/")
	if slices.ContainsFunc(ms, func(m llm.Model) bool { return m.Provider == provider }) {
		sh.note("%s %s is not among the known models of %s; it is asked for under that name.", sh.err.Warn("!"), ref, provider)
		return
	}
	sh.note("%s %s is not among the models that can be used now: the name may be wrong, or its key is missing.\nSee: openclaw models status", sh.err.Warn("!"), ref)
}

// allow puts a model on the list of agents.defaults.models: a list that is
// there is an allow list.
func (sh *shell) allow(ctx context.Context, ref string) error {
	_, err := sh.saved(sh.file().Set(ctx, settingPath(ref), []byte("{}")))
	return err
}

// settingPath is the path of a model in agents.defaults.models.
func settingPath(ref string, more ...string) string {
	return append(config.KeyPath{"agents", "defaults", "models", ref}, more...).String()
}
