package bedrock

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// What a model has when nobody says, as the original assumes.
const (
	unknownWindow = 32_000
	unknownOutput = 4096
)

// summary is a model as the service lists it.
type summary struct {
	ID        string   `json:"modelId"`
	ARN       string   `json:"modelArn"`
	Name      string   `json:"modelName"`
	Maker     string   `json:"providerName"`
	In        []string `json:"inputModalities"`
	Out       []string `json:"outputModalities"`
	Streams   bool     `json:"responseStreamingSupported"`
	Types     []string `json:"inferenceTypesSupported"`
	Lifecycle struct {
		Status string `json:"status"`
	} `json:"modelLifecycle"`
}

// Models lists what can be asked in the region and answers in text, piece by
// piece: models themselves, and the profiles over several regions by which the
// newer ones are asked.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	var list struct {
		Models []summary `json:"modelSummaries"`
	}
	if err := p.list(ctx, "/foundation-models", &list); err != nil {
		return nil, err
	}
	var models []llm.Model
	byARN := map[string]*summary{}
	for i := range list.Models {
		s := &list.Models[i]
		if !s.Streams || !slices.Contains(s.Out, "TEXT") || s.Lifecycle.Status != "" && s.Lifecycle.Status != "ACTIVE" {
			continue
		}
		byARN[s.ID] = s
		if len(s.Types) == 0 || slices.Contains(s.Types, "ON_DEMAND") {
			models = append(models, p.model(s, s.ID, s.Name))
		}
	}
	var profiles struct {
		Profiles []struct {
			ID     string `json:"inferenceProfileId"`
			Name   string `json:"inferenceProfileName"`
			Status string `json:"status"`
			Models []struct {
				ARN string `json:"modelArn"`
			} `json:"models"`
		} `json:"inferenceProfileSummaries"`
	}
	if err := p.list(ctx, "/inference-profiles?maxResults=1000", &profiles); err != nil {
		return models, nil //nolint:nilerr // a key may list models only
	}
	for _, x := range profiles.Profiles {
		if len(x.Models) == 0 || x.Status != "ACTIVE" {
			continue
		}
		_, id, _ := strings.Cut(x.Models[0].ARN, "foundation-model/")
		if s := byARN[id]; s != nil {
			models = append(models, p.model(s, x.ID, x.Name))
		}
	}
	return models, nil
}

func (p *Provider) list(ctx context.Context, path string, v any) error {
	base := strings.Replace(p.base, "://bedrock-runtime", "://bedrock", 1)
	call, err := p.open(ctx, "bedrock.Models", http.MethodGet, provider.Join(base, path), nil)
	if err != nil {
		return err
	}
	defer call.Close()
	return call.Decode(v, "the list of models")
}

func (p *Provider) model(s *summary, id, name string) llm.Model {
	m := llm.Model{
		Provider: p.cfg.ID, ID: id, Name: name, API: API, ContextWindow: unknownWindow, MaxTokens: unknownOutput, Input: []string{"text"},
	}
	if slices.Contains(s.In, "IMAGE") {
		m.Input = append(m.Input, "image")
	}
	for _, part := range []string{"claude-3-7", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4"} {
		if strings.Contains(id, part) {
			m.Reasoning, m.ContextWindow = true, 200_000
		}
	}
	return m
}
