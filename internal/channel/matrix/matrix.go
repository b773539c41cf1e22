// Package matrix connects a Matrix account to its homeserver, with encrypted
// rooms where the program is built with the tag goolm.
//
// The place in the stream of events moves on only when what came before it is
// stored, so nothing is missed. Start at [Kind]; bot.Run syncs, receive.go
// reads events, send.go writes them, crypto_goolm.go knows the keys.
package matrix

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// ID is the network's name in the configuration.
const ID id.Channel = "matrix"

// Kind makes Matrix channels.
func Kind() channel.Kind {
	return channel.Kind{
		ID: ID, Label: "Matrix", Config: Section{}, New: build, Normalize: normalize, Forms: forms, Target: target, Rules: rules,
		Env: []channel.EnvKey{
			{Key: "homeserver", Name: "MATRIX_HOMESERVER"},
			{Key: "accessToken", Name: "MATRIX_ACCESS_TOKEN"},
			{Key: "userId", Name: "MATRIX_USER_ID"},
			{Key: "password", Name: "MATRIX_PASSWORD"},
		},
	}
}

type bot struct {
	cfg   Config
	env   channel.Env
	log   *slog.Logger
	retry backoff.Policy
	poll  time.Duration // that the homeserver holds an empty answer back

	cli *mautrix.Client

	mu    sync.Mutex
	ready bool // logged in
	keys  keys // nil without encryption
	rooms map[mid.RoomID]*room
	names map[mid.UserID]string
	// aliases are the configured ones, by the rooms that they mean.
	aliases map[mid.RoomID]string
	asked   time.Time // when the aliases were asked for
}

// room is what is known of a room.
type room struct {
	direct    bool
	peer      mid.UserID // of a direct room
	name      string
	alias     string // as the room says, which may be wrong
	topic     string
	encrypted bool
}

// keys decrypts and encrypts; nil is a build or an account without encryption.
type keys interface {
	// sync takes in what a sync answer says about keys and devices.
	sync(ctx context.Context, resp *mautrix.RespSync, since string) error
	decrypt(ctx context.Context, ev *event.Event) (*event.Event, error)
	verified(ctx context.Context) (bool, error)
	close() error
}

var (
	_ channel.Channel   = (*bot)(nil)
	_ channel.Typer     = (*bot)(nil)
	_ channel.Editor    = (*bot)(nil)
	_ channel.Reactor   = (*bot)(nil)
	_ channel.Deleter   = (*bot)(nil)
	_ channel.Fetcher   = (*bot)(nil)
	_ channel.Splitter  = (*bot)(nil)
	_ channel.Prober    = (*bot)(nil)
	_ channel.Gate      = (*bot)(nil)
	_ channel.Reader    = (*bot)(nil)
	_ channel.Pinner    = (*bot)(nil)
	_ channel.Directory = (*bot)(nil)
	_ channel.Auditor   = (*bot)(nil)
	_ channel.Actor     = (*bot)(nil)
)

func build(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
	return assemble(env, raw, backoff.Policy{Min: time.Second, Max: time.Minute}, 30*time.Second)
}

func assemble(env channel.Env, raw json.RawMessage, retry backoff.Policy, poll time.Duration) (*bot, error) {
	cfg, err := decode(raw)
	if err != nil {
		return nil, err
	}
	b := &bot{cfg: cfg, env: env, log: env.Log, retry: retry, poll: poll, rooms: map[mid.RoomID]*room{}, names: map[mid.UserID]string{}, aliases: map[mid.RoomID]string{}}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.cli, err = mautrix.NewClient(cfg.Homeserver, mid.UserID(cfg.UserID), cfg.Token); err != nil {
		return nil, fault.Wrap(fault.Invalid, "channels.matrix", err)
	}
	b.cli.Log = zerolog.Nop()
	if env.HTTP != nil {
		b.cli.Client = env.HTTP
	} else {
		b.cli.Client = &http.Client{}
	}
	b.cli.Syncer = quiet{mautrix.NewDefaultSyncer()}
	return b, nil
}

// Run syncs until ctx ends. It returns an error only when trying again can't
// help.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	defer b.closeKeys()
	again := backoff.Backoff{Policy: b.retry}
	since, up := "", false
	for {
		err := b.login(ctx)
		if err == nil && !up {
			since, err = b.state(ctx, "since")
		}
		if err == nil {
			since, err = b.once(ctx, since, recv)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			if !up {
				up = true
				b.status(nil)
			}
			again.Reset()
			if b.env.Alive != nil {
				b.env.Alive()
			}
			continue
		}
		up = false
		b.status(err)
		if fault.KindOf(err) == fault.Unauthenticated {
			return err
		}
		wait := again.Next()
		b.log.WarnContext(ctx, "matrix sync interrupted", "err", err, "again", wait)
		if backoff.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// once asks for what is new and hands it on. The place moves on only when all
// of it is stored.
func (b *bot) once(ctx context.Context, since string, recv channel.Receiver) (string, error) {
	timeout := b.poll
	if since == "" {
		timeout = 0
	}
	sctx, cancel := context.WithTimeout(ctx, timeout+30*time.Second)
	defer cancel()
	resp, err := b.cli.FullSyncRequest(sctx, mautrix.ReqSync{Timeout: int(timeout.Milliseconds()), Since: since})
	if err != nil {
		return since, classify("matrix.sync", err)
	}
	if err := b.process(ctx, resp, since, recv); err != nil {
		return since, err
	}
	if err := b.setState(ctx, "since", resp.NextBatch); err != nil {
		return since, err
	}
	return resp.NextBatch, nil
}

func (b *bot) status(err error) {
	if b.env.Status != nil {
		b.env.Status(err)
	}
}

func (b *bot) state(ctx context.Context, key string) (string, error) {
	if b.env.State == nil {
		return "", nil
	}
	return b.env.State(ctx, key)
}

func (b *bot) setState(ctx context.Context, key, value string) error {
	if b.env.SetState == nil {
		return nil
	}
	return b.env.SetState(ctx, key, value)
}

// quiet is a syncer that keeps the state store and the keys up to date and
// hands no events out: [bot.process] does, in order.
type quiet struct{ in *mautrix.DefaultSyncer }

func (q quiet) OnSync(f mautrix.SyncHandler)                     { q.in.OnSync(f) }
func (q quiet) OnEvent(f mautrix.EventHandler)                   { q.in.OnEvent(f) }
func (q quiet) OnEventType(t event.Type, f mautrix.EventHandler) { q.in.OnEventType(t, f) }
func (q quiet) GetFilterJSON(u mid.UserID) *mautrix.Filter       { return q.in.GetFilterJSON(u) }
func (q quiet) OnFailedSync(r *mautrix.RespSync, err error) (time.Duration, error) {
	return q.in.OnFailedSync(r, err)
}

func (q quiet) ProcessResponse(ctx context.Context, r *mautrix.RespSync, since string) error {
	return q.in.ProcessResponse(ctx, r, since)
}
