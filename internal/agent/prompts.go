package agent

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/prompt"
	"github.com/openclaw-go/openclaw/internal/agent/workspace"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Prompts writes the system prompts of runs. A prompt is written anew only when
// something that it says changed; otherwise the same string is handed out.
type Prompts struct {
	Config    func() *config.Config
	Default   func(id.Agent) llm.Model // the model an agent has without a choice
	Lookup    func(ref string) (llm.Model, error)
	Version   string
	Heartbeat string // what a heartbeat asks when nothing is configured

	files workspace.Reader
	mu    sync.Mutex
	made  map[promptKey]madePrompt
	fresh map[string]bool // workspaces that were looked after
}

// most is how many prompts are kept; more throw all of them away.
const most = 256

// promptKey is all that tells two prompts apart.
type promptKey struct {
	config *config.Config
	agent  id.Agent
	tools  *llm.ToolSpec // the first of the set, which is built once
	n      int
	model  string
	think  string
	origin id.Channel
	extra  string
	stamp  workspace.Stamp
}

type madePrompt struct {
	text   string
	report prompt.Report
}

// model is what ref means to agent a; an unknown one has no properties.
func (p *Prompts) model(a id.Agent, ref string) llm.Model {
	if ref == "" {
		return p.Default(a)
	}
	if p.Lookup != nil {
		if m, err := p.Lookup(ref); err == nil {
			return m
		}
	}
	return llm.Model{}
}

// System returns the system prompt of a run.
func (p *Prompts) System(ctx context.Context, a id.Agent, req Request, model, think string, tools []llm.ToolSpec) (string, prompt.Report, error) {
	cfg := p.Config()
	dir := cfg.Workspace(a)
	if err := p.ensure(ctx, cfg, dir); err != nil {
		return "", prompt.Report{}, err
	}
	files, stamp, err := p.files.Files(ctx, dir)
	if err != nil {
		return "", prompt.Report{}, err
	}
	k := promptKey{config: cfg, agent: a, n: len(tools), model: model, think: think, origin: req.Origin.Channel, extra: req.System, stamp: stamp}
	if len(tools) > 0 {
		k.tools = &tools[0]
	}
	p.mu.Lock()
	m, ok := p.made[k]
	p.mu.Unlock()
	if ok {
		return m.text, m.report, nil
	}
	in := p.input(cfg, a, req, model, think, tools)
	in.Workspace = dir
	for _, f := range files {
		in.Files = append(in.Files, prompt.File(f))
	}
	m.text, m.report = prompt.System(in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil || len(p.made) >= most {
		p.made = map[promptKey]madePrompt{}
	}
	p.made[k] = m
	return m.text, m.report, nil
}

func (p *Prompts) input(cfg *config.Config, a id.Agent, req Request, model, think string, tools []llm.ToolSpec) prompt.Input {
	d := cfg.Agents.Defaults
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	zone := d.UserTimezone
	if zone == "" {
		zone = time.Local.String()
	}
	hb := d.Heartbeat.Prompt
	if hb == "" {
		hb = p.Heartbeat
	}
	return prompt.Input{
		Mode: prompt.Full, Tools: tools, Limits: prompt.Limits{File: d.BootstrapMaxChars, Total: d.BootstrapTotalMaxChars},
		Zone: zone, Heartbeat: hb, Extra: req.System,
		Runtime: prompt.Runtime{
			Agent: string(a), Host: host, OS: runtime.GOOS + " (" + runtime.GOARCH + ")", Version: p.Version, Model: model,
			DefaultModel: p.Default(a).String(), Shell: os.Getenv("SHELL"), Channel: string(req.Origin.Channel), Thinking: think,
			Reasoning: "off", Repo: d.RepoRoot,
		},
	}
}

// ensure makes the workspace of a run with its first files. It is looked after
// once per process and place; what people delete later stays deleted.
func (p *Prompts) ensure(ctx context.Context, cfg *config.Config, dir string) error {
	p.mu.Lock()
	known := p.fresh[dir]
	p.mu.Unlock()
	if known {
		if _, err := os.Stat(dir); err == nil {
			return nil
		}
	}
	if _, err := workspace.Ensure(ctx, workspace.Options{Dir: dir, Skip: cfg.Agents.Defaults.SkipBootstrap}); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fresh == nil {
		p.fresh = map[string]bool{}
	}
	p.fresh[dir] = true
	return nil
}
