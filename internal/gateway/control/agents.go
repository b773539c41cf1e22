package control

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type agentsResult struct {
	Default id.Agent   `json:"defaultId"`
	MainKey string     `json:"mainKey"`
	Scope   string     `json:"scope"`
	Agents  []agentRow `json:"agents"`
}

type agentRow struct {
	ID       id.Agent  `json:"id"`
	Name     string    `json:"name,omitempty"`
	Identity *identity `json:"identity,omitempty"`
}

// identity is how an agent shows itself.
type identity struct {
	Name   string `json:"name,omitempty"`
	Emoji  string `json:"emoji,omitempty"`
	Theme  string `json:"theme,omitempty"`
	Avatar string `json:"avatar,omitempty"`
}

func (c *Control) agentsList(context.Context, *rpc.Caller, struct{}) (agentsResult, error) {
	cfg := c.Config()
	r := agentsResult{Default: cfg.DefaultAgent(), MainKey: mainName(cfg), Scope: first(cfg.Session.Scope, "per-sender")}
	for _, a := range cfg.AgentIDs() {
		e, _ := cfg.Agent(a)
		row := agentRow{ID: a, Name: e.Name}
		if i := identity(e.Identity); i != (identity{}) {
			row.Identity = &i
		}
		r.Agents = append(r.Agents, row)
	}
	return r, nil
}

type whoParams struct {
	Agent      string `json:"agentId,omitempty"`
	SessionKey string `json:"sessionKey,omitempty"`
}

type whoResult struct {
	Agent  id.Agent `json:"agentId"`
	Name   string   `json:"name"`
	Avatar string   `json:"avatar"`
	Emoji  string   `json:"emoji,omitempty"`
}

// agentIdentity is the name and face that clients show for an agent. An agent
// that doesn't exist has the default ones.
func (c *Control) agentIdentity(_ context.Context, _ *rpc.Caller, p whoParams) (whoResult, error) {
	cfg := c.Config()
	a := cfg.DefaultAgent()
	if strings.TrimSpace(p.Agent) != "" {
		a = agentID(p.Agent)
	}
	if key := strings.TrimSpace(p.SessionKey); key != "" {
		if rest, isAgent := strings.CutPrefix(strings.ToLower(key), "agent:"); isAgent && !wellFormed(rest) {
			return whoResult{}, rpc.Invalid("invalid agent.identity.get params: malformed session key \"%s\"", key)
		}
		of := id.CanonicalKey(cfg.DefaultAgent(), key).Agent()
		if strings.TrimSpace(p.Agent) != "" && of != a {
			return whoResult{}, rpc.Invalid("invalid agent.identity.get params: agent \"%s\" does not match session key agent \"%s\"", p.Agent, of)
		}
		a = of
	}
	return c.face(cfg, a), nil
}

// wellFormed reports whether rest, what follows "agent:", names an agent and
// something of it.
func wellFormed(rest string) bool {
	a, key, ok := strings.Cut(rest, ":")
	return ok && a != "" && key != ""
}

// face puts together the configuration and IDENTITY.md of a.
func (c *Control) face(cfg *config.Config, a id.Agent) whoResult {
	e, _ := cfg.Agent(a)
	set, file := e.Identity, readIdentity(cfg.Workspace(a))
	return whoResult{
		Agent:  a,
		Name:   first(set.Name, file.Name, "Assistant"),
		Avatar: first(avatar(set.Avatar), short(set.Emoji), avatar(file.Avatar), short(file.Emoji), "A"),
		Emoji:  first(set.Emoji, file.Emoji),
	}
}

func first(ss ...string) string {
	for _, s := range ss {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

// avatar is s when a client can show it: an address, a data URL or a few
// characters. A path in the workspace can't be fetched.
func avatar(s string) string {
	for _, scheme := range []string{"https://", "http://", "data:image/"} {
		if strings.HasPrefix(strings.ToLower(s), scheme) {
			return s
		}
	}
	return short(s)
}

func short(s string) string {
	if s = strings.TrimSpace(s); utf8.RuneCountInString(s) <= 4 && !strings.ContainsAny(s, "./\\") {
		return s
	}
	return ""
}

// maxIdentity bounds what is read of IDENTITY.md.
const maxIdentity = 64 << 10

// readIdentity reads the lines "- Name: …", "- Emoji: …", "- Avatar: …" of
// IDENTITY.md. The last one that says something counts, since that is where
// changes are added.
func readIdentity(workspace string) identity {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return identity{}
	}
	defer root.Close()
	f, err := openRegular(root, "IDENTITY.md")
	if err != nil {
		return identity{}
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxIdentity))
	if err != nil {
		return identity{}
	}
	return parseIdentity(raw)
}

func parseIdentity(raw []byte) identity {
	var out identity
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxIdentity+1)
	for lines.Scan() {
		line := strings.TrimLeft(strings.TrimSpace(lines.Text()), "-*• ")
		key, value, ok := strings.Cut(strings.ReplaceAll(line, "*", ""), ":")
		value = strings.Trim(strings.TrimSpace(value), "_`")
		if !ok || value == "" || value[0] == '(' || value[0] == '[' || value[0] == '<' { // a template's hint
			continue
		}
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "name":
			out.Name = value
		case "emoji":
			out.Emoji = value
		case "avatar":
			out.Avatar = value
		}
	}
	return out
}

// agentID makes an agent's id of a name: lower case letters, digits, - and _,
// 64 at most; a name without any is main.
func agentID(name string) id.Agent {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(strings.TrimSpace(name)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			b.WriteRune(r)
			dash = false
			continue
		}
		if !dash {
			b.WriteByte('-')
		}
		dash = true
	}
	s := strings.Trim(b.String(), "-")
	if len(s) > 64 {
		s = strings.Trim(s[:64], "-")
	}
	if s == "" {
		return id.MainAgent
	}
	return id.Agent(s)
}

// knownAgent returns the configured agent that name means.
func knownAgent(cfg *config.Config, name string) (id.Agent, bool) {
	a := agentID(name)
	_, ok := cfg.Agent(a)
	return a, ok
}
