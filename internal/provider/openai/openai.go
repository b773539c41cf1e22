// Package openai speaks the chat completions format ("openai-completions"),
// which OpenAI made and most services and local servers understand. What
// differs between them is in quirks.go, as data.
//
// The stream of an answer is read in stream.go and put together in answer.go;
// requests are written in request.go.
package openai

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "openai-completions"

const op = "openai.Stream"

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

// Provider is one service.
type Provider struct {
	client *http.Client
	cfg    provider.Config
	url    string
	header http.Header
	quirks map[string]quirks // of single models, from the configuration
	common quirks

	schemas *dialect.Adapter
	makers  map[string]*dialect.Adapter
}

// New returns a provider for cfg.
func New(c *http.Client, cfg provider.Config) (*Provider, error) {
	if provider.Host(cfg.BaseURL) == "" {
		return nil, fault.New(fault.Invalid, "openai.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to an address like https://host/v1")
	}
	p := &Provider{client: c, cfg: cfg, url: provider.Join(cfg.BaseURL, "/chat/completions"), header: http.Header{}, makers: makers()}
	row, _ := compat.Of(cfg.ID, cfg.BaseURL)
	p.schemas = dialect.For(row.Schema)
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", "text/event-stream, application/json")
	p.header.Set("User-Agent", "openclaw")
	if cfg.APIKey != "" {
		p.header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	var err error
	p.common, p.quirks, err = readQuirks(cfg)
	return p, err
}

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		body := p.encode(make([]byte, 0, provider.Room(&req)), &req)
		call, err := provider.Open(ctx, p.client, op, p.cfg, p.url, p.header, body)
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

// Models lists what the service offers.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	call, err := provider.Open(ctx, p.client, "openai.Models", p.cfg, provider.Join(p.cfg.BaseURL, "/models"), p.header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var list struct {
		Data []struct {
			ID            string `json:"id"`
			Name          string `json:"name"`
			ContextLength int    `json:"context_length"`
			MaxModelLen   int    `json:"max_model_len"` // vLLM
		} `json:"data"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return nil, err
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, d := range list.Data {
		models = append(models, llm.Model{
			Provider: p.cfg.ID, ID: d.ID, Name: d.Name, API: API, Input: []string{"text"}, ContextWindow: max(d.ContextLength, d.MaxModelLen),
		})
	}
	return models, nil
}

// Embed turns texts into vectors.
func (p *Provider) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "openai.Embed", err)
	}
	call, err := provider.Open(ctx, p.client, "openai.Embed", p.cfg, provider.Join(p.cfg.BaseURL, "/embeddings"), p.header, body)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var out struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := call.Decode(&out, "the embeddings"); err != nil {
		return nil, err
	}
	if len(out.Data) != len(texts) {
		return nil, call.Garbled("the embeddings can't be read")
	}
	vectors := make([][]float32, len(texts))
	for _, d := range out.Data {
		if d.Index < 0 || d.Index >= len(texts) || len(d.Embedding) == 0 {
			return nil, call.Garbled("the embeddings can't be read")
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}
