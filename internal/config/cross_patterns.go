package config

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// maxPattern is how long a regular expression of the file may be.
const maxPattern = 4096

// patterns checks the regular expressions of the file: they run on every
// message. One that is too large is an error; one that the engine here doesn't
// know, such as a look-ahead, matches nothing and is a warning.
func (c *crossChecker) patterns() {
	c.patternList([]string{"messages", "groupChat", "mentionPatterns"}, c.find("messages", "groupChat", "mentionPatterns"))
	c.patternList([]string{"logging", "redactPatterns"}, c.find("logging", "redactPatterns"))
	c.eachAgent(func(path []string, n *jsonc.Node) {
		c.patternList(steps(path, "groupChat", "mentionPatterns"), n.Find("groupChat", "mentionPatterns"))
	})
}

func (c *crossChecker) patternList(at []string, n *jsonc.Node) {
	if n == nil || n.Kind != jsonc.Array {
		return
	}
	for i, v := range n.Items {
		if v.Kind != jsonc.String {
			continue
		}
		where := steps(at, itoa(i))
		if len(v.Text) > maxPattern {
			c.bad(where, v, "shorten it", "the pattern is longer than %d characters", maxPattern)
			continue
		}
		_, err := regexp.Compile(v.Text)
		var bad *syntax.Error
		switch {
		case err == nil:
		case errors.As(err, &bad) && (bad.Code == syntax.ErrLarge || bad.Code == syntax.ErrNestingDepth || bad.Code == syntax.ErrInvalidRepeatSize):
			c.bad(where, v, "write a smaller pattern", "the pattern is too large: %s", bad.Code)
		default:
			c.warn(where, v, "write it without look-around and back-references", "the pattern can't be used and matches nothing: %v", err)
		}
	}
}
