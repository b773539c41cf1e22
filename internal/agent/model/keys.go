package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// credential is one key; its hash names it without showing it.
type credential struct{ value, hash string }

func newCredential(v string) credential {
	if v == "" {
		return credential{}
	}
	sum := sha256.Sum256([]byte(v))
	return credential{v, hex.EncodeToString(sum[:8])}
}

// credentials lists the keys for a service, in order: those stored for the
// agent, the configured one, those of the environment. A service that wants
// none has the empty one.
func (r *Resolver) credentials(ctx context.Context, g *generation, a id.Agent, name string) ([]credential, error) {
	s := g.services[name]
	var out []credential
	add := func(v string) {
		if v = strings.TrimSpace(v); v == "" {
			return
		}
		if c := newCredential(v); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	var problem error
	logins := r.profilesOf(g, a).of(name)
	if s.row != nil && s.row.Auth != "" {
		logins = append(logins, r.profilesOf(g, a).of(s.row.Auth)...)
	}
	for _, p := range logins {
		v, err := r.stored(ctx, p)
		if err != nil {
			problem = err
			continue
		}
		add(v)
	}
	v, err := r.configuredKey(ctx, g, s)
	if err != nil {
		problem = err
	}
	add(v)
	if s.own() { // a key of the environment goes to its own service only
		for _, v := range g.spare(s) {
			add(v)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	if problem != nil {
		return nil, &fault.Error{Kind: fault.Unauthenticated, Op: "model.credentials", Hint: name + ": its key can't be resolved; check it with: openclaw models status", Err: problem}
	}
	if row := s.row; row != nil && !row.Keyless && !s.found && len(s.conf.APIKey) == 0 && len(s.conf.Headers) == 0 && s.conf.BaseURL == "" && !g.elsewhere(row) {
		if len(row.Env) == 0 {
			return nil, fault.New(fault.Unauthenticated, "model.credentials", name+": no login; run: openclaw models auth login --provider "+name)
		}
		return nil, fault.New(fault.Unauthenticated, "model.credentials",
			name+": no API key; set "+row.Env[len(row.Env)-1]+" or models.providers."+name+".apiKey, or run: openclaw onboard")
	}
	return []credential{{}}, nil
}

// spare lists the keys of the environment for s: the one for a trial, the usual
// one, a list, numbered ones.
func (g *generation) spare(s *service) []string {
	name := envName(s.id)
	out := []string{g.getenv("OPENCLAW_LIVE_" + name + "_KEY")}
	_, v := g.environment(s.row)
	out = append(out, v)
	out = append(out, strings.FieldsFunc(g.getenv(name+"_API_KEYS"), func(r rune) bool { return r == ',' || r == ';' })...)
	for n := '1'; n <= '9'; n++ {
		out = append(out, g.getenv(name+"_API_KEY_"+string(n)))
	}
	return out
}

func envName(provider string) string {
	return strings.ToUpper(strings.ReplaceAll(provider, "-", "_"))
}

// configuredKey resolves models.providers.<id>.apiKey once a generation. A
// string that is the name of a variable means its value.
func (r *Resolver) configuredKey(ctx context.Context, g *generation, s *service) (string, error) {
	if len(s.conf.APIKey) == 0 {
		return "", nil
	}
	g.mu.Lock()
	v, ok := g.secrets[s.id]
	g.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := r.secret(ctx, s.conf.APIKey)
	if err != nil {
		return "", err
	}
	if isVariable(v) {
		if e := g.getenv(v); e != "" {
			v = e
		}
	}
	g.mu.Lock()
	g.secrets[s.id] = v
	g.mu.Unlock()
	return v, nil
}

func isVariable(s string) bool {
	return strings.Contains(s, "_") && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

// profiles is an agent's auth-profiles.json.
type profiles struct {
	checked time.Time
	stamp   time.Time
	byID    map[string]profile
	order   map[string][]string
}

type profile struct {
	Type     string          `json:"type"` // api_key, token, oauth
	Provider string          `json:"provider"`
	Key      string          `json:"key"`
	KeyRef   json.RawMessage `json:"keyRef"`
	Token    string          `json:"token"`
	TokenRef json.RawMessage `json:"tokenRef"`
	Access   string          `json:"access"`
	Expires  int64           `json:"expires"` // Unix milliseconds
}

const (
	recheck     = 2 * time.Second // how long a look at the file serves
	maxProfiles = 1 << 20
)

// profilesOf reads the file when it changed since the last look.
func (r *Resolver) profilesOf(g *generation, a id.Agent) *profiles {
	now := time.Now()
	g.mu.Lock()
	p := g.profiles[a]
	g.mu.Unlock()
	if p != nil && now.Sub(p.checked) < recheck {
		return p
	}
	file := filepath.Join(g.cfg.AgentDir(a), "auth-profiles.json")
	fresh := &profiles{checked: now}
	if st, err := os.Stat(file); err == nil {
		fresh.stamp = st.ModTime()
		if p != nil && p.stamp.Equal(fresh.stamp) {
			fresh.byID, fresh.order = p.byID, p.order
		} else {
			fresh.read(file)
		}
	}
	g.mu.Lock()
	g.profiles[a] = fresh
	g.mu.Unlock()
	return fresh
}

// read takes in what can be read; a broken file has no profiles.
func (p *profiles) read(file string) {
	f, err := os.Open(filepath.Clean(file))
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxProfiles))
	if err != nil {
		return
	}
	var doc struct {
		Profiles map[string]profile  `json:"profiles"`
		Order    map[string][]string `json:"order"`
	}
	if json.Unmarshal(raw, &doc) == nil {
		p.byID, p.order = doc.Profiles, doc.Order
	}
}

func (p *profiles) has(provider string) bool { return len(p.of(provider)) > 0 }

// of lists the profiles for a service: in the stored order, else OAuth first,
// then by name.
func (p *profiles) of(provider string) []profile {
	if len(p.byID) == 0 {
		return nil
	}
	ids := p.order[provider]
	if len(ids) == 0 {
		for name, x := range p.byID {
			if strings.EqualFold(x.Provider, provider) {
				ids = append(ids, name)
			}
		}
		slices.SortFunc(ids, func(a, b string) int {
			if x, y := p.byID[a].Type == "oauth", p.byID[b].Type == "oauth"; x != y {
				if x {
					return -1
				}
				return 1
			}
			return strings.Compare(a, b)
		})
	}
	out := make([]profile, 0, len(ids))
	for _, name := range ids {
		if x, ok := p.byID[name]; ok && strings.EqualFold(x.Provider, provider) && (x.Expires == 0 || x.Expires > time.Now().UnixMilli()) {
			out = append(out, x)
		}
	}
	return out
}

// stored is the key of a profile.
func (r *Resolver) stored(ctx context.Context, p profile) (string, error) {
	ref, plain := p.KeyRef, p.Key
	switch p.Type {
	case "token":
		ref, plain = p.TokenRef, p.Token
	case "oauth":
		ref, plain = nil, p.Access
	}
	if len(ref) > 0 {
		return r.secret(ctx, ref)
	}
	return plain, nil
}
