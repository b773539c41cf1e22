package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

func itoa(i int) string { return strconv.Itoa(i) }

// eachAgent calls f for agents.defaults and for every entry of agents.list.
func (c *crossChecker) eachAgent(f func(path []string, n *jsonc.Node)) {
	if d := c.find("agents", "defaults"); d != nil {
		f([]string{"agents", "defaults"}, d)
	}
	if l := c.find("agents", "list"); l != nil {
		for i, a := range l.Items {
			f([]string{"agents", "list", itoa(i)}, a)
		}
	}
}

func (c *crossChecker) agents() {
	c.eachAgent(func(path []string, n *jsonc.Node) {
		c.heartbeat(steps(path, "heartbeat"), n.Get("heartbeat"))
		c.sandbox(steps(path, "sandbox"), n.Get("sandbox"))
		c.tools(steps(path, "tools"), n.Get("tools"))
		for _, m := range n.Get("cliBackends").Unique() {
			if cmd := m.Value.Get("command"); str(cmd) != "" {
				c.executable(steps(path, "cliBackends", m.Key, "command"), cmd)
			}
		}
	})
	c.agentDirs()
	c.avatars()
}

func (c *crossChecker) heartbeat(at []string, n *jsonc.Node) {
	if every := n.Get("every"); every != nil && every.Kind == jsonc.String {
		if _, err := ParseDuration(every.Text, time.Minute); err != nil {
			c.bad(steps(at, "every"), every, `write for example "30m"`, "invalid duration (use ms, s, m, h)")
		}
	}
	clock := regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	for _, key := range []string{"start", "end"} {
		v := n.Find("activeHours", key)
		if str(v) != "" && !clock.MatchString(v.Text) && (key != "end" || v.Text != "24:00") {
			c.bad(steps(at, "activeHours", key), v, `write for example "08:00"`, `invalid time (use "HH:MM" 24h format)`)
		}
	}
	if target := n.Get("target"); str(target) != "" && !c.deliverable(target.Text) {
		c.bad(steps(at, "target"), target, `use "last", "none" or a channel`, "unknown heartbeat target: %s", target.Text)
	}
}

func (c *crossChecker) deliverable(target string) bool {
	t := strings.ToLower(strings.TrimSpace(target))
	return t == "last" || t == "none" || slices.Contains(knownChannels(), t) || c.foreignPlugins()
}

func (c *crossChecker) sandbox(at []string, n *jsonc.Node) {
	docker := n.Get("docker")
	if binds := docker.Get("binds"); binds != nil {
		for i, b := range binds.Items {
			c.bind(steps(at, "docker", "binds", itoa(i)), b, isTrue(docker.Get("dangerouslyAllowExternalBindSources")))
		}
	}
	join := isTrue(docker.Get("dangerouslyAllowContainerNamespaceJoin"))
	c.network(steps(at, "docker", "network"), docker.Get("network"), join)
	c.network(steps(at, "browser", "network"), n.Find("browser", "network"), join)
	if v := docker.Get("seccompProfile"); strings.EqualFold(strings.TrimSpace(str(v)), "unconfined") {
		c.bad(steps(at, "docker", "seccompProfile"), v, "take it out", `Sandbox security: seccomp profile "unconfined" is blocked. Use a custom seccomp profile file or omit this setting.`)
	}
	if v := docker.Get("apparmorProfile"); strings.EqualFold(strings.TrimSpace(str(v)), "unconfined") {
		c.bad(steps(at, "docker", "apparmorProfile"), v, "take it out", `Sandbox security: apparmor profile "unconfined" is blocked. Use a named AppArmor profile or omit this setting.`)
	}
}

// bind refuses sources that give the host away.
func (c *crossChecker) bind(at []string, n *jsonc.Node, dangerous bool) {
	source, _, _ := strings.Cut(str(n), ":")
	if n.Kind != jsonc.String {
		return
	}
	if !strings.HasPrefix(source, "/") {
		c.bad(at, n, "write the whole path", "Sandbox security: bind mount %q uses a non-absolute source path %q. Only absolute POSIX paths are supported for sandbox binds.", n.Text, source)
		return
	}
	source = path.Clean(source)
	for _, s := range []string{source, realPath(source)} {
		if reserved := reservedSource(s, c.paths.State); reserved != "" && !dangerous {
			c.bad(at, n, "bind a narrower directory", "Sandbox security: bind mount %q exposes %s of the host.", n.Text, reserved)
			return
		}
	}
}

func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	return p
}

func reservedSource(source, state string) string {
	if source == "/" {
		return "everything"
	}
	reserved := []string{"/etc", "/proc", "/sys", "/dev", "/root", "/boot", "/run/docker.sock", "/var/run/docker.sock"}
	if state != "" {
		reserved = append(reserved, filepath.ToSlash(filepath.Join(state, "credentials")), filepath.ToSlash(filepath.Join(state, "openclaw.json")))
	}
	for _, r := range reserved {
		if source == r || strings.HasPrefix(source, r+"/") || strings.HasPrefix(r, source+"/") {
			return r
		}
	}
	if slices.Contains(strings.Split(source, "/"), ".ssh") {
		return source
	}
	return ""
}

func (c *crossChecker) network(at []string, n *jsonc.Node, join bool) {
	mode := strings.ToLower(strings.TrimSpace(str(n)))
	switch {
	case mode == "host":
		c.bad(at, n, `use "bridge" or "none"`, `Sandbox security: network mode "host" is blocked. Use "bridge" or "none" instead.`)
	case strings.HasPrefix(mode, "container:") && !join:
		c.bad(at, n, `use "bridge" or "none"`, `Sandbox security: network mode %q is blocked by default. Set dangerouslyAllowContainerNamespaceJoin only if you know why.`, mode)
	}
}

func (c *crossChecker) agentDirs() {
	l := c.find("agents", "list")
	if l == nil {
		return
	}
	owners := map[string][]string{}
	var order []string
	for _, a := range l.Items {
		name := str(a.Get("id"))
		dir := str(a.Get("agentDir"))
		if dir == "" {
			dir = filepath.Join(c.paths.State, "agents", strings.ToLower(name), "agent")
		}
		dir = c.paths.Expand(dir)
		if len(owners[dir]) == 0 {
			order = append(order, dir)
		}
		owners[dir] = append(owners[dir], strconv.Quote(name))
	}
	var conflicts []string
	for _, dir := range order {
		if len(owners[dir]) > 1 {
			conflicts = append(conflicts, "- "+dir+": "+strings.Join(owners[dir], ", "))
		}
	}
	if len(conflicts) > 0 {
		c.bad([]string{"agents", "list"}, l, "", "Duplicate agentDir detected (multi-agent config).\n"+
			"Each agent must have a unique agentDir; sharing it causes auth/session state collisions and token invalidation.\n\n"+
			"Conflicts:\n%s\n\nFix: remove the shared agents.list[].agentDir override (or give each agent its own directory).\n"+
			"If you want to share credentials, copy auth-profiles.json instead of sharing the entire agentDir.", strings.Join(conflicts, "\n"))
	}
}

func (c *crossChecker) avatars() {
	l := c.find("agents", "list")
	if l == nil {
		return
	}
	for i, a := range l.Items {
		n := a.Find("identity", "avatar")
		v := strings.TrimSpace(str(n))
		at := []string{"agents", "list", itoa(i), "identity", "avatar"}
		switch {
		case v == "" || regexp.MustCompile(`(?i)^(data:|https?://)`).MatchString(v):
		case strings.HasPrefix(v, "~"):
			c.bad(at, n, "write a path in the agent's workspace", "identity.avatar must be a workspace-relative path, http(s) URL, or data URI.")
		case regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`).MatchString(v) && !windowsPath(v):
			c.bad(at, n, "write a path in the agent's workspace", "identity.avatar must be a workspace-relative path, http(s) URL, or data URI.")
		default:
			dir := c.workspace(i, a)
			p := v
			if !filepath.IsAbs(p) {
				p = filepath.Join(dir, p)
			}
			if !within(p, dir) {
				c.bad(at, n, "move the picture into the workspace", "identity.avatar must stay within the agent workspace.")
			}
		}
	}
}

func (c *crossChecker) workspace(i int, a *jsonc.Node) string {
	if w := str(a.Get("workspace")); w != "" {
		return c.paths.Expand(w)
	}
	if i == 0 || isTrue(a.Get("default")) {
		if w := str(c.find("agents", "defaults", "workspace")); w != "" {
			return c.paths.Expand(w)
		}
	}
	return filepath.Join(c.paths.State, "workspace-"+str(a.Get("id")))
}

// agentIDs lists agents.list; empty when that is.
func (c *crossChecker) agentIDs() []string {
	l := c.find("agents", "list")
	if l == nil {
		return nil
	}
	var out []string
	for _, a := range l.Items {
		out = append(out, strings.ToLower(strings.TrimSpace(str(a.Get("id")))))
	}
	return out
}

func (c *crossChecker) bindings() {
	ids := c.agentIDs()
	knows := func(name string) bool {
		return len(ids) == 0 || slices.Contains(ids, strings.ToLower(strings.TrimSpace(name)))
	}
	if l := c.find("bindings"); l != nil {
		for i, b := range l.Items {
			at := []string{"bindings", itoa(i)}
			if n := b.Get("agentId"); str(n) != "" && !knows(n.Text) {
				c.warn(steps(at, "agentId"), n, "add the agent, or bind another", "Unknown agent id %q (not in agents.list).", n.Text)
				if last := len(c.warnings) - 1; c.warnings[last].Path == dotted(steps(at, "agentId")...) {
					c.warnings[last].refuse = true
				}
			}
			if str(b.Get("type")) == "acp" {
				c.acpBinding(at, b)
			}
		}
	}
	for _, m := range c.find("broadcast").Unique() {
		for i, n := range m.Value.Items {
			if n.Kind == jsonc.String && !knows(n.Text) {
				c.bad([]string{"broadcast", m.Key, itoa(i)}, n, "add the agent, or name another", "Unknown agent id %q (not in agents.list).", n.Text)
			}
		}
	}
}

func (c *crossChecker) acpBinding(at []string, b *jsonc.Node) {
	peer, ch := b.Find("match", "peer", "id"), str(b.Find("match", "channel"))
	switch {
	case strings.TrimSpace(str(peer)) == "":
		c.bad(steps(at, "match", "peer"), b, "add match.peer.id", "ACP bindings require match.peer.id to target a concrete conversation.")
	case ch != "discord" && ch != "telegram":
		c.bad(steps(at, "match", "channel"), b.Find("match", "channel"), "", `ACP bindings currently support only "discord" and "telegram" channels.`)
	case ch == "telegram" && !regexp.MustCompile(`^-\d+:topic:\d+$`).MatchString(peer.Text):
		c.bad(steps(at, "match", "peer", "id"), peer, "", "Telegram ACP bindings require canonical topic IDs in the form -1001234567890:topic:42.")
	}
}
