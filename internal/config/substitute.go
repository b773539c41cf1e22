package config

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// envBlock takes the env section of the file: env.vars, and the string keys
// right under env. Entries that themselves hold a ${VAR} are skipped.
func envBlock(root *jsonc.Node) map[string]string {
	out := map[string]string{}
	take := func(n *jsonc.Node) {
		for _, m := range n.Unique() {
			if v := m.Value; v.Kind == jsonc.String && !strings.Contains(v.Text, "${") && plainName(m.Key) && !hostile(m.Key) {
				out[m.Key] = v.Text
			}
		}
	}
	env := root.Get("env")
	take(env)
	take(env.Get("vars"))
	return out
}

// substitute replaces ${VAR} in every string, keys excluded. A variable that is
// missing stays as written and is a warning.
func substitute(root *jsonc.Node, get func(string) string) (*jsonc.Node, []Problem) {
	var warnings []Problem
	out := root.Map(func(path []string, n *jsonc.Node) *jsonc.Node {
		if n.Kind != jsonc.String || !strings.Contains(n.Text, "${") {
			return n
		}
		text, missing := expand(n.Text, get)
		for _, name := range missing {
			warnings = append(warnings, Problem{
				Path:    dotted(path...),
				Message: `Missing env var "` + name + `"; what needs it is unavailable`,
				Mend:    "set " + name + " in the environment or in .env of the state directory",
			}.at(n))
		}
		if text == n.Text {
			return n
		}
		c := *n
		c.Text = text
		return &c
	})
	return out, warnings
}

// expand replaces ${NAME} where NAME is [A-Z_][A-Z0-9_]*; $${NAME} gives the
// literal ${NAME}.
func expand(s string, get func(string) string) (out string, missing []string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		escaped := strings.HasPrefix(s[i:], "$${")
		if !escaped && !strings.HasPrefix(s[i:], "${") {
			b.WriteByte(s[i])
			i++
			continue
		}
		start := i + 2
		if escaped {
			start++
		}
		name, _, ok := strings.Cut(s[start:], "}")
		if !ok || !variableName(name) {
			b.WriteByte(s[i])
			i++
			continue
		}
		end := start + len(name) + 1
		var v string
		switch {
		case escaped:
			b.WriteString(s[i+1 : end])
		default:
			if v = get(name); v == "" {
				missing = append(missing, name)
				v = s[i:end]
			}
			b.WriteString(v)
		}
		i = end
	}
	return b.String(), missing
}

func variableName(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
