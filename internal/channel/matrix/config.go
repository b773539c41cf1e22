package matrix

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Config is channels.matrix, or one of its accounts merged over it. What the
// path of a message reads (dmPolicy and the like) is named here only so that an
// unknown key is an error.
type Config struct {
	Name       string  `json:"name,omitempty" doc:"Name of the account, for people."`
	Enabled    *bool   `json:"enabled,omitempty"`
	Homeserver string  `json:"homeserver,omitempty" doc:"Address of the homeserver, as https://matrix.example.org."`
	UserID     string  `json:"userId,omitempty" doc:"The bot's full id; with accessToken it is asked for."`
	Token      string  `json:"accessToken,omitempty"`
	Password   string  `json:"password,omitempty" doc:"Logs in once; the token is kept."`
	DeviceName string  `json:"deviceName,omitempty" doc:"Default OpenClaw."`
	SyncLimit  float64 `json:"initialSyncLimit,omitempty"`
	Encryption bool    `json:"encryption,omitempty" doc:"Read and write encrypted rooms."`

	AllowlistOnly  bool            `json:"allowlistOnly,omitempty"`
	DMPolicy       string          `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom      []any           `json:"allowFrom,omitempty"`
	DM             DM              `json:"dm,omitzero"`
	GroupPolicy    string          `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	GroupAllowFrom []any           `json:"groupAllowFrom,omitempty"`
	Groups         map[string]Room `json:"groups,omitempty"`
	Rooms          map[string]Room `json:"rooms,omitempty" doc:"An older name of groups."`
	AutoJoin       string          `json:"autoJoin,omitempty" schema:"values=always|allowlist|off" doc:"Which invitations are taken; default always."`
	AutoJoinFrom   []any           `json:"autoJoinAllowlist,omitempty"`

	ReplyToMode    string         `json:"replyToMode,omitempty" schema:"values=off|first|all"`
	ThreadReplies  string         `json:"threadReplies,omitempty" schema:"values=off|inbound|always" doc:"Whether answers stand in threads; default inbound."`
	Markdown       map[string]any `json:"markdown,omitempty"`
	TextChunkLimit float64        `json:"textChunkLimit,omitempty"`
	ChunkMode      string         `json:"chunkMode,omitempty" schema:"values=length|newline"`
	ResponsePrefix *string        `json:"responsePrefix,omitempty"`
	MediaMaxMB     float64        `json:"mediaMaxMb,omitempty" doc:"Default 20."`
	Actions        *Actions       `json:"actions,omitempty"`

	DefaultAccount string          `json:"defaultAccount,omitempty"`
	Accounts       json.RawMessage `json:"accounts,omitempty"`
}

// DM is channels.matrix.dm.
type DM struct {
	Enabled   *bool  `json:"enabled,omitempty"`
	Policy    string `json:"policy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom []any  `json:"allowFrom,omitempty"`
}

// Room is one of channels.matrix.groups.
type Room struct {
	Enabled        *bool                `json:"enabled,omitempty"`
	Allow          *bool                `json:"allow,omitempty"`
	RequireMention *bool                `json:"requireMention,omitempty"`
	Tools          *settings.ToolPolicy `json:"tools,omitempty"`
	AutoReply      *bool                `json:"autoReply,omitempty"`
	Users          []any                `json:"users,omitempty"`
	Skills         []string             `json:"skills,omitempty"`
	SystemPrompt   string               `json:"systemPrompt,omitempty"`
}

// Actions is channels.matrix.actions: what the message tool may do.
type Actions struct {
	Reactions   *bool `json:"reactions,omitempty"`
	Messages    *bool `json:"messages,omitempty"`
	Pins        *bool `json:"pins,omitempty"`
	MemberInfo  *bool `json:"memberInfo,omitempty"`
	ChannelInfo *bool `json:"channelInfo,omitempty"`
}

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.matrix", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.matrix", hint) }
	c.Homeserver = strings.TrimRight(strings.TrimSpace(c.Homeserver), "/")
	u, err := url.Parse(c.Homeserver)
	switch {
	case c.Homeserver == "":
		return bad("homeserver is missing: set it to an address such as https://matrix.example.org")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return bad("homeserver is not an http or https address without a user")
	case c.Token == "" && (c.Password == "" || c.UserID == ""):
		return bad("accessToken is missing; set it, or userId and password")
	case c.UserID != "" && userID(c.UserID) == "":
		return bad("userId is not a full id such as @bot:example.org")
	}
	if c.TextChunkLimit < 1 {
		c.TextChunkLimit = 4000
	}
	if c.MediaMaxMB <= 0 {
		c.MediaMaxMB = 20
	}
	if c.DeviceName == "" {
		c.DeviceName = "OpenClaw"
	}
	return c, nil
}
