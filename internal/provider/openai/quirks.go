package openai

import (
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
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

// schemasOf is the dialect of m: the service's, or that of the maker whose
// model it passes on.
func (p *Provider) schemasOf(m llm.Model) *dialect.Adapter {
	maker, _, _ := strings.Cut(m.ID, "/")
	if a, ok := p.makers[maker]; ok {
		return a
	}
	return p.schemas
}

// makers are those whose dialects differ, under the names that services which
// pass requests on have for them.
func makers() map[string]*dialect.Adapter {
	gemini, xai := dialect.For(dialect.Gemini), dialect.For(dialect.XAI)
	return map[string]*dialect.Adapter{"google": gemini, "x-ai": xai, "xai": xai}
}
