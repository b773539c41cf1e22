package matrix

import (
	"context"
	"slices"
	"strings"
	"time"

	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Anybody can give a room of his an alias that isn't its own, so what a room
// says about itself opens nothing: an alias in the configuration means the room
// that the homeserver names for it.

// patience is how long an alias that means nothing isn't asked for again.
const patience = time.Minute

// resolveAliases asks what the configured aliases mean, those that aren't known
// yet.
func (b *bot) resolveAliases(ctx context.Context) {
	b.mu.Lock()
	soon := time.Since(b.asked) < patience
	if !soon {
		b.asked = time.Now()
	}
	b.mu.Unlock()
	if soon {
		return
	}
	for _, name := range b.cfg.aliases() {
		b.mu.Lock()
		known := slices.Contains(mapValues(b.aliases), name)
		b.mu.Unlock()
		if known {
			continue
		}
		r, err := b.resolve(ctx, name)
		if err != nil {
			b.log.WarnContext(ctx, "matrix alias can't be resolved; its entry lets nothing in", "alias", name, "err", err)
			continue
		}
		b.log.InfoContext(ctx, "matrix alias resolved", "alias", name, "room", r)
		b.mu.Lock()
		b.aliases[r] = name
		b.mu.Unlock()
	}
}

func (b *bot) resolve(ctx context.Context, alias string) (mid.RoomID, error) {
	got, err := b.cli.ResolveAlias(ctx, mid.RoomAlias(alias))
	if err != nil {
		return "", classify("matrix.alias", err)
	}
	if got.RoomID == "" {
		return "", fault.New(fault.NotFound, "matrix.alias", "the homeserver knows no room of that alias")
	}
	return got.RoomID, nil
}

// aliasOf is the configured alias of a room, or "".
func (b *bot) aliasOf(r mid.RoomID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.aliases[r]
}

// means reports whether an entry of a list of rooms means r.
func (b *bot) means(ctx context.Context, entry string, r mid.RoomID) bool {
	if !strings.HasPrefix(entry, "#") {
		return entry == string(r)
	}
	got, err := b.resolve(ctx, entry)
	return err == nil && got == r
}

// entries are the keys of groups, or of its older name, sorted.
func (c *Config) entries() []string {
	rooms := c.Groups
	if rooms == nil {
		rooms = c.Rooms
	}
	var out []string
	for name := range rooms {
		if name != "*" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// aliases are those of the entries that are aliases.
func (c *Config) aliases() []string {
	var out []string
	for _, name := range c.entries() {
		if a := sigiled(bare(name), '#'); a != "" {
			out = append(out, a)
		}
	}
	return out
}

func mapValues(m map[mid.RoomID]string) []string {
	out := make([]string, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}
