package config

import (
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// elsewhere refuses a change of what lives in an included file: writing it
// here would flatten or shadow it.
func (l *Loaded) elsewhere(p KeyPath) error {
	main, whole := l.Doc.Root, l.merged
	for i, k := range p {
		next, all := step(main, k), step(whole, k)
		if next == nil && all != nil {
			return l.lives(p[:i+1], all)
		}
		if next == nil {
			return nil // new here
		}
		main, whole = next, all
	}
	return l.included(p, whole)
}

// included refuses when something below n comes from another file.
func (l *Loaded) included(p KeyPath, n *jsonc.Node) error {
	if n == nil {
		return nil
	}
	var err error
	n.Map(func(_ []string, v *jsonc.Node) *jsonc.Node {
		if err == nil && v.Doc != nil && v.Doc.Name != l.Doc.Name {
			err = l.lives(p, v)
		}
		return v
	})
	return err
}

func (l *Loaded) lives(p KeyPath, n *jsonc.Node) error {
	if n.Doc == nil || n.Doc.Name == l.Doc.Name {
		return nil
	}
	return fault.New(fault.Invalid, "config.change", p.String()+" comes from the included file "+n.Doc.Name+"; edit it there")
}

func (l *Loaded) patchElsewhere(p KeyPath, patch *jsonc.Node) error {
	for _, m := range patch.Unique() {
		at := append(p[:len(p):len(p)], m.Key)
		if m.Value.Kind == jsonc.Object && len(m.Value.Members) > 0 {
			if err := l.patchElsewhere(at, m.Value); err != nil {
				return err
			}
			continue
		}
		if err := l.elsewhere(at); err != nil {
			return err
		}
	}
	return nil
}
