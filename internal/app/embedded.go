package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// Turn is one turn without a gateway.
type Turn struct {
	Paths    config.Paths
	Log      *slog.Logger
	Agent    id.Agent // "" is the default one
	Session  id.SessionKey
	ID       id.Session // names the session by its transcript
	Message  string
	Thinking string
	Verbose  string // kept for the session: on, off, full
	// Deliver has the answer sent as well, to where Channel, To and Account say
	// or the session last was. A gateway that starts later sends it.
	Deliver bool
	Channel id.Channel
	To      string
	Account id.Account
	Timeout time.Duration
	Run     id.Run
	Delta   func(string) // gets the text as it comes; may be nil
}

// Embedded runs one turn in this process. It takes the lock of the state
// directory, so it refuses beside a running gateway.
func Embedded(ctx context.Context, t Turn) (chat.Result, error) {
	lock, err := store.Lock(t.Paths.State)
	if err != nil {
		return chat.Result{}, err
	}
	defer closing(ctx, t.Log, "lock", lock)
	loaded, err := config.Load(ctx, t.Paths, config.LoadOptions{})
	if err != nil {
		return chat.Result{}, err
	}
	if !loaded.Valid() {
		return chat.Result{}, &config.Invalid{Path: loaded.Path, Problems: loaded.Problems}
	}
	db, err := store.Open(ctx, store.Options{StateDir: t.Paths.State, Log: t.Log})
	if err != nil {
		return chat.Result{}, err
	}
	defer closing(ctx, t.Log, "store", db)
	c, err := buildCore(config.NewStore(loaded.Config), db, t.Log) //nolint:contextcheck // looking for plugins takes no time to speak of
	if err != nil {
		return chat.Result{}, err
	}
	defer closing(ctx, t.Log, "transcripts", c.book)
	if err := c.book.Restore(ctx); err != nil {
		return chat.Result{}, err
	}
	defer c.tools.close()
	c.models.Probe(ctx)
	c.chat.Start()
	defer func() {
		c.inbox.Close()
		dctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		c.chat.Close(dctx)
	}()

	in, err := c.turn(ctx, t)
	if err != nil {
		return chat.Result{}, err
	}
	return c.chat.Do(ctx, in, t.Delta)
}

// turn makes the message of t.
func (c *core) turn(ctx context.Context, t Turn) (msg.Inbound, error) {
	cfg := c.cfg.Current()
	a := t.Agent
	if a == "" {
		a = cfg.DefaultAgent()
	} else if _, ok := cfg.Agent(a); !ok {
		return msg.Inbound{}, fault.New(fault.NotFound, "app.Embedded", "unknown agent "+string(a)+"; see openclaw agents list")
	}
	key := t.Session
	if key == "" && t.ID != "" {
		k, ok, err := c.book.ByID(ctx, t.ID)
		if err != nil {
			return msg.Inbound{}, err
		}
		if key = k; !ok {
			key = id.AgentKey(a, "explicit:"+string(t.ID))
		}
	}
	if key == "" {
		key = cfg.MainKey(a)
	}
	thinking, ok := session.ThinkingLevel(t.Thinking)
	if !ok {
		return msg.Inbound{}, fault.New(fault.Invalid, "app.Embedded", "Invalid thinking level. Use one of: off, minimal, low, medium, high, xhigh, adaptive.")
	}
	run := t.Run
	if run == "" {
		run = id.NewRun()
	}
	in := msg.Inbound{
		ID: id.Message(run), Text: t.Message, Mentioned: true, Received: time.Now(), At: msg.Address{Channel: "webchat", Kind: msg.Direct},
		Client: &msg.Client{Run: run, Session: key, Owner: true, Label: "cli", Plain: true, Thinking: thinking, Timeout: t.Timeout},
	}
	if t.Deliver {
		to, err := c.chat.Target(ctx, key, string(t.Channel), t.To, string(t.Account), "")
		if err != nil {
			return msg.Inbound{}, err
		}
		in.At, in.Client.Deliver = to, true
	}
	if t.Verbose != "" {
		if _, _, err := c.book.Open(ctx, key); err != nil {
			return msg.Inbound{}, err
		}
		if _, err := c.book.Update(ctx, key, func(s *session.Session) error { s.VerboseLevel = t.Verbose; return nil }); err != nil {
			return msg.Inbound{}, err
		}
	}
	return in, nil
}
