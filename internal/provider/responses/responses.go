// Package responses speaks OpenAI's Responses format ("openai-responses"), over
// a stream of events or over a WebSocket. Nothing is kept at the service: every
// request carries the conversation, and the thoughts of a model go back to it
// encrypted.
//
// Requests are written in request.go, streams read in stream.go, answers put
// together in answer.go; socket.go is the WebSocket.
package responses

import (
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
const API = "openai-responses"

const op = "responses.Stream"

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
	socket *http.Client
	cfg    provider.Config
	url    string
	header http.Header

	schemas *dialect.Adapter
}

// New returns a provider for cfg.
func New(c *http.Client, cfg provider.Config) (*Provider, error) {
	if provider.Host(cfg.BaseURL) == "" {
		return nil, fault.New(fault.Invalid, "responses.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to an address like https://host/v1")
	}
	row, _ := compat.Of(cfg.ID, cfg.BaseURL)
	p := &Provider{client: c, schemas: dialect.For(row.Schema), socket: overSocket(c), cfg: cfg, url: provider.Join(cfg.BaseURL, "/responses"), header: http.Header{}}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", "text/event-stream, application/json")
	p.header.Set("User-Agent", "openclaw")
	if cfg.APIKey != "" && cfg.Headers["Api-Key"] == "" { // Azure's place for it
		p.header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	return p, nil
}

// Params is what agents.defaults.models.<ref>.params may hold for this format.
type params struct {
	Transport   string   `json:"transport"`   // sse, websocket or auto
	ServiceTier string   `json:"serviceTier"` // auto, default, flex or priority
	Verbosity   string   `json:"textVerbosity"`
	Temperature *float64 `json:"temperature"`
}

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		var own params
		if len(req.Model.Params) > 0 && json.Unmarshal(req.Model.Params, &own) != nil {
			yield(llm.Event{}, fault.New(fault.Invalid, op, "agents.defaults.models."+req.Model.String()+".params isn't as expected; run: openclaw config validate"))
			return
		}
		call, err := p.open(ctx, &req, &own)
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

// open sends the request the way that is wanted. "auto" prefers the socket and
// falls back when the service can't open one; nothing has been asked by then.
func (p *Provider) open(ctx context.Context, req *llm.Request, own *params) (*provider.Call, error) {
	body := p.encode(make([]byte, 0, provider.Room(req)), req, own)
	header := p.header
	if req.Session != "" {
		header = header.Clone()
		header.Set("Session_id", cacheKey(req.Session))
	}
	if own.Transport == "websocket" || own.Transport == "auto" {
		call, err := provider.Open(ctx, p.socket, op, p.cfg, p.url, header, body)
		if err == nil || own.Transport == "websocket" || !mayFallBack(err) {
			return call, err
		}
	}
	return provider.Open(ctx, p.client, op, p.cfg, p.url, header, body)
}

// mayFallBack tells whether the service refused the socket and not the caller.
func mayFallBack(err error) bool {
	switch provider.ReasonOf(err) {
	case provider.ReasonFormat, provider.ReasonNoModel, provider.ReasonNetwork, provider.ReasonOverloaded:
		return true
	case provider.ReasonAuth, provider.ReasonPermission, provider.ReasonBilling, provider.ReasonRateLimit, provider.ReasonTimeout, provider.ReasonOverflow:
	}
	return false
}

// Models lists what the service offers.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	call, err := provider.Open(ctx, p.client, "responses.Models", p.cfg, provider.Join(p.cfg.BaseURL, "/models"), p.header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return nil, err
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, d := range list.Data {
		models = append(models, llm.Model{Provider: p.cfg.ID, ID: strings.TrimSpace(d.ID), API: API, Input: []string{"text", "image"}})
	}
	return models, nil
}
