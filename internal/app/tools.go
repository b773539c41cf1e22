package app

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/guard"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/exec"
	"github.com/openclaw-go/openclaw/internal/tool/fs"
	"github.com/openclaw-go/openclaw/internal/tool/message"
	"github.com/openclaw-go/openclaw/internal/tool/status"
)

// toolbox holds the tools of the program and the sets that agents may use. A
// set is built once per version of the configuration.
type toolbox struct {
	all     []tool.Tool
	exec    *exec.Runner
	breaker *guard.Breaker
	words   *words
	config  func() *config.Config

	mu   sync.Mutex
	made *config.Config // the version that sets belongs to
	sets map[setKey]*loop.Toolset
}

type setKey struct {
	agent id.Agent
	owner bool
	rooms string // their policies, as JSON
}

// mostSets bounds how many sets are kept; more throw all of them away.
const mostSets = 256

// newToolbox makes the tools. A tool is one line here.
func newToolbox(c *core, m machine.Machine) *toolbox {
	b := &toolbox{config: c.cfg.Current, breaker: guard.NewBreaker(), words: newWords(c.cfg.Current)}
	b.exec = exec.New(exec.Options{
		Machine: m,
		Config: func() exec.Config {
			e := c.cfg.Current().Tools.Exec
			return exec.Config{
				Host: e.Host, Security: e.Security, Ask: e.Ask, BackgroundMs: e.BackgroundMs, TimeoutSec: e.TimeoutSec,
				CleanupMs: e.CleanupMs, NotifyOnExit: e.NotifyOnExit,
			}
		},
		OnExit: c.backgroundEnded,
	})
	b.all = append(b.all, fs.New(fs.Options{
		WorkspaceOnly: func() bool { return c.cfg.Current().Tools.FS.WorkspaceOnly },
		Home:          c.cfg.Current().Paths.Home, Protect: []string{c.cfg.Current().Paths.Config},
	})...)
	b.all = append(b.all, b.exec.Tools()...)
	b.all = append(b.all, message.New(func(ctx context.Context, call tool.Call, args json.RawMessage) (any, error) {
		var a chat.Action
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, fault.New(fault.Invalid, "message", "the arguments can't be read: "+err.Error())
		}
		s := call.Scope
		return c.chat.Act(ctx, chat.Asker{At: s.Origin, Session: s.Session, Run: s.Run, Key: string(s.Run) + "/" + call.ID, Owner: s.Owner, Tool: true}, a)
	}))
	b.all = append(b.all, status.New(status.Source{Info: c.sessionInfo, Choose: c.chooseModel}))
	return b
}

// backgroundEnded queues the end of a background command for the next turn of
// its session.
func (c *core) backgroundEnded(key id.SessionKey, summary string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) //nolint:forbidigo // nobody waits for the end of a background command
	defer cancel()
	if err := c.db.PutSystemEvent(ctx, key, guard.Masked(summary, c.tools.words.list(), config.Redacted), time.Now()); err != nil {
		c.log.Error("the end of a background command is not noted", "session", key, "err", err)
	}
}

// undelivered tells a session that its answer never arrived: with the next turn
// the agent knows, and can say it elsewhere.
func (c *core) undelivered(ctx context.Context, out msg.Outbound, reason string) {
	if out.Session == "" {
		return
	}
	line := "A message to " + string(out.To.Channel) + ":" + string(out.To.Peer) + " could not be delivered (" + reason + "): " + text.Preview(out.Text, 200)
	if err := c.db.PutSystemEvent(ctx, out.Session, line, time.Now()); err != nil {
		c.log.ErrorContext(ctx, "a failed delivery is not noted in its session", "session", out.Session, "err", err)
	}
}

// sessionInfo and chooseModel are the control feature's; without a gateway there
// is none, and the tool says so.
func (c *core) sessionInfo(ctx context.Context, s tool.Scope, key id.SessionKey) (status.Info, error) {
	if c.info == nil {
		return status.Info{Version: version.String(), Session: key, Model: c.models.Default(key.Agent()).String(), Runtime: "direct"}, nil
	}
	return c.info(ctx, s, key)
}

func (c *core) chooseModel(ctx context.Context, s tool.Scope, key id.SessionKey, model string) error {
	if c.choose == nil {
		return fault.New(fault.Unavailable, "app.chooseModel", "the model can be chosen only where a gateway runs")
	}
	return c.choose(ctx, s, key, model)
}

func (b *toolbox) list() []tool.Tool { return b.all }

func (b *toolbox) close() { b.exec.Close() }

// set returns what may be used.
func (b *toolbox) set(u agent.Use) *loop.Toolset {
	cfg := b.config()
	k := setKey{agent: u.Agent, owner: u.Owner}
	if len(u.Rooms) > 0 {
		raw, err := json.Marshal(u.Rooms)
		if err != nil {
			return loop.NewToolset(nil) // never: it is made of strings
		}
		k.rooms = string(raw)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made != cfg || len(b.sets) >= mostSets {
		b.made, b.sets = cfg, map[setKey]*loop.Toolset{}
	}
	if s := b.sets[k]; s != nil {
		return s
	}
	s := loop.NewToolset(b.allowed(cfg, u))
	s.Unknown = func(name string) tool.Result {
		known := make([]string, len(s.Specs))
		for i, spec := range s.Specs {
			known[i] = spec.Name
		}
		return guard.Unknown(name, known)
	}
	b.sets[k] = s
	return s
}

// allowed is the tools that the policy lets u have, behind the guards.
func (b *toolbox) allowed(cfg *config.Config, u agent.Use) []tool.Tool {
	var rooms []guard.Layer
	for _, p := range u.Rooms {
		rooms = append(rooms, guard.Narrowed("the room", p))
	}
	policy := guard.Policy(cfg, u.Agent, rooms...)
	var out []tool.Tool
	for _, t := range b.all {
		if t.Spec().Name == "message" && len(cfg.ChannelIDs()) == 0 {
			continue // nowhere to send to
		}
		if ok, _ := policy(t.Spec().Name); ok {
			out = append(out, t)
		}
	}
	return guard.Wrap(out, guard.Clean(guard.ResultLimit), b.breaker.Middleware, guard.Mask(b.words.list, config.Redacted))
}
