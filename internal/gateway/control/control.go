// Package control is the part of the gateway protocol that looks at the
// gateway and changes its settings: health and status, the configuration file,
// agents with their files, models, tools, logs, channels, usage and what waits
// for the next turn; and the slash commands that do the same from a chat.
//
// It keeps nothing of its own but small caches: what it shows is asked from the
// services in [Deps], what it changes goes into the configuration file. Talking
// to agents is package chat, devices are package auth, presence is package
// gateway. Start at [New]; each file is one group of methods.
package control

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Sessions is the index of conversations; *session.Book is one.
type Sessions interface {
	Open(ctx context.Context, key id.SessionKey) (s session.Session, fresh bool, err error)
	Get(ctx context.Context, key id.SessionKey) (s session.Session, ok bool, err error)
	List(ctx context.Context, f session.Filter) ([]session.Session, error)
	Update(ctx context.Context, key id.SessionKey, change func(*session.Session) error) (session.Session, error)
	Reset(ctx context.Context, key id.SessionKey, reason string) (session.Session, error)
	Delete(ctx context.Context, key id.SessionKey, transcript bool) (deleted bool, archived []string, err error)
	Entries(ctx context.Context, s session.Session, n int) ([]session.Entry, error)
	UndoCompaction(ctx context.Context, s session.Session) (undone bool, err error)
}

// Models knows the models; *model.Resolver is one.
type Models interface {
	Default(a id.Agent) llm.Model
	Lookup(ref string) (llm.Model, error)
	Allowed(m llm.Model) bool
	List() []llm.Model
}

// Lines keeps what waits for the next turn of a session.
type Lines interface {
	// PutSystemEvent queues text durably.
	PutSystemEvent(ctx context.Context, key id.SessionKey, text string, at time.Time) error
	// Waiting returns the texts that wait for key, oldest first.
	Waiting(ctx context.Context, key id.SessionKey) ([]string, error)
}

// Deps are the services that the methods ask. Config, File, Sessions, Models,
// Lines and Bus are required; what else is nil is answered as absent.
type Deps struct {
	Config   func() *config.Config
	File     config.File
	Sessions Sessions
	Models   Models
	Lines    Lines
	Bus      *event.Bus

	// Apply makes a configuration current that was just saved, without waiting
	// for the watcher; changed are the paths that differ. It doesn't restart the
	// process: Restart is asked for that.
	Apply func(now *config.Config, changed []string)
	// Tools returns the tools of this binary; the set doesn't change.
	Tools func() []tool.Tool
	// Compact sums up the older part of a conversation; instructions say what
	// matters. May be nil.
	Compact func(ctx context.Context, key id.SessionKey, m llm.Model, instructions string) (engine.Compacted, error)
	// Kind describes a network, and Allowed keeps its stored allow lists. Both
	// may be nil.
	Kind    func(id.Channel) (channel.Kind, bool)
	Allowed AllowStore
	// Prompt is the system prompt that a run of a session would get now. May be
	// nil.
	Prompt func(ctx context.Context, key id.SessionKey, owner bool) (agent.Prompt, error)
	// History is what of a session a model sees. May be nil.
	History func(ctx context.Context, s session.Session) ([]llm.Message, error)
	// Profiles names the tool profiles (minimal, coding, messaging) that
	// contain a tool.
	Profiles func(tool string) []string
	// Commands returns all slash commands, for /help and /commands.
	Commands func() []command.Command
	// Channels tells about the configured channels; probe asks their networks
	// and takes no longer than ctx allows.
	Channels func(ctx context.Context, probe bool) []ChannelStatus
	// Logout ends the login of an account; an empty account is the default one.
	Logout func(ctx context.Context, c id.Channel, a id.Account) (any, error)
	// Identity is the gateway's own device key: its id and public key.
	Identity func() (device id.Device, publicKey string, err error)
	// Workspace makes the workspace at dir with its first files.
	Workspace func(ctx context.Context, a id.Agent, dir string) error
	// Wake starts a heartbeat now. Nil leaves queued lines to the next turn.
	Wake func(reason string)
	// Restart plans a restart of the gateway; an earlier plan that is still to
	// come is kept when it is sooner, and coalesced is true.
	Restart func(reason string, after time.Duration) (coalesced bool)
	// LogFile is the file that the gateway writes its log to now.
	LogFile func() string

	// HeartbeatPrompt is what a heartbeat asks when nothing is configured.
	HeartbeatPrompt string

	Log *slog.Logger
	Now func() time.Time
}

// Control serves the methods. It is safe for concurrent use.
type Control struct {
	Deps

	started time.Time
	health  healthCache
	catalog catalog
	cursors cursors
	costs   costs
	writes  limiter

	edit     sync.Mutex // one change of the file at a time
	debug    overrides
	lastBeat atomic.Pointer[[]byte]
	beatsOff atomic.Bool
}

// New returns the methods over d.
func New(d Deps) *Control {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Control{Deps: d, started: d.Now(), writes: limiter{most: 3, window: time.Minute}}
}

// Feature is everything that this package adds to the gateway.
func (c *Control) Feature() feature.Feature {
	return feature.Feature{
		Name: "control", Methods: c.methods(), Commands: c.commands(), Checks: c.checks(), Run: c.run,
	}
}

func (c *Control) methods() []rpc.Method {
	return []rpc.Method{
		anyParams("health", "", c.rpcHealth),
		anyParams("status", rpc.Read, c.rpcStatus),
		rpc.Handle("logs.tail", rpc.Read, c.logsTail),
		rpc.Handle("channels.status", rpc.Read, c.channelsStatus),
		rpc.Handle("channels.logout", rpc.Admin, c.channelsLogout),
		anyParams("usage.status", rpc.Read, c.usageStatus),
		anyParams("usage.cost", rpc.Read, c.usageCost),
		rpc.Handle("config.get", rpc.Read, c.configGet),
		rpc.Handle("config.set", rpc.Admin, c.configSet),
		c.limited(rpc.Handle("config.apply", rpc.Admin, c.configApply)),
		c.limited(rpc.Handle("config.patch", rpc.Admin, c.configPatch)),
		rpc.Handle("config.schema", rpc.Admin, c.configSchema),
		rpc.Handle("config.schema.lookup", rpc.Read, c.configLookup),
		rpc.Handle("models.list", rpc.Read, c.modelsList),
		rpc.Handle("tools.catalog", rpc.Read, c.toolsCatalog),
		rpc.Handle("agents.list", rpc.Read, c.agentsList),
		rpc.Handle("agents.create", rpc.Admin, c.agentsCreate),
		rpc.Handle("agents.update", rpc.Admin, c.agentsUpdate),
		rpc.Handle("agents.delete", rpc.Admin, c.agentsDelete),
		rpc.Handle("agents.files.list", rpc.Read, c.filesList),
		rpc.Handle("agents.files.get", rpc.Read, c.filesGet),
		rpc.Handle("agents.files.set", rpc.Admin, c.filesSet),
		rpc.Handle("agent.identity.get", rpc.Read, c.agentIdentity),
		rpc.Handle("skills.status", rpc.Read, c.skillsStatus),
		rpc.Handle("wake", rpc.Write, c.wake),
		anyParams("last-heartbeat", rpc.Read, c.lastHeartbeat),
		anyParams("set-heartbeats", rpc.Admin, c.setHeartbeats),
		anyParams("gateway.identity.get", rpc.Read, c.gatewayIdentity),
	}
}

// anyParams is a method whose params the recorded gateway doesn't validate.
func anyParams(name string, scope rpc.Scope, fn func(context.Context, *rpc.Caller, rpc.Any) (any, error)) rpc.Method {
	return rpc.Method{Name: name, Scope: scope, Call: func(ctx context.Context, c *rpc.Caller, raw rpc.Any) (any, error) {
		return fn(ctx, c, raw)
	}}
}

// run listens for what changes the caches, until ctx ends.
func (c *Control) run(ctx context.Context) error {
	for {
		// Roomy, as a turn tells much and only a few of it matters here.
		sub := c.Bus.Subscribe(256)
		c.health.touch()
		c.listen(ctx, sub)
		sub.Close()
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (c *Control) listen(ctx context.Context, sub *event.Sub) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C:
			if !ok { // fell behind: what was missed is covered by a fresh look
				return
			}
			c.heard(e)
		}
	}
}

func (c *Control) heard(e event.Event) {
	switch e := e.(type) {
	case event.SessionChanged, event.HealthChanged, event.ChannelState, event.ConfigChanged:
		c.health.touch()
	case event.Heartbeat:
		raw := []byte(e.Payload)
		c.lastBeat.Store(&raw)
	}
}

func millis(t time.Time) int64 { return t.UnixMilli() }
