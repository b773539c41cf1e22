package config

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// legacyRule is a key of an older release that doctor --fix moves.
type legacyRule struct {
	path    []string
	message string
	when    func(*jsonc.Node) bool // nil: whenever the key is there
}

func (r legacyRule) key() string { return dotted(r.path...) }

// legacyRules are in the order they are reported in.
func legacyRules() []legacyRule {
	at := func(path, message string, when func(*jsonc.Node) bool) legacyRule {
		return legacyRule{strings.Split(path, "."), message + " (auto-migrated on load).", when}
	}
	isText := func(n *jsonc.Node) bool { return n.Kind == jsonc.String }
	rules := make([]legacyRule, 0, 40)
	for _, ch := range legacyChannels() {
		rules = append(rules, at(ch, ch+" config moved to channels."+ch, nil))
	}
	return append(rules,
		at("session.threadBindings.ttlHours", "session.threadBindings.ttlHours was renamed to session.threadBindings.idleHours", nil),
		at("channels.discord.threadBindings.ttlHours", "channels.discord.threadBindings.ttlHours was renamed to channels.discord.threadBindings.idleHours", nil),
		at("channels.discord.accounts", "channels.discord.accounts.<id>.threadBindings.ttlHours was renamed to channels.discord.accounts.<id>.threadBindings.idleHours", anyTTL),
		at("routing.allowFrom", "routing.allowFrom was removed; use channels.whatsapp.allowFrom instead", nil),
		at("routing.bindings", "routing.bindings was moved; use top-level bindings instead", nil),
		at("routing.agents", "routing.agents was moved; use agents.list instead", nil),
		at("routing.defaultAgentId", "routing.defaultAgentId was moved; use agents.list[].default instead", nil),
		at("routing.agentToAgent", "routing.agentToAgent was moved; use tools.agentToAgent instead", nil),
		at("routing.groupChat.requireMention", `routing.groupChat.requireMention was removed; use channels.whatsapp/telegram/imessage groups defaults (e.g. channels.whatsapp.groups."*".requireMention) instead`, nil),
		at("routing.groupChat.mentionPatterns", "routing.groupChat.mentionPatterns was moved; use agents.list[].groupChat.mentionPatterns or messages.groupChat.mentionPatterns instead", nil),
		at("routing.queue", "routing.queue was moved; use messages.queue instead", nil),
		at("routing.transcribeAudio", "routing.transcribeAudio was moved; use tools.media.audio.models instead", nil),
		at("telegram.requireMention", `telegram.requireMention was removed; use channels.telegram.groups."*".requireMention instead`, nil),
		at("identity", "identity was moved; use agents.list[].identity instead", nil),
		at("agent", "agent.* was moved; use agents.defaults (and tools.* for tool/elevated/exec settings) instead", nil),
		at("memorySearch", "top-level memorySearch was moved; use agents.defaults.memorySearch instead", nil),
		at("heartbeat", "top-level heartbeat is not a valid config path; use agents.defaults.heartbeat (cadence/target/model settings) or channels.defaults.heartbeat (showOk/showAlerts/useIndicator).", nil).plain(),
		at("tools.bash", "tools.bash was removed; use tools.exec instead", nil),
		at("agent.model", "agent.model string was replaced by agents.defaults.model.primary/fallbacks and agents.defaults.models", isText),
		at("agent.imageModel", "agent.imageModel string was replaced by agents.defaults.imageModel.primary/fallbacks", isText),
		at("agent.allowedModels", "agent.allowedModels was replaced by agents.defaults.models", nil),
		at("agent.modelAliases", "agent.modelAliases was replaced by agents.defaults.models.*.alias", nil),
		at("agent.modelFallbacks", "agent.modelFallbacks was replaced by agents.defaults.model.fallbacks", nil),
		at("agent.imageModelFallbacks", "agent.imageModelFallbacks was replaced by agents.defaults.imageModel.fallbacks", nil),
		at("messages.tts.enabled", "messages.tts.enabled was replaced by messages.tts.auto", nil),
		at("gateway.token", "gateway.token is ignored; use gateway.auth.token instead", nil),
		at("gateway.bind", "gateway.bind host aliases (for example 0.0.0.0/localhost) are legacy; use bind modes (lan/loopback/custom/tailnet/auto) instead", isHostAlias),
	)
}

// plain takes the note about migration off a message that lacks it.
func (r legacyRule) plain() legacyRule {
	r.message = strings.TrimSuffix(r.message, " (auto-migrated on load).")
	return r
}

func legacyChannels() []string {
	return []string{"whatsapp", "telegram", "discord", "slack", "signal", "imessage", "msteams"}
}

// bindMode is the mode that a host in gateway.bind stands for, or "".
func bindMode(host string) string {
	switch strings.ToLower(strings.TrimSpace(host)) {
	case "0.0.0.0", "::", "[::]", "*":
		return "lan"
	case "127.0.0.1", "localhost", "::1", "[::1]":
		return "loopback"
	}
	return ""
}

func isHostAlias(n *jsonc.Node) bool { return n.Kind == jsonc.String && bindMode(n.Text) != "" }

func anyTTL(accounts *jsonc.Node) bool {
	for _, m := range accounts.Unique() {
		if m.Value.Find("threadBindings", "ttlHours") != nil {
			return true
		}
	}
	return false
}

// legacyProblems finds the legacy keys in a file.
func legacyProblems(root *jsonc.Node) []Problem {
	if root.Kind != jsonc.Object {
		return nil
	}
	var out []Problem
	for _, r := range legacyRules() {
		parent := root.Find(r.path[:len(r.path)-1]...)
		m := parent.Member(r.path[len(r.path)-1])
		if m == nil || r.when != nil && !r.when(m.Value) {
			continue
		}
		out = append(out, Problem{Path: r.key(), Message: r.message, Mend: "run: openclaw doctor --fix", hard: true}.atMember(m))
	}
	return out
}
