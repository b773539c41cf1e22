package session

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// defaultModel is the model of an agent that no session overrides.
func (b *Book) defaultModel(a id.Agent) llm.Model {
	if b.Model != nil {
		return b.Model(a)
	}
	c := b.Config()
	ref := c.Agents.Defaults.Model.Primary
	if e, ok := c.Agent(a); ok && e.Model.Primary != "" {
		ref = e.Model.Primary
	}
	p, m, ok := strings.Cut(ref, "/")
	if !ok {
		return llm.Model{ID: ref}
	}
	return llm.Model{Provider: p, ID: m}
}

// modelOf is the model that answers in s next.
func (b *Book) modelOf(s Session) llm.Model {
	m := b.defaultModel(s.Key.Agent())
	if s.ModelOverride != "" && (s.ModelOverride != m.ID || s.ProviderOverride != m.Provider) {
		m = llm.Model{Provider: s.ProviderOverride, ID: s.ModelOverride}
	}
	return m
}
