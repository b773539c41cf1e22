package config

import (
	"fmt"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// crossChecker holds what the rules between keys look at.
type crossChecker struct {
	root     *jsonc.Node
	paths    Paths
	problems []Problem
	warnings []Problem
}

// crossCheck applies the rules that the schema can't express. The rules are
// forgiving about shapes, which the schema has judged.
func crossCheck(root *jsonc.Node, paths Paths) (problems, warnings []Problem) {
	c := &crossChecker{root: root, paths: paths}
	c.secrets()
	c.tools([]string{"tools"}, c.find("tools"))
	c.agents()
	c.bindings()
	c.sizes()
	c.hooks()
	c.misc()
	c.patterns()
	c.channels()
	c.gateway()
	c.plugins()
	return c.problems, c.warnings
}

func (c *crossChecker) find(path ...string) *jsonc.Node { return c.root.Find(path...) }

// bad reports a problem at path, placed at n.
func (c *crossChecker) bad(path []string, n *jsonc.Node, mend, format string, args ...any) {
	if len(c.problems) >= maxProblems {
		return
	}
	c.problems = append(c.problems, Problem{Path: dotted(path...), Message: fmt.Sprintf(format, args...), Mend: mend}.at(n))
}

func (c *crossChecker) warn(path []string, n *jsonc.Node, mend, format string, args ...any) {
	if len(c.warnings) >= maxProblems {
		return
	}
	c.warnings = append(c.warnings, Problem{Path: dotted(path...), Message: fmt.Sprintf(format, args...), Mend: mend}.at(n))
}

func steps(base []string, more ...string) []string {
	return append(base[:len(base):len(base)], more...)
}

// str returns the text of a string node, or "".
func str(n *jsonc.Node) string {
	if n == nil || n.Kind != jsonc.String {
		return ""
	}
	return n.Text
}

// list returns the elements of an array as text: strings, and numbers digit
// for digit.
func list(n *jsonc.Node) []string {
	if n == nil || n.Kind != jsonc.Array {
		return nil
	}
	out := make([]string, 0, len(n.Items))
	for _, v := range n.Items {
		if v.Kind == jsonc.String || v.Kind == jsonc.Number {
			out = append(out, v.Text)
		}
	}
	return out
}

func isTrue(n *jsonc.Node) bool  { return n != nil && n.Kind == jsonc.Bool && n.Bool }
func isFalse(n *jsonc.Node) bool { return n != nil && n.Kind == jsonc.Bool && !n.Bool }
