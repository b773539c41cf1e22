// Package app puts the program together. It is the only package that imports
// everything: tables.go says what is in the binary, build.go who knows whom,
// run.go how it lives and ends.
package app

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/machine/local"
	"github.com/openclaw-go/openclaw/internal/media"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/status"
)

// core is what every way of running the program has: the path of a message
// from the inbox to the outbox.
type core struct {
	cfg     *config.Store
	db      *store.DB
	bus     *event.Bus
	log     *slog.Logger
	hooks   *hook.Set
	secrets *secrets
	book    *session.Book
	models  *model.Resolver
	tools   *toolbox
	runner  *agent.Runner
	inbox   *inbox.Inbox
	outbox  *outbox.Outbox
	gate    *access.Gate
	chat    *chat.Handler
	client  *http.Client
	files   *media.Store

	// What the control feature fills in; nil without a gateway.
	info   func(context.Context, tool.Scope, id.SessionKey) (status.Info, error)
	choose func(context.Context, tool.Scope, id.SessionKey, string) error
}

// buildCore makes the core. It starts nothing.
func buildCore(cfg *config.Store, db *store.DB, log *slog.Logger) (*core, error) {
	c := &core{cfg: cfg, db: db, bus: event.NewBus(), log: log, hooks: new(hook.Set), client: provider.NewClient()}
	c.secrets = &secrets{config: cfg.Current}
	c.book = &session.Book{Store: db, Tails: db, Config: cfg.Current, Now: time.Now, Log: log}
	c.book.Model = func(a id.Agent) llm.Model { return c.models.Default(a) }
	c.models = model.New(Providers(), c.client, cfg.Current, c.secrets, db)
	host := local.New(os.Environ(), cfg.Current().Tools.Exec.PathPrepend...)
	c.tools = newToolbox(c, host)
	c.runner = &agent.Runner{
		Sessions: c.book, Models: c.models, Tools: c.tools.set, Hooks: c.hooks, Bus: c.bus, Config: cfg.Current, Log: log,
		Machine: host, Tripped: c.tools.breaker.Tripped, Ended: c.tools.breaker.Forget,
		Prompts: &agent.Prompts{Config: cfg.Current, Default: c.models.Default, Lookup: c.models.Lookup, Version: version.String(), Heartbeat: heartbeatPrompt},
	}
	c.runner.Engine = chosen(Engines(&compaction.Legacy{Book: c.book, Model: c.runner.Ask, Config: cfg.Current}), cfg.Current, log)
	c.files = &media.Store{Dir: filepath.Join(cfg.Current().Paths.State, "media"), Log: log}
	c.outbox = &outbox.Outbox{Store: db, Bus: c.bus, Log: log, Failed: c.undelivered}
	c.gate = newGate(c)
	c.inbox = &inbox.Inbox{
		Store: db, Bus: c.bus, Log: log,
		Handle:   func(ctx context.Context, items []inbox.Item) error { return c.chat.Handle(ctx, items) },
		Poisoned: func(ctx context.Context, it inbox.Item, reason string) { c.chat.Poisoned(ctx, it, reason) },
		Debounce: c.debounce,
		Urgent:   func(in msg.Inbound) bool { return chat.Stops(in.Text) },
	}
	c.chat = &chat.Handler{
		Access: c.gate, Hooks: c.hooks, Agent: c.runner, Inbox: c.inbox, Outbox: c.outbox, Events: events{db}, Bus: c.bus,
		Config: cfg.Current, Log: log, Marks: db, Files: c.files,
	}
	c.book.Halt, c.book.Busy = c.chat.Halt, c.chat.Busy
	var err error
	c.chat.Commands, err = command.NewTable(nil)
	return c, err
}

func (c *core) debounce(in msg.Inbound) time.Duration {
	d := c.cfg.Current().Messages.Inbound
	ms := d.DebounceMs
	if by, ok := d.ByChannel[in.At.Channel]; ok {
		ms = by
	}
	return time.Duration(ms) * time.Millisecond
}
