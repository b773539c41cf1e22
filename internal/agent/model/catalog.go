package model

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// What a model has when nobody says, as the original assumes.
const (
	defaultContext = 200_000
	defaultOutput  = 8192
)

// generation is all that follows from one version of the configuration.
type generation struct {
	cfg      *config.Config
	services map[string]*service
	names    map[string]string // other names of services
	models   []llm.Model       // what is configured and found, in the order of List
	index    map[string]int
	aliases  map[string]string // lower case alias to reference
	allowed  map[string]bool   // nil allows all
	params   map[string]json.RawMessage
	first    string       // reference of the first configured model
	known    []compat.Row // the services to be found by a key alone

	mu       sync.Mutex
	made     map[cacheKey]provider.Provider
	secrets  map[string]string // resolved keys of services
	profiles map[id.Agent]*profiles
	sections map[string][]llm.Model // of the catalogue, as they are asked for
}

type cacheKey struct{ service, api, hash string }

// configured is a section of models.providers.
type configured = config.Provider

// generation returns what belongs to the current configuration.
func (r *Resolver) generation() *generation {
	cfg := r.cfg()
	if g := r.cur.Load(); g != nil && g.cfg == cfg {
		return g
	}
	r.build.Lock()
	defer r.build.Unlock()
	if g := r.cur.Load(); g != nil && g.cfg == cfg {
		return g
	}
	g := r.generate(cfg)
	r.cur.Store(g)
	return g
}

func (r *Resolver) generate(cfg *config.Config) *generation {
	g := &generation{
		cfg: cfg, services: map[string]*service{}, names: map[string]string{}, index: map[string]int{}, aliases: map[string]string{},
		params: map[string]json.RawMessage{}, made: map[cacheKey]provider.Provider{}, secrets: map[string]string{},
		profiles: map[id.Agent]*profiles{}, sections: map[string][]llm.Model{},
	}
	rows := r.known()
	if cfg.Models.Mode != "replace" {
		g.known = rows
	}
	ids := make([]string, 0, len(cfg.Models.Providers))
	for name := range cfg.Models.Providers {
		ids = append(ids, name)
	}
	slices.Sort(ids)
	for _, name := range ids {
		s := &service{id: strings.ToLower(name), conf: cfg.Models.Providers[name]}
		if i := slices.IndexFunc(rows, func(r compat.Row) bool { return r.ID == s.id }); i >= 0 {
			s.row = &rows[i]
		} else if row, ok := compat.At(s.conf.BaseURL); ok {
			row.Env, row.Elsewhere = nil, nil // under another name: its own key only
			s.row = &row
		}
		g.services[s.id] = s
	}
	for i := range g.known {
		row := &g.known[i]
		if g.services[row.ID] == nil {
			g.services[row.ID] = &service{id: row.ID, row: row}
		}
		for _, a := range row.Aliases {
			g.names[a] = row.ID
		}
	}
	for _, name := range ids {
		g.listed(g.services[strings.ToLower(name)])
	}
	for _, f := range r.local.answers() {
		if s := g.services[f.id]; s == nil || s.conf.BaseURL == "" && len(s.conf.Models) == 0 {
			g.services[f.id] = &service{id: f.id, row: &f.row, found: true}
			for _, m := range f.models {
				g.add(m)
			}
		}
	}
	g.services[demoID] = &service{id: demoID, row: &compat.Row{ID: demoID, API: demoID, Keyless: true}}
	g.add(demoModel())
	g.choices(cfg.Agents.Defaults)
	return g
}

// listed adds the models that the configuration lists for s. What it leaves out
// of one that the catalogue knows comes from there.
func (g *generation) listed(s *service) {
	var section []llm.Model
	if g.known != nil && s.row != nil {
		section = g.section(s.row.ID)
	}
	for _, m := range s.conf.Models {
		x := llm.Model{
			Provider: s.id, ID: m.ID, Name: m.Name, API: s.api(m.API), ContextWindow: m.ContextWindow, MaxTokens: m.MaxTokens,
			Reasoning: m.Reasoning, Input: m.Input,
			Cost: llm.Cost{Input: m.Cost.Input, Output: m.Cost.Output, CacheRead: m.Cost.CacheRead, CacheWrite: m.Cost.CacheWrite},
		}
		if i := slices.IndexFunc(section, func(k llm.Model) bool { return k.ID == m.ID }); i >= 0 {
			x = completed(x, section[i])
		}
		g.add(filled(x))
		if g.first == "" {
			g.first = x.String()
		}
	}
}

// completed takes from k what x leaves open.
func completed(x, k llm.Model) llm.Model {
	if x.ContextWindow == 0 {
		x.ContextWindow = k.ContextWindow
	}
	if x.MaxTokens == 0 {
		x.MaxTokens = k.MaxTokens
	}
	if len(x.Input) == 0 {
		x.Input = k.Input
	}
	if x.Cost == (llm.Cost{}) {
		x.Cost = k.Cost
	}
	return x
}

func filled(m llm.Model) llm.Model {
	if m.Name == "" {
		m.Name = m.ID
	}
	if m.ContextWindow == 0 {
		m.ContextWindow = defaultContext
	}
	if m.MaxTokens == 0 {
		m.MaxTokens = defaultOutput
	}
	if len(m.Input) == 0 {
		m.Input = []string{"text"}
	}
	return m
}

// add adds m unless its service has a model of that name: what is configured
// comes first.
func (g *generation) add(m llm.Model) {
	if _, ok := g.index[m.String()]; ok {
		return
	}
	g.index[m.String()] = len(g.models)
	g.models = append(g.models, m)
}

// choices reads agents.defaults.models: aliases, and the list of what is
// allowed when it holds anything but the entry * for all.
func (g *generation) choices(d config.AgentDefaults) {
	var entries map[string]struct {
		Alias  string          `json:"alias"`
		Params json.RawMessage `json:"params"`
	}
	if len(d.Models) == 0 || json.Unmarshal(d.Models, &entries) != nil || len(entries) == 0 {
		return // validation has reported what can't be read
	}
	_, all := entries["*"]
	if delete(entries, "*"); !all {
		g.allowed = map[string]bool{}
	}
	for ref, e := range entries {
		p, m, ok := strings.Cut(ref, "/")
		if ok {
			ref = g.canonical(p) + "/" + m
		}
		if len(e.Params) > 0 && string(e.Params) != "null" {
			g.params[ref] = e.Params
		}
		if g.allowed != nil {
			g.allowed[ref] = true
		}
		if e.Alias != "" {
			g.aliases[strings.ToLower(e.Alias)] = ref
		}
	}
}

// make builds a provider.
func (r *Resolver) make(ctx context.Context, g *generation, s *service, api, key string) (provider.Provider, error) {
	cfg := provider.Config{ID: s.id, BaseURL: g.baseURL(s), APIKey: key, Raw: s.conf.Raw, Getenv: g.getenv}
	kind, ok := r.kinds[api]
	if !ok {
		return nil, fault.New(fault.Invalid, "model.Attempts", s.id+": the wire format "+api+" isn't supported; set models.providers."+s.id+".api to openai-completions or anthropic-messages")
	}
	if s.own() {
		cfg.Headers = maps.Clone(s.row.Headers)
	}
	for name, raw := range s.conf.Headers {
		v, err := r.secret(ctx, raw)
		if err != nil {
			return nil, &fault.Error{Kind: fault.Invalid, Op: "model.Attempts", Hint: s.id + ": the header " + name + " can't be resolved", Err: err}
		}
		if cfg.Headers == nil {
			cfg.Headers = map[string]string{}
		}
		cfg.Headers[name] = v
	}
	if s.conf.Auth == "token" && kind.ID == "anthropic-messages" && key != "" {
		if cfg.Headers == nil {
			cfg.Headers = map[string]string{}
		}
		cfg.Headers["Authorization"] = "Bearer " + key
	}
	p, err := kind.New(r.client, cfg)
	if err != nil {
		return nil, err
	}
	return provider.Cleaned(p), nil
}

// secret resolves raw, which may be a plain string.
func (r *Resolver) secret(ctx context.Context, raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if r.secrets != nil {
		return r.secrets.Resolve(ctx, raw)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fault.New(fault.Invalid, "model.secret", "a reference to a secret can't be resolved here")
	}
	return s, nil
}
