package slack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Config is channels.slack, or one of its accounts merged over it. What the
// path of a message reads (dmPolicy and the like) is named here only so that an
// unknown key is an error.
type Config struct {
	Name          string `json:"name,omitempty" doc:"Name of the account, for people."`
	Enabled       *bool  `json:"enabled,omitempty"`
	Mode          string `json:"mode,omitempty" schema:"values=socket|http" doc:"How events come: over a WebSocket, or by HTTP; default socket."`
	BotToken      string `json:"botToken,omitempty" doc:"Bot User OAuth Token, xoxb-..."`
	AppToken      string `json:"appToken,omitempty" doc:"App-Level Token with connections:write, xapp-...; for socket mode."`
	UserToken     string `json:"userToken,omitempty" doc:"User OAuth Token, xoxp-...; for reading what the bot can't."`
	UserReadOnly  *bool  `json:"userTokenReadOnly,omitempty" doc:"Default true."`
	SigningSecret string `json:"signingSecret,omitempty" doc:"Signing secret of the app; for HTTP mode."`
	WebhookPath   string `json:"webhookPath,omitempty" doc:"Where Slack calls in HTTP mode; default /slack/events."`
	APIRoot       string `json:"apiRoot,omitempty" doc:"Web API server; default https://slack.com/api."`

	TextChunkLimit    int               `json:"textChunkLimit,omitempty" schema:"minimum=1" doc:"Characters of one message; default 4000."`
	MediaMaxMB        float64           `json:"mediaMaxMb,omitempty" doc:"Largest file to fetch; default 20."`
	NameMatching      bool              `json:"dangerouslyAllowNameMatching,omitempty" doc:"Let names, which people can change, count in allow lists."`
	ReplyToMode       string            `json:"replyToMode,omitempty" schema:"values=off|first|all" doc:"Whether answers open a thread; default off."`
	ReplyToByChatType map[string]string `json:"replyToModeByChatType,omitempty"`
	ReactionNotices   string            `json:"reactionNotifications,omitempty" schema:"values=off|own|all|allowlist" doc:"Which reactions the agent is told of; default own: those to its messages."`
	ReactionAllowlist []any             `json:"reactionAllowlist,omitempty"`
	TypingReaction    string            `json:"typingReaction,omitempty" doc:"Emoji that a message wears while its answer is made."`
	NativeStreaming   *bool             `json:"nativeStreaming,omitempty" doc:"Stream answers in threads with Slack's own way; default true."`
	Slash             Slash             `json:"slashCommand,omitzero"`
	Commands          Commands          `json:"commands,omitzero"`
	DM                DM                `json:"dm,omitzero"`
	Actions           map[string]bool   `json:"actions,omitempty"`
	Markdown          Tables            `json:"markdown,omitzero"`

	Accounts       json.RawMessage `json:"accounts,omitempty"`
	DefaultAccount string          `json:"defaultAccount,omitempty"`
	DMPolicy       string          `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom      []any           `json:"allowFrom,omitempty"`
	DefaultTo      string          `json:"defaultTo,omitempty"`
	GroupPolicy    string          `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	Channels       map[string]Room `json:"channels,omitempty"`
	RequireMention *bool           `json:"requireMention,omitempty"`
	AllowBots      any             `json:"allowBots,omitempty"`
	HistoryLimit   *int            `json:"historyLimit,omitempty" schema:"minimum=0"`
	DMHistoryLimit *int            `json:"dmHistoryLimit,omitempty" schema:"minimum=0"`
	DMs            map[string]any  `json:"dms,omitempty"`
	Thread         Thread          `json:"thread,omitzero"`
	ResponsePrefix *string         `json:"responsePrefix,omitempty"`
	AckReaction    *string         `json:"ackReaction,omitempty"`
	Capabilities   any             `json:"capabilities,omitempty"`
	ConfigWrites   *bool           `json:"configWrites,omitempty"`
	ChunkMode      string          `json:"chunkMode,omitempty" schema:"values=length|newline"`
	Streaming      any             `json:"streaming,omitempty"`
	StreamMode     string          `json:"streamMode,omitempty" schema:"values=replace|status_final|append"`
	BlockStreaming *bool           `json:"blockStreaming,omitempty"`
	Coalesce       map[string]any  `json:"blockStreamingCoalesce,omitempty"`
	Heartbeat      map[string]any  `json:"heartbeat,omitempty"`
}

// Slash is channels.slack.slashCommand: the one command of an app that has no
// menu of its own.
type Slash struct {
	Enabled   bool   `json:"enabled,omitempty"`
	Name      string `json:"name,omitempty" doc:"Default openclaw."`
	Prefix    string `json:"sessionPrefix,omitempty"`
	Ephemeral *bool  `json:"ephemeral,omitempty" doc:"Show the answer to the asker only; default true."`
}

// Commands is channels.slack.commands.
type Commands struct {
	Native any `json:"native,omitempty" doc:"Take each command as a slash command of its own: true, false or auto (false)."`
	Skills any `json:"nativeSkills,omitempty"`
}

// DM is channels.slack.dm.
type DM struct {
	Enabled       *bool  `json:"enabled,omitempty" doc:"Take direct messages; default true."`
	Policy        string `json:"policy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom     []any  `json:"allowFrom,omitempty"`
	GroupEnabled  bool   `json:"groupEnabled,omitempty" doc:"Take messages of group conversations; default false."`
	GroupChannels []any  `json:"groupChannels,omitempty" doc:"Those taken; empty is all."`
	ReplyToMode   string `json:"replyToMode,omitempty" schema:"values=off|first|all"`
}

// Tables is channels.slack.markdown.
type Tables struct {
	Tables string `json:"tables,omitempty" schema:"values=off|bullets|code" doc:"How tables are shown; default code."`
}

// Room is one entry of channels.slack.channels.
type Room struct {
	Enabled        *bool                          `json:"enabled,omitempty"`
	Allow          *bool                          `json:"allow,omitempty"`
	RequireMention *bool                          `json:"requireMention,omitempty"`
	Tools          *settings.ToolPolicy           `json:"tools,omitempty"`
	ToolsBySender  map[string]settings.ToolPolicy `json:"toolsBySender,omitempty"`
	AllowBots      any                            `json:"allowBots,omitempty"`
	Users          []any                          `json:"users,omitempty"`
	Skills         []string                       `json:"skills,omitempty"`
	SystemPrompt   string                         `json:"systemPrompt,omitempty"`
}

const (
	officialRoot = "https://slack.com/api"
	usualPath    = "/slack/events"
)

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.slack", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.slack", hint) }
	for _, s := range []*string{&c.BotToken, &c.AppToken, &c.UserToken, &c.SigningSecret} {
		*s = strings.TrimSpace(*s)
	}
	c.Mode = cmp.Or(c.Mode, "socket")
	switch {
	case c.BotToken == "":
		return bad("botToken is missing: copy the Bot User OAuth Token (xoxb-...) from OAuth & Permissions of the app, then openclaw config set channels.slack.botToken <token>")
	case !tokenLike(c.BotToken, "xoxb-"):
		return bad("botToken is not of the form xoxb-...; copy the Bot User OAuth Token again")
	case c.UserToken != "" && !tokenLike(c.UserToken, "xoxp-"):
		return bad("userToken is not of the form xoxp-...; copy the User OAuth Token again")
	}
	switch c.Mode {
	case "socket":
		if c.AppToken == "" {
			return bad("appToken is missing: make an App-Level Token (xapp-...) with connections:write under Basic Information of the app, then openclaw config set channels.slack.appToken <token>")
		}
		if !tokenLike(c.AppToken, "xapp-") {
			return bad("appToken is not of the form xapp-...; copy the App-Level Token again")
		}
	case "http":
		if c.SigningSecret == "" {
			return bad(`mode "http" needs signingSecret: copy the Signing Secret from Basic Information of the app`)
		}
		c.WebhookPath = cmp.Or(strings.TrimSpace(c.WebhookPath), usualPath)
		if !strings.HasPrefix(c.WebhookPath, "/") || strings.ContainsAny(c.WebhookPath, " {}?#%\\") {
			return bad("webhookPath must be a path, such as " + usualPath)
		}
	default:
		return bad("mode must be socket or http")
	}
	c.APIRoot = strings.TrimRight(cmp.Or(strings.TrimSpace(c.APIRoot), officialRoot), "/")
	if u, err := url.Parse(c.APIRoot); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return bad("apiRoot is not an http or https address without a user")
	}
	return c, nil
}

// tokenLike tells what may stand in a header as a token.
func tokenLike(s, prefix string) bool {
	const most = 512
	return len(s) <= most && len(s) > len(prefix) && strings.HasPrefix(s, prefix) && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (c *Config) tables() string { return cmp.Or(c.Markdown.Tables, "code") }

// replyMode says whether an answer opens a thread where chat is direct, group
// or channel.
func (c *Config) replyMode(chat string) string {
	if m := c.ReplyToByChatType[chat]; m != "" {
		return m
	}
	if chat == "direct" && c.DM.ReplyToMode != "" && c.ReplyToMode == "" {
		return c.DM.ReplyToMode
	}
	return cmp.Or(c.ReplyToMode, "off")
}

// on reads a switch that is on unless it is said to be off.
func on(p *bool) bool {
	if p == nil {
		return true
	}
	return *p
}
