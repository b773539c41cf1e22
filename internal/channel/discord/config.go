package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Config is channels.discord, or one of its accounts merged over it. What the
// path of a message reads (dmPolicy and the like), and what belongs to features
// that act on any channel, is named here only so that an unknown key is an
// error.
type Config struct {
	Name    string `json:"name,omitempty" doc:"Name of the account, for people."`
	Enabled *bool  `json:"enabled,omitempty"`
	Token   string `json:"token,omitempty" doc:"Bot token, from Bot in the Developer Portal."`
	APIRoot string `json:"apiRoot,omitempty" doc:"Server of the REST API, which also names the gateway; default https://discord.com/api."`
	Proxy   string `json:"proxy,omitempty" doc:"Proxy to reach Discord through."`

	Intents      Intents          `json:"intents,omitzero"`
	Activity     string           `json:"activity,omitempty" doc:"What the bot is shown to do."`
	Status       string           `json:"status,omitempty" schema:"values=online|dnd|idle|invisible"`
	ActivityType *int             `json:"activityType,omitempty" schema:"minimum=0,maximum=5" doc:"0 playing, 1 streaming, 2 listening, 3 watching, 4 custom (default), 5 competing."`
	ActivityURL  string           `json:"activityUrl,omitempty" doc:"Address of a stream, for type 1."`
	TextLimit    int              `json:"textChunkLimit,omitempty" schema:"minimum=1" doc:"Units in one message; default and most 2000."`
	MaxLines     int              `json:"maxLinesPerMessage,omitempty" schema:"minimum=1" doc:"Default 17."`
	MediaMaxMB   float64          `json:"mediaMaxMb,omitempty" doc:"Largest file to fetch or send; default 8."`
	Markdown     Tables           `json:"markdown,omitzero"`
	Actions      map[string]bool  `json:"actions,omitempty" doc:"What the agent may do beyond talking; roles, moderation and presence are off unless set."`
	SlashCommand Slash            `json:"slashCommand,omitzero"`
	DM           DM               `json:"dm,omitzero"`
	Guilds       map[string]Guild `json:"guilds,omitempty"`
	NameMatching bool             `json:"dangerouslyAllowNameMatching,omitempty" doc:"Match names in allow lists, which others can take."`
	AllowBots    any              `json:"allowBots,omitempty" doc:"Hear other bots: true, false, or mentions."`
	ReplyToMode  string           `json:"replyToMode,omitempty" schema:"values=off|first|all" doc:"Whether answers quote what they answer; default off."`

	Accounts         json.RawMessage `json:"accounts,omitempty"`
	DefaultAccount   string          `json:"defaultAccount,omitempty"`
	DMPolicy         string          `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom        []any           `json:"allowFrom,omitempty"`
	DefaultTo        string          `json:"defaultTo,omitempty"`
	GroupPolicy      string          `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	HistoryLimit     *int            `json:"historyLimit,omitempty" schema:"minimum=0"`
	DMHistoryLimit   *int            `json:"dmHistoryLimit,omitempty" schema:"minimum=0"`
	DMs              map[string]any  `json:"dms,omitempty"`
	Commands         map[string]any  `json:"commands,omitempty"`
	Capabilities     any             `json:"capabilities,omitempty"`
	ConfigWrites     *bool           `json:"configWrites,omitempty"`
	ChunkMode        string          `json:"chunkMode,omitempty" schema:"values=length|newline"`
	Streaming        any             `json:"streaming,omitempty"`
	StreamMode       string          `json:"streamMode,omitempty" schema:"values=partial|block|off"`
	BlockStreaming   *bool           `json:"blockStreaming,omitempty"`
	Coalesce         map[string]any  `json:"blockStreamingCoalesce,omitempty"`
	DraftChunk       map[string]any  `json:"draftChunk,omitempty"`
	Retry            map[string]any  `json:"retry,omitempty"`
	Heartbeat        map[string]any  `json:"heartbeat,omitempty"`
	ExecApprovals    map[string]any  `json:"execApprovals,omitempty"`
	AgentComponents  map[string]any  `json:"agentComponents,omitempty"`
	UI               map[string]any  `json:"ui,omitempty"`
	ThreadBindings   map[string]any  `json:"threadBindings,omitempty"`
	Voice            map[string]any  `json:"voice,omitempty"`
	PluralKit        map[string]any  `json:"pluralkit,omitempty"`
	ResponsePrefix   *string         `json:"responsePrefix,omitempty"`
	AckReaction      *string         `json:"ackReaction,omitempty"`
	AckReactionScope string          `json:"ackReactionScope,omitempty" schema:"values=group-mentions|group-all|direct|all|off|none"`
	AutoPresence     map[string]any  `json:"autoPresence,omitempty"`
	InboundWorker    map[string]any  `json:"inboundWorker,omitempty"`
	EventQueue       map[string]any  `json:"eventQueue,omitempty"`
}

// Intents is channels.discord.intents: what Discord tells only bots that asked
// for it in the Developer Portal.
type Intents struct {
	Presence     bool `json:"presence,omitempty"`
	GuildMembers bool `json:"guildMembers,omitempty"`
}

// Slash is channels.discord.slashCommand.
type Slash struct {
	Ephemeral *bool `json:"ephemeral,omitempty" doc:"Show the answer to the asker only; default true."`
}

// Tables is channels.discord.markdown.
type Tables struct {
	Tables string `json:"tables,omitempty" schema:"values=off|bullets|code" doc:"How tables are shown; default code."`
}

// DM is channels.discord.dm.
type DM struct {
	Enabled       *bool  `json:"enabled,omitempty" doc:"Take direct messages; default true."`
	Policy        string `json:"policy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom     []any  `json:"allowFrom,omitempty"`
	GroupEnabled  bool   `json:"groupEnabled,omitempty" doc:"Take messages of group conversations; default false."`
	GroupChannels []any  `json:"groupChannels,omitempty" doc:"Those taken; empty is all."`
}

// Guild is one entry of channels.discord.guilds, which a guild's id names, its
// slug, or a star.
type Guild struct {
	Slug            string          `json:"slug,omitempty"`
	RequireMention  *bool           `json:"requireMention,omitempty"`
	IgnoreOthers    *bool           `json:"ignoreOtherMentions,omitempty" doc:"Pass over messages that mention somebody else and not the bot."`
	Tools           map[string]any  `json:"tools,omitempty"`
	ToolsBySender   map[string]any  `json:"toolsBySender,omitempty"`
	ReactionNotices string          `json:"reactionNotifications,omitempty" schema:"values=off|own|all|allowlist" doc:"Which reactions the agent hears of; default own."`
	Users           []any           `json:"users,omitempty"`
	Roles           []any           `json:"roles,omitempty"`
	Channels        map[string]Room `json:"channels,omitempty"`
}

// Room is one entry of the channels of a guild.
type Room struct {
	Allow          *bool          `json:"allow,omitempty"`
	Enabled        *bool          `json:"enabled,omitempty"`
	RequireMention *bool          `json:"requireMention,omitempty"`
	IgnoreOthers   *bool          `json:"ignoreOtherMentions,omitempty"`
	Tools          map[string]any `json:"tools,omitempty"`
	ToolsBySender  map[string]any `json:"toolsBySender,omitempty"`
	Skills         []string       `json:"skills,omitempty"`
	Users          []any          `json:"users,omitempty"`
	Roles          []any          `json:"roles,omitempty"`
	SystemPrompt   string         `json:"systemPrompt,omitempty"`
	ThreadStarter  *bool          `json:"includeThreadStarter,omitempty"`
	AutoThread     *bool          `json:"autoThread,omitempty" doc:"Answer each mention in a thread of its own."`
	AutoArchive    any            `json:"autoArchiveDuration,omitempty" doc:"Minutes until such a thread is archived: 60, 1440, 4320 or 10080."`
}

const (
	officialRoot = "https://discord.com/api"
	version      = "10" // of the API and the gateway
)

// decode reads and checks raw. Ids that are written as numbers keep their
// digits.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.discord", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.discord", hint) }
	c.Token = strings.TrimSpace(c.Token)
	if rest, ok := strings.CutPrefix(c.Token, "Bot "); ok {
		c.Token = strings.TrimSpace(rest)
	}
	switch {
	case c.Token == "":
		return bad("token is missing: copy it from Bot in the Developer Portal, then openclaw channels add --channel discord --token <token>")
	case !tokenLike(c.Token):
		return bad("token is not of the form that Discord makes; copy it from Bot in the Developer Portal again")
	}
	c.APIRoot = strings.TrimRight(cmp.Or(strings.TrimSpace(c.APIRoot), officialRoot), "/")
	c.APIRoot = strings.TrimSuffix(c.APIRoot, "/v"+version)
	if u, err := url.Parse(c.APIRoot); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return bad("apiRoot is not an http or https address without a user")
	}
	if c.Proxy != "" {
		if u, err := url.Parse(c.Proxy); err != nil || u.Host == "" {
			return bad("proxy is not an address, such as http://127.0.0.1:3128")
		}
	}
	switch c.Status {
	case "", "online", "dnd", "idle", "invisible":
	default:
		return bad("status must be online, dnd, idle or invisible")
	}
	return c, nil
}

// tokenLike tells what may stand in a header as a token.
func tokenLike(s string) bool {
	const most = 512
	return len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func yes(p *bool, otherwise bool) bool {
	if p == nil {
		return otherwise
	}
	return *p
}

func first(ps ...*bool) *bool {
	for _, p := range ps {
		if p != nil {
			return p
		}
	}
	return nil
}
