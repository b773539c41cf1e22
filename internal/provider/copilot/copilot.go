// Package copilot speaks to the models of a GitHub Copilot subscription
// ("github-copilot"). A token of GitHub's is exchanged for one of Copilot's,
// which lasts half an hour; each model is spoken to in the format of its maker.
package copilot

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "github-copilot"

// Base is where an individual's models are; a token may name another place.
const Base = "https://api.individual.githubcopilot.com"

// The formats of the models' makers.
const (
	chat      = "openai-completions"
	responses = "openai-responses"
	messages  = "anthropic-messages"
)

// Kind makes providers that speak the formats of inner: chat completions,
// Responses and Messages.
func Kind(inner ...provider.Kind) provider.Kind {
	kinds := map[string]provider.Kind{}
	for _, k := range inner {
		kinds[k.ID] = k
	}
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		if cfg.APIKey == "" {
			return nil, fault.New(fault.Unauthenticated, "copilot.New", cfg.ID+": no login; run: openclaw models auth login-github-copilot")
		}
		return &service{client: c, cfg: cfg, kinds: kinds, tokens: tokens{client: c, cfg: cfg, turn: make(chan struct{}, 1)}}, nil
	}}
}

// identity is what the service wants to be told about its client: it serves
// editors that it knows.
func identity() map[string]string {
	return map[string]string{
		"User-Agent":             "GitHubCopilotChat/0.35.0",
		"Editor-Version":         "vscode/1.107.0",
		"Editor-Plugin-Version":  "copilot-chat/0.35.0",
		"Copilot-Integration-Id": "vscode-chat",
	}
}

type service struct {
	client *http.Client
	cfg    provider.Config
	kinds  map[string]provider.Kind
	tokens tokens
}

var _ provider.Lister = (*service)(nil)

// format is the one that a model is spoken to in.
func format(model string) string {
	m := strings.ToLower(model)
	switch {
	case strings.HasPrefix(m, "claude-"):
		return messages
	case strings.HasPrefix(m, "gpt-5"), strings.HasPrefix(m, "o3"), strings.HasPrefix(m, "o4"):
		return responses
	}
	return chat
}

// Stream asks for one answer; a token that was refused is exchanged once more.
func (s *service) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for again := true; ; again = false {
			t, err := s.tokens.get(ctx)
			if err != nil {
				yield(llm.Event{}, err)
				return
			}
			p, err := s.open(t, &req)
			if err != nil {
				yield(llm.Event{}, err)
				return
			}
			refused := false
			for e, err := range p.Stream(ctx, req) {
				if again && provider.ReasonOf(err) == provider.ReasonAuth && s.tokens.drop(t) {
					refused = true
					break
				}
				if !yield(e, err) {
					return
				}
			}
			if !refused {
				return
			}
		}
	}
}

// open makes the provider for one request, whose headers tell who began it.
func (s *service) open(t token, req *llm.Request) (provider.Provider, error) {
	api := req.Model.API
	if _, ok := s.kinds[api]; !ok || api == "" {
		api = format(req.Model.ID)
	}
	kind, ok := s.kinds[api]
	if !ok {
		return nil, fault.New(fault.Internal, "copilot.Stream", s.cfg.ID+": this binary can't speak "+api)
	}
	req.Model.API = api
	headers := identity()
	headers["Openai-Intent"] = "conversation-edits"
	headers["X-Initiator"] = "user"
	if n := len(req.Messages); n > 0 && req.Messages[n-1].Role != llm.User {
		headers["X-Initiator"] = "agent"
	}
	if pictures(req.Messages) {
		headers["Copilot-Vision-Request"] = "true"
	}
	maps.Copy(headers, s.cfg.Headers)
	cfg := s.cfg
	cfg.APIKey, cfg.BaseURL, cfg.Headers = t.value, t.base, headers
	cfg.Raw = withBearer(cfg.Raw)
	return kind.New(s.client, cfg)
}

// withBearer is the section with the token in the Authorization header, also in
// Anthropic's format.
func withBearer(raw json.RawMessage) json.RawMessage {
	section := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &section) != nil {
		return raw // the format itself reports it
	}
	section["authHeader"] = json.RawMessage("true")
	out, err := json.Marshal(section)
	if err != nil {
		return raw
	}
	return out
}

func pictures(ms []llm.Message) bool {
	for i := range ms {
		if ms[i].Role == llm.Assistant {
			continue
		}
		for j := range ms[i].Content {
			if ms[i].Content[j].Type == llm.ImageBlock {
				return true
			}
		}
	}
	return false
}

// Models lists what the subscription offers.
func (s *service) Models(ctx context.Context) ([]llm.Model, error) {
	t, err := s.tokens.get(ctx)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Authorization": {"Bearer " + t.value}}
	for k, v := range identity() {
		header.Set(k, v)
	}
	cfg := s.cfg
	cfg.APIKey = t.value
	call, err := provider.Open(ctx, s.client, "copilot.Models", cfg, provider.Join(t.base, "/models"), header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var list struct {
		Data []struct {
			ID           string `json:"id"`
			Name         string `json:"name"`
			Capabilities struct {
				Type   string `json:"type"`
				Limits struct {
					Context int `json:"max_context_window_tokens"`
					Output  int `json:"max_output_tokens"`
				} `json:"limits"`
				Supports struct {
					Vision bool `json:"vision"`
				} `json:"supports"`
			} `json:"capabilities"`
		} `json:"data"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return nil, err
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, d := range list.Data {
		if d.Capabilities.Type != "" && d.Capabilities.Type != "chat" {
			continue
		}
		m := llm.Model{Provider: s.cfg.ID, ID: d.ID, Name: d.Name, API: API, Input: []string{"text"}, ContextWindow: d.Capabilities.Limits.Context, MaxTokens: d.Capabilities.Limits.Output}
		if d.Capabilities.Supports.Vision {
			m.Input = append(m.Input, "image")
		}
		models = append(models, m)
	}
	return models, nil
}
