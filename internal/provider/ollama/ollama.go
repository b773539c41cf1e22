// Package ollama speaks Ollama's own format ("ollama"). Unlike its OpenAI-like
// interface it sets the size of the context, without which Ollama cuts long
// conversations silently, and it tells what each model can do.
//
// Requests are written in request.go and answers read in answer.go; the list
// of models is in models.go.
package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "ollama"

const op = "ollama.Stream"

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Lister   = (*Provider)(nil)
	_ provider.Embedder = (*Provider)(nil)
)

// Kind makes providers of this format.
func Kind() provider.Kind {
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		return New(c, cfg)
	}}
}

// Provider is one server.
type Provider struct {
	client  *http.Client
	cfg     provider.Config
	base    string
	header  http.Header
	schemas *dialect.Adapter
	models  map[string]configured

	mu    sync.Mutex
	lacks map[string]abilities // what models turned out not to do
}

// configured is what the configuration says about a model.
type configured struct {
	ID            string  `json:"id"`
	ContextWindow float64 `json:"contextWindow"`
	Compat        struct {
		Tools *bool `json:"supportsTools"`
	} `json:"compat"`
}

// abilities are what a request may ask for and a model may not have.
type abilities struct{ tools, thinking bool }

// New returns a provider for cfg.
func New(c *http.Client, cfg provider.Config) (*Provider, error) {
	if provider.Host(cfg.BaseURL) == "" {
		return nil, fault.New(fault.Invalid, "ollama.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to an address like http://127.0.0.1:11434")
	}
	p := &Provider{
		client: c, cfg: cfg, header: http.Header{}, schemas: dialect.For(dialect.Grammar),
		models: map[string]configured{}, lacks: map[string]abilities{},
	}
	p.base = strings.TrimRight(cfg.BaseURL, "/")
	for _, end := range []string{"/v1", "/api"} { // the address of the other interface, or of this one's methods
		p.base = strings.TrimSuffix(p.base, end)
	}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", "application/x-ndjson, application/json")
	p.header.Set("User-Agent", "openclaw")
	if cfg.APIKey != "" && cfg.APIKey != "ollama-local" { // which says that there is none
		p.header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	if len(cfg.Raw) == 0 {
		return p, nil
	}
	var section struct {
		Models []configured `json:"models"`
	}
	if err := json.Unmarshal(cfg.Raw, &section); err != nil {
		return nil, &fault.Error{Kind: fault.Invalid, Op: "ollama.New", Hint: "models.providers." + cfg.ID + " isn't as expected; run: openclaw config validate", Err: err}
	}
	for _, m := range section.Models {
		p.models[m.ID] = m
	}
	return p, nil
}

// Stream asks for one answer. A model that refuses tools or thinking is asked
// without, and from then on.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		call, err := p.open(ctx, &req)
		for range 2 { // one for each ability
			if err == nil || !p.learn(req.Model.ID, err) {
				break
			}
			call, err = p.open(ctx, &req)
		}
		if err != nil {
			yield(llm.Event{}, err)
			return
		}
		defer call.Close()
		a := &answer{req: &req, call: call, yield: yield}
		if msg, err := a.read(); !a.stopped {
			call.Finish(msg, err, yield)
		}
	}
}

func (p *Provider) open(ctx context.Context, req *llm.Request) (*provider.Call, error) {
	body := p.encode(make([]byte, 0, provider.Room(req)), req)
	return provider.Open(ctx, p.client, op, p.cfg, p.base+"/api/chat", p.header, body)
}

// learn notes what a refusal says that the model can't; it is false for any
// other error, and for what was known.
func (p *Provider) learn(model string, err error) bool {
	f, ok := errors.AsType[*provider.Failure](err)
	if !ok || f.Status != http.StatusBadRequest {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.lacks[model]
	now := was
	now.tools = now.tools || strings.Contains(f.Message, "does not support tools")
	now.thinking = now.thinking || strings.Contains(f.Message, "does not support thinking")
	p.lacks[model] = now
	return now != was
}

// can tells what the model is asked for.
func (p *Provider) can(model string) abilities {
	p.mu.Lock()
	l := p.lacks[model]
	p.mu.Unlock()
	tools := p.models[model].Compat.Tools
	return abilities{tools: !l.tools && (tools == nil || *tools), thinking: !l.thinking}
}

// Embed turns texts into vectors.
func (p *Provider) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": model, "input": texts})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "ollama.Embed", err)
	}
	call, err := provider.Open(ctx, p.client, "ollama.Embed", p.cfg, p.base+"/api/embed", p.header, body)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	if err := call.Decode(&out, "the embeddings"); err != nil {
		return nil, err
	}
	if len(out.Embeddings) != len(texts) {
		return nil, call.Garbled("the embeddings can't be read")
	}
	return out.Embeddings, nil
}
