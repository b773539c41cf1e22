package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// patchParams keeps the difference between null, which clears a setting, and
// nothing, which leaves it.
type patchParams map[string]json.RawMessage

// JSONSchema is the recorded schema.
func (patchParams) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`{
		"key": "string(minLength=1)", "label?": "string(minLength=1,maxLength=64)|null",
		"thinkingLevel?": "string(minLength=1)|null", "fastMode?": "boolean|null",
		"verboseLevel?": "string(minLength=1)|null", "reasoningLevel?": "string(minLength=1)|null",
		"responseUsage?": "\"off\"|\"tokens\"|\"full\"|\"on\"|null", "elevatedLevel?": "string(minLength=1)|null",
		"execHost?": "string(minLength=1)|null", "execSecurity?": "string(minLength=1)|null",
		"execAsk?": "string(minLength=1)|null", "execNode?": "string(minLength=1)|null",
		"model?": "string(minLength=1)|null", "spawnedBy?": "string(minLength=1)|null",
		"spawnedWorkspaceDir?": "string(minLength=1)|null", "spawnDepth?": "integer(minimum=0)|null",
		"subagentRole?": "\"orchestrator\"|\"leaf\"|null", "subagentControlScope?": "\"children\"|\"none\"|null",
		"sendPolicy?": "\"allow\"|\"deny\"|null", "groupActivation?": "\"mention\"|\"always\"|null",
		"(strict)": true}`)
}

type patchResult struct {
	OK       bool          `json:"ok"`
	Path     string        `json:"path"`
	Key      id.SessionKey `json:"key"`
	Entry    Session       `json:"entry"`
	Resolved struct {
		ModelProvider string `json:"modelProvider"`
		Model         string `json:"model"`
	} `json:"resolved"`
}

func (b *Book) rpcPatch(ctx context.Context, _ *rpc.Caller, p patchParams) (patchResult, error) {
	raw, _ := p.text("key")
	key := b.key(raw)
	if label, set := p.text("label"); set && label != "" {
		if err := b.labelFree(ctx, key, label); err != nil {
			return patchResult{}, err
		}
	}
	_, had, err := b.Get(ctx, key)
	if err != nil {
		return patchResult{}, err
	}
	s, err := b.Update(ctx, key, func(s *Session) error {
		if !had { // as recorded, a new entry holds no more than is known
			s.TotalTokensFresh = false
			for _, k := range alwaysWritten {
				s.keep(k, "")
			}
		}
		return b.apply(s, p)
	})
	if err != nil {
		return patchResult{}, err
	}
	res := patchResult{OK: true, Path: b.indexPath(key.Agent()), Key: key, Entry: s}
	m := b.modelOf(s)
	res.Resolved.ModelProvider, res.Resolved.Model = m.Provider, m.ID
	return res, nil
}

// text returns the trimmed string under k; set is false when p doesn't have
// k, and null is "".
func (p patchParams) text(k string) (v string, set bool) {
	raw, set := p[k]
	if set && json.Unmarshal(raw, &v) != nil {
		v = string(raw)
	}
	return strings.TrimSpace(v), set
}

func (b *Book) labelFree(ctx context.Context, key id.SessionKey, label string) error {
	ss, err := b.List(ctx, Filter{Label: label, Limit: 2})
	for _, s := range ss {
		if s.Key != key {
			return rpc.Invalid("label already in use: %s", label)
		}
	}
	return err
}

// choice is a setting with a fixed set of values.
type choice struct {
	key    string
	at     *string
	allow  []string
	alias  map[string]string
	refuse string // what an unknown value is answered with
}

// thinkingLevels and the other words that stand for one of them.
func thinkingLevels() (levels []string, alias map[string]string) {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "adaptive"},
		map[string]string{"on": "low", "min": "minimal", "mid": "medium", "max": "high", "highest": "high"}
}

// ThinkingLevel is the level of thinking that word stands for, "" for none; ok
// is false for a word that stands for nothing.
func ThinkingLevel(word string) (level string, ok bool) {
	levels, alias := thinkingLevels()
	level = strings.ToLower(strings.TrimSpace(word))
	if a := alias[level]; a != "" {
		level = a
	}
	return level, level == "" || slices.Contains(levels, level)
}

func (b *Book) apply(s *Session, p patchParams) error {
	if err := lineage(s, p); err != nil {
		return err
	}
	if label, set := p.text("label"); set {
		s.Label = label
	}
	thinking, thinkingAlias := thinkingLevels()
	onOff := map[string]string{"true": "on", "false": "off", "yes": "on", "no": "off", "1": "on", "0": "off"}
	for _, c := range []choice{
		{"thinkingLevel", &s.ThinkingLevel, thinking, thinkingAlias, "invalid thinkingLevel (use off|minimal|low|medium|high|adaptive)"},
		{"verboseLevel", &s.VerboseLevel, []string{"on", "off", "full"}, onOff, `invalid verboseLevel (use "on"|"off")`},
		{"reasoningLevel", &s.ReasoningLevel, []string{"on", "off", "stream"}, onOff, `invalid reasoningLevel (use "on"|"off"|"stream")`},
		{"elevatedLevel", &s.ElevatedLevel, []string{"on", "off", "ask", "full"}, onOff, `invalid elevatedLevel (use "on"|"off"|"ask"|"full")`},
		{"responseUsage", &s.ResponseUsage, []string{"off", "tokens", "full"}, map[string]string{"on": "tokens"}, `invalid responseUsage (use "off"|"tokens"|"full")`},
		{"sendPolicy", &s.SendPolicy, []string{"allow", "deny"}, nil, `invalid sendPolicy (use "allow"|"deny")`},
		{"groupActivation", &s.GroupActivation, []string{"mention", "always"}, nil, `invalid groupActivation (use "mention"|"always")`},
	} {
		if err := c.set(p); err != nil {
			return err
		}
	}
	if s.ResponseUsage == "off" {
		s.ResponseUsage = ""
	}
	if raw, set := p["fastMode"]; set {
		s.FastMode = nil
		if err := json.Unmarshal(raw, &s.FastMode); err != nil {
			return rpc.Invalid("invalid fastMode (use true or false)")
		}
	}
	if err := execSettings(s, p); err != nil {
		return err
	}
	if ref, set := p.text("model"); set {
		b.override(s, ref)
	}
	return nil
}

func (c choice) set(p patchParams) error {
	v, set := p.text(c.key)
	if !set {
		return nil
	}
	v = strings.ToLower(v)
	if a, ok := c.alias[v]; ok {
		v = a
	}
	if v != "" && !slices.Contains(c.allow, v) {
		return rpc.Invalid("%s", c.refuse)
	}
	*c.at = v
	return nil
}

// execSettings are kept in Extra: only the exec tool reads them.
func execSettings(s *Session, p patchParams) error {
	for _, c := range []struct {
		key   string
		allow []string
	}{
		{"execHost", []string{"sandbox", "gateway", "node"}},
		{"execSecurity", []string{"deny", "allowlist", "full"}},
		{"execAsk", []string{"off", "on-miss", "always"}},
		{"execNode", nil},
	} {
		v, set := p.text(c.key)
		if !set {
			continue
		}
		if v == "" {
			if err := s.Set(c.key, nil); err != nil {
				return err
			}
			continue
		}
		if c.allow != nil {
			if v = strings.ToLower(v); !slices.Contains(c.allow, v) {
				return rpc.Invalid(`invalid %s (use "%s")`, c.key, strings.Join(c.allow, `"|"`))
			}
		}
		if err := s.Set(c.key, v); err != nil {
			return err
		}
	}
	return nil
}

// lineage sets where a session comes from. That is fixed once set, and only
// sessions that others spawn have it.
func lineage(s *Session, p patchParams) error {
	spawned := hasAny(string(s.Key), ":subagent:", ":acp:")
	for _, k := range []string{"spawnedBy", "spawnedWorkspaceDir", "spawnDepth", "subagentRole", "subagentControlScope"} {
		v, set := p.text(k)
		if !set {
			continue
		}
		old := s.SpawnedBy
		if k != "spawnedBy" {
			old = strings.Trim(string(s.Extra[k]), `"`)
		}
		switch {
		case string(p[k]) == "null":
			if old != "" {
				return rpc.Invalid("%s cannot be cleared once set", k)
			}
			continue
		case v == "":
			return rpc.Invalid("invalid %s: empty", k)
		case !spawned:
			return rpc.Invalid("%s is only supported for subagent:* or acp:* sessions", k)
		case old != "" && old != v:
			return rpc.Invalid("%s cannot be changed once set", k)
		}
		if k == "spawnedBy" {
			s.SpawnedBy = v
			continue
		}
		if err := s.Set(k, p[k]); err != nil {
			return err
		}
	}
	return nil
}

// override makes ref ("provider/model", or a model of the default provider)
// answer in s; the agent's own model clears it.
func (b *Book) override(s *Session, ref string) {
	def := b.defaultModel(s.Key.Agent())
	m := llm.Model{Provider: def.Provider, ID: ref}
	if p, rest, ok := strings.Cut(ref, "/"); ok {
		m.Provider, m.ID = p, rest
	}
	s.ProviderOverride, s.ModelOverride = m.Provider, m.ID
	if ref == "" || m.Provider == def.Provider && m.ID == def.ID {
		s.ProviderOverride, s.ModelOverride = "", ""
	}
	s.Model, s.ModelProvider, s.ContextTokens = "", "", 0 // of the model that answered before
}
