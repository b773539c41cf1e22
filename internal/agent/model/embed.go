package model

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// Embedder turns texts into vectors with one model of one service.
type Embedder struct {
	provider.Embedder

	Provider string // as memorySearch.provider names it
	Model    string
}

// vectors are the services of memorySearch.provider, in the order in which one
// with a key is taken, with their usual models (memory.md of the original).
func vectors() []vector {
	return []vector{
		{"openai", "openai", "openai-completions", "text-embedding-3-small"},
		{"gemini", "google", "google-generative-ai", "gemini-embedding-001"},
		{"voyage", "voyage", "openai-completions", "voyage-4-large"},
		{"mistral", "mistral", "openai-completions", "mistral-embed"},
		{"ollama", "ollama", "ollama", "nomic-embed-text"}, // only by name
	}
}

type vector struct{ name, service, api, model string }

// Embedder returns what memorySearch says for agent a. Ref asks for another
// model: "provider/model", or a model of the same provider. It fails with
// NotFound when nothing is set up.
func (r *Resolver) Embedder(ctx context.Context, a id.Agent, ref string) (Embedder, error) {
	g := r.generation()
	conf := g.cfg.Agents.Defaults.MemorySearch
	if own, ok := g.cfg.Agent(a); ok && own.MemorySearch != nil {
		conf = *own.MemorySearch
	}
	name, model := conf.Provider, conf.Model
	if p, m, ok := strings.Cut(ref, "/"); ok && p != name {
		// Its own address and key are of the configured service only.
		name, model, conf = p, m, config.MemorySearch{}
	} else if ref != "" {
		model = strings.TrimPrefix(ref, name+"/")
	}
	if name == "" || name == "auto" {
		return r.firstEmbedder(ctx, g, a, conf, model)
	}
	for _, v := range vectors() {
		if v.name == name {
			return r.embedder(ctx, g, a, v, conf, model)
		}
	}
	return Embedder{}, fault.New(fault.NotFound, "model.Embedder", clip(name)+" makes no embeddings here; set agents.defaults.memorySearch.provider to openai, gemini, voyage, mistral or ollama")
}

// firstEmbedder takes the first service that has a key.
func (r *Resolver) firstEmbedder(ctx context.Context, g *generation, a id.Agent, conf config.MemorySearch, model string) (Embedder, error) {
	for _, v := range vectors() {
		if v.name == "ollama" {
			continue
		}
		if e, err := r.embedder(ctx, g, a, v, conf, model); err == nil {
			return e, nil
		}
	}
	return Embedder{}, fault.New(fault.NotFound, "model.Embedder", "no service for embeddings is set up; set OPENAI_API_KEY, or agents.defaults.memorySearch.provider and .remote")
}

func (r *Resolver) embedder(ctx context.Context, g *generation, a id.Agent, v vector, conf config.MemorySearch, model string) (Embedder, error) {
	s := g.services[v.service]
	if s == nil { // it isn't there for chats
		row := embedRow(v.service)
		s = &service{id: v.service, row: &row}
	}
	own := *s
	own.conf.BaseURL = cmp.Or(conf.Remote.BaseURL, s.conf.BaseURL)
	if h := conf.Remote.Headers; len(h) > 0 {
		own.conf.Headers = maps.Clone(s.conf.Headers)
		if own.conf.Headers == nil {
			own.conf.Headers = h
		} else {
			maps.Copy(own.conf.Headers, h)
		}
	}
	key, err := r.secret(ctx, conf.Remote.APIKey)
	if err != nil {
		return Embedder{}, &fault.Error{Kind: fault.Invalid, Op: "model.Embedder", Hint: "memorySearch.remote.apiKey can't be resolved", Err: err}
	}
	if key == "" && conf.Remote.BaseURL == "" { // a key goes to its own service only
		keys, err := r.embedKeys(ctx, g, a, &own)
		if err != nil {
			return Embedder{}, err
		}
		key = keys[0].value
	}
	p, err := r.make(ctx, g, &own, v.api, key)
	if err != nil {
		return Embedder{}, err
	}
	if c, ok := p.(interface{ Unwrap() provider.Provider }); ok {
		p = c.Unwrap()
	}
	e, ok := p.(provider.Embedder)
	if !ok {
		return Embedder{}, fault.New(fault.NotFound, "model.Embedder", v.name+" makes no embeddings")
	}
	return Embedder{e, v.name, cmp.Or(model, v.model)}, nil
}

// embedKeys lists the keys of s, which may be no service for chats.
func (r *Resolver) embedKeys(ctx context.Context, g *generation, a id.Agent, s *service) ([]credential, error) {
	if g.services[s.id] != nil {
		return r.credentials(ctx, g, a, s.id)
	}
	for _, p := range r.profilesOf(g, a).of(s.id) {
		if v, err := r.stored(ctx, p); err == nil && v != "" {
			return []credential{newCredential(v)}, nil
		}
	}
	if _, v := g.environment(s.row); v != "" {
		return []credential{newCredential(v)}, nil
	}
	if len(s.row.Env) == 0 {
		return []credential{{}}, nil
	}
	return nil, fault.New(fault.Unauthenticated, "model.Embedder", s.id+": no API key; set "+s.row.Env[0])
}

// embedRow is the row of a service, also of one that is no service for chats.
func embedRow(name string) compat.Row {
	for _, row := range compat.Table() {
		if row.ID == name {
			return row
		}
	}
	return compat.Row{ID: name, BaseURL: "https://api.voyageai.com/v1", Env: []string{"VOYAGE_API_KEY"}}
}

// Embed returns the vectors of texts, in their order, and about how many tokens
// they are: not every service counts them.
func (e Embedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, tokens int64, err error) {
	for _, t := range texts {
		tokens += int64(len(t)+3) / 4
	}
	vectors, err = e.Embedder.Embed(ctx, e.Model, texts)
	return vectors, tokens, err
}
