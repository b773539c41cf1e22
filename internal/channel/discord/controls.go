package discord

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// control is what is known of one control of an agent's message.
type control struct {
	Label   string   `json:"label"`
	Allowed []string `json:"allowed,omitempty"` // who may use it; empty is anybody there
	Form    *form    `json:"form,omitempty"`    // that it opens
	Used    bool     `json:"used,omitempty"`
}

// panel is the controls of one message, by their place in it ("2.0").
type panel struct {
	At       int64              `json:"at"` // Unix time
	Reusable bool               `json:"reusable,omitempty"`
	Controls map[string]control `json:"controls"`
}

const (
	panelsKey  = "panels"
	panelFor   = 30 * time.Minute
	mostPanels = 100
	maxPanel   = 16 << 10 // bytes of one, as JSON
)

// panels are the messages whose controls still do something. They are written
// down, so a restart changes nothing.
type panels struct {
	mu     sync.Mutex
	m      map[string]panel
	loaded bool
}

// panelName is how the custom ids of a message name it.
func panelName(delivery string) string {
	sum := sha256.Sum256([]byte(delivery))
	return hex.EncodeToString(sum[:8])
}

func (p panel) fresh() bool { return time.Since(time.Unix(p.At, 0)) < panelFor }

func (ps *panels) loadLocked(ctx context.Context, b *bot) {
	if ps.loaded || b.env.State == nil {
		ps.loaded = true
	}
	if !ps.loaded {
		if raw, err := b.env.State(ctx, panelsKey); err == nil {
			ps.loaded = true
			_ = json.Unmarshal([]byte(raw), &ps.m) // what can't be read has expired
		}
	}
	if ps.m == nil {
		ps.m = map[string]panel{}
	}
}

// put keeps the controls of a message.
func (ps *panels) put(ctx context.Context, b *bot, name string, p panel) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.loadLocked(ctx, b)
	if old, known := ps.m[name]; known { // sent again
		p.At, p.Controls = old.At, old.Controls
	}
	maps.DeleteFunc(ps.m, func(_ string, p panel) bool { return !p.fresh() })
	for len(ps.m) >= mostPanels {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(ps.m)), func(x, y string) int { return int(ps.m[x].At - ps.m[y].At) })
		delete(ps.m, oldest)
	}
	ps.m[name] = p
	return ps.saveLocked(ctx, b)
}

// get is a control by the custom id that it has; ok is false for one that does
// nothing any more.
func (ps *panels) get(ctx context.Context, b *bot, custom string) (c control, ok bool) {
	name, place, _ := strings.Cut(custom, ":")
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.loadLocked(ctx, b)
	p := ps.m[name]
	c, ok = p.Controls[place]
	return c, ok && p.fresh() && (p.Reusable || !c.Used)
}

// use notes that a control was used.
func (ps *panels) use(ctx context.Context, b *bot, custom string) error {
	name, place, _ := strings.Cut(custom, ":")
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.m[name]
	c, ok := p.Controls[place]
	if !ok || p.Reusable || c.Used {
		return nil
	}
	c.Used = true
	p.Controls[place] = c
	return ps.saveLocked(ctx, b)
}

func (ps *panels) saveLocked(ctx context.Context, b *bot) error {
	if b.env.SetState == nil {
		return nil
	}
	raw, err := json.Marshal(ps.m)
	if err != nil {
		return err
	}
	return b.env.SetState(ctx, panelsKey, string(raw))
}

// mayUse tells whether a control is for somebody: ids count, and names where
// names count.
func (b *bot) mayUse(c control, u user) bool {
	if len(c.Allowed) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Allowed, func(e string) bool {
		n := normalize(e)
		return n == "*" || n == u.ID || b.cfg.NameMatching && n != "" && strings.EqualFold(strings.TrimPrefix(n, "@"), u.handle())
	})
}
