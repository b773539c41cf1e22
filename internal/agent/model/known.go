package model

import (
	"os"
	"regexp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

const demoID = "demo"

func demoModel() llm.Model {
	return filled(llm.Model{Provider: demoID, ID: demoID, Name: "Demo (built in)", API: demoID, ContextWindow: 128_000, MaxTokens: 4096})
}

// service is one provider, configured or known.
type service struct {
	id    string
	row   *compat.Row // nil when only configured
	conf  configured
	found bool // answers on loopback
}

// known lists the services of the table that this binary can speak to.
func (r *Resolver) known() []compat.Row {
	all := compat.Table()
	out := all[:0]
	for _, row := range all {
		if _, ok := r.kinds[row.API]; ok {
			out = append(out, row)
		}
	}
	return out
}

// baseURL is where s is. A row's {VARIABLE}s are filled in; one that isn't set
// stays, and the wire format says that it is missing.
func (g *generation) baseURL(s *service) string {
	if s.conf.BaseURL != "" || s.row == nil {
		return s.conf.BaseURL
	}
	if s.row.BaseEnv != "" {
		if v := strings.TrimSpace(g.getenv(s.row.BaseEnv)); v != "" {
			return v
		}
	}
	if !strings.Contains(s.row.BaseURL, "{") {
		return s.row.BaseURL
	}
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(s.row.BaseURL, func(name string) string {
		if v := strings.TrimSpace(g.getenv(strings.Trim(name, "{}"))); v != "" {
			return v
		}
		return name
	})
}

// own tells whether s is the service of its row and not a proxy of that name:
// only then may it have the keys of the environment.
func (s *service) own() bool {
	return s.row != nil && (s.conf.BaseURL == "" || provider.Host(s.conf.BaseURL) == provider.Host(s.row.BaseURL))
}

func (s *service) api(own string) string {
	for _, a := range []string{own, s.conf.API} {
		if a != "" {
			return a
		}
	}
	if s.row != nil && (s.own() || s.row.API != "openai-responses") {
		return s.row.API
	}
	return "openai-completions" // also of a proxy before OpenAI: few speak the newer format
}

// getenv reads a variable as this configuration sees it: .env files and the
// env section come with the configuration, the rest is the process's.
func (g *generation) getenv(name string) string {
	if v := g.cfg.Getenv(name); v != "" {
		return v
	}
	return os.Getenv(name)
}

// environment returns the first key of a service that is set.
func (g *generation) environment(row *compat.Row) (name, value string) {
	for _, name := range row.Env {
		if v := strings.TrimSpace(g.getenv(name)); v != "" {
			return name, v
		}
	}
	return "", ""
}

// elsewhere tells of a credential that the wire format finds itself.
func (g *generation) elsewhere(row *compat.Row) bool {
	for _, name := range row.Elsewhere {
		if strings.TrimSpace(g.getenv(name)) != "" {
			return true
		}
	}
	return false
}
