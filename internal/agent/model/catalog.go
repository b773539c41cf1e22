package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
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
	models   []llm.Model // in the order of List
	index    map[string]int
	aliases  map[string]string // lower case alias to reference
	allowed  map[string]bool   // nil allows all
	first    string            // reference of the first configured model
	known    []known           // the services to be found by a key alone

	mu       sync.Mutex
	made     map[cacheKey]provider.Provider
	secrets  map[string]string // resolved keys of services
	profiles map[id.Agent]*profiles
}

type cacheKey struct{ service, api, hash string }

// service is one provider, configured or known.
type service struct {
	id    string
	known *known // nil when only configured
	conf  config.Provider
	found bool // answers on loopback
}

func (s *service) baseURL() string {
	if s.conf.BaseURL != "" || s.known == nil {
		return s.conf.BaseURL
	}
	return s.known.baseURL
}

func (s *service) api(own string) string {
	for _, a := range []string{own, s.conf.API} {
		if a != "" {
			return a
		}
	}
	if s.known != nil {
		return s.known.api
	}
	return "openai-completions"
}

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
		cfg: cfg, known: catalogue(), services: map[string]*service{}, index: map[string]int{}, aliases: map[string]string{},
		made: map[cacheKey]provider.Provider{}, secrets: map[string]string{}, profiles: map[id.Agent]*profiles{},
	}
	merge := cfg.Models.Mode != "replace"
	ids := make([]string, 0, len(cfg.Models.Providers))
	for name := range cfg.Models.Providers {
		ids = append(ids, name)
	}
	slices.Sort(ids)
	for _, name := range ids {
		g.configured(strings.ToLower(name), cfg.Models.Providers[name])
	}
	if merge {
		for i := range g.known {
			g.builtIn(&g.known[i])
		}
	}
	for _, s := range r.local.answers() {
		if g.services[s.id] == nil {
			g.services[s.id] = &service{id: s.id, known: &s.known, found: true}
			for _, m := range s.models {
				g.add(m)
			}
		}
	}
	g.services[demoID] = &service{id: demoID, known: &known{id: demoID, api: demoID}}
	g.add(demoModel())
	g.choices(cfg.Agents.Defaults)
	return g
}

func (g *generation) configured(name string, p config.Provider) {
	s := &service{id: name, conf: p}
	for i := range g.known {
		if g.known[i].id == name {
			s.known = &g.known[i]
		}
	}
	g.services[name] = s
	for _, m := range p.Models {
		x := llm.Model{
			Provider: name, ID: m.ID, Name: m.Name, API: s.api(m.API), ContextWindow: m.ContextWindow, MaxTokens: m.MaxTokens,
			Reasoning: m.Reasoning, Input: m.Input,
			Cost: llm.Cost{Input: m.Cost.Input, Output: m.Cost.Output, CacheRead: m.Cost.CacheRead, CacheWrite: m.Cost.CacheWrite},
		}
		g.add(filled(x))
		if g.first == "" {
			g.first = x.String()
		}
	}
}

func (g *generation) builtIn(k *known) {
	s := g.services[k.id]
	if s == nil {
		s = &service{id: k.id, known: k}
		g.services[k.id] = s
	}
	for _, m := range k.models {
		m.Provider, m.API = k.id, s.api("")
		g.add(filled(m))
	}
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
		Alias string `json:"alias"`
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
			ref = strings.ToLower(p) + "/" + m
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
	cfg := provider.Config{ID: s.id, BaseURL: s.baseURL(), APIKey: key, Raw: s.conf.Raw, Getenv: g.getenv}
	kind, ok := r.kinds[api]
	if !ok {
		return nil, fault.New(fault.Invalid, "model.Attempts", s.id+": the wire format "+api+" isn't supported; set models.providers."+s.id+".api to openai-completions or anthropic-messages")
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
