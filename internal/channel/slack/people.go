package slack

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/recent"
)

// people knows the names of persons and conversations, asked for once an hour.
type people struct {
	api   *api
	users recent.Map[user]
	rooms recent.Map[room]
}

const namesFor = time.Hour

// user is a member of the workspace.
type user struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	RealName string `json:"real_name"`
	Deleted  bool   `json:"deleted"`
	IsBot    bool   `json:"is_bot"`
	TeamID   string `json:"team_id"`
	TZ       string `json:"tz"`
	Profile  struct {
		DisplayName string `json:"display_name"`
		RealName    string `json:"real_name"`
		Title       string `json:"title"`
		StatusText  string `json:"status_text"`
		Email       string `json:"email"`
	} `json:"profile"`
}

func (u user) shown() string {
	return cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name)
}

// room is a conversation.
type room struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	User     string  `json:"user"` // of a direct one
	IsIM     bool    `json:"is_im"`
	IsMPIM   bool    `json:"is_mpim"`
	Private  bool    `json:"is_private"`
	Archived bool    `json:"is_archived"`
	Member   bool    `json:"is_member"`
	Members  int     `json:"num_members"`
	Topic    purpose `json:"topic"`
	Purpose  purpose `json:"purpose"`
}

type purpose struct {
	Value string `json:"value"`
}

// kind is what channel_type says of a conversation.
func (r room) kind() string {
	switch {
	case r.IsIM:
		return "im"
	case r.IsMPIM:
		return "mpim"
	}
	return "channel"
}

// user returns who id is; when Slack doesn't say, only the id is known.
func (p *people) user(ctx context.Context, id string) user {
	if u, ok := p.users.Younger(id, namesFor); ok {
		return u
	}
	u := user{ID: id}
	if !idLike(id) {
		return u
	}
	var ans struct {
		User user `json:"user"`
	}
	err := p.api.call(ctx, "users.info", params{"user": id}, &ans)
	if err == nil {
		ans.User.ID = id
		u = ans.User
	}
	if err == nil || refused(err, "user_not_found", "missing_scope", "user_not_visible") {
		p.users.Put(id, u)
	}
	return u
}

// room returns what id is; ok is false when Slack doesn't say.
func (p *people) room(ctx context.Context, id string) (room, bool) {
	if r, ok := p.rooms.Younger(id, namesFor); ok {
		return r, r.ID != ""
	}
	if !idLike(id) {
		return room{}, false
	}
	var ans struct {
		Channel room `json:"channel"`
	}
	err := p.api.call(ctx, "conversations.info", params{"channel": id}, &ans)
	if err == nil && ans.Channel.ID != "" {
		p.rooms.Put(id, ans.Channel)
		return ans.Channel, true
	}
	if refused(err, "channel_not_found", "missing_scope") {
		p.rooms.Put(id, room{})
	}
	return room{}, false
}

// roomKind is what channel_type says, or ought to say.
func (b *bot) roomKind(ctx context.Context, said, id string) string {
	if strings.HasPrefix(id, "D") {
		return "im"
	}
	switch said {
	case "im", "mpim", "channel", "group":
		return said
	}
	if r, ok := b.people.room(ctx, id); ok {
		return r.kind()
	}
	return "channel"
}
