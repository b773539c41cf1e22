package slack

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// callback is what the Events API delivers, over either way.
type callback struct {
	Type      string          `json:"type"` // url_verification, event_callback, app_rate_limited
	Challenge string          `json:"challenge"`
	TeamID    string          `json:"team_id"`
	AppID     string          `json:"api_app_id"`
	EventID   string          `json:"event_id"`
	Event     json.RawMessage `json:"event"`
}

// errUnread says that a delivery can't be read; asking for it again won't help.
func errUnread(err error) error {
	return fault.Wrap(fault.Invalid, "slack.event", err)
}

// deliver stores what a delivery of kind says: events_api, slash_commands or
// interactive. The answer, which may be nil, is for Slack. An error of kind
// Invalid means that the delivery can't be read; after any other it must come
// again.
func (b *bot) deliver(ctx context.Context, kind string, payload json.RawMessage, recv channel.Receiver) (answer any, err error) {
	switch kind {
	case "events_api":
		var c callback
		if err := json.Unmarshal(payload, &c); err != nil {
			return nil, errUnread(err)
		}
		in, m, ok, err := b.event(ctx, c)
		if err != nil || !ok {
			return nil, err
		}
		if err := b.store(ctx, in, recv); err != nil {
			return nil, err
		}
		if m.TS != "" {
			b.saw(ctx, m.Channel, m.Thread, m.TS)
		}
		return nil, nil
	case "slash_commands":
		return b.slash(ctx, payload, recv)
	case "interactive":
		return nil, b.interaction(ctx, payload, recv)
	}
	return nil, nil
}

// store hands a message on, once.
func (b *bot) store(ctx context.Context, in msg.Inbound, recv channel.Receiver) error {
	key := in.DedupeKey()
	if _, known := b.stored.Get(key); known {
		return nil
	}
	b.log.DebugContext(ctx, "slack.Run", "message", in.ID)
	if err := recv(ctx, in); err != nil {
		return err
	}
	b.stored.Put(key, true)
	return nil
}

// event reads an event; ok is false for what is of no interest. m is the message
// that it brings, if it brings one.
func (b *bot) event(ctx context.Context, c callback) (in msg.Inbound, m message, ok bool, err error) {
	var what struct {
		Type string `json:"type"`
	}
	if len(c.Event) == 0 || json.Unmarshal(c.Event, &what) != nil {
		return in, m, false, errUnread(errNoEvent)
	}
	if !interesting(what.Type) {
		return in, m, false, nil
	}
	var e event
	if json.Unmarshal(c.Event, &e) != nil {
		return in, m, false, errUnread(errNoEvent)
	}
	e.Team = c.TeamID
	me, err := b.self(ctx)
	if err != nil {
		return in, m, false, err
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup) // names are worth that much waiting
	defer cancel()
	switch e.Type {
	case "message", "app_mention":
		switch e.Subtype {
		case "message_changed":
			in, ok = b.edited(look, me, e)
		case "message_deleted":
			in, ok = b.deleted(look, me, e)
		case "", "bot_message", "me_message", "file_share", "thread_broadcast":
			if json.Unmarshal(c.Event, &m) != nil {
				return in, m, false, errUnread(errNoEvent)
			}
			m.Team = c.TeamID
			in, ok = b.inbound(look, me, m)
		}
	case "reaction_added", "reaction_removed":
		in, ok = b.reaction(look, me, e)
	case "member_joined_channel", "member_left_channel":
		in, ok = b.member(look, me, e)
	case "pin_added", "pin_removed":
		in, ok = b.pinned(look, me, e)
	case "channel_rename", "group_rename":
		b.people.rooms.Take(e.room().ID)
	case "channel_id_changed":
		b.log.WarnContext(ctx, "slack channel has a new id: put it under channels.slack.channels", "channel", ID, "old", e.OldID, "new", e.NewID)
	case "user_change":
		b.people.users.Take(e.user())
	}
	return in, m, ok, nil
}

// interesting tells the kinds of events that are read.
func interesting(kind string) bool {
	switch kind {
	case "message", "app_mention", "reaction_added", "reaction_removed", "member_joined_channel", "member_left_channel",
		"pin_added", "pin_removed", "channel_rename", "group_rename", "channel_id_changed", "user_change":
		return true
	}
	return false
}

type constError string

func (e constError) Error() string { return string(e) }

const errNoEvent = constError("no event in it")

// event is what the kinds of events have in common, and what few have.
type event struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	User        json.RawMessage `json:"user"` // an id, or an object
	Channel     json.RawMessage `json:"channel"`
	ChannelID   string          `json:"channel_id"`
	ChannelType string          `json:"channel_type"`
	TS          string          `json:"ts"`
	EventTS     string          `json:"event_ts"`
	DeletedTS   string          `json:"deleted_ts"`
	Reaction    string          `json:"reaction"`
	ItemUser    string          `json:"item_user"`
	Inviter     string          `json:"inviter"`
	OldID       string          `json:"old_channel_id"`
	NewID       string          `json:"new_channel_id"`
	Item        struct {
		Type    string  `json:"type"`
		Channel string  `json:"channel"`
		TS      string  `json:"ts"`
		Message message `json:"message"`
	} `json:"item"`
	Message  *message `json:"message"`
	Previous *message `json:"previous_message"`
	Team     string   `json:"-"`
}

func (e event) user() string {
	var s string
	if json.Unmarshal(e.User, &s) == nil {
		return s
	}
	var o struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(e.User, &o)
	return o.ID
}

func (e event) room() room {
	var s string
	if json.Unmarshal(e.Channel, &s) == nil {
		return room{ID: s}
	}
	var r room
	_ = json.Unmarshal(e.Channel, &r)
	return r
}

// stamp tells the form of a message's id, "1700000000.000100".
func stamp(s string) bool {
	a, b, ok := strings.Cut(s, ".")
	const most = 12
	digits := func(s string) bool {
		return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
	}
	return ok && digits(a) && digits(b)
}
