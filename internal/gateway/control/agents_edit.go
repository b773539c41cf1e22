package control

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type createParams struct {
	Name      string `json:"name" schema:"minLength=1"`
	Workspace string `json:"workspace" schema:"minLength=1"`
	Emoji     string `json:"emoji,omitempty"`
	Avatar    string `json:"avatar,omitempty"`
}

type createResult struct {
	OK        bool     `json:"ok"`
	Agent     id.Agent `json:"agentId"`
	Name      string   `json:"name"`
	Workspace string   `json:"workspace"`
}

// agentsCreate adds an agent to the configuration and makes its workspace.
func (c *Control) agentsCreate(ctx context.Context, who *rpc.Caller, p createParams) (createResult, error) {
	name := oneLine(p.Name)
	a := agentID(name)
	if a == id.MainAgent {
		return createResult{}, rpc.Invalid("\"%s\" is reserved", a)
	}
	c.edit.Lock()
	defer c.edit.Unlock()
	l, err := c.load(ctx)
	if err != nil {
		return createResult{}, err
	}
	agents, err := listedAgents(l)
	if err != nil {
		return createResult{}, err
	}
	if agents.find(a) >= 0 {
		return createResult{}, rpc.Invalid("agent \"%s\" already exists", a)
	}
	if !l.Valid() {
		return createResult{}, refusedFor(l.Problems)
	}
	paths := l.Config.Paths
	dir := paths.Expand(strings.TrimSpace(p.Workspace))
	if err := c.makeWorkspace(ctx, a, dir); err != nil {
		return createResult{}, err
	}
	if len(agents.items) == 0 { // main was there without being listed; it stays the default
		agents.items = append(agents.items, object("id", string(id.MainAgent)))
	}
	agents.items = append(agents.items, object("id", string(a), "name", name, "workspace", dir, "agentDir", l.Config.AgentDir(a)))
	if err := c.rewrite(ctx, who, "agents.create", l, agents.root()); err != nil {
		return createResult{}, err
	}
	lines := []string{"", "- Name: " + name}
	if s := oneLine(p.Emoji); s != "" {
		lines = append(lines, "- Emoji: "+s)
	}
	if s := oneLine(p.Avatar); s != "" {
		lines = append(lines, "- Avatar: "+s)
	}
	if err := addIdentity(dir, lines); err != nil {
		c.Log.WarnContext(ctx, "IDENTITY.md can't be written", "agent", a, "err", err)
	}
	return createResult{OK: true, Agent: a, Name: name, Workspace: dir}, nil
}

func (c *Control) makeWorkspace(ctx context.Context, a id.Agent, dir string) error {
	mk := c.Workspace
	if mk == nil {
		mk = func(_ context.Context, _ id.Agent, dir string) error {
			return os.MkdirAll(dir, 0o755) //nolint:gosec // people open their workspace with other programs
		}
	}
	if err := mk(ctx, a, dir); err != nil {
		c.Log.WarnContext(ctx, "workspace can't be made", "agent", a, "err", err)
		return rpc.Unavailable("the workspace %s can't be made; choose another directory", dir)
	}
	return nil
}

type updateParams struct {
	Agent     string `json:"agentId" schema:"minLength=1"`
	Name      string `json:"name,omitempty" schema:"minLength=1"`
	Workspace string `json:"workspace,omitempty" schema:"minLength=1"`
	Model     string `json:"model,omitempty" schema:"minLength=1"`
	Avatar    string `json:"avatar,omitempty"`
}

type updateResult struct {
	OK    bool     `json:"ok"`
	Agent id.Agent `json:"agentId"`
}

// agentsUpdate changes what an agent is called, where it works and which model
// it uses.
func (c *Control) agentsUpdate(ctx context.Context, who *rpc.Caller, p updateParams) (updateResult, error) {
	a := agentID(p.Agent)
	c.edit.Lock()
	defer c.edit.Unlock()
	l, err := c.load(ctx)
	if err != nil {
		return updateResult{}, err
	}
	agents, err := listedAgents(l)
	if err != nil {
		return updateResult{}, err
	}
	i := agents.find(a)
	if i < 0 {
		return updateResult{}, rpc.Invalid("agent \"%s\" not found", a)
	}
	e := agents.items[i]
	set := func(key, v string) {
		if v = strings.TrimSpace(v); v != "" {
			e = e.With([]string{key}, jsonc.Str(v))
		}
	}
	set("name", oneLine(p.Name))
	dir := ""
	if strings.TrimSpace(p.Workspace) != "" && l.Config != nil {
		dir = l.Config.Paths.Expand(strings.TrimSpace(p.Workspace))
		if err := c.makeWorkspace(ctx, a, dir); err != nil {
			return updateResult{}, err
		}
		set("workspace", dir)
	}
	if m := strings.TrimSpace(p.Model); m != "" {
		if _, err := c.Models.Lookup(m); err != nil {
			return updateResult{}, rpc.Invalid("unknown model \"%s\"; see: openclaw models list", text.Ellipsis(m, 80))
		}
		if old := e.Get("model"); old != nil && old.Kind == jsonc.Object { // its fallbacks stay
			e = e.With([]string{"model", "primary"}, jsonc.Str(m))
		} else {
			set("model", m)
		}
	}
	agents.items[i] = e
	if err := c.rewrite(ctx, who, "agents.update", l, agents.root()); err != nil {
		return updateResult{}, err
	}
	if s := oneLine(p.Avatar); s != "" {
		if dir == "" {
			dir = c.Config().Workspace(a)
		}
		if err := addIdentity(dir, []string{"", "- Avatar: " + s}); err != nil {
			c.Log.WarnContext(ctx, "IDENTITY.md can't be written", "agent", a, "err", err)
		}
	}
	return updateResult{OK: true, Agent: a}, nil
}

type deleteParams struct {
	Agent string `json:"agentId" schema:"minLength=1"`
	Files *bool  `json:"deleteFiles,omitempty"`
}

type deleteResult struct {
	OK       bool     `json:"ok"`
	Agent    id.Agent `json:"agentId"`
	Bindings int      `json:"removedBindings"`
}

// agentsDelete takes an agent and its bindings out of the configuration. Its
// files go to the trash in the state directory unless the client says not to.
func (c *Control) agentsDelete(ctx context.Context, who *rpc.Caller, p deleteParams) (deleteResult, error) {
	a := agentID(p.Agent)
	if a == id.MainAgent {
		return deleteResult{}, rpc.Invalid("\"%s\" cannot be deleted", a)
	}
	c.edit.Lock()
	defer c.edit.Unlock()
	l, err := c.load(ctx)
	if err != nil {
		return deleteResult{}, err
	}
	agents, err := listedAgents(l)
	if err != nil {
		return deleteResult{}, err
	}
	i := agents.find(a)
	if i < 0 {
		return deleteResult{}, rpc.Invalid("agent \"%s\" not found", a)
	}
	agents.items = slices.Delete(agents.items, i, i+1)
	root, bindings := withoutBindings(agents.root(), a)
	old := l.Config
	if err := c.rewrite(ctx, who, "agents.delete", l, root); err != nil {
		return deleteResult{}, err
	}
	if p.Files == nil || *p.Files {
		c.discard(ctx, old, a)
	}
	return deleteResult{OK: true, Agent: a, Bindings: bindings}, nil
}

func withoutBindings(root *jsonc.Node, a id.Agent) (*jsonc.Node, int) {
	all := root.Get("bindings")
	if all == nil || all.Kind != jsonc.Array {
		return root, 0
	}
	kept := *all
	kept.Items = slices.DeleteFunc(slices.Clone(all.Items), func(b *jsonc.Node) bool {
		to := b.Get("agentId")
		return to != nil && agentID(to.Text) == a
	})
	if n := len(all.Items) - len(kept.Items); n > 0 {
		return root.With([]string{"bindings"}, &kept), n
	}
	return root, 0
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// addIdentity appends lines to IDENTITY.md of the workspace.
func addIdentity(workspace string, lines []string) error {
	if err := os.MkdirAll(workspace, 0o755); err != nil { //nolint:gosec // people open their workspace with other programs
		return err
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	var have []byte
	if f, err := openRegular(root, "IDENTITY.md"); err == nil {
		have, err = readAll(f)
		if err != nil {
			return err
		}
	}
	_, err = replace(root, "IDENTITY.md", append(have, strings.Join(lines, "\n")+"\n"...), 0o644)
	return err
}
