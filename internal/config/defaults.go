package config

import (
	"slices"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// defaultText holds the defaults that hold whatever else is set. "*" stands for
// every entry that is there; an object marked "?" is filled only when it is
// there. What depends on other keys is decided by who uses it: the model, the
// auth mode, exec host and security, the reset mode.
const defaultText = `{
agents: { defaults: {
  timeoutSeconds: 600, maxConcurrent: 4, bootstrapMaxChars: 20000, bootstrapTotalMaxChars: 150000,
  skipBootstrap: false, timeFormat: "auto", typingIntervalSeconds: 6,
  heartbeat: { every: "30m", target: "none", ackMaxChars: 300, lightContext: false },
} },
commands: { native: "auto", nativeSkills: "auto", text: true, bash: false, config: false, debug: false, restart: true, ownerDisplay: "raw", useAccessGroups: true },
session: { dmScope: "main", mainKey: "main", resetTriggers: ["/new", "/reset"] },
messages: {
  queue: { mode: "collect", debounceMs: 1000, cap: 20, drop: "summarize" },
  inbound: { debounceMs: 0 }, groupChat: { historyLimit: 50 },
},
channels: {
  discord: { "?": 1, textChunkLimit: 2000 },
  "*": { enabled: true, dmPolicy: "pairing", groupPolicy: "allowlist", textChunkLimit: 4000 },
},
models: { mode: "merge", providers: { "*": {
  models: { "*": { reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8192, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } } },
} } },
gateway: {
  port: 18789, bind: "loopback",
  auth: { rateLimit: { "?": 1, maxAttempts: 10, windowMs: 60000, lockoutMs: 300000, exemptLoopback: true } },
  controlUi: { enabled: true },
  http: { endpoints: {
    chatCompletions: { maxBodyBytes: 20971520 },
    responses: { enabled: false, maxBodyBytes: 20971520 },
  } },
  reload: { mode: "hybrid", debounceMs: 300 },
},
tools: { exec: { ask: "on-miss", backgroundMs: 10000, timeoutSec: 1800, cleanupMs: 1800000, notifyOnExit: true } },
logging: { level: "info", consoleLevel: "info", consoleStyle: "pretty" },
}`

//nolint:gochecknoglobals // immutable once read
var defaultTree = sync.OnceValue(func() *jsonc.Node {
	d, err := jsonc.Parse("defaults", []byte(defaultText))
	if err != nil {
		panic("config: defaults: " + err.Error())
	}
	return d.Root
})

// notChannels are keys of channels that are no channel.
func notChannels(key string) bool { return key == "defaults" || key == "modelByChannel" }

// fillDefaults returns root with the defaults where it says nothing.
func fillDefaults(root *jsonc.Node) *jsonc.Node {
	return fill(nil, inherit(root), defaultTree())
}

// inherit lays channels.defaults.groupPolicy under the channels, and the older
// form dm.policy, dm.allowFrom under dmPolicy and allowFrom.
func inherit(root *jsonc.Node) *jsonc.Node {
	policy := root.Find("channels", "defaults", "groupPolicy")
	for _, m := range root.Get("channels").Unique() {
		if m.Value.Kind != jsonc.Object || notChannels(m.Key) {
			continue
		}
		now := plainDM(m.Value)
		if policy != nil && now.Get("groupPolicy") == nil {
			now = now.With([]string{"groupPolicy"}, policy)
		}
		for _, a := range now.Get("accounts").Unique() {
			if own := plainDM(a.Value); own != a.Value {
				now = now.With([]string{"accounts", a.Key}, own)
			}
		}
		if now != m.Value {
			root = root.With([]string{"channels", m.Key}, now)
		}
	}
	return root
}

func plainDM(n *jsonc.Node) *jsonc.Node {
	for old, now := range map[string]string{"policy": "dmPolicy", "allowFrom": "allowFrom"} {
		if v := n.Find("dm", old); v != nil && n.Get(now) == nil {
			n = n.With([]string{now}, v)
		}
	}
	return n
}

func fill(path []string, n, defaults *jsonc.Node) *jsonc.Node {
	if defaults.Kind != jsonc.Object || n.Kind != jsonc.Object && n.Kind != jsonc.Array {
		return n
	}
	out := *n
	each := defaults.Get("*")
	if n.Kind == jsonc.Array {
		if each != nil {
			out.Items = slices.Clone(n.Items)
			for i, v := range out.Items {
				out.Items[i] = fill(child(path, "*"), v, each)
			}
		}
		return &out
	}
	out.Members = slices.Clone(n.Unique())
	for i, m := range out.Members {
		if d := defaults.Get(m.Key); d != nil {
			out.Members[i].Value = fill(child(path, m.Key), m.Value, d)
		}
		if each != nil && !(len(path) == 1 && path[0] == "channels" && notChannels(m.Key)) {
			out.Members[i].Value = fill(child(path, m.Key), out.Members[i].Value, each)
		}
	}
	for _, d := range defaults.Members {
		if d.Key == "*" || d.Key == "?" || d.Value.Get("?") != nil || out.Member(d.Key) != nil {
			continue
		}
		v := d.Value
		if v.Kind == jsonc.Object {
			if v = fill(child(path, d.Key), &jsonc.Node{Kind: jsonc.Object}, v); len(v.Members) == 0 {
				continue
			}
		}
		out.Members = append(out.Members, jsonc.Member{Key: d.Key, Value: v})
	}
	return &out
}
