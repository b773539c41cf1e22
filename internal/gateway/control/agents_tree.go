package control

import (
	"context"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// agentTree is agents.list in the file, to be edited.
type agentTree struct {
	doc   *jsonc.Node // the root of the file
	list  *jsonc.Node // nil when the file has none
	items []*jsonc.Node
}

// listedAgents returns agents.list of the main file. It refuses to edit a list
// that an included file holds, since the edit would hide that.
func listedAgents(l *config.Loaded) (*agentTree, error) {
	if l.Doc == nil && l.Exists {
		return nil, refusedFor(l.Problems)
	}
	t := &agentTree{doc: &jsonc.Node{Kind: jsonc.Object}}
	if l.Doc != nil {
		t.doc = l.Doc.Root
	}
	if t.list = t.doc.Find("agents", "list"); t.list != nil {
		t.items = slices.Clone(t.list.Items)
	}
	var all []*jsonc.Node
	if whole := l.Resolved.Find("agents", "list"); whole != nil {
		all = whole.Items
	}
	if !slices.EqualFunc(t.items, all, func(a, b *jsonc.Node) bool { return idOf(a) == idOf(b) }) {
		return nil, rpc.Invalid("agents.list comes from an included file; edit it there")
	}
	return t, nil
}

func idOf(n *jsonc.Node) id.Agent {
	if v := n.Get("id"); v != nil {
		return agentID(v.Text)
	}
	return ""
}

func (t *agentTree) find(a id.Agent) int {
	return slices.IndexFunc(t.items, func(n *jsonc.Node) bool { return idOf(n) == a })
}

// root is the file with the edited list.
func (t *agentTree) root() *jsonc.Node {
	list := &jsonc.Node{Kind: jsonc.Array}
	if t.list != nil {
		list = new(*t.list)
	}
	list.Items = t.items
	return t.doc.With([]string{"agents", "list"}, list)
}

// object is an object of strings, from keys and values by turns.
func object(kv ...string) *jsonc.Node {
	n := &jsonc.Node{Kind: jsonc.Object}
	for i := 0; i < len(kv); i += 2 {
		n = n.With([]string{kv[i]}, jsonc.Str(kv[i+1]))
	}
	return n
}

// rewrite saves the file that l is with another root and makes it current.
// Comments stay where they are. c.edit is held.
func (c *Control) rewrite(ctx context.Context, who *rpc.Caller, method string, l *config.Loaded, root *jsonc.Node) error {
	doc := l.Doc
	if doc == nil {
		var err error
		if doc, err = jsonc.Parse(l.Path, []byte("{}\n")); err != nil {
			return err
		}
	}
	text, err := jsonc.Rewrite(doc, root)
	if err != nil {
		return err
	}
	f := c.File
	if l.Exists {
		f.BaseHash = l.Hash
	}
	saved, err := f.Replace(ctx, text)
	if err != nil {
		return refusal(err)
	}
	c.saved(ctx, who, method, l, saved)
	return nil
}
