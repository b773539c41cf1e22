package matrix

import (
	"context"
	"slices"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"
)

// invited answers an invitation, as autoJoin says.
func (b *bot) invited(ctx context.Context, r mid.RoomID, invited *mautrix.SyncInvitedRoom) {
	by := mid.UserID("")
	for _, ev := range invited.State.Events {
		if ev.Type.Type == event.StateMember.Type && ev.GetStateKey() == string(b.cli.UserID) {
			by = ev.Sender
		}
	}
	switch b.cfg.AutoJoin {
	case "off":
		return
	case "allowlist":
		ok := slices.ContainsFunc(texts(b.cfg.AutoJoinFrom), func(e string) bool {
			e = bare(e)
			return e == "*" || strings.EqualFold(e, string(by)) || b.means(ctx, e, r)
		})
		if !ok {
			b.log.InfoContext(ctx, "matrix invitation not taken: it isn't on autoJoinAllowlist", "room", r, "by", by)
			return
		}
	}
	if _, err := b.cli.JoinRoomByID(ctx, r); err != nil {
		b.log.WarnContext(ctx, "matrix invitation can't be taken", "room", r, "by", by, "err", err)
		return
	}
	b.log.InfoContext(ctx, "matrix room joined", "room", r, "by", by)
}

// learn takes in what a sync answer says about a room.
func (b *bot) learn(r mid.RoomID, joined *mautrix.SyncJoinedRoom) {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.rooms[r]
	if x == nil {
		return // asked for when it is needed
	}
	if joined.Summary.JoinedMemberCount != nil {
		delete(b.rooms, r)
		return
	}
	for _, ev := range slices.Concat(joined.State.Events, joined.Timeline.Events) {
		if ev.StateKey == nil {
			continue
		}
		switch ev.Type.Type {
		case event.StateRoomName.Type:
			x.name, _ = ev.Content.Raw["name"].(string)
		case event.StateCanonicalAlias.Type:
			x.alias, _ = ev.Content.Raw["alias"].(string)
		case event.StateTopic.Type:
			x.topic, _ = ev.Content.Raw["topic"].(string)
		case event.StateEncryption.Type:
			x.encrypted = true
		case event.StateMember.Type:
			delete(b.rooms, r) // who is there decides what kind of room it is
			return
		}
	}
}

// room is what is known of r, asked for if need be. A room of two is direct.
func (b *bot) room(ctx context.Context, r mid.RoomID, sender mid.UserID) room {
	b.mu.Lock()
	x := b.rooms[r]
	b.mu.Unlock()
	if x != nil {
		return *x
	}
	b.resolveAliases(ctx) // one that was missing may mean this room
	x = &room{}
	var name event.RoomNameEventContent
	if b.cli.StateEvent(ctx, r, event.StateRoomName, "", &name) == nil {
		x.name = name.Name
	}
	var alias event.CanonicalAliasEventContent
	if b.cli.StateEvent(ctx, r, event.StateCanonicalAlias, "", &alias) == nil {
		x.alias = string(alias.Alias)
	}
	var topic event.TopicEventContent
	if b.cli.StateEvent(ctx, r, event.StateTopic, "", &topic) == nil {
		x.topic = topic.Topic
	}
	var enc event.EncryptionEventContent
	if b.cli.StateEvent(ctx, r, event.StateEncryption, "", &enc) == nil && enc.Algorithm != "" {
		x.encrypted = true
	}
	members, err := b.cli.JoinedMembers(ctx, r)
	if err != nil {
		b.log.WarnContext(ctx, "matrix members can't be asked for; the room is taken for a group", "room", r, "err", err)
		return *x
	}
	if _, here := members.Joined[sender]; len(members.Joined) == 2 && here && x.name == "" && x.alias == "" {
		x.direct, x.peer = true, sender
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for u, m := range members.Joined {
		b.names[u] = m.DisplayName
	}
	b.rooms[r] = x
	return *x
}

// display is how a person is called, or the local part of the id.
func (b *bot) display(u mid.UserID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.names[u]; n != "" {
		return n
	}
	return u.Localpart()
}
