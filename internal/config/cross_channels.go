package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// knownChannels are the channels whose sections are accepted.
func knownChannels() []string {
	names := make([]string, 0, 24)
	for _, p := range theSchema().root.prop("channels").load().props {
		names = append(names, p.key)
	}
	return append(names, "nostr", "tlon", "twitch", "zalouser")
}

func (c *crossChecker) channels() {
	known := knownChannels()
	extra := c.foreignPlugins()
	for _, m := range c.find("channels").Unique() {
		if notChannels(m.Key) {
			continue
		}
		if !slices.Contains(known, m.Key) && !extra {
			c.problems = append(c.problems, Problem{
				Path: "channels." + m.Key, Message: "unknown channel id: " + m.Key,
				Mend: "check its spelling, or install the plugin that brings it",
			}.atMember(&m))
			continue
		}
		c.channel([]string{"channels", m.Key}, m.Value, nil)
		for _, a := range m.Value.Get("accounts").Unique() {
			c.channel([]string{"channels", m.Key, "accounts", a.Key}, a.Value, m.Value)
		}
	}
}

// channel checks a section, or one account of section base.
func (c *crossChecker) channel(path []string, n, base *jsonc.Node) {
	if n.Kind != jsonc.Object {
		return
	}
	c.policy(path, n, base)
	own := func(key string) *jsonc.Node { return n.Get(key) }
	inherited := func(key string) *jsonc.Node {
		if v := n.Get(key); v != nil || base == nil {
			return v
		}
		return base.Get(key)
	}
	name := dotted(path...)
	if cmd := own("cliPath"); str(cmd) != "" {
		c.executable(steps(path, "cliPath"), cmd)
	}
	switch path[1] {
	case "telegram":
		if v := own("webhookUrl"); str(v) != "" && inherited("webhookSecret") == nil && !isFalse(inherited("enabled")) {
			c.bad(steps(path, "webhookSecret"), v, "add webhookSecret", "%s.webhookUrl requires %s.webhookSecret", name, name)
		}
		c.customCommands(path, own("customCommands"))
	case "slack":
		if v := own("mode"); str(v) == "http" && inherited("signingSecret") == nil && !isFalse(inherited("enabled")) {
			c.bad(steps(path, "signingSecret"), v, "add signingSecret", `%s.mode="http" requires %s.signingSecret`, name, name)
		}
	case "discord":
		c.discord(path, n)
	case "irc":
		if v := n.Get("nickserv"); isTrue(v.Get("register")) && str(v.Get("registerEmail")) == "" {
			c.bad(steps(path, "nickserv", "registerEmail"), v, "add registerEmail", "%s.nickserv.register=true requires %s.nickserv.registerEmail", name, name)
		}
	case "imessage":
		if v := own("remoteHost"); str(v) != "" && !regexp.MustCompile(`^([A-Za-z0-9._-]+@)?[A-Za-z0-9][A-Za-z0-9._:-]*$`).MatchString(v.Text) {
			c.bad(steps(path, "remoteHost"), v, "write host or user@host", "expected SSH host or user@host (no spaces/options)")
		}
	}
}

// policy: open needs "*", allowlist needs somebody; an account inherits.
func (c *crossChecker) policy(path []string, n, base *jsonc.Node) {
	policy, allow, key := n.Get("dmPolicy"), n.Get("allowFrom"), "allowFrom"
	where := steps(path, key)
	if dm := n.Get("dm"); policy == nil && dm.Get("policy") != nil {
		policy = dm.Get("policy")
		where = steps(path, "dm", key)
		if a := dm.Get(key); a != nil {
			allow = a
		}
	}
	if policy == nil {
		return // an account without a policy of its own has that of its section, judged there
	}
	if allow == nil && base != nil {
		if allow = base.Get(key); allow == nil {
			allow = base.Find("dm", key)
		}
	}
	ch, list := path[1], list(allow)
	spot := policy
	if allow != nil {
		spot = allow
	}
	pre := "channels." + ch
	field := pre + ".allowFrom"
	if base != nil {
		pre += ".accounts.*"
		field = pre + ".allowFrom (or channels." + ch + ".allowFrom)"
	}
	switch policy.Text {
	case "open":
		if !slices.Contains(list, "*") {
			c.bad(where, spot, `add "*" to let anybody in, or use dmPolicy "pairing"`, `%s.dmPolicy="open" requires %s to include "*"`, pre, field)
		}
	case "allowlist":
		if !slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			c.bad(where, spot, `list the senders, or use dmPolicy "pairing"`, `%s.dmPolicy="allowlist" requires %s to contain at least one sender ID`, pre, field)
		}
	}
}

func (c *crossChecker) customCommands(path []string, n *jsonc.Node) {
	if n == nil || n.Kind != jsonc.Array {
		return
	}
	for i, v := range n.Items {
		at := steps(path, "customCommands", itoa(i))
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(strings.TrimSpace(str(v.Get("command"))), "/")), "-", "_")
		if !regexp.MustCompile(`^[a-z0-9_]{1,32}$`).MatchString(name) {
			c.bad(steps(at, "command"), v, "", `Telegram custom command "/%s" is invalid (use a-z, 0-9, underscore; max 32 chars).`, name)
		}
		if strings.TrimSpace(str(v.Get("description"))) == "" {
			c.bad(steps(at, "description"), v, "add a description", `Telegram custom command "/%s" is missing a description.`, name)
		}
	}
}

func (c *crossChecker) discord(path []string, n *jsonc.Node) {
	activity, kind, url := str(n.Get("activity")), n.Get("activityType"), str(n.Get("activityUrl"))
	streaming := kind != nil && kind.Text == "1"
	switch {
	case activity == "" && (kind != nil || url != ""):
		c.bad(steps(path, "activity"), n, "add activity", "channels.discord.activity is required when activityType or activityUrl is set")
	case streaming && url == "":
		c.bad(steps(path, "activityUrl"), n, "add activityUrl", "channels.discord.activityUrl is required when activityType is 1 (Streaming)")
	case url != "" && !streaming:
		c.bad(steps(path, "activityType"), n, "use activityType 1", "channels.discord.activityType must be 1 (Streaming) when activityUrl is set")
	}
	presence := n.Get("autoPresence")
	low, high := presence.Get("minUpdateIntervalMs"), presence.Get("intervalMs")
	if low != nil && high != nil && low.Float() > high.Float() {
		c.bad(steps(path, "autoPresence", "minUpdateIntervalMs"), low, "lower it", "channels.discord.autoPresence.minUpdateIntervalMs must be less than or equal to channels.discord.autoPresence.intervalMs")
	}
}

// executable refuses what a shell would read as more than a program.
func (c *crossChecker) executable(path []string, n *jsonc.Node) {
	s := n.Text
	if strings.HasPrefix(s, "-") || strings.ContainsAny(s, "|&;<>()$`\"'\\*?[]{}!#\n\r\x00") && !windowsPath(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
		c.bad(path, n, "write the path of a program", "expected safe executable name or path")
	}
}

func windowsPath(s string) bool {
	return regexp.MustCompile(`^[A-Za-z]:\\[A-Za-z0-9 ._()\\-]+$`).MatchString(s)
}
