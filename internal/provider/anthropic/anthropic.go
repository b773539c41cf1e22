// Package anthropic speaks the Messages format ("anthropic-messages"), which
// Anthropic made and several other services also offer.
//
// Requests are written in request.go, streams read in stream.go and answers
// put together in answer.go.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "anthropic-messages"

const (
	op      = "anthropic.Stream"
	version = "2023-06-01"
	// oauthKey begins a token of a subscription, which is sent as a bearer.
	oauthKey = "sk-ant-oat"
)

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Lister   = (*Provider)(nil)
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
	base   string // ends in /v1
	header http.Header
	oauth  bool
	direct bool // at Anthropic's own address

	schemas *dialect.Adapter
	// openAITools: tools in OpenAI's form, which some services want here too.
	openAITools bool
	wanting     map[string]bool // models that want them, from the configuration
}

// New returns a provider for cfg.
func New(c *http.Client, cfg provider.Config) (*Provider, error) {
	if provider.Host(cfg.BaseURL) == "" {
		return nil, fault.New(fault.Invalid, "anthropic.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to an address like https://host")
	}
	var section struct {
		AuthHeader bool `json:"authHeader"`
		Models     []struct {
			ID     string        `json:"id"`
			Compat compat.Quirks `json:"compat"`
		} `json:"models"`
	}
	if len(cfg.Raw) > 0 {
		if err := json.Unmarshal(cfg.Raw, &section); err != nil {
			return nil, &fault.Error{Kind: fault.Invalid, Op: "anthropic.New", Hint: "models.providers." + cfg.ID + " isn't as expected; run: openclaw config validate", Err: err}
		}
	}
	p := &Provider{client: c, cfg: cfg, base: cfg.BaseURL, header: http.Header{}}
	if !strings.HasSuffix(strings.TrimRight(p.base, "/"), "/v1") {
		p.base = provider.Join(p.base, "/v1")
	}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", "text/event-stream, application/json")
	p.header.Set("User-Agent", "openclaw")
	p.header.Set("Anthropic-Version", version)
	p.oauth = strings.HasPrefix(cfg.APIKey, oauthKey)
	p.direct = provider.Host(cfg.BaseURL) == "api.anthropic.com"
	for _, m := range section.Models {
		if m.Compat.OpenAITools {
			if p.wanting == nil {
				p.wanting = map[string]bool{}
			}
			p.wanting[m.ID] = true
		}
	}
	row, _ := compat.Of(cfg.ID, cfg.BaseURL)
	p.openAITools = row.Quirks.OpenAITools
	p.schemas = dialect.For(cmp.Or(row.Schema, dialect.Anthropic))
	switch {
	case cfg.APIKey == "":
	case p.oauth, section.AuthHeader, row.Quirks.Bearer:
		p.header.Set("Authorization", "Bearer "+cfg.APIKey)
	default:
		p.header.Set("X-Api-Key", cfg.APIKey)
	}
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	return p, nil
}

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		own, err := p.options(&req.Model)
		if err != nil {
			yield(llm.Event{}, err)
			return
		}
		body := encode(make([]byte, 0, provider.Room(&req)), &req, own)
		call, err := provider.Open(ctx, p.client, op, p.cfg, provider.Join(p.base, "/messages"), own.headers(p.header), body)
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

// Models lists what the credential can use.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	call, err := provider.Open(ctx, p.client, "anthropic.Models", p.cfg, provider.Join(p.base, "/models?limit=1000"), p.header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var list struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"display_name"`
		} `json:"data"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return nil, err
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, d := range list.Data {
		models = append(models, llm.Model{Provider: p.cfg.ID, ID: d.ID, Name: d.Name, API: API, Input: []string{"text", "image"}})
	}
	return models, nil
}
