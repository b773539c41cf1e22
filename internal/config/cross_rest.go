package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// secrets checks the providers and the form of every reference.
func (c *crossChecker) secrets() {
	for _, m := range c.find("secrets", "providers").Unique() {
		p := secret.Provider{Source: str(m.Value.Get("source")), Command: str(m.Value.Get("command")), TrustedDirs: list(m.Value.Get("trustedDirs"))}
		if field, message := p.Check(); field != "" && p.Command != "" {
			c.bad([]string{"secrets", "providers", m.Key, field}, m.Value.Get(field), "write the whole path", "%s", message)
		}
	}
	c.root.Map(func(path []string, n *jsonc.Node) *jsonc.Node {
		if n.Kind == jsonc.String && n.Text == Redacted {
			c.bad(path, n, "write the secret itself, or a reference to it", "the mark that hides a secret stands where the secret should")
		}
		if n.Kind != jsonc.Object || len(n.Members) != 3 {
			return n
		}
		r := secret.Ref{Source: str(n.Get("source")), Provider: str(n.Get("provider")), ID: str(n.Get("id"))}
		if r.ID == "" || r.Provider == "" || r.Source == "" {
			return n
		}
		if field, message := r.Check(); field != "" && field != "source" {
			c.bad(steps(path, field), n.Get(field), "", "%s", message)
		}
		return n
	})
}

// tools checks the tool policies of a scope.
func (c *crossChecker) tools(at []string, n *jsonc.Node) {
	if n == nil {
		return
	}
	c.eitherAllow(at, n)
	for _, m := range n.Get("byProvider").Unique() {
		c.eitherAllow(steps(at, "byProvider", m.Key), m.Value)
	}
	c.eitherAllow(steps(at, "sandbox", "tools"), n.Find("sandbox", "tools"))
	loop := n.Get("loopDetection")
	warning, critical, breaker := loop.Get("warningThreshold"), loop.Get("criticalThreshold"), loop.Get("globalCircuitBreakerThreshold")
	if warning != nil && critical != nil && warning.Float() >= critical.Float() {
		c.bad(steps(at, "loopDetection", "criticalThreshold"), critical, "raise it", "tools.loopDetection.warningThreshold must be lower than criticalThreshold.")
	}
	if critical != nil && breaker != nil && critical.Float() >= breaker.Float() {
		c.bad(steps(at, "loopDetection", "globalCircuitBreakerThreshold"), breaker, "raise it", "tools.loopDetection.criticalThreshold must be lower than globalCircuitBreakerThreshold.")
	}
	c.mediaCommands(steps(at, "media"), n.Get("media"))
}

func (c *crossChecker) eitherAllow(at []string, n *jsonc.Node) {
	if len(list(n.Get("allow"))) > 0 && len(list(n.Get("alsoAllow"))) > 0 {
		c.bad(at, n, "keep one of them", "tools policy cannot set both allow and alsoAllow in the same scope (merge alsoAllow into allow, or remove allow and use profile + alsoAllow)")
	}
}

func (c *crossChecker) mediaCommands(at []string, n *jsonc.Node) {
	n.Map(func(path []string, v *jsonc.Node) *jsonc.Node {
		if len(path) > 0 && path[len(path)-1] == "command" && v != nil && v.Kind == jsonc.String && v.Text != "" {
			c.executable(steps(at, path...), v)
		}
		return v
	})
}

// sizes checks durations, sizes and addresses.
func (c *crossChecker) sizes() {
	if n := c.find("cron", "webhook"); str(n) != "" && !regexp.MustCompile(`(?i)^https?://`).MatchString(n.Text) {
		c.bad([]string{"cron", "webhook"}, n, "", "Expected http:// or https:// URL")
	}
	c.duration([]string{"cron", "sessionRetention"}, time.Hour)
	c.size([]string{"cron", "runLog", "maxBytes"})
	c.duration([]string{"session", "maintenance", "pruneAfter"}, 24*time.Hour)
	c.duration([]string{"session", "maintenance", "resetArchiveRetention"}, 24*time.Hour)
	for _, k := range []string{"rotateBytes", "maxDiskBytes", "highWaterBytes"} {
		c.size([]string{"session", "maintenance", k})
	}
}

func (c *crossChecker) duration(path []string, unit time.Duration) {
	if n := c.find(path...); n != nil && n.Kind == jsonc.String {
		if _, err := ParseDuration(n.Text, unit); err != nil {
			c.bad(path, n, `write for example "24h"`, "invalid duration (use ms, s, m, h, d)")
		}
	}
}

func (c *crossChecker) size(path []string) {
	if n := c.find(path...); n != nil && n.Kind == jsonc.String {
		if _, err := ParseSize(n.Text); err != nil {
			c.bad(path, n, `write for example "2mb"`, "invalid size (use b, kb, mb, gb, tb)")
		}
	}
}

func (c *crossChecker) hooks() {
	l := c.find("hooks", "mappings")
	if l == nil {
		return
	}
	for i, m := range l.Items {
		at := []string{"hooks", "mappings", itoa(i)}
		if n := m.Find("transform", "module"); n != nil && !relativeModule(str(n)) {
			c.bad(steps(at, "transform", "module"), n, "write a path below hooks.transformsDir", "module path must be a safe relative path")
		}
	}
}

func relativeModule(s string) bool {
	s = strings.ReplaceAll(s, `\`, "/")
	return strings.TrimSpace(s) != "" && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~") &&
		!strings.Contains(s, ":") && !slices.Contains(strings.Split(s, "/"), "..")
}

func (c *crossChecker) misc() {
	talk := c.find("talk")
	if providers := talk.Get("providers").Unique(); len(providers) > 0 {
		p := talk.Get("provider")
		switch {
		case p == nil && len(providers) > 1:
			c.bad([]string{"talk", "provider"}, talk, "name the provider to use", "talk.provider is required when talk.providers defines multiple providers")
		case str(p) != "" && talk.Find("providers", p.Text) == nil:
			c.bad([]string{"talk", "provider"}, p, "", "talk.provider must match a key in talk.providers (missing %q)", p.Text)
		}
	}
	for _, m := range c.find("browser", "profiles").Unique() {
		at := []string{"browser", "profiles", m.Key}
		if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(m.Key) {
			c.bad(at, m.Value, "rename it", "Profile names must be alphanumeric with hyphens only")
		}
		if m.Value.Get("cdpPort") == nil && m.Value.Get("cdpUrl") == nil && str(m.Value.Get("driver")) != "existing-session" {
			c.bad(at, m.Value, "add cdpPort", "Profile must set cdpPort or cdpUrl")
		}
	}
	if n := c.find("meta", "lastTouchedAt"); n != nil && n.Kind != jsonc.Number && n.Kind != jsonc.String {
		c.bad([]string{"meta", "lastTouchedAt"}, n, "take it out", "Invalid input")
	}
}

func (c *crossChecker) gateway() {
	g := c.find("gateway")
	if port := g.Get("port"); port != nil && port.Float() > 65535 {
		c.bad([]string{"gateway", "port"}, port, "use one from 1 to 65535; the usual one is 18789", "Invalid input: there is no such port")
	}
	mode, bind := str(g.Find("tailscale", "mode")), str(g.Get("bind"))
	if mode != "serve" && mode != "funnel" || bind == "" || bind == "loopback" {
		return
	}
	if bind == "custom" && strings.HasPrefix(str(g.Get("customBindHost")), "127.") {
		return
	}
	c.bad([]string{"gateway", "bind"}, g.Get("bind"), `use "loopback"`,
		`gateway.bind must resolve to loopback when gateway.tailscale.mode=%s (use gateway.bind="loopback" or gateway.bind="custom" with gateway.customBindHost="127.0.0.1")`, mode)
}

// foreignPlugins reports whether plugins from outside are installed: they may
// bring channels and ids that aren't known here.
func (c *crossChecker) foreignPlugins() bool {
	if len(list(c.find("plugins", "load", "paths"))) > 0 || len(c.find("plugins", "installs").Unique()) > 0 {
		return true
	}
	found, err := os.ReadDir(filepath.Join(c.paths.State, "extensions"))
	return err == nil && len(found) > 0
}

func (c *crossChecker) plugins() {
	root := c.find("plugins")
	if root == nil {
		return
	}
	entries := theSchema().root.find([]string{"plugins", "entries"}).load()
	knows := func(id string) bool { _, ok := entries.byKey[id]; return ok || id == "legacy" }
	report := c.bad
	if c.foreignPlugins() {
		report = c.warn
	}
	for _, key := range []string{"allow", "deny"} {
		if l := root.Get(key); l != nil && l.Kind == jsonc.Array {
			for _, n := range l.Items {
				if s := str(n); s != "" && !knows(s) {
					report([]string{"plugins", key}, n, "check its spelling, or take it out", "plugin not found: %s", s)
				}
			}
		}
	}
	if n := root.Find("slots", "memory"); str(n) != "" && n.Text != "none" && !knows(n.Text) {
		report([]string{"plugins", "slots", "memory"}, n, "", "plugin not found: %s", n.Text)
	}
	for _, m := range root.Get("entries").Unique() {
		at := []string{"plugins", "entries", m.Key}
		if !knows(m.Key) {
			c.warn(at, m.Value, "install the plugin, or take the entry out", "plugin not found: %s", m.Key)
			continue
		}
		if cfg := m.Value.Get("config"); cfg != nil {
			c.pluginConfig(steps(at, "config"), cfg, entries.prop(m.Key).prop("config"))
		}
	}
}

// pluginConfig checks the configuration of a plugin along its own schema.
func (c *crossChecker) pluginConfig(at []string, n *jsonc.Node, r *rule) {
	if r == nil {
		return
	}
	var inner checker
	inner.value(at, n, r)
	for _, p := range inner.problems {
		p.Message = "invalid config: " + asAjv(p.Message)
		c.problems = append(c.problems, p)
	}
}

// asAjv words a message as the validator of plugin manifests does.
func asAjv(m string) string {
	if rest, ok := strings.CutPrefix(m, "Invalid input: expected "); ok {
		want, got, _ := strings.Cut(rest, ", received ")
		if got == "undefined" {
			return "must have required property"
		}
		return "must be " + want
	}
	if strings.HasPrefix(m, "Unrecognized key") {
		return "must NOT have additional properties"
	}
	return m
}
