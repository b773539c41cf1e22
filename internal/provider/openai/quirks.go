package openai

import (
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// quirks is how a service or one of its models differs.
type quirks = compat.Quirks

// known is what the table says of the service. One that has only the name of a
// row is a proxy before it: OpenAI's own role isn't for those.
func known(cfg provider.Config) quirks {
	if r, ok := compat.At(cfg.BaseURL); ok && r.API != "" {
		own, _ := compat.Of(cfg.ID, cfg.BaseURL)
		return own.Quirks
	}
	r, _ := compat.Find(cfg.ID)
	r.Quirks.DeveloperRole = compat.Unset
	return r.Quirks
}

// readQuirks joins what is known with what is configured.
func readQuirks(cfg provider.Config) (quirks, map[string]quirks, error) {
	common := known(cfg)
	if len(cfg.Raw) == 0 {
		return common, nil, nil
	}
	var section struct {
		Models []struct {
			ID     string          `json:"id"`
			Compat json.RawMessage `json:"compat"`
		} `json:"models"`
	}
	bad := func(err error) error {
		return &fault.Error{
			Kind: fault.Invalid, Op: "openai.New", Err: err,
			Hint: "models.providers." + cfg.ID + ".models isn't as expected; run: openclaw config validate",
		}
	}
	if err := json.Unmarshal(cfg.Raw, &section); err != nil {
		return common, nil, bad(err)
	}
	models := map[string]quirks{}
	for _, m := range section.Models {
		if len(m.Compat) == 0 {
			continue
		}
		q := common
		if err := json.Unmarshal(m.Compat, &q); err != nil {
			return common, nil, bad(err)
		}
		models[m.ID] = q
	}
	return common, models, nil
}

func (p *Provider) quirksOf(m llm.Model) quirks {
	q, ok := p.quirks[m.ID]
	if !ok {
		q = p.common
	}
	if strings.Contains(m.ID, "gemini-3") { // also through proxies
		q.Google = true
	}
	return q
}
