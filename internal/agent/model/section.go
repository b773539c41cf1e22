package model

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

//go:generate go run ./gen

// catalogue holds what is known of the services' models. It stays text; a
// service's part is read when somebody asks for it.
//
//go:embed models.txt
var catalogue string

// section is what the catalogue knows of a service's models.
func (g *generation) section(name string) []llm.Model {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ms, ok := g.sections[name]; ok {
		return ms
	}
	ms := readSection(name)
	g.sections[name] = ms
	return ms
}

func readSection(name string) []llm.Model {
	_, rest, ok := strings.Cut(catalogue, "\n@"+name+"\n")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n@")
	ms := make([]llm.Model, 0, strings.Count(rest, "\n")+1)
	for l := range strings.SplitSeq(rest, "\n") {
		if m, ok := readLine(l); ok {
			ms = append(ms, m)
		}
	}
	return ms
}

// readLine reads a model: id, name, context, answer, flags, prices, format.
func readLine(l string) (llm.Model, bool) {
	f := strings.Split(l, "\t")
	if len(f) < 4 {
		return llm.Model{}, false
	}
	f = append(f, "", "", "")
	m := llm.Model{ID: f[0], Name: f[1], API: f[6], Reasoning: strings.Contains(f[4], "r"), Input: []string{"text"}}
	m.ContextWindow, _ = strconv.Atoi(f[2]) // ours: the test reads every line
	m.MaxTokens, _ = strconv.Atoi(f[3])
	if strings.Contains(f[4], "i") {
		m.Input = append(m.Input, "image")
	}
	if f[5] != "" {
		to := []*float64{&m.Cost.Input, &m.Cost.Output, &m.Cost.CacheRead, &m.Cost.CacheWrite}
		for i, p := range strings.SplitN(f[5], ",", len(to)) {
			*to[i], _ = strconv.ParseFloat(p, 64)
		}
	}
	return m, true
}

// builtIn lists the catalogue's models of s as s offers them.
func (g *generation) builtIn(s *service) []llm.Model {
	if s.row == nil || g.known == nil || s.found || !slices.ContainsFunc(g.known, func(r compat.Row) bool { return r.ID == s.id }) {
		return nil
	}
	section := g.section(s.row.ID)
	out := make([]llm.Model, 0, len(section))
	for _, m := range section {
		m.Provider, m.API = s.id, s.api(m.API)
		out = append(out, filled(m))
	}
	return out
}

// model finds a service's model by its name: a listed one, one of the
// catalogue, or one that is newer than that.
func (g *generation) model(s *service, name string) llm.Model {
	if i, ok := g.index[s.id+"/"+name]; ok {
		return g.models[i]
	}
	all := g.builtIn(s)
	if i := slices.IndexFunc(all, func(m llm.Model) bool { return m.ID == name }); i >= 0 {
		return all[i]
	}
	m := llm.Model{Provider: s.id, ID: name, API: s.api("")}
	if like, ok := g.likeness(all, name); ok {
		m.ContextWindow, m.MaxTokens, m.Reasoning, m.Input = like.ContextWindow, like.MaxTokens, like.Reasoning, like.Input
		if like.Provider == s.id {
			m.API = like.API
		}
	}
	return filled(m)
}

// likeness finds the model whose limits a new one most probably shares: the
// same one at its maker's, under the name after the last slash, or the service's
// own with the longest common beginning.
func (g *generation) likeness(own []llm.Model, name string) (llm.Model, bool) {
	bare := name[strings.LastIndexByte(name, '/')+1:]
	if g.known != nil {
		for _, maker := range []string{"anthropic", "openai", "google", "xai", "mistral", "deepseek"} {
			for _, m := range g.section(maker) {
				if m.ID == bare || m.ID == strings.ReplaceAll(bare, ".", "-") {
					return m, true
				}
			}
		}
	}
	if dated := regexp.MustCompile(`-(\d{4}-\d\d-\d\d|\d{8}|\d{4}|latest|preview)$`).ReplaceAllString(name, ""); dated != name {
		for _, m := range own {
			if m.ID == dated {
				return m, true
			}
		}
	}
	const enough = 5 // letters in common
	best, length := llm.Model{}, 0
	for _, m := range own {
		n := 0
		for n < len(m.ID) && n < len(name) && m.ID[n] == name[n] {
			n++
		}
		if n >= length { // the latest of equals: the list is sorted
			best, length = m, n
		}
	}
	return best, length >= enough && length*3 >= len(name)*2
}
