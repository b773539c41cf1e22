package discord

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// answerTo is where the answer to a slash command goes, for a quarter of an
// hour. Until the first part is there, Discord shows that the bot thinks.
type answerTo struct {
	App, Token, User string
	Private          bool
	At               int64 // Unix time
	Begun            bool  // the first part is there
}

const (
	answerFor   = 14 * time.Minute
	mostAnswers = 100
	answersKey  = "answers"
)

// answers are the commands that wait for one. They are written down, so that
// after a restart the answer is still shown to who asked alone.
type answers struct {
	mu    sync.Mutex
	m     map[string]answerTo
	early map[string]chan struct{} // those that Discord isn't told of yet; closed when it is
}

// begin says that Discord will be told that a command is taken: its answer waits
// for that. The caller calls told in any case.
func (a *answers) begin(key string) (told func()) {
	c := make(chan struct{})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.early == nil {
		a.early = map[string]chan struct{}{}
	}
	a.early[key] = c
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.early[key] == c {
			delete(a.early, key)
		}
		close(c)
	}
}

// wait waits until Discord was told of a command, and no longer than Discord
// waits for that.
func (a *answers) wait(ctx context.Context, key string) error {
	a.mu.Lock()
	c := a.early[key]
	a.mu.Unlock()
	if c == nil {
		return nil
	}
	const most = 3 * time.Second
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-c:
		return nil
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *answers) get(key string) (answerTo, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.m[key]
	return t, ok && time.Since(time.Unix(t.At, 0)) < answerFor
}

func (a *answers) put(ctx context.Context, b *bot, key string, t answerTo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil {
		a.m = map[string]answerTo{}
	}
	if _, known := a.m[key]; known && !t.Begun {
		return // told again
	}
	maps.DeleteFunc(a.m, func(_ string, t answerTo) bool { return time.Since(time.Unix(t.At, 0)) >= answerFor })
	if len(a.m) < mostAnswers {
		a.m[key] = t
	}
	a.saveLocked(ctx, b)
}

func (a *answers) close(ctx context.Context, b *bot, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.m, key)
	a.saveLocked(ctx, b)
}

func (a *answers) saveLocked(ctx context.Context, b *bot) {
	if raw, err := json.Marshal(a.m); err == nil && b.env.SetState != nil {
		_ = b.env.SetState(ctx, answersKey, string(raw))
	}
}

func (a *answers) load(ctx context.Context, b *bot) {
	raw, err := b.env.State(ctx, answersKey)
	if err != nil || raw == "" {
		return
	}
	var m map[string]answerTo
	if json.Unmarshal([]byte(raw), &m) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil {
		a.m = map[string]answerTo{}
	}
	for k, t := range m {
		if len(a.m) < mostAnswers && snowflake(t.App) && urlSafe(t.Token) {
			a.m[k] = t
		}
	}
}

// respond answers a slash command. Once Discord takes no more answers there, the
// conversation has them; what only who asked was to see, that person's direct
// messages.
func (b *bot) respond(ctx context.Context, out msg.Outbound, posts []post) (msg.Receipt, error) {
	r := msg.Receipt{At: time.Now()}
	key := string(out.ReplyTo)
	if err := b.open.wait(ctx, key); err != nil {
		return r, fault.Wrap(fault.Unavailable, "discord.respond", err)
	}
	way, open := b.open.get(key)
	for i := range posts {
		p := &posts[i]
		var m message
		if open {
			delete(p.body, "nonce")
			delete(p.body, "enforce_nonce")
			delete(p.body, "message_reference")
			switch {
			case !way.Begun: // of "thinking", which is private or not already
				p.body["flags"] = flags(p.body) &^ flagQuiet
			case way.Private:
				p.body["flags"] = flags(p.body) | flagEphemeral
			}
			err := b.followUp(ctx, way, *p, &m)
			if err == nil {
				way.Begun = true
				b.open.put(ctx, b, key, way)
				r.IDs = append(r.IDs, id.Message(m.ID))
				continue
			}
			if !refusedWith(err, codeUnknownWebhook, codeUnknownMessage, codeExpired, codeUnknownAnswer) {
				return r, err
			}
			b.open.close(ctx, b, key)
			open = false
		}
		to, err := b.instead(ctx, out.To, way)
		if err != nil {
			return r, err
		}
		if err := b.postTo(ctx, to, *p, &m); err != nil {
			return r, err
		}
		r.IDs = append(r.IDs, id.Message(m.ID))
	}
	return r, nil
}

// instead is the conversation for an answer that Discord takes no more.
func (b *bot) instead(ctx context.Context, at msg.Address, way answerTo) (string, error) {
	if way.Private && snowflake(way.User) && at.Kind != msg.Direct {
		at = msg.Address{Kind: msg.Direct, Peer: id.Peer(way.User)}
	}
	return b.destination(ctx, at)
}

// followUp sends one part: the first takes the place of "thinking".
func (b *bot) followUp(ctx context.Context, way answerTo, p post, m *message) error {
	c := call{method: "POST", path: "/webhooks/" + way.App + "/" + way.Token, body: p.body, files: p.files, into: m, anonymous: true}
	if !way.Begun {
		c.method, c.path = "PATCH", c.path+"/messages/@original"
	}
	if !snowflake(way.App) || !urlSafe(way.Token) {
		return fault.New(fault.Invalid, "discord.respond", "not an interaction")
	}
	return b.api.do(ctx, c)
}

func flags(body map[string]any) int {
	n, _ := body["flags"].(int)
	return n
}
