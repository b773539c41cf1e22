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

// List lists the models that conversations may choose.
func (r *Resolver) List() []llm.Model {
	g := r.generation()
	if g.allowed == nil {
		return slices.Clone(g.models)
	}
	var out []llm.Model
	for _, m := range g.models {
		if g.allows(m.String()) {
			out = append(out, m)
		}
	}
	refs := make([]string, 0, len(g.allowed))
	for ref := range g.allowed {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	for _, ref := range refs {
		if _, ok := g.index[ref]; ok {
			continue
		}
		if m, err := g.find(ref); err == nil {
			out = append(out, m)
		}
	}
	return out
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
			k := &g.known[i]
			if k.model == "" {
				continue
			}
			if name, _ := g.environment(k); name != "" || stored.has(k.id) {
				return k.id + "/" + k.model
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
		name = strings.ToLower(name)
		if i, ok := g.index[name+"/"+model]; ok {
			return g.models[i], nil
		}
		if s := g.services[name]; s != nil && model != "" && name != demoID {
			return filled(llm.Model{Provider: name, ID: model, API: s.api("")}), nil
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
	return llm.Model{}, fault.New(fault.NotFound, "model.Lookup", "no provider has the model "+clip(ref)+"; see: openclaw models list")
}

func clip(s string) string { return `"` + text.Ellipsis(s, 80) + `"` }
