package ollama

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	maxModels = 200 // models asked about
	atOnce    = 4   // questions under way
)

// Models lists what is installed, with what each model can do. A model that
// the server doesn't describe is listed by its name alone.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	call, err := provider.Open(ctx, p.client, "ollama.Models", p.cfg, p.base+"/api/tags", p.header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var list struct {
		Models []struct {
			Name  string `json:"name"`
			Model string `json:"model"`
		} `json:"models"`
	}
	if err := call.Decode(&list, "the list of models"); err != nil {
		return nil, err
	}
	names := list.Models[:min(len(list.Models), maxModels)]
	found := make([]*llm.Model, len(names))
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range names {
		name := names[i].Model
		if name == "" {
			name = names[i].Name
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			found[i] = p.show(ctx, name)
		})
	}
	wg.Wait()
	models := make([]llm.Model, 0, len(found))
	for _, m := range found {
		if m != nil {
			models = append(models, *m)
		}
	}
	return models, nil
}

// show asks about one model; nil is one that doesn't converse.
func (p *Provider) show(ctx context.Context, name string) *llm.Model {
	m := &llm.Model{
		Provider: p.cfg.ID, ID: name, Name: strings.TrimSuffix(name, ":latest"), API: API,
		ContextWindow: defaultWindow, Input: []string{"text"},
	}
	body, err := json.Marshal(map[string]string{"model": name})
	if err != nil {
		return m
	}
	call, err := provider.Open(ctx, p.client, "ollama.Models", p.cfg, p.base+"/api/show", p.header, body)
	if err != nil {
		return m // its name is what we know
	}
	defer call.Close()
	var about struct {
		Capabilities []string                   `json:"capabilities"`
		Info         map[string]json.RawMessage `json:"model_info"`
	}
	if call.Decode(&about, "the model") != nil {
		return m
	}
	if len(about.Capabilities) > 0 && !slices.Contains(about.Capabilities, "completion") {
		return nil
	}
	m.Reasoning = slices.Contains(about.Capabilities, "thinking")
	if slices.Contains(about.Capabilities, "vision") {
		m.Input = append(m.Input, "image")
	}
	for key, v := range about.Info {
		if strings.HasSuffix(key, ".context_length") {
			_ = json.Unmarshal(v, &m.ContextWindow) // not a number: unknown
		}
	}
	return m
}
