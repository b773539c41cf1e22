package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// agents is openclaw agents; alone it lists them.
func (sh *shell) agents() *cobra.Command {
	cmd := sh.command(spec{
		name: "agents", short: "Add, list and delete agents",
		subs: []*cobra.Command{sh.agentsList(), sh.agentsAdd(), sh.agentsIdentity(), sh.agentsDelete(), sh.agentsBindings()},
		run:  func(ctx context.Context, _ []string) error { return sh.listAgents(ctx, false) },
	})
	return cmd
}

// agentRow is an agent as agents list prints it.
type agentRow struct {
	ID            string   `json:"id"`
	Name          string   `json:"name,omitempty"`
	IdentityName  string   `json:"identityName,omitempty"`
	IdentityEmoji string   `json:"identityEmoji,omitempty"`
	Workspace     string   `json:"workspace"`
	AgentDir      string   `json:"agentDir"`
	Model         string   `json:"model,omitempty"`
	Bindings      int      `json:"bindings"`
	Details       []string `json:"bindingDetails,omitempty"`
	Default       bool     `json:"isDefault"`
	Routes        []string `json:"routes,omitempty"`
}

func (sh *shell) agentsList() *cobra.Command {
	var bindings bool
	cmd := sh.command(spec{
		name: "list", short: "List the agents", loose: true,
		run: func(ctx context.Context, _ []string) error { return sh.listAgents(ctx, bindings) },
	})
	cmd.Flags().BoolVar(&bindings, "bindings", false, "with the rules that lead to them")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) listAgents(ctx context.Context, details bool) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	rows := []agentRow{}
	for _, a := range c.AgentIDs() {
		e, _ := c.Agent(a)
		r := agentRow{
			ID: string(a), Name: e.Name, IdentityName: e.Identity.Name, IdentityEmoji: e.Identity.Emoji, Workspace: c.Workspace(a),
			AgentDir: c.AgentDir(a), Model: first(e.Model.Primary, c.Agents.Defaults.Model.Primary), Default: a == c.DefaultAgent(),
		}
		for _, b := range c.Bindings {
			if b.Agent == a {
				r.Bindings++
				r.Details = append(r.Details, describeBinding(b))
			}
		}
		if r.Default && r.Bindings == 0 {
			r.Routes = []string{"default (no explicit rules)"}
		}
		if !details {
			r.Details = nil
		}
		rows = append(rows, r)
	}
	if sh.json {
		sh.printJSON(rows)
		return nil
	}
	t := term.Table{Head: []string{"Agent", "Name", "Model", "Workspace", "Rules"}, Max: map[int]int{1: 24, 2: 40}}
	for _, r := range rows {
		name := sh.out.Accent(r.ID)
		if r.Default {
			name += " (default)"
		}
		t.Rows = append(t.Rows, []string{name, orDash(strings.TrimSpace(r.IdentityEmoji + " " + first(r.IdentityName, r.Name))), orDash(r.Model), sh.short(r.Workspace), fmt.Sprint(r.Bindings)})
		for _, d := range r.Details {
			t.Rows = append(t.Rows, []string{"  " + sh.out.Dim(d)})
		}
	}
	sh.table(t)
	return nil
}

func describeBinding(b config.Binding) string {
	s := string(b.Match.Channel)
	if b.Match.Account != "" {
		s += " accountId=" + string(b.Match.Account)
	}
	if b.Match.Peer != nil {
		s += " peer=" + b.Match.Peer.Kind + ":" + string(b.Match.Peer.ID)
	}
	if b.Match.Guild != "" {
		s += " guild=" + b.Match.Guild
	}
	if b.Match.Team != "" {
		s += " team=" + b.Match.Team
	}
	return s
}

func (sh *shell) agentsBindings() *cobra.Command {
	var agent string
	cmd := sh.command(spec{name: "bindings", short: "List the rules that lead to agents", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		type row struct {
			Agent       string       `json:"agentId"`
			Match       config.Match `json:"match"`
			Description string       `json:"description"`
		}
		rows := []row{}
		for _, b := range c.Bindings {
			if agent == "" || string(b.Agent) == agent {
				rows = append(rows, row{string(b.Agent), b.Match, describeBinding(b)})
			}
		}
		if sh.json {
			sh.printJSON(rows)
			return nil
		}
		if len(rows) == 0 {
			sh.line("No routing bindings.")
			return nil
		}
		for _, r := range rows {
			sh.line("- %s <- %s", r.Agent, r.Description)
		}
		return nil
	}})
	cmd.Flags().StringVar(&agent, "agent", "", "only those of this agent (`id`)")
	sh.jsonFlag(cmd)
	return cmd
}

// agentID makes an id of a name, as the original does.
func agentID(name string) id.Agent {
	s := regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(strings.ToLower(strings.TrimSpace(name)), "-")
	s = strings.Trim(s, "-")
	if len(s) > 64 {
		s = s[:64]
	}
	return id.Agent(s)
}

type addFlags struct {
	workspace, model, agentDir string
	bind                       []string
	nonInteractive             bool
}

func (sh *shell) agentsAdd() *cobra.Command {
	var f addFlags
	cmd := sh.command(spec{
		name: "add", short: "Add an agent with its own workspace and sessions", args: []string{"name?"},
		example: "openclaw agents add work --workspace ~/work-agent",
		run:     func(ctx context.Context, args []string) error { return sh.addAgent(ctx, at(args, 0), f) },
	})
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "its workspace (`dir`)")
	cmd.Flags().StringVar(&f.model, "model", "", "its model (`id`)")
	cmd.Flags().StringVar(&f.agentDir, "agent-dir", "", "where its keys are kept (`dir`)")
	cmd.Flags().StringArrayVar(&f.bind, "bind", nil, "messages of this `channel[:accountId]` go to it; may be repeated")
	cmd.Flags().BoolVar(&f.nonInteractive, "non-interactive", false, "ask nothing; needs --workspace")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) addAgent(ctx context.Context, name string, f addFlags) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	if name == "" || f.workspace == "" {
		if f.nonInteractive || sh.json {
			return say("without questions it needs both: openclaw agents add <name> --workspace <dir> --non-interactive")
		}
		if name, f.workspace, err = sh.askAgent(c, name, f.workspace); err != nil {
			return err
		}
	}
	a := agentID(name)
	switch _, taken := c.Agent(a); {
	case a == "":
		return say("%q has no letter or digit to make an id of", name)
	case a == id.MainAgent:
		return say("%q is reserved. Choose another name.", a)
	case taken:
		return say("Agent %q already exists.", a)
	}
	entry := map[string]any{
		"id": a, "name": name, "workspace": c.Paths.Expand(f.workspace),
		"agentDir": filepath.Join(c.Paths.State, "agents", string(a), "agent"),
	}
	if f.agentDir != "" {
		entry["agentDir"] = c.Paths.Expand(f.agentDir)
	}
	if f.model != "" {
		ref, err := modelRef(c, f.model)
		if err != nil {
			return err
		}
		entry["model"] = ref
	}
	list := []any{entry}
	if len(c.Agents.List) == 0 { // so far main was there by itself; now it must be said
		list = []any{map[string]any{"id": id.MainAgent, "default": true}, entry}
	}
	changes := []change{{"agents.list", list, false}}
	bound, more, err := sh.bindings(c, a, f.bind)
	if err != nil {
		return err
	}
	if more != nil {
		changes = append(changes, change{"bindings", more, false})
	}
	l, err := sh.edit(ctx, changes...)
	if err != nil {
		return err
	}
	if err := seed(l.Config, a); err != nil {
		return err
	}
	return sh.addedAgent(l.Config, a, name, bound)
}

func (sh *shell) askAgent(c *config.Config, name, workspace string) (string, string, error) {
	p, err := sh.prompt("openclaw agents add <name> --workspace <dir> --non-interactive")
	if err != nil {
		return "", "", err
	}
	if name == "" {
		if name, err = p.Ask("Name of the agent", ""); err != nil {
			return "", "", err
		}
	}
	if workspace == "" {
		workspace, err = p.Ask("Workspace", filepath.Join(c.Paths.State, "workspace-"+string(agentID(name))))
	}
	return name, workspace, err
}

type boundReply struct {
	Added     []string `json:"added"`
	Updated   []string `json:"updated"`
	Skipped   []string `json:"skipped"`
	Conflicts []string `json:"conflicts"`
}

// bindings adds rules; one that leads elsewhere already is a conflict and stays.
func (sh *shell) bindings(c *config.Config, a id.Agent, specs []string) (boundReply, []any, error) {
	r := boundReply{Added: []string{}, Updated: []string{}, Skipped: []string{}, Conflicts: []string{}}
	if len(specs) == 0 {
		return r, nil, nil
	}
	list := rawBindings(sh.loaded)
	for _, s := range specs {
		ch, account, _ := strings.Cut(s, ":")
		known, err := sh.pickChannel(nil, first(ch, "?"))
		if err != nil {
			return r, nil, err
		}
		match := map[string]any{"channel": known}
		if account != "" {
			match["accountId"] = account
		}
		i := slices.IndexFunc(c.Bindings, func(b config.Binding) bool {
			return b.Match.Channel == known && string(b.Match.Account) == account && b.Match.Peer == nil && b.Match.Guild == "" && b.Match.Team == ""
		})
		switch {
		case i >= 0 && c.Bindings[i].Agent == a:
			r.Skipped = append(r.Skipped, s)
		case i >= 0:
			r.Conflicts = append(r.Conflicts, s+" (agent="+string(c.Bindings[i].Agent)+")")
		default:
			r.Added = append(r.Added, s)
			list = append(list, map[string]any{"agentId": a, "match": match})
		}
	}
	return r, list, nil
}

// rawBindings are the rules as the file has them.
func rawBindings(l *config.Loaded) []any {
	var list []any
	if l != nil && l.Doc != nil {
		if n := l.Doc.Root.Get("bindings"); n != nil {
			_ = json.Unmarshal(n.JSON(), &list) // the schema checked it
		}
	}
	return list
}

func (sh *shell) addedAgent(c *config.Config, a id.Agent, name string, bound boundReply) error {
	if sh.json {
		sh.printJSON(struct {
			Agent     id.Agent   `json:"agentId"`
			Name      string     `json:"name"`
			Workspace string     `json:"workspace"`
			AgentDir  string     `json:"agentDir"`
			Model     string     `json:"model,omitempty"`
			Bindings  boundReply `json:"bindings"`
		}{a, name, c.Workspace(a), c.AgentDir(a), modelOf(c, a), bound})
	} else {
		sh.line("%s Agent %s: workspace %s", sh.out.Good("✓"), sh.out.Accent(string(a)), sh.short(c.Workspace(a)))
		for _, s := range bound.Conflicts {
			sh.note("Left as it is: %s", s)
		}
		sh.line("Talk to it: openclaw agent --agent %s -m \"hello\"", a)
	}
	if len(bound.Conflicts) > 0 {
		return quiet{1}
	}
	return nil
}

func modelOf(c *config.Config, a id.Agent) string {
	e, _ := c.Agent(a)
	return e.Model.Primary
}
