package anthropic

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// The features that a request may ask for by name.
const (
	betaOAuth       = "oauth-2025-04-20"
	betaClaudeCode  = "claude-code-20250219"
	betaFineStream  = "fine-grained-tool-streaming-2025-05-14"
	betaInterleaved = "interleaved-thinking-2025-05-14"
	betaMillion     = "context-1m-2025-08-07"
	betaLongCache   = "extended-cache-ttl-2025-04-11"
)

// options is what one request asks for beyond the conversation.
type options struct {
	betas       []string
	cache       string // the mark, "" for none
	tier        string // service_tier
	openAITools bool
	schemas     *dialect.Adapter
}

// params is what agents.defaults.models.<ref>.params may hold for this format.
type params struct {
	CacheRetention string   `json:"cacheRetention"` // none, short or long
	ServiceTier    string   `json:"serviceTier"`
	Million        bool     `json:"context1m"`
	Betas          betaList `json:"anthropicBeta"`
}

// betaList is a list, or one string with commas.
type betaList []string

func (s *betaList) UnmarshalJSON(raw []byte) error {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		var one string
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		list = strings.Split(one, ",")
	}
	for _, x := range list {
		if x = strings.TrimSpace(x); x != "" {
			*s = append(*s, x)
		}
	}
	return nil
}

// options reads the model's parameters. The features go to Anthropic only:
// others refuse what they don't know.
func (p *Provider) options(m *llm.Model) (*options, error) {
	var own params
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &own) != nil {
		return nil, fault.New(fault.Invalid, op, "agents.defaults.models."+m.String()+".params isn't as expected; run: openclaw config validate")
	}
	o := &options{cache: cached, schemas: p.schemas, openAITools: p.openAITools || p.wanting[m.ID]}
	switch own.CacheRetention {
	case "none":
		o.cache = ""
	case "long":
		if p.direct && !p.oauth {
			o.cache = cachedLong
			o.betas = append(o.betas, betaLongCache)
		}
	}
	if p.oauth {
		o.betas = append(o.betas, betaClaudeCode, betaOAuth)
	}
	if p.direct {
		o.betas = append(o.betas, betaFineStream)
		if !adaptive(m.ID) { // those think between calls anyway
			o.betas = append(o.betas, betaInterleaved)
		}
		if !p.oauth { // a subscription has neither
			o.tier = own.ServiceTier
			if own.Million && hasMillion(m.ID) {
				o.betas = append(o.betas, betaMillion)
			}
		}
	}
	for _, b := range own.Betas {
		if !slices.Contains(o.betas, b) {
			o.betas = append(o.betas, b)
		}
	}
	return o, nil
}

// hasMillion tells which models take a million tokens on request.
func hasMillion(model string) bool {
	return strings.HasPrefix(model, "claude-opus-4") || strings.HasPrefix(model, "claude-sonnet-4")
}

// headers adds the names of the features to what is sent anyway.
func (o *options) headers(h http.Header) http.Header {
	if len(o.betas) == 0 {
		return h
	}
	h = h.Clone()
	all := o.betas
	for b := range strings.SplitSeq(h.Get("Anthropic-Beta"), ",") {
		if b = strings.TrimSpace(b); b != "" && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	h.Set("Anthropic-Beta", strings.Join(all, ","))
	return h
}
