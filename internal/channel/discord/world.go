package discord

import (
	"context"
	"sync"
	"time"
)

// world is what is known of the guilds and their channels, from events and from
// questions. The zero value is ready.
type world struct {
	mu     sync.Mutex
	guilds map[string]*place
	rooms  map[string]room
	failed map[string]time.Time // what couldn't be looked up
}

// place is one guild.
type place struct {
	name, owner string
	roles       map[string]role
}

const (
	mostGuilds = 3000
	mostRooms  = 50000
)

// take notes what an event says about guilds and channels.
func (w *world) take(f frame) error {
	switch f.Type {
	case "GUILD_CREATE", "GUILD_UPDATE":
		g, err := read[guild](f)
		if err != nil {
			return err
		}
		w.guild(g)
	case "GUILD_DELETE":
		g, err := read[guild](f)
		if err != nil || g.Away {
			return err
		}
		w.mu.Lock()
		delete(w.guilds, g.ID)
		w.mu.Unlock()
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		r, err := read[room](f)
		if err != nil {
			return err
		}
		w.room(r)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		r, err := read[room](f)
		if err != nil {
			return err
		}
		w.mu.Lock()
		delete(w.rooms, r.ID)
		w.mu.Unlock()
	case "THREAD_LIST_SYNC":
		l, err := read[guild](f)
		if err != nil {
			return err
		}
		for _, t := range l.Threads {
			w.room(t)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		c, err := read[struct {
			GuildID string `json:"guild_id"`
			Role    role   `json:"role"`
		}](f)
		if err != nil {
			return err
		}
		w.mu.Lock()
		if g := w.guilds[c.GuildID]; g != nil && len(g.roles) < mostRoles {
			g.roles[c.Role.ID] = c.Role
		}
		w.mu.Unlock()
	}
	return nil
}

const mostRoles = 500 // 250 is Discord's limit

func (w *world) guild(g guild) {
	if !snowflake(g.ID) || g.Away {
		return
	}
	p := &place{name: g.Name, owner: g.OwnerID, roles: map[string]role{}}
	for _, r := range g.Roles[:min(len(g.Roles), mostRoles)] {
		p.roles[r.ID] = r
	}
	w.mu.Lock()
	if w.guilds == nil {
		w.guilds = map[string]*place{}
	}
	if _, known := w.guilds[g.ID]; known || len(w.guilds) < mostGuilds {
		w.guilds[g.ID] = p
	}
	w.mu.Unlock()
	for _, rs := range [][]room{g.Channels, g.Threads} {
		for _, r := range rs {
			r.GuildID = g.ID
			w.room(r)
		}
	}
}

func (w *world) room(r room) {
	if !snowflake(r.ID) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rooms == nil {
		w.rooms = map[string]room{}
	}
	if _, known := w.rooms[r.ID]; known || len(w.rooms) < mostRooms {
		w.rooms[r.ID] = r
	}
}

// trust says how long a failed question isn't asked again.
const trust = 30 * time.Second

// ask tells whether to look key up now.
func (w *world) ask(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.failed[key]) > trust
}

func (w *world) fail(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil || len(w.failed) > mostGuilds {
		w.failed = map[string]time.Time{}
	}
	w.failed[key] = time.Now()
}

// room is what is known of a channel; Discord is asked when nothing is.
func (b *bot) room(ctx context.Context, id string) (room, bool) {
	w := &b.world
	w.mu.Lock()
	r, ok := w.rooms[id]
	w.mu.Unlock()
	if ok || !snowflake(id) || !w.ask(id) {
		return r, ok
	}
	if err := b.api.get(ctx, "/channels/"+id, nil, &r); err != nil || r.ID != id {
		w.fail(id)
		return room{}, false
	}
	w.room(r)
	return r, true
}

// guild is what is known of a guild; Discord is asked when nothing is.
func (b *bot) guild(ctx context.Context, id string) (place, bool) {
	w := &b.world
	if p, ok := w.place(id); ok {
		return p, true
	}
	if !snowflake(id) || !w.ask(id) {
		return place{}, false
	}
	var g guild
	if err := b.api.get(ctx, "/guilds/"+id, nil, &g); err != nil || g.ID != id {
		w.fail(id)
		return place{}, false
	}
	w.guild(g)
	return w.place(id)
}

func (w *world) place(id string) (place, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.guilds[id]
	if !ok {
		return place{}, false
	}
	return place{name: p.name, owner: p.owner, roles: p.roles}, true
}

// role is a role of a guild.
func (w *world) role(guild, id string) (role, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.guilds[guild]; p != nil {
		r, ok := p.roles[id]
		return r, ok
	}
	return role{}, false
}
