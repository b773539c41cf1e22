package control

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
)

// overrides are what /debug set. They are nowhere else than here, so that a
// restart goes back to the file.
type overrides struct {
	mu  sync.Mutex
	set []config.Override
}

// mostOverrides bounds how many there are.
const mostOverrides = 100

// Overrides are the values that stand over the file at present.
func (c *Control) Overrides() []config.Override {
	c.debug.mu.Lock()
	defer c.debug.mu.Unlock()
	return slices.Clone(c.debug.set)
}

const debugUsage = "Usage: /debug show|set|unset|reset"

// cmdDebug shows and changes what stands over the configuration in memory: show,
// set path=value, unset path, reset.
func (c *Control) cmdDebug(ctx context.Context, _ command.Env, args string) (string, error) {
	if !c.Config().Commands.Debug {
		return "⚠️ /debug is disabled. Set commands.debug=true to enable.", nil
	}
	action, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	c.edit.Lock()
	defer c.edit.Unlock()
	have := c.Overrides()
	switch strings.ToLower(action) {
	case "", "show":
		return debugShown(have)
	case "reset":
		if err := c.overridden(ctx, nil); err != nil {
			return "", err
		}
		return "⚙️ Debug overrides cleared; using config on disk.", nil
	case "unset":
		p, err := config.ParseKeyPath(rest)
		if err != nil {
			return "", err
		}
		left := slices.DeleteFunc(slices.Clone(have), func(o config.Override) bool { return o.Path.String() == p.String() })
		if len(left) == len(have) {
			return "⚙️ No debug override found for " + text.Ellipsis(rest, 80) + ".", nil
		}
		if err := c.overridden(ctx, left); err != nil {
			return "", err
		}
		return "⚙️ Debug override removed for " + text.Ellipsis(rest, 80) + ".", nil
	case "set":
		return c.debugSet(ctx, have, rest)
	}
	return debugUsage, nil
}

func (c *Control) debugSet(ctx context.Context, have []config.Override, rest string) (string, error) {
	i := strings.IndexAny(rest, "= ")
	if i <= 0 || strings.TrimSpace(rest[i+1:]) == "" {
		return "Usage: /debug set <path>=<value>", nil
	}
	p, err := config.ParseKeyPath(rest[:i])
	if err != nil {
		return "", err
	}
	if len(have) >= mostOverrides {
		return "⚠️ There are too many overrides. Use /debug reset.", nil
	}
	doc, err := jsonc.Parse("the value", literal(strings.TrimSpace(rest[i+1:])))
	if err != nil {
		return "", fault.New(fault.Invalid, "command.debug", "The value can't be read: "+err.Error())
	}
	now := slices.DeleteFunc(slices.Clone(have), func(o config.Override) bool { return o.Path.String() == p.String() })
	if err := c.overridden(ctx, append(now, config.Override{Path: p, Value: doc.Root})); err != nil {
		return "", err
	}
	return "⚙️ Debug override set: " + p.String() + ".", nil
}

// overridden makes set what stands over the file, when the whole is valid.
func (c *Control) overridden(ctx context.Context, set []config.Override) error {
	l, err := c.load(ctx)
	switch {
	case err != nil:
		return err
	case !l.Valid():
		return fault.New(fault.Invalid, "command.debug", "The configuration file is invalid. On the gateway's host: openclaw doctor")
	}
	if _, err := l.Config.With(set...); err != nil {
		return fault.New(fault.Invalid, "command.debug", "Nothing was changed: "+refusal(err).Error())
	}
	var paths []string
	for _, o := range slices.Concat(c.Overrides(), set) {
		paths = append(paths, o.Path.String())
	}
	c.debug.mu.Lock()
	c.debug.set = set
	c.debug.mu.Unlock()
	c.Log.InfoContext(ctx, "overrides of the configuration changed", "paths", short3(paths))
	if c.Apply != nil {
		c.Apply(l.Config, paths)
	}
	return nil
}

// debugShown lists the overrides without secrets.
func debugShown(set []config.Override) (string, error) {
	if len(set) == 0 {
		return "⚙️ Debug overrides: (none)", nil
	}
	root := &jsonc.Node{Kind: jsonc.Object}
	for _, o := range set {
		root = root.With(o.Path, o.Value)
	}
	return "⚙️ Debug overrides (memory-only):\n```json\n" + text.Ellipsis(string(config.Redact(root).Indented()), mostShown) + "\n```", nil
}
