package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

type modelsStatus struct {
	ConfigPath string            `json:"configPath"`
	AgentDir   string            `json:"agentDir"`
	Default    string            `json:"defaultModel"`
	Resolved   string            `json:"resolvedDefault"`
	Fallbacks  []string          `json:"fallbacks"`
	Image      *string           `json:"imageModel"`
	ImageFalls []string          `json:"imageFallbacks"`
	Aliases    map[string]string `json:"aliases"`
	Allowed    []string          `json:"allowed"`
	Auth       struct {
		StorePath string         `json:"storePath"`
		ShellEnv  map[string]any `json:"shellEnvFallback"`
		OAuth     []string       `json:"providersWithOAuth"`
		Missing   []string       `json:"missingProvidersInUse"`
		Providers []providerAuth `json:"providers"`
		Unusable  []any          `json:"unusableProfiles"`
		Tokens    oauthFacts     `json:"oauth"`
	} `json:"auth"`
}

type oauthFacts struct {
	WarnAfterMs int64         `json:"warnAfterMs"`
	Profiles    []profileFact `json:"profiles"`
	Providers   []any         `json:"providers"`
}

type providerAuth struct {
	Provider  string `json:"provider"`
	Effective struct {
		Kind   string `json:"kind"`
		Detail string `json:"detail"`
	} `json:"effective"`
	Profiles struct {
		Count  int      `json:"count"`
		OAuth  int      `json:"oauth"`
		Token  int      `json:"token"`
		APIKey int      `json:"apiKey"`
		Labels []string `json:"labels"`
	} `json:"profiles"`
}

type profileFact struct {
	ID       string `json:"profileId"`
	Provider string `json:"provider"`
	Type     string `json:"type"`
	Status   string `json:"status"`
	Expires  *int64 `json:"expiresAt,omitempty"`
}

// warnAfter is how long before its end a login is called expiring.
const warnAfter = 24 * time.Hour

// modelsStatus is openclaw models status. With --check it ends with 1 for a
// missing or expired login, with 2 for one that expires soon.
func (sh *shell) modelsStatus(name string, subs ...*cobra.Command) *cobra.Command {
	var (
		bare, check bool
		agent       string
	)
	cmd := sh.command(spec{
		name: name, short: "Show the models in use and whether their keys are there", subs: subs, loose: true,
		run: func(ctx context.Context, _ []string) error {
			c, err := sh.config(ctx)
			if err != nil {
				return err
			}
			a := c.DefaultAgent()
			if agent != "" {
				if _, ok := c.Agent(id.Agent(agent)); !ok {
					return say("Unknown agent id %q. What there is: openclaw agents list", agent)
				}
				a = id.Agent(agent)
			}
			r, err := sh.modelsFacts(ctx, c, a)
			if err != nil {
				return err
			}
			switch {
			case sh.json:
				sh.printJSON(r)
			case bare:
				sh.line("%s", r.Resolved)
			default:
				sh.showModelsStatus(r)
			}
			if check {
				return r.check()
			}
			return nil
		},
	})
	f := cmd.Flags()
	jsonName, plainName := "json", "plain"
	if name == "models" {
		jsonName, plainName = "status-json", "status-plain"
	}
	f.BoolVar(&sh.json, jsonName, false, "print JSON and nothing else")
	f.BoolVar(&bare, plainName, false, "the default model's name only")
	f.StringVar(&agent, "agent", "", "the agent's `id` (default: the default agent)")
	if name != "models" {
		f.BoolVar(&check, "check", false, "fail when a login is missing or has ended (1) or ends soon (2)")
	}
	return cmd
}

func (sh *shell) modelsFacts(ctx context.Context, c *config.Config, a id.Agent) (*modelsStatus, error) {
	d := c.Agents.Defaults
	r := &modelsStatus{
		ConfigPath: c.Paths.Config, AgentDir: c.AgentDir(a), Default: d.Model.Primary, Resolved: d.Model.Primary,
		Fallbacks: append([]string{}, d.Model.Fallbacks...), ImageFalls: append([]string{}, d.ImageModel.Fallbacks...),
		Aliases: aliasesOf(c), Allowed: sortedKeys(modelSettings(c)),
	}
	if e, _ := c.Agent(a); e.Model.Primary != "" {
		r.Default, r.Resolved = e.Model.Primary, e.Model.Primary
	}
	if r.Allowed == nil || hasWildcard(c) {
		r.Allowed = []string{}
	}
	if d.ImageModel.Primary != "" {
		r.Image = &d.ImageModel.Primary
	}
	profiles, err := readProfiles(profilesPath(c, a))
	if err != nil {
		return nil, err
	}
	r.Auth.StorePath, r.Auth.ShellEnv = profilesPath(c, a), map[string]any{"enabled": false, "appliedKeys": []string{}}
	r.Auth.OAuth, r.Auth.Missing, r.Auth.Unusable = []string{}, []string{}, []any{}
	r.Auth.Providers, r.Auth.Tokens.Profiles, r.Auth.Tokens.Providers = []providerAuth{}, []profileFact{}, []any{}
	r.Auth.Tokens.WarnAfterMs = warnAfter.Milliseconds()
	for _, p := range providersInUse(c, r, profiles) {
		src := sh.keySource(ctx, c, p)
		pa := providerAuth{Provider: p}
		pa.Effective.Kind, pa.Effective.Detail = src.kind, src.detail
		pa.Profiles.Labels = []string{}
		for _, name := range sortedKeys(profiles.Profiles) {
			if x := profiles.Profiles[name]; x.Provider == p {
				pa.count(name, x)
				r.Auth.Tokens.add(name, x)
			}
		}
		if pa.Profiles.OAuth+pa.Profiles.Token > 0 {
			r.Auth.OAuth = append(r.Auth.OAuth, p)
		}
		if src.kind == "missing" && p != "demo" {
			r.Auth.Missing = append(r.Auth.Missing, p)
		}
		r.Auth.Providers = append(r.Auth.Providers, pa)
	}
	return r, nil
}

func (pa *providerAuth) count(name string, p profile) {
	pa.Profiles.Count++
	pa.Profiles.Labels = append(pa.Profiles.Labels, name)
	switch p.Type {
	case "oauth":
		pa.Profiles.OAuth++
	case "token":
		pa.Profiles.Token++
	default:
		pa.Profiles.APIKey++
	}
}

func (r *modelsStatus) check() error {
	code := 0
	if len(r.Auth.Missing) > 0 {
		code = 1
	}
	for _, p := range r.Auth.Tokens.Profiles {
		switch {
		case p.Status == "expired":
			code = 1
		case p.Status == "expiring" && code == 0:
			code = 2
		}
	}
	if code != 0 {
		return quiet{code}
	}
	return nil
}

func providersInUse(c *config.Config, r *modelsStatus, ps profiles) []string {
	var out []string
	add := func(ref string) {
		if p, _, ok := strings.Cut(ref, "/"); ok && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	add(r.Default)
	for _, f := range append(slices.Clone(r.Fallbacks), r.ImageFalls...) {
		add(f)
	}
	if r.Image != nil {
		add(*r.Image)
	}
	for _, p := range sortedKeys(c.Models.Providers) {
		add(p + "/")
	}
	for _, p := range ps.Profiles {
		add(p.Provider + "/")
	}
	return out
}

func (sh *shell) showModelsStatus(r *modelsStatus) {
	card := term.Card{Title: "Models"}
	card.Add("Config", sh.short(r.ConfigPath))
	card.Add("Agent dir", sh.short(r.AgentDir))
	card.Add("Default", first(r.Default, "chosen at start (openclaw models set <provider>/<model>)"))
	card.Add("Fallbacks", orDash(strings.Join(r.Fallbacks, ", ")))
	card.Add("Image model", orDash(deref(r.Image)))
	var aliases []string
	for _, a := range sortedKeys(r.Aliases) {
		aliases = append(aliases, a+" -> "+r.Aliases[a])
	}
	card.Add("Aliases", orDash(strings.Join(aliases, ", ")))
	card.Add("Allowed", orDash(strings.Join(r.Allowed, ", ")))
	card.Write(sh.Stdout, sh.out)
	if len(r.Auth.Providers) == 0 {
		return
	}
	sh.line("\n%s", sh.out.Bold("Keys"))
	t := term.Table{}
	for _, p := range r.Auth.Providers {
		state := sh.out.Good(p.Effective.Kind)
		if p.Effective.Kind == "missing" && p.Provider != "demo" {
			state = sh.out.Bad("missing")
		}
		t.Rows = append(t.Rows, []string{"  " + p.Provider, state, sh.out.Dim(p.Effective.Detail)})
	}
	sh.table(t)
	for _, p := range r.Auth.Missing {
		sh.note("No key for %s: %s", p, sh.err.Accent("openclaw models auth paste-token --provider "+p))
	}
}
