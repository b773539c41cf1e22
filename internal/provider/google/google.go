// Package google speaks the Gemini format: of the Gemini API with a key
// ("google-generative-ai") and of Vertex AI with Google Cloud's credentials
// ("google-vertex"), which differ in address and credential only.
//
// Requests are written in request.go, streams read in stream.go and answers
// put together in answer.go; what is Vertex's is in vertex.go and, for its
// credentials, in adc.go.
package google

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// The wire formats' names in models.providers.<id>.api.
const (
	API       = "google-generative-ai"
	APIVertex = "google-vertex"
)

const (
	op      = "google.Stream"
	geminis = "generativelanguage.googleapis.com"
)

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Lister   = (*Provider)(nil)
	_ provider.Embedder = (*Provider)(nil)
)

// Kind makes providers of the Gemini API. Its address may also be Vertex AI's.
func Kind() provider.Kind {
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		return newProvider(c, cfg, API)
	}}
}

// Vertex makes providers of Vertex AI.
func Vertex() provider.Kind {
	return provider.Kind{ID: APIVertex, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		return newProvider(c, cfg, APIVertex)
	}}
}

// Provider is one service.
type Provider struct {
	client  *http.Client
	cfg     provider.Config
	api     string
	base    string // of the Gemini API; ends in a version
	header  http.Header
	vertex  *vertex // nil for the Gemini API
	schemas *dialect.Adapter
}

func newProvider(c *http.Client, cfg provider.Config, api string) (*Provider, error) {
	p := &Provider{client: c, cfg: cfg, api: api, header: http.Header{}, schemas: dialect.For(dialect.Gemini)}
	host := provider.Host(cfg.BaseURL)
	vertex := api == APIVertex || cfg.ID == APIVertex || strings.HasSuffix(host, "aiplatform.googleapis.com")
	if host == "" && (cfg.BaseURL != "" || !vertex) {
		return nil, fault.New(fault.Invalid, "google.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to https://"+geminis+"/v1beta")
	}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", "text/event-stream, application/json")
	p.header.Set("User-Agent", "openclaw")
	var section struct {
		AuthHeader bool `json:"authHeader"`
	}
	if len(cfg.Raw) > 0 {
		if err := json.Unmarshal(cfg.Raw, &section); err != nil {
			return nil, &fault.Error{Kind: fault.Invalid, Op: "google.New", Hint: "models.providers." + cfg.ID + " isn't as expected; run: openclaw config validate", Err: err}
		}
	}
	if vertex {
		v, err := newVertex(c, cfg)
		if err != nil {
			return nil, err
		}
		p.vertex = v
	}
	switch key := cfg.APIKey; {
	case key == "" || p.vertex != nil && p.vertex.key == "":
	case section.AuthHeader, strings.HasPrefix(key, "ya29."): // a token, not a key
		p.header.Set("Authorization", "Bearer "+key)
	default:
		p.header.Set("X-Goog-Api-Key", key)
	}
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	p.base = geminiBase(cfg.BaseURL)
	return p, nil
}

// geminiBase takes the address as people write it: with or without a version,
// or with the end of the OpenAI-like interface.
func geminiBase(base string) string {
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/openai")
	if provider.Host(base) == geminis && !strings.Contains(base[len("https://"):], "/") {
		base += "/v1beta"
	}
	return base
}

// address is where method of a model is called.
func (p *Provider) address(ctx context.Context, model, method string) (string, http.Header, error) {
	if p.vertex != nil {
		return p.vertex.address(ctx, p.header, model, method)
	}
	name := strings.TrimPrefix(model, "google/")
	if !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "tunedModels/") {
		name = "models/" + name
	}
	return provider.Join(p.base, "/"+escaped(name)+":"+method), p.header, nil
}

// escaped keeps the slashes of a model's name and nothing else that an address
// gives a meaning to.
func escaped(name string) string {
	return strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
}

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		address, header, err := p.address(ctx, req.Model.ID, "streamGenerateContent?alt=sse")
		if err != nil {
			yield(llm.Event{}, err)
			return
		}
		body := p.encode(make([]byte, 0, provider.Room(&req)), &req)
		call, err := provider.Open(ctx, p.client, op, p.cfg, address, header, body)
		if err != nil {
			yield(llm.Event{}, p.refused(err))
			return
		}
		defer call.Close()
		a := &answer{req: &req, api: p.api, call: call, yield: yield}
		if msg, err := a.read(); !a.stopped {
			call.Finish(msg, err, yield)
		}
	}
}

// refused forgets a token that the service doesn't take, so that the next
// attempt fetches a new one.
func (p *Provider) refused(err error) error {
	if p.vertex != nil && fault.KindOf(err) == fault.Unauthenticated {
		p.vertex.forget()
	}
	return err
}

// maxPages bounds a list of models.
const maxPages = 20

// Models lists what the key can use. Vertex AI has no list of Google's models.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	if p.vertex != nil {
		return nil, fault.New(fault.NotFound, "google.Models", p.cfg.ID+": Vertex AI doesn't list models; name them in models.providers."+p.cfg.ID+".models")
	}
	var models []llm.Model
	page := ""
	for range maxPages {
		next, err := p.page(ctx, page, &models)
		if err != nil || next == "" {
			return models, err
		}
		page = next
	}
	return models, nil
}

func (p *Provider) page(ctx context.Context, page string, models *[]llm.Model) (next string, err error) {
	address := provider.Join(p.base, "/models?pageSize=1000&pageToken="+url.QueryEscape(page))
	call, err := provider.Open(ctx, p.client, "google.Models", p.cfg, address, p.header, nil)
	if err != nil {
		return "", err
	}
	defer call.Close()
	var list struct {
		Models []struct {
			Name     string   `json:"name"`
			Display  string   `json:"displayName"`
			In       int      `json:"inputTokenLimit"`
			Out      int      `json:"outputTokenLimit"`
			Methods  []string `json:"supportedGenerationMethods"`
			Thinking bool     `json:"thinking"`
		} `json:"models"`
		Next string `json:"nextPageToken"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return "", err
	}
	for _, m := range list.Models {
		if !strings.Contains(strings.Join(m.Methods, " "), "generateContent") {
			continue // embeds, or makes pictures
		}
		id := strings.TrimPrefix(m.Name, "models/")
		*models = append(*models, llm.Model{
			Provider: p.cfg.ID, ID: id, Name: m.Display, API: p.api, ContextWindow: m.In, MaxTokens: m.Out,
			Reasoning: m.Thinking, Input: []string{"text", "image"},
		})
	}
	return list.Next, nil
}

// Embed turns texts into vectors.
func (p *Provider) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if p.vertex != nil {
		return nil, fault.New(fault.NotFound, "google.Embed", p.cfg.ID+": Vertex AI's embeddings aren't supported; use the Gemini API with a key")
	}
	address, header, err := p.address(ctx, model, "batchEmbedContents")
	if err != nil {
		return nil, err
	}
	type part struct {
		Text string `json:"text"`
	}
	type one struct {
		Model   string `json:"model"`
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
	}
	var in struct {
		Requests []one `json:"requests"`
	}
	for _, t := range texts {
		x := one{Model: "models/" + strings.TrimPrefix(model, "models/")}
		x.Content.Parts = []part{{t}}
		in.Requests = append(in.Requests, x)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "google.Embed", err)
	}
	call, err := provider.Open(ctx, p.client, "google.Embed", p.cfg, address, header, body)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var out struct {
		Embeddings []struct {
			Values []float32 `json:"values"`
		} `json:"embeddings"`
	}
	if err := call.Decode(&out, "the embeddings"); err != nil {
		return nil, err
	}
	if len(out.Embeddings) != len(texts) {
		return nil, call.Garbled(fmt.Sprintf("%d embeddings came for %d texts", len(out.Embeddings), len(texts)))
	}
	vectors := make([][]float32, len(texts))
	for i, e := range out.Embeddings {
		vectors[i] = e.Values
	}
	return vectors, nil
}
