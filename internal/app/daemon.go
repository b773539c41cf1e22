package app

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/guard"
	"github.com/openclaw-go/openclaw/internal/agent/workspace"
	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/gateway/invoke"
	"github.com/openclaw-go/openclaw/internal/gateway/openai"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// daemon is the core with its faces: the gateway's port and the channels.
type daemon struct {
	*core
	opts     Options
	problems []config.Problem // of a file that was not taken at start
	auth     *auth.Authenticator
	server   *gateway.Server
	control  *control.Control
	channels *channels
	ready    atomic.Bool
	watcher  *config.Watcher
	commands []command.Command
	restarts chan string // a restart that is planned; one is enough
	stop     context.CancelCauseFunc
	life     context.Context
}

// build joins the features and makes the server. It starts nothing.
func (g *daemon) build(ctx context.Context) (err error) {
	g.restarts = make(chan string, 1)
	g.tools.words.give(g.opts.Token.Reveal(), g.opts.Password.Reveal())
	g.auth, err = auth.New(ctx, auth.Options{Store: g.db, Settings: g.settings, Bus: g.bus, Log: g.log})
	if err != nil {
		return err
	}
	g.channels = &channels{
		kinds: g.kinds(), recv: g.inbox.Accept, out: g.outbox, state: g.db, bus: g.bus, client: g.client, open: g.files.Open, log: g.log,
		dir: g.cfg.Current().Paths.State,
		healthCheck: func() time.Duration {
			minutes := 5
			if n := g.cfg.Current().Gateway.ChannelHealthCheckMinutes; n != nil {
				minutes = *n
			}
			return time.Duration(minutes) * time.Minute
		},
		getenv: func(name string) string { return g.cfg.Current().Getenv(name) },
		secret: func(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
			return g.cfg.Current().Reveal(ctx, raw)
		},
	}
	g.channels.menu = func(ch id.Channel, a id.Account) []channel.MenuItem {
		if !g.cfg.Current().NativeCommands(ch, a) {
			return nil
		}
		return menuItems(g.chat.Commands.All())
	}
	g.control = control.New(control.Deps{
		Config: g.cfg.Current, Sessions: g.book, Models: g.models, Lines: events{g.db}, Bus: g.bus, Log: g.log,
		Tools: g.tools.list, Profiles: guard.Profiles, Compact: g.runner.Compact, Prompt: g.runner.Prompt, History: g.book.History, Allowed: g.db, Kind: g.kindOf, Channels: g.channels.statuses, Identity: g.identity,
		Workspace: g.workspace, Restart: g.restart, LogFile: func() string { return g.opts.LogFile },
		Commands: func() []command.Command { return g.commands }, HeartbeatPrompt: heartbeatPrompt,
		File: g.file(), Apply: g.apply, Logout: g.logout,
	})
	g.info, g.choose = g.control.SessionInfo, g.control.ChooseModel
	all, err := feature.Merge(
		feature.Feature{Name: "web login", Methods: (&webLogin{channels: g.channels, life: func() context.Context { return g.life }}).methods()},
		feature.Feature{Name: "sessions", Methods: g.book.Methods()},
		feature.Feature{Name: "chat", Methods: g.chat.Methods(), Commands: g.chat.SlashCommands()},
		feature.Feature{Name: "tools", Tools: g.tools.all},
		g.control.Feature(),
		openai.Feature(openai.Options{Do: g.ask, Session: g.sessionOf, Embed: g.embed, Config: g.cfg.Current}),
		invoke.Feature(invoke.Options{Config: g.cfg.Current, Tool: g.tool, History: g.history, Kill: g.kill}),
	)
	if err != nil {
		return err
	}
	all.Commands = append(all.Commands, command.Later(all.Commands)...)
	g.commands = all.Commands
	if g.chat.Commands, err = command.NewTable(all.Commands); err != nil {
		return err
	}
	if _, _, err := g.identity(); err != nil {
		return err
	}
	g.server, err = gateway.New(gateway.Options{
		Feature: all, Auth: g.auth, Bus: g.bus, Config: g.cfg.Current, Health: g.control.Health, Log: g.log,
		Ready: func() error {
			if !g.ready.Load() {
				return fault.New(fault.Unavailable, "gateway", "starting or stopping")
			}
			return nil
		},
		Queue: g.control.Queue, Webhook: g.channels.webhook,
	})
	return err
}

// settings is what clients must show, with its secrets resolved and the flags
// of the command line over it.
func (g *daemon) settings() auth.Settings {
	cfg := g.cfg.Current()
	a := cfg.Gateway.Auth
	s := auth.Settings{Mode: a.Mode, Gateway: cfg.Gateway, Token: g.opts.Token, Password: g.opts.Password}
	s.Proxy = auth.Proxy{UserHeader: a.Proxy.UserHeader, RequiredHeaders: a.Proxy.RequiredHeaders, AllowUsers: a.Proxy.AllowUsers}
	if g.opts.Auth != "" {
		s.Mode = g.opts.Auth
	}
	ctx := context.Background()
	var err error
	if s.Token == "" && len(a.Token) > 0 {
		if s.Token, err = cfg.Secret(ctx, a.Token); err != nil {
			g.log.Error("gateway.auth.token can't be read", "err", err)
		}
	}
	if s.Password == "" && len(a.Password) > 0 {
		if s.Password, err = cfg.Secret(ctx, a.Password); err != nil {
			g.log.Error("gateway.auth.password can't be read", "err", err)
		}
	}
	if s.Mode == "" && s.Token == "" && s.Password != "" {
		s.Mode = auth.ModePassword
	}
	return s
}

// restart asks for a new process after some time.
func (g *daemon) restart(reason string, after time.Duration) (coalesced bool) {
	select {
	case g.restarts <- reason:
		time.AfterFunc(after, func() { g.stop(ErrRestart) })
		return false
	default:
		return true
	}
}

// ask has one HTTP request answered.
func (g *daemon) ask(ctx context.Context, in msg.Inbound, delta func(string)) (openai.Answer, error) {
	r, err := g.chat.Do(ctx, in, delta)
	if err != nil {
		return openai.Answer{}, err
	}
	return openai.Answer{Text: r.Text, Usage: r.Usage, Stop: r.Stop, Run: r.Run, Calls: r.Calls}, nil
}

// kindOf describes a network.
func (g *daemon) kindOf(ch id.Channel) (channel.Kind, bool) { return g.gate.Kind(ch) }

// embed turns texts into vectors with what agent's memory uses.
func (g *daemon) embed(ctx context.Context, agent id.Agent, model string, texts []string) (openai.Vectors, error) {
	e, err := g.models.Embedder(ctx, agent, model)
	if err != nil {
		return openai.Vectors{}, err
	}
	vectors, tokens, err := e.Embed(ctx, texts)
	return openai.Vectors{Model: e.Model, Of: vectors, Tokens: tokens}, err
}

// sessionOf is the session in which a run of an HTTP client went on.
func (g *daemon) sessionOf(ctx context.Context, run id.Run) (id.SessionKey, error) {
	in := msg.Inbound{Client: &msg.Client{Run: run}}
	it, found, err := g.db.Inbound(ctx, in.DedupeKey())
	if err != nil || !found || it.In.Client == nil {
		return "", err
	}
	return it.In.Client.Session, nil
}

// tool is a tool that agent of key may use, for POST /tools/invoke.
func (g *daemon) tool(_ context.Context, key id.SessionKey, name string) (tool.Tool, tool.Scope, bool) {
	a := key.Agent()
	t := g.tools.set(agent.Use{Agent: a, Owner: true}).Tool(name)
	cfg := g.cfg.Current()
	return t, tool.Scope{
		Agent: a, Session: key, Run: id.NewRun(), Owner: true, Machine: g.runner.Machine, Workspace: cfg.Workspace(a), StateDir: cfg.Paths.State,
	}, t != nil
}

// history is what GET /sessions/{key}/history shows.
func (g *daemon) history(ctx context.Context, key id.SessionKey, limit int) (any, bool, error) {
	s, ms, err := g.chat.History(ctx, key, limit)
	return ms, s.Known, err
}

// kill stops what runs in a session, for POST /sessions/{key}/kill.
func (g *daemon) kill(ctx context.Context, key id.SessionKey) (killed, ok bool, err error) {
	_, ok, err = g.book.Get(ctx, key)
	if err != nil {
		return false, false, err
	}
	return len(g.chat.Abort(key, "", "rpc")) > 0, ok, nil
}

// identity is the gateway's own device key.
func (g *daemon) identity() (id.Device, string, error) {
	i, err := client.LoadIdentity(client.IdentityPath(g.cfg.Current().Paths.State))
	if err != nil {
		return "", "", err
	}
	return id.Device(i.ID), i.PublicKey(), nil
}

// workspace makes the first files of an agent's workspace.
func (g *daemon) workspace(ctx context.Context, _ id.Agent, dir string) error {
	_, err := workspace.Ensure(ctx, workspace.Options{Dir: dir, Skip: g.cfg.Current().Agents.Defaults.SkipBootstrap})
	return err
}
