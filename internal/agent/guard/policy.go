package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Policy returns who may be used by an agent under cfg, and why not. It looks
// at nothing but its arguments; make it once for each configuration.
//
// A tool must pass every step: tools.deny and the agent's deny; the profile
// (the agent's, else tools.profile; none is full) with alsoAllow on top; then
// tools.allow and the agent's allow, where they are set. Entries are names,
// groups (group:fs) and patterns with *, in any case.
func Policy(cfg *config.Config, agent id.Agent) func(name string) (allowed bool, reason string) {
	var own config.AgentTools
	for _, a := range cfg.Agents.List {
		if a.ID == agent {
			own = a.Tools
		}
	}
	at := "tools."
	profile := cfg.Tools.Profile
	if own.Profile != "" {
		profile, at = own.Profile, "the agent's tools."
	}
	members, known := profileTools(profile)
	var (
		deny, ownDeny   = compile(cfg.Tools.Deny), compile(own.Deny)
		allow, ownAllow = compile(cfg.Tools.Allow), compile(own.Allow)
		base, also      = compile(members), compile(cfg.Tools.AlsoAllow)
	)
	return func(name string) (bool, string) {
		n := canonical(name)
		switch {
		case deny.has(n):
			return false, "tools.deny lists it"
		case ownDeny.has(n):
			return false, "the agent's tools.deny lists it"
		case !known:
			return false, fmt.Sprintf("%sprofile %q is none of minimal, coding, messaging, full", at, profile)
		case members != nil && !base.has(n) && !also.has(n):
			return false, fmt.Sprintf("%sprofile %s doesn't include it", at, profile)
		case len(cfg.Tools.Allow) > 0 && !allow.has(n) && !also.has(n):
			return false, "tools.allow doesn't list it"
		case len(own.Allow) > 0 && !ownAllow.has(n):
			return false, "the agent's tools.allow doesn't list it"
		}
		return true, ""
	}
}

// Profiles returns the profiles, other than full, that include a tool.
func Profiles(name string) []string {
	var out []string
	for _, p := range []string{"minimal", "coding", "messaging"} {
		if members, _ := profileTools(p); compile(members).has(canonical(name)) {
			out = append(out, p)
		}
	}
	return out
}

// profileTools returns what a profile includes; nil is everything.
func profileTools(profile string) (members []string, known bool) {
	switch profile {
	case "minimal":
		return []string{"session_status"}, true
	case "coding":
		return []string{
			"group:fs", "group:runtime", "group:web", "group:memory", "group:sessions", "cron", "image",
		}, true
	case "messaging":
		return []string{"group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"}, true
	case "full", "":
		return nil, true
	}
	return nil, false
}

func group(name string) []string {
	switch name {
	case "group:fs":
		return []string{"read", "write", "edit", "apply_patch", "ls", "grep", "find"}
	case "group:runtime":
		return []string{"exec", "process"}
	case "group:web":
		return []string{"web_search", "web_fetch"}
	case "group:memory":
		return []string{"memory_search", "memory_get"}
	case "group:sessions":
		return []string{"sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status"}
	case "group:ui":
		return []string{"browser", "canvas"}
	case "group:messaging":
		return []string{"message"}
	case "group:automation":
		return []string{"cron", "gateway"}
	case "group:nodes":
		return []string{"nodes"}
	case "group:agents":
		return []string{"agents_list"}
	case "group:media":
		return []string{"image", "tts"}
	case "group:openclaw":
		var all []string
		for _, g := range []string{"fs", "runtime", "web", "memory", "sessions", "ui", "messaging", "automation", "nodes", "agents", "media"} {
			all = append(all, group("group:"+g)...)
		}
		return all
	}
	return nil
}

// canonical is the name that entries are compared with.
func canonical(name string) string {
	switch n := strings.ToLower(strings.TrimSpace(name)); n {
	case "bash":
		return "exec"
	case "apply-patch":
		return "apply_patch"
	default:
		return n
	}
}

// list is a list of entries ready to be asked.
type list struct {
	names    map[string]bool
	patterns []string
}

func compile(entries []string) list {
	l := list{names: make(map[string]bool, len(entries))}
	for _, e := range entries {
		e = canonical(e)
		members := group(e)
		switch {
		case members != nil:
			for _, m := range members {
				l.names[m] = true
			}
		case strings.Contains(e, "*"):
			l.patterns = append(l.patterns, e)
		default:
			l.names[e] = true
		}
	}
	return l
}

func (l list) has(name string) bool {
	return l.names[name] || slices.ContainsFunc(l.patterns, func(p string) bool { return wild(p, name) })
}

// wild matches a pattern in which * stands for anything.
func wild(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}
