package discord

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// What Discord sends, as far as we read it.

type user struct {
	ID            string `json:"id"`
	Username      string `json:"username"`
	Discriminator string `json:"discriminator"`
	GlobalName    string `json:"global_name"`
	Bot           bool   `json:"bot"`
}

func (u user) shown() string { return cmp.Or(u.GlobalName, u.Username) }

// handle is the name that is unique on Discord.
func (u user) handle() string {
	if d := u.Discriminator; d != "" && d != "0" && d != "0000" && u.Username != "" {
		return u.Username + "#" + d
	}
	return u.Username
}

type member struct {
	User  *user    `json:"user"`
	Nick  string   `json:"nick"`
	Roles []string `json:"roles"`

	Joined  string `json:"joined_at"`
	Timeout string `json:"communication_disabled_until"`
}

// room is a channel or a thread.
type room struct {
	ID         string      `json:"id"`
	Type       int         `json:"type"`
	GuildID    string      `json:"guild_id"`
	Name       string      `json:"name"`
	Topic      string      `json:"topic"`
	ParentID   string      `json:"parent_id"`
	OwnerID    string      `json:"owner_id"`
	NSFW       bool        `json:"nsfw"`
	Position   int         `json:"position"`
	Recipients []user      `json:"recipients"`
	Overwrites []overwrite `json:"permission_overwrites"`
}

type overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"` // 0 role, 1 member
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

// Types of rooms.
const (
	typeText     = 0
	typeDM       = 1
	typeVoice    = 2
	typeGroup    = 3
	typeCategory = 4
	typeNews     = 5
	typeThreads  = 10 // to 12
	typeForum    = 15
	typeMedia    = 16
)

func (r room) thread() bool { return r.Type >= typeThreads && r.Type <= typeThreads+2 }
func (r room) forum() bool  { return r.Type == typeForum || r.Type == typeMedia }

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions string `json:"permissions"`
	Managed     bool   `json:"managed"`
	Color       int    `json:"color"`
	Position    int    `json:"position"`
	Tags        struct {
		BotID string `json:"bot_id"`
	} `json:"tags"`
}

type guild struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	OwnerID  string `json:"owner_id"`
	Roles    []role `json:"roles"`
	Channels []room `json:"channels"`
	Threads  []room `json:"threads"`
	Away     bool   `json:"unavailable"`
}

type application struct {
	ID    string `json:"id"`
	Flags int    `json:"flags"`
}

type attachment struct {
	ID          string `json:"id"`
	Name        string `json:"filename"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	URL         string `json:"url"`
}

type emoji struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Animated bool   `json:"animated"`
}

type message struct {
	ID           string       `json:"id"`
	Type         int          `json:"type"`
	ChannelID    string       `json:"channel_id"`
	ChannelType  int          `json:"channel_type"` // of events; 0 is also what isn't said
	GuildID      string       `json:"guild_id"`
	Author       *user        `json:"author"`
	Member       *member      `json:"member"`
	WebhookID    string       `json:"webhook_id"`
	Content      string       `json:"content"`
	Mentions     []mention    `json:"mentions"`
	MentionRoles []string     `json:"mention_roles"`
	Everyone     bool         `json:"mention_everyone"`
	Attachments  []attachment `json:"attachments"`
	Embeds       []embed      `json:"embeds"`
	Stickers     []struct {
		Name string `json:"name"`
	} `json:"sticker_items"`
	Reference *struct {
		Type      int    `json:"type"`
		MessageID string `json:"message_id"`
		ChannelID string `json:"channel_id"`
	} `json:"message_reference"`
	Referenced *message `json:"referenced_message"`
	Snapshots  []struct {
		Message message `json:"message"`
	} `json:"message_snapshots"`
	Poll *struct {
		Question pollText `json:"question"`
		Answers  []struct {
			Media pollText `json:"poll_media"`
		} `json:"answers"`
	} `json:"poll"`
	Nonce     json.RawMessage `json:"nonce"`
	Reactions []struct {
		Emoji emoji `json:"emoji"`
		Count int   `json:"count"`
		Me    bool  `json:"me"`
	} `json:"reactions"`
	Thread *room `json:"thread"`
}

// mention is a user who is mentioned, with what the guild calls them.
type mention struct {
	user
	Member *member `json:"member"`
}

type embed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	URL         string `json:"url"`
}

type pollText struct {
	Text string `json:"text"`
}

// epoch is the first millisecond of Discord's ids.
const epoch = 1420070400000

// when is the time that an id was made at.
func when(id string) time.Time {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return time.Now()
	}
	return time.UnixMilli(int64(n>>22) + epoch)
}

// idAt is the smallest id of a moment.
func idAt(t time.Time) string {
	return strconv.FormatUint(uint64(max(t.UnixMilli()-epoch, 0))<<22, 10)
}

// newer compares ids.
func newer(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// snowflake tells the form of Discord's ids.
func snowflake(s string) bool {
	const most = 20
	return s != "" && len(s) <= most && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}
