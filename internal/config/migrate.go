package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Migrate moves the keys of older releases to where they are now and takes out
// the keys that nothing knows. It returns the new tree and a line for each
// change; no change means there was nothing to do. A value of the wrong type
// stays: only its owner knows what was meant.
func Migrate(root *jsonc.Node) (*jsonc.Node, []string) {
	if root.Kind != jsonc.Object {
		return root, nil
	}
	m := &migration{root: root}
	m.channels()
	m.routing()
	m.agent()
	m.rest()
	m.unknown()
	return m.root, m.changes
}

type migration struct {
	root    *jsonc.Node
	changes []string
}

func (m *migration) note(format string, args ...any) {
	m.changes = append(m.changes, fmt.Sprintf(format, args...))
}

func (m *migration) find(path string) *jsonc.Node {
	return KeyPath(strings.Split(path, ".")).At(m.root)
}

func (m *migration) put(path string, v *jsonc.Node) {
	if root, err := KeyPath(strings.Split(path, ".")).set(m.root, v); err == nil {
		m.root = root
	}
}

func (m *migration) drop(path string) {
	root, found := KeyPath(strings.Split(path, ".")).unset(m.root)
	if !found {
		return
	}
	if root == nil {
		root = &jsonc.Node{Kind: jsonc.Object}
	}
	m.root = root
}

// move takes from away and puts it at to. What to has already wins.
func (m *migration) move(from, to string) {
	v := m.find(from)
	if v == nil {
		return
	}
	m.drop(from)
	have := m.find(to)
	switch {
	case have == nil:
		m.put(to, v)
		m.note("Moved %s → %s.", from, to)
	case have.Kind == jsonc.Object && v.Kind == jsonc.Object:
		m.put(to, under(have, v))
		m.note("Merged %s → %s.", from, to)
	default:
		m.note("Removed %s (%s is set already).", from, to)
	}
}

// under lays v below have: what have says wins.
func under(have, v *jsonc.Node) *jsonc.Node {
	if have.Kind != jsonc.Object || v.Kind != jsonc.Object {
		return have
	}
	for _, m := range v.Unique() {
		if old := have.Get(m.Key); old != nil {
			have = have.With([]string{m.Key}, under(old, m.Value))
			continue
		}
		have = have.With([]string{m.Key}, m.Value)
	}
	return have
}

func (m *migration) channels() {
	if v := m.find("telegram.requireMention"); v != nil {
		m.drop("telegram.requireMention")
		m.mention("telegram", v, "telegram.requireMention")
	}
	for _, ch := range legacyChannels() {
		m.move(ch, "channels."+ch)
	}
	m.ttl("session.threadBindings")
	m.ttl("channels.discord.threadBindings")
	for _, a := range m.find("channels.discord.accounts").Unique() {
		if !strings.Contains(a.Key, ".") {
			m.ttl("channels.discord.accounts." + a.Key + ".threadBindings")
		}
	}
}

func (m *migration) ttl(at string) { m.move(at+".ttlHours", at+".idleHours") }

func (m *migration) mention(ch string, v *jsonc.Node, from string) {
	path := []string{"channels", ch, "groups", "*", "requireMention"}
	if m.root.Find(path...) == nil {
		m.root = m.root.With(path, v)
	}
	m.note("Moved %s → channels.%s.groups.\"*\".requireMention.", from, ch)
}

func (m *migration) routing() {
	if v := m.find("routing.allowFrom"); v != nil {
		if m.find("channels.whatsapp") == nil {
			m.drop("routing.allowFrom")
			m.note("Removed routing.allowFrom (channels.whatsapp isn't configured).")
		}
		m.move("routing.allowFrom", "channels.whatsapp.allowFrom")
	}
	if v := m.find("routing.groupChat.requireMention"); v != nil {
		m.drop("routing.groupChat.requireMention")
		moved := false
		for _, ch := range []string{"whatsapp", "telegram", "imessage"} {
			if m.find("channels."+ch) != nil {
				m.mention(ch, v, "routing.groupChat.requireMention")
				moved = true
			}
		}
		if !moved {
			m.note("Removed routing.groupChat.requireMention (no such channel is configured).")
		}
	}
	m.move("routing.groupChat.mentionPatterns", "messages.groupChat.mentionPatterns")
	m.move("routing.bindings", "bindings")
	m.move("routing.agentToAgent", "tools.agentToAgent")
	m.move("routing.queue", "messages.queue")
	m.move("routing.transcribeAudio", "tools.media.audio.models")
	m.routedAgents()
}

// routedAgents turns routing.agents, a map, and routing.defaultAgentId into
// agents.list.
func (m *migration) routedAgents() {
	agents := m.find("routing.agents")
	for _, a := range agents.Unique() {
		if a.Value.Kind != jsonc.Object || m.agentIndex(a.Key) >= 0 {
			continue
		}
		entry := &jsonc.Node{Kind: jsonc.Object, Members: []jsonc.Member{{Key: "id", Value: jsonc.Str(a.Key)}}}
		m.appendAgent(under(entry, a.Value))
		m.note("Moved routing.agents.%s → agents.list.", a.Key)
	}
	m.drop("routing.agents")
	if def := m.find("routing.defaultAgentId"); def != nil {
		m.drop("routing.defaultAgentId")
		if def.Kind != jsonc.String {
			return
		}
		i := m.agentIndex(def.Text)
		if i < 0 {
			m.appendAgent(&jsonc.Node{Kind: jsonc.Object, Members: []jsonc.Member{{Key: "id", Value: jsonc.Str(def.Text)}}})
			i = m.agentIndex(def.Text)
		}
		m.put(fmt.Sprintf("agents.list.%d.default", i), &jsonc.Node{Kind: jsonc.Bool, Bool: true})
		m.note("Moved routing.defaultAgentId → agents.list[%d].default.", i)
	}
}

func (m *migration) agentIndex(name string) int {
	l := m.find("agents.list")
	if l == nil {
		return -1
	}
	return slices.IndexFunc(l.Items, func(a *jsonc.Node) bool { return nodeID(a) == name })
}

func (m *migration) appendAgent(a *jsonc.Node) {
	l := &jsonc.Node{Kind: jsonc.Array}
	if have := m.find("agents.list"); have != nil && have.Kind == jsonc.Array {
		c := *have
		l = &c
	}
	l.Items = append(slices.Clone(l.Items), a)
	m.put("agents.list", l)
}

func (m *migration) agent() {
	if m.find("agent") != nil {
		m.agentModels()
		for _, k := range []string{"tools", "elevated", "bash", "sandbox.tools", "subagents.tools"} {
			to := map[string]string{"tools": "tools", "elevated": "tools.elevated", "bash": "tools.exec", "sandbox.tools": "tools.sandbox.tools", "subagents.tools": "tools.subagents.tools"}[k]
			m.move("agent."+k, to)
		}
		m.move("agent", "agents.defaults")
	}
	m.move("memorySearch", "agents.defaults.memorySearch")
	if hb := m.find("heartbeat"); hb != nil && hb.Kind == jsonc.Object {
		for _, k := range []string{"showOk", "showAlerts", "useIndicator"} {
			m.move("heartbeat."+k, "channels.defaults.heartbeat."+k)
		}
		m.move("heartbeat", "agents.defaults.heartbeat")
	}
	if id := m.find("identity"); id != nil {
		if m.find("agents.list") == nil {
			m.appendAgent(&jsonc.Node{Kind: jsonc.Object, Members: []jsonc.Member{{Key: "id", Value: jsonc.Str("main")}, {Key: "default", Value: &jsonc.Node{Kind: jsonc.Bool, Bool: true}}}})
		}
		m.move("identity", "agents.list.0.identity")
	}
}

func (m *migration) agentModels() {
	for _, k := range []string{"model", "imageModel"} {
		at := "agent." + k
		if v := m.find(at); v != nil && v.Kind == jsonc.String {
			m.drop(at)
			m.put(at+".primary", v)
			m.note("Moved %s string → agents.defaults.%s.primary.", at, k)
		}
		m.move("agent."+k+"Fallbacks", at+".fallbacks")
	}
	if l := m.find("agent.allowedModels"); l != nil {
		m.drop("agent.allowedModels")
		for _, name := range list(l) {
			m.model(name)
		}
		m.note("Moved agent.allowedModels → agents.defaults.models.")
	}
	if aliases := m.find("agent.modelAliases"); aliases != nil {
		m.drop("agent.modelAliases")
		for _, a := range aliases.Unique() {
			if target := str(a.Value); target != "" {
				m.model(target)
				m.root = m.root.With([]string{"agents", "defaults", "models", target, "alias"}, jsonc.Str(a.Key))
			}
		}
		m.note("Moved agent.modelAliases → agents.defaults.models.*.alias.")
	}
}

func (m *migration) model(name string) {
	path := []string{"agents", "defaults", "models", name}
	if m.root.Find(path...) == nil {
		m.root = m.root.With(path, &jsonc.Node{Kind: jsonc.Object})
	}
}

func (m *migration) rest() {
	m.move("tools.bash", "tools.exec")
	m.move("gateway.token", "gateway.auth.token")
	if v := m.find("gateway.bind"); v != nil && isHostAlias(v) {
		mode := bindMode(v.Text)
		m.put("gateway.bind", jsonc.Str(mode))
		m.note("Normalized gateway.bind %q → %q.", v.Text, mode)
	}
	if v := m.find("messages.tts.enabled"); v != nil {
		m.drop("messages.tts.enabled")
		auto := "off"
		if isTrue(v) {
			auto = "always"
		}
		if m.find("messages.tts.auto") == nil {
			m.put("messages.tts.auto", jsonc.Str(auto))
		}
		m.note("Moved messages.tts.enabled → messages.tts.auto (%s).", auto)
	}
}

// unknown takes out keys that the schema doesn't know.
func (m *migration) unknown() {
	for range 20 { // a key may hide another, and a look finds a bounded number
		gone := map[string]bool{}
		for _, p := range checkSchema(m.root) {
			if strings.HasPrefix(p.Message, "Unrecognized key") && p.steps[len(p.steps)-1] != "$include" {
				gone[joined(p.steps)] = true
				m.note("Removed unknown key %s.", p.steps)
			}
		}
		if len(gone) == 0 {
			return
		}
		m.root = m.root.Map(func(path []string, v *jsonc.Node) *jsonc.Node {
			if gone[joined(path)] {
				return nil
			}
			return v
		})
	}
}

func joined(path []string) string { return strings.Join(path, "\x00") }

// Repair migrates the file on disk, with a backup, and returns what it did. A
// second call finds nothing to do. When the result is still invalid nothing is
// written and the error says what only its owner can mend.
func (f File) Repair(ctx context.Context) (Saved, []string, error) {
	var changes []string
	s, err := f.change(ctx, func(l *Loaded) (*jsonc.Document, *jsonc.Node, error) {
		if l.broken {
			return nil, nil, &Invalid{Path: l.Path, Problems: l.Problems}
		}
		if err := legacyIncluded(l); err != nil {
			return nil, nil, err
		}
		var root *jsonc.Node
		root, changes = Migrate(l.Doc.Root)
		return l.Doc, root, nil
	})
	var invalid *Invalid
	if errors.As(err, &invalid) && len(changes) > 0 {
		return s, nil, invalid
	}
	if err != nil {
		return s, nil, err
	}
	return s, changes, nil
}

// legacyIncluded refuses when a problem sits in an included file: only its
// owner may edit that.
func legacyIncluded(l *Loaded) error {
	for _, p := range l.Problems {
		if p.File != "" && p.File != l.Path {
			return fault.New(fault.Invalid, "config.Repair", p.Key+" is in the included file "+p.File+"; edit it there: "+p.Message)
		}
	}
	return nil
}
