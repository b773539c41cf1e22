package model

import (
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Default is the model of a: the configured one, else the first of a
// configured provider, else that of a service with a key, else one that
// answers on loopback, else the demo model.
func (r *Resolver) Default(a id.Agent) llm.Model {
	g := r.generation()
	m, err := g.find(g.preferred(r, a))
	if err != nil {
		return g.named(r, a, "")
	}
	return m
}

// Lookup finds the model that ref or an alias names.
func (r *Resolver) Lookup(ref string) (llm.Model, error) { return r.generation().find(ref) }

// Allowed tells whether a conversation may choose m: agents.defaults.models
// lists all that it may, when it lists any.
func (r *Resolver) Allowed(m llm.Model) bool { return r.generation().allows(m.String()) }

// List lists the models that conversations may choose: those that are
// configured or answer on loopback, and those of every service with a key.
func (r *Resolver) List() []llm.Model {
	g := r.generation()
	a := g.cfg.DefaultAgent()
	return g.list(func(s *service) bool { return g.usable(r, a, s) })
}

// All is List with the models of the services that have no key, too.
func (r *Resolver) All() []llm.Model {
	return r.generation().list(func(*service) bool { return true })
}

func (g *generation) list(want func(*service) bool) []llm.Model {
	out := make([]llm.Model, 0, len(g.models)+64)
	seen := map[string]bool{}
	add := func(m llm.Model) {
		if ref := m.String(); !seen[ref] && g.allows(ref) {
			seen[ref] = true
			out = append(out, m)
		}
	}
	for _, m := range g.models {
		add(m)
	}
	for i := range g.known {
		if s := g.services[g.known[i].ID]; s != nil && want(s) {
			for _, m := range g.builtIn(s) {
				add(m)
			}
		}
	}
	refs := make([]string, 0, len(g.allowed))
	for ref := range g.allowed {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	for _, ref := range refs {
		if m, err := g.find(ref); err == nil {
			add(m)
		}
	}
	return out
}

// usable tells whether s can be asked as things are: it has a key, or wants
// none and is configured.
func (g *generation) usable(r *Resolver, a id.Agent, s *service) bool {
	if len(s.conf.APIKey) > 0 || s.conf.BaseURL != "" || s.found || s.row == nil {
		return true
	}
	if name, _ := g.environment(s.row); name != "" || g.elsewhere(s.row) {
		return true
	}
	p := r.profilesOf(g, a)
	return p.has(s.id) || s.row.Auth != "" && p.has(s.row.Auth)
}

func (g *generation) allows(ref string) bool {
	if g.allowed == nil || g.allowed[ref] {
		return true
	}
	named := func(c config.ModelChoice) bool {
		return g.is(c.Primary, ref) || slices.ContainsFunc(c.Fallbacks, func(f string) bool { return g.is(f, ref) })
	}
	if named(g.cfg.Agents.Defaults.Model) {
		return true
	}
	return slices.ContainsFunc(g.cfg.Agents.List, func(a config.Agent) bool { return named(a.Model) })
}

// is tells whether name means the model ref.
func (g *generation) is(name, ref string) bool {
	if name == "" {
		return false
	}
	m, err := g.find(name)
	return err == nil && m.String() == ref
}

// choice is the configured model of a, with the fallbacks that go with it.
func (g *generation) choice(a id.Agent) config.ModelChoice {
	c := g.cfg.Agents.Defaults.Model
	e, _ := g.cfg.Agent(a)
	if e.Model.Primary != "" {
		c.Primary = e.Model.Primary
	}
	if e.Model.Fallbacks != nil {
		c.Fallbacks = e.Model.Fallbacks
	}
	return c
}

// preferred is the reference of a's own model.
func (g *generation) preferred(r *Resolver, a id.Agent) string {
	if c := g.choice(a); c.Primary != "" {
		return c.Primary
	}
	if g.first != "" {
		return g.first
	}
	if g.cfg.Models.Mode != "replace" {
		stored := r.profilesOf(g, a)
		for i := range g.known {
			row := &g.known[i]
			if row.Model == "" {
				continue
			}
			if name, _ := g.environment(row); name != "" || stored.has(row.ID) {
				return row.ID + "/" + row.Model
			}
		}
	}
	for _, s := range r.local.answers() {
		if len(s.models) > 0 {
			return s.models[0].String()
		}
	}
	return demoID + "/" + demoID
}

// chain lists the models to try for ref. Problem gets the first reason why one
// can't be.
func (g *generation) chain(r *Resolver, a id.Agent, ref string, problem *error) []llm.Model {
	refs := []string{ref}
	if ref == "" {
		refs[0] = g.preferred(r, a)
	}
	refs = append(refs, g.choice(a).Fallbacks...)
	out := make([]llm.Model, 0, len(refs))
	for i, ref := range refs {
		m, err := g.find(ref)
		if err == nil && i == 0 && !g.allows(m.String()) {
			err = fault.New(fault.Forbidden, "model.Attempts", m.String()+" isn't among the allowed models; see: openclaw models list")
			*problem = err
			return nil // a fallback would hide that the choice was refused
		}
		if err != nil {
			if *problem == nil {
				*problem = err
			}
			continue
		}
		m.Params = g.params[m.String()]
		if !slices.ContainsFunc(out, func(x llm.Model) bool { return x.String() == m.String() }) {
			out = append(out, m)
		}
	}
	return out
}

// named is a model with the name in ref and nothing else, for an attempt that
// only explains.
func (g *generation) named(r *Resolver, a id.Agent, ref string) llm.Model {
	if ref == "" {
		ref = g.preferred(r, a)
	}
	if m, err := g.find(ref); err == nil {
		return m
	}
	p, m, ok := strings.Cut(ref, "/")
	if !ok {
		p, m = "", ref
	}
	return filled(llm.Model{Provider: p, ID: m})
}

// find reads a reference: an alias, provider/model, or a model's name alone
// when it is unmistakable.
func (g *generation) find(ref string) (llm.Model, error) {
	ref = strings.TrimSpace(ref)
	if to, ok := g.aliases[strings.ToLower(ref)]; ok {
		ref = to
	}
	if i, ok := g.index[ref]; ok {
		return g.models[i], nil
	}
	name, model, ok := strings.Cut(ref, "/")
	if ok {
		if s := g.services[g.canonical(name)]; s != nil && model != "" && s.id != demoID {
			return g.model(s, model), nil
		}
	}
	var match []llm.Model
	for _, m := range g.models {
		if strings.EqualFold(m.ID, ref) {
			match = append(match, m)
		}
	}
	if len(match) > 0 && (len(match) == 1 || match[0].Provider != match[1].Provider) {
		return match[0], nil // the configured ones come first
	}
	if m, ok := g.byName(ref); ok && len(match) == 0 {
		return m, nil
	}
	return llm.Model{}, fault.New(fault.NotFound, "model.Lookup", "no provider has the model "+clip(ref)+"; see: openclaw models list")
}

// canonical is a service's own name.
func (g *generation) canonical(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if to, ok := g.names[name]; ok && g.services[name] == nil {
		return to
	}
	return name
}

// byName finds a model of the catalogue by its name alone: at a service with a
// key, else at the first that has it.
func (g *generation) byName(name string) (llm.Model, bool) {
	var first llm.Model
	for i := range g.known {
		s := g.services[g.known[i].ID]
		if s == nil {
			continue
		}
		for _, m := range g.builtIn(s) {
			if !strings.EqualFold(m.ID, name) {
				continue
			}
			if env, _ := g.environment(s.row); env != "" || len(s.conf.APIKey) > 0 {
				return m, true
			}
			if first.ID == "" {
				first = m
			}
		}
	}
	return first, first.ID != ""
}

func clip(s string) string { return `"` + text.Ellipsis(s, 80) + `"` }
