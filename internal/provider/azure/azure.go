// Package azure speaks to models in Azure OpenAI ("azure-openai-responses"):
// the Responses format under Azure's addresses, keys and names of deployments.
package azure

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// API is the wire format's name.
const API = "azure-openai-responses"

// The variables that Azure's own tools use.
const (
	envVersion     = "AZURE_OPENAI_API_VERSION"
	envDeployments = "AZURE_OPENAI_DEPLOYMENT_NAME_MAP" // model=deployment, joined by commas
)

// Kind makes providers that speak inner, the Responses format, to Azure.
func Kind(inner provider.Kind) provider.Kind {
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		base, err := address(cfg)
		if err != nil {
			return nil, err
		}
		key := cfg.APIKey
		cfg.BaseURL = base
		if key != "" && !strings.HasPrefix(key, "eyJ") { // not a token of Entra ID
			cfg.Headers = maps.Clone(cfg.Headers)
			if cfg.Headers == nil {
				cfg.Headers = map[string]string{}
			}
			cfg.Headers["Api-Key"] = key
		}
		p, err := inner.New(c, cfg)
		if err != nil {
			return nil, err
		}
		return service{p, deployments(cfg.Env(envDeployments))}, nil
	}}
}

// address is the base URL of a resource's v1 interface.
func address(cfg provider.Config) (string, error) {
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || strings.ContainsAny(u.Host, "{}") {
		return "", fault.New(fault.Invalid, "azure.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to https://RESOURCE.openai.azure.com/openai/v1, or AZURE_OPENAI_RESOURCE_NAME")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" {
		u.Path = "/openai/v1"
	}
	q := u.Query()
	if v := cfg.Env(envVersion); v != "" {
		q.Set("api-version", v)
	}
	if !q.Has("api-version") {
		q.Set("api-version", "v1")
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// deployments reads model=deployment pairs.
func deployments(s string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(s, ",") {
		if m, d, ok := strings.Cut(pair, "="); ok && strings.TrimSpace(d) != "" {
			out[strings.TrimSpace(m)] = strings.TrimSpace(d)
		}
	}
	return out
}

type service struct {
	inner provider.Provider
	names map[string]string // of deployments, by model
}

// Stream asks the model's deployment, which usually has the model's name.
func (s service) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	model := req.Model.ID
	name := s.names[model]
	if name == "" || name == model {
		return s.inner.Stream(ctx, req)
	}
	req.Model.ID = name
	req.Messages = renamed(req.Messages, model, name)
	return func(yield func(llm.Event, error) bool) {
		for e, err := range s.inner.Stream(ctx, req) {
			if e.Type == llm.Done {
				e.Message.Model = model
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// renamed makes the answers of a model those of its deployment.
func renamed(ms []llm.Message, from, to string) []llm.Message {
	ms = slices.Clone(ms)
	for i := range ms {
		if ms[i].Model == from {
			ms[i].Model = to
		}
	}
	return ms
}
