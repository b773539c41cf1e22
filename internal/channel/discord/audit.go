package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// permissions that a bot needs to be heard, by name.
const (
	mayAdminister = 1 << 3
	mayView       = 1 << 10
	maySend       = 1 << 11
	mayReadBack   = 1 << 16
	maySendThread = 1 << 38
)

// Audit implements [channel.Auditor]: intents that are off, and channels of the
// configuration that the bot can't use.
func (b *bot) Audit(ctx context.Context) (out []channel.Issue, err error) {
	var a application
	if err := b.api.get(ctx, "/applications/@me", nil, &a); err != nil {
		return nil, err
	}
	for _, name := range b.privileged(a.Flags) {
		out = append(out, channel.Issue{Kind: "intent", Text: name + " is off, so Discord refuses the connection", Mend: "turn it on at " + portal})
	}
	const most = 50
	n := 0
	for _, key := range slices.Sorted(maps.Keys(b.cfg.Guilds)) {
		g := b.cfg.Guilds[key]
		if key != "*" && !snowflake(key) {
			out = append(out, channel.Issue{Kind: "config", Text: fmt.Sprintf("guilds.%s is a name, which the owner of another server can give it too", clean(key)), Mend: "use the server's id: Developer Mode, right click, Copy Server ID"})
		}
		for _, k := range slices.Sorted(maps.Keys(g.Channels)) {
			room := roomKey(k)
			if !snowflake(room) || n == most {
				continue
			}
			n++
			issue, err := b.auditRoom(ctx, room)
			if err != nil {
				return out, err
			}
			if issue.Kind != "" {
				out = append(out, issue)
			}
		}
	}
	return out, nil
}

func (b *bot) auditRoom(ctx context.Context, id string) (channel.Issue, error) {
	var r room
	err := b.api.get(ctx, "/channels/"+id, nil, &r)
	if k := fault.KindOf(err); k == fault.NotFound || k == fault.Forbidden {
		return channel.Issue{Kind: "permissions", Text: "the bot doesn't see channel " + id, Mend: "correct the id, or give the bot View Channel there"}, nil
	}
	if err != nil {
		return channel.Issue{}, err
	}
	may, err := b.permissions(ctx, r)
	if err != nil {
		return channel.Issue{}, err
	}
	var missing []string
	send, name := uint64(maySend), "Send Messages"
	if r.thread() {
		send, name = maySendThread, "Send Messages in Threads"
	}
	for _, p := range []struct {
		bit  uint64
		name string
	}{{mayView, "View Channel"}, {send, name}, {mayReadBack, "Read Message History"}} {
		if may&p.bit == 0 {
			missing = append(missing, p.name)
		}
	}
	if len(missing) == 0 {
		return channel.Issue{}, nil
	}
	return channel.Issue{Kind: "permissions", Text: fmt.Sprintf("in #%s (%s) the bot lacks %s", clean(r.Name), id, strings.Join(missing, ", ")), Mend: "give them to the bot's role in the channel's settings"}, nil
}

// permissions are what the bot may do in a room: what its roles say together,
// then what the room says of everybody, of the roles and of the bot.
func (b *bot) permissions(ctx context.Context, r room) (uint64, error) {
	me, err := b.self(ctx)
	if err != nil {
		return 0, err
	}
	if r.thread() && snowflake(r.ParentID) {
		var p room
		if err := b.api.get(ctx, "/channels/"+r.ParentID, nil, &p); err != nil {
			return 0, err
		}
		r.Overwrites = p.Overwrites
	}
	if !snowflake(r.GuildID) {
		return ^uint64(0), nil
	}
	var g guild
	if err := b.api.get(ctx, "/guilds/"+r.GuildID, nil, &g); err != nil {
		return 0, err
	}
	var m member
	if err := b.api.get(ctx, "/guilds/"+r.GuildID+"/members/"+me.ID, nil, &m); err != nil {
		return 0, err
	}
	if g.OwnerID == me.ID {
		return ^uint64(0), nil
	}
	var may uint64
	for _, x := range g.Roles {
		if x.ID == g.ID || slices.Contains(m.Roles, x.ID) {
			may |= bits(x.Permissions)
		}
	}
	if may&mayAdminister != 0 {
		return ^uint64(0), nil
	}
	var allow, deny uint64
	for _, o := range r.Overwrites {
		switch {
		case o.ID == g.ID:
			may = may&^bits(o.Deny) | bits(o.Allow)
		case o.Type == 0 && slices.Contains(m.Roles, o.ID):
			allow, deny = allow|bits(o.Allow), deny|bits(o.Deny)
		}
	}
	may = may&^deny | allow
	for _, o := range r.Overwrites {
		if o.Type == 1 && o.ID == me.ID {
			may = may&^bits(o.Deny) | bits(o.Allow)
		}
	}
	return may, nil
}

func bits(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
