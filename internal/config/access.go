package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// accessKeys are the keys that decide who gets in and what they may do. "*"
// stands for any one step, a trailing "**" for everything below.
func accessKeys() []string {
	return []string{
		"gateway.auth.**", "gateway.bind", "gateway.customBindHost", "gateway.trustedProxies.**", "gateway.allowRealIpFallback",
		"gateway.tailscale.**", "gateway.tools.**", "gateway.controlUi.allowedOrigins.**", "gateway.controlUi.allowInsecureAuth",
		"gateway.controlUi.dangerouslyAllowHostHeaderOriginFallback", "gateway.controlUi.dangerouslyDisableDeviceAuth",
		"gateway.http.endpoints.*.enabled", "hooks.enabled", "hooks.token", "hooks.allowedAgentIds.**", "hooks.allowedSessionKeyPrefixes.**",
		"commands.ownerAllowFrom.**", "commands.allowFrom.**", "commands.bash", "commands.config", "commands.useAccessGroups",
		"tools.elevated.**", "tools.exec.security", "tools.exec.ask", "tools.deny.**", "tools.allow.**", "tools.profile", "tools.fs.**",
		"agents.list.*.tools.**", "approvals.**", "channels.defaults.groupPolicy",
		"channels.*.enabled", "channels.*.dmPolicy", "channels.*.groupPolicy", "channels.*.allowFrom.**", "channels.*.groupAllowFrom.**",
		"channels.*.groups.**", "channels.*.guilds.**", "channels.*.channels.**", "channels.*.dm.**", "channels.*.configWrites",
		"channels.*.accounts.*.enabled", "channels.*.accounts.*.dmPolicy", "channels.*.accounts.*.groupPolicy", "channels.*.accounts.*.allowFrom.**",
		"channels.*.accounts.*.groupAllowFrom.**", "channels.*.accounts.*.groups.**", "channels.*.accounts.*.guilds.**",
		"channels.*.accounts.*.channels.**", "channels.*.accounts.*.dm.**",
	}
}

// accessKey reports whether key, or something below it, guards access.
func accessKey(key string) bool {
	path := strings.Split(key, ".")
	for _, pattern := range accessKeys() {
		if guards(strings.Split(pattern, "."), path) {
			return true
		}
	}
	return false
}

func guards(pattern, path []string) bool {
	for i, step := range pattern {
		switch {
		case step == "**" || i >= len(path):
			return true // path is above or inside
		case step != "*" && step != path[i]:
			return false
		}
	}
	return len(path) == len(pattern)
}

// accessPart is what of root guards access, leaf by leaf.
func accessPart(root *jsonc.Node) map[string]string {
	out := map[string]string{}
	var walk func([]string, *jsonc.Node)
	walk = func(path []string, n *jsonc.Node) {
		switch {
		case n == nil:
		case len(n.Members) > 0:
			for _, m := range n.Unique() {
				walk(child(path, m.Key), m.Value)
			}
		case len(n.Items) > 0:
			for i, v := range n.Items {
				walk(child(path, fmt.Sprint(i)), v)
			}
		default:
			if key := dotted(path...); accessKey(key) {
				out[key] = string(n.JSON())
			}
		}
	}
	walk(nil, root)
	return out
}

// fallBack returns the last configuration that worked, or why it can't be used.
func (l *Loaded) fallBack(opts LoadOptions) (*Loaded, error) {
	for _, p := range l.Problems {
		if l.Doc != nil && accessKey(p.Key) && p.Key != "" {
			return nil, fmt.Errorf("%s guards access and is invalid, so the last good copy isn't used: mend it, then start again", p.Key)
		}
	}
	paths := l.paths
	raw, err := os.ReadFile(paths.LastGood())
	if err != nil {
		return nil, fmt.Errorf("there is no last good copy to start from")
	}
	good := evaluate(Paths{Home: paths.Home, State: paths.State, Config: paths.LastGood(), Profile: paths.Profile}, raw, true, opts)
	if !good.Valid() {
		return nil, fmt.Errorf("the last good copy is invalid too")
	}
	if l.Doc != nil {
		if l.merged == nil || l.merged.Kind != jsonc.Object {
			return nil, fmt.Errorf("the file holds no object, so its rules of access can't be read")
		}
		if key := accessChange(good.merged, l.merged); key != "" {
			return nil, fmt.Errorf("%s guards access and differs from the last good copy, so that isn't used: mend the problems, then start again", key)
		}
	}
	good.Config.Paths = paths
	l.Config, l.Resolved, l.Filled, l.added, l.merged = good.Config, good.Resolved, good.Filled, good.added, good.merged
	l.Warnings = good.Warnings
	l.LastGood = true
	return l, nil
}

// Remembered returns the last configuration that worked, as the gateway keeps
// it: for asking a gateway that still runs on it, not for starting one. It is
// nil when there is none.
func Remembered(paths Paths, opts LoadOptions) *Loaded {
	raw, err := readBounded(paths.LastGood(), false)
	if err != nil {
		return nil
	}
	at := paths
	at.Config = paths.LastGood()
	good := evaluate(at, raw, true, opts)
	if !good.Valid() || good.Config == nil {
		return nil
	}
	good.Config.Paths = paths
	good.LastGood = true
	return good
}

// accessChange returns a key that guards access and isn't the same in both.
func accessChange(a, b *jsonc.Node) string {
	left, right := accessPart(a), accessPart(b)
	var keys []string
	for k, v := range left {
		if right[k] != v {
			keys = append(keys, k)
		}
	}
	for k := range right {
		if _, ok := left[k]; !ok {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return slices.Min(keys)
}

// Remember keeps l, which must be valid, as the last good copy: includes
// merged in, ${VAR} still as references.
func (l *Loaded) Remember() error {
	if !l.Valid() || l.LastGood {
		return nil
	}
	want := l.merged.Indented()
	path := l.paths.LastGood()
	if have, err := os.ReadFile(path); err == nil && string(have) == string(want) {
		return nil
	}
	return writeAtomic(path, want)
}
