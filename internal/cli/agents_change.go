package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

type identityFlags struct {
	agent, workspace, file     string
	fromFile                   bool
	name, theme, emoji, avatar string
}

// agentsIdentity is openclaw agents set-identity.
func (sh *shell) agentsIdentity() *cobra.Command {
	var f identityFlags
	cmd := sh.command(spec{
		name: "set-identity", short: "Give an agent a name, an emoji, a look",
		example: `openclaw agents set-identity --agent work --name Wanda --emoji 🦉`,
		run:     func(ctx context.Context, _ []string) error { return sh.setIdentity(ctx, f) },
	})
	fs := cmd.Flags()
	fs.StringVar(&f.agent, "agent", "", "the agent's `id`")
	fs.StringVar(&f.workspace, "workspace", "", "the agent whose workspace this is (`dir`)")
	fs.StringVar(&f.file, "identity-file", "", "read it from this IDENTITY.md (`path`)")
	fs.BoolVar(&f.fromFile, "from-identity", false, "read it from the workspace's IDENTITY.md")
	fs.StringVar(&f.name, "name", "", "how it is called (`name`)")
	fs.StringVar(&f.theme, "theme", "", "what it is like (`theme`)")
	fs.StringVar(&f.emoji, "emoji", "", "its `emoji`")
	fs.StringVar(&f.avatar, "avatar", "", "its picture: a path in the workspace, an address or a data: URI (`value`)")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) setIdentity(ctx context.Context, f identityFlags) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	a, err := f.which(c)
	if err != nil {
		return err
	}
	identity := map[string]string{}
	var from *string
	if f.fromFile || f.file != "" {
		path := f.file
		if path == "" {
			path = filepath.Join(c.Workspace(a), "IDENTITY.md")
		}
		if identity, err = readIdentity(c.Paths.Expand(path)); err != nil {
			return err
		}
		from = &path
	}
	for k, v := range map[string]string{"name": f.name, "theme": f.theme, "emoji": f.emoji, "avatar": f.avatar} {
		if v != "" {
			identity[k] = v
		}
	}
	if len(identity) == 0 {
		return say("nothing to set: add --name, --theme, --emoji, --avatar or --from-identity")
	}
	if _, err := sh.edit(ctx, change{"agents.list", []any{map[string]any{"id": a, "identity": identity}}, false}); err != nil {
		return err
	}
	if sh.json {
		var workspace *string
		if f.workspace != "" {
			workspace = &f.workspace
		}
		sh.printJSON(struct {
			Agent     id.Agent          `json:"agentId"`
			Identity  map[string]string `json:"identity"`
			Workspace *string           `json:"workspace"`
			File      *string           `json:"identityFile"`
		}{a, identity, workspace, from})
		return nil
	}
	sh.line("Agent: %s", a)
	for _, k := range []string{"name", "theme", "emoji", "avatar"} {
		if identity[k] != "" {
			sh.line("  %s: %s", firstUpper(k), identity[k])
		}
	}
	return nil
}

// which agent the flags mean; without any, the default one.
func (f identityFlags) which(c *config.Config) (id.Agent, error) {
	switch {
	case f.agent != "":
		if _, ok := c.Agent(id.Agent(f.agent)); !ok {
			return "", say("Agent %q not found. What there is: openclaw agents list", f.agent)
		}
		return id.Agent(f.agent), nil
	case f.workspace == "":
		return c.DefaultAgent(), nil
	}
	for _, a := range c.AgentIDs() {
		if c.Workspace(a) == c.Paths.Expand(f.workspace) {
			return a, nil
		}
	}
	return "", say("no agent has the workspace %s. What there is: openclaw agents list", f.workspace)
}

// readIdentity takes the lines "- Name: …" of an IDENTITY.md. Text in
// brackets is the template's, still to be filled in.
func readIdentity(path string) (map[string]string, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<20 {
		return nil, say("can't read %s", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, say("can't read %s: %s", path, cause(err))
	}
	out := map[string]string{}
	line := regexp.MustCompile(`(?i)^[-*\s]*(name|theme|creature|vibe|emoji|avatar)[*_]*\s*:[*_]*\s*(.+?)[*_]*\s*$`)
	for l := range strings.Lines(string(raw)) {
		m := line.FindStringSubmatch(strings.TrimRight(l, "\r\n"))
		if m == nil || strings.HasPrefix(m[2], "(") || strings.HasPrefix(m[2], "_(") {
			continue
		}
		key := strings.ToLower(m[1])
		if key == "creature" || key == "vibe" {
			key = "theme"
		}
		if out[key] == "" {
			out[key] = m[2]
		}
	}
	return out, nil
}

// agentsDelete is openclaw agents delete.
func (sh *shell) agentsDelete() *cobra.Command {
	var force bool
	cmd := sh.command(spec{
		name: "delete", short: "Delete an agent; its files go to the trash of the state directory", args: []string{"id"},
		run: func(ctx context.Context, args []string) error { return sh.deleteAgent(ctx, id.Agent(args[0]), force) },
	})
	cmd.Flags().BoolVar(&force, "force", false, "don't ask")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) deleteAgent(ctx context.Context, a id.Agent, force bool) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	if a == id.MainAgent {
		return say("%q cannot be deleted.", a)
	}
	if _, ok := c.Agent(a); !ok {
		return say("Agent %q not found. What there is: openclaw agents list", a)
	}
	if !force {
		p, err := sh.prompt("openclaw agents delete " + string(a) + " --force")
		if err != nil {
			return err
		}
		if ok, err := p.Confirm("Delete the agent "+string(a)+" with its workspace and sessions?", false); err != nil || !ok {
			return err
		}
	}
	keep, gone := []any{}, 0
	var list []map[string]any
	if n := sh.loaded.Doc.Root.Get("agents"); n != nil && n.Get("list") != nil {
		_ = json.Unmarshal(n.Get("list").JSON(), &list) // the schema checked it
	}
	for _, e := range list {
		if e["id"] != string(a) {
			keep = append(keep, e)
		}
	}
	rules := []any{}
	for _, b := range rawBindings(sh.loaded) {
		if m, _ := b.(map[string]any); m["agentId"] == string(a) {
			gone++
			continue
		}
		rules = append(rules, b)
	}
	dirs := []string{c.Workspace(a), c.AgentDir(a), c.SessionsDir(a)}
	if err := sh.setLists(ctx, keep, rules, gone > 0); err != nil {
		return err
	}
	for _, d := range dirs {
		if err := sh.trash(d); err != nil {
			return err
		}
	}
	if sh.json {
		sh.printJSON(struct {
			Agent     id.Agent `json:"agentId"`
			Workspace string   `json:"workspace"`
			AgentDir  string   `json:"agentDir"`
			Sessions  string   `json:"sessionsDir"`
			Bindings  int      `json:"removedBindings"`
			Allow     int      `json:"removedAllow"`
		}{a, dirs[0], dirs[1], dirs[2], gone, 0})
		return nil
	}
	sh.line("Deleted agent: %s", a)
	return nil
}

// setLists replaces agents.list, and bindings when they changed. A patch would
// merge the list by id and keep the one that must go.
func (sh *shell) setLists(ctx context.Context, agents, bindings []any, bound bool) error {
	raw, err := json.Marshal(agents)
	if err != nil {
		return err
	}
	if bound {
		if _, err := sh.edit(ctx, change{"bindings", bindings, false}); err != nil {
			return err
		}
	}
	_, err = sh.saved(sh.file().Set(ctx, "agents.list", raw))
	return err
}
