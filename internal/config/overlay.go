package config

import (
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// Override is a value that stands over the file in memory only.
type Override struct {
	Path  KeyPath
	Value *jsonc.Node
}

// With returns c with overrides over what its file says, in their order. A
// result that the file couldn't say either is refused. Asked again, the result
// is still that of the file: With of it starts there.
func (c *Config) With(over ...Override) (*Config, error) {
	doc, err := jsonc.Parse(c.Paths.Config, c.source)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "config.With", err)
	}
	root := doc.Root
	for _, o := range over {
		if root, err = o.Path.set(root, o.Value); err != nil {
			return nil, err
		}
	}
	problems := append(legacyProblems(root), checkSchema(root)...)
	if len(problems) == 0 {
		problems, _ = crossCheck(root, c.Paths)
	}
	if len(problems) > 0 {
		return nil, &Invalid{Path: c.Paths.Config, Problems: problems}
	}
	out, err := decode(fillDefaults(root))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "config.With", err)
	}
	out.Paths, out.lookup, out.added, out.source = c.Paths, c.lookup, c.added, c.source
	out.resolver = secret.NewResolver(out.Secrets, c.lookup, c.Paths.Expand)
	return out, nil
}
