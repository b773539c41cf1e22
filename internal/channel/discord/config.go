package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Config is what this package reads of an account's section, which is
// [Account], the values of channels.discord under its own. The schema has judged
// the rest, and others read it: the path of a message its policies, features
// what belongs to them.
type Config struct {
	Token   string `json:"token"`   // bot token, from Bot in the Developer Portal
	APIRoot string `json:"apiRoot"` // server of the REST API, which also names the gateway; default https://discord.com/api
	Proxy   string `json:"proxy"`   // proxy to reach Discord through

	Intents         Intents          `json:"intents"`
	Activity        string           `json:"activity"` // what the bot is shown to do
	Status          string           `json:"status"`
	ActivityType    *int             `json:"activityType"` // 0 playing, 1 streaming, 2 listening, 3 watching, 4 custom (default), 5 competing
	ActivityURL     string           `json:"activityUrl"`  // address of a stream, for type 1
	TextLimit       int              `json:"textChunkLimit"`
	MaxLines        int              `json:"maxLinesPerMessage"` // default 17
	MediaMaxMB      float64          `json:"mediaMaxMb"`         // largest file to fetch or send; default 8
	Markdown        Tables           `json:"markdown"`
	Actions         map[string]bool  `json:"actions"` // what the agent may do beyond talking
	SlashCommand    Slash            `json:"slashCommand"`
	AgentComponents Toggle           `json:"agentComponents"` // buttons, menus and forms of agents
	DM              DM               `json:"dm"`
	Guilds          map[string]Guild `json:"guilds"`
	NameMatching    bool             `json:"dangerouslyAllowNameMatching"`
	GroupPolicy     string           `json:"groupPolicy"`
}

// Intents is channels.discord.intents: what Discord tells only bots that asked
// for it in the Developer Portal.
type Intents struct {
	Presence     bool `json:"presence"`
	GuildMembers bool `json:"guildMembers"`
}

// Toggle turns something off; default on.
type Toggle struct {
	Enabled *bool `json:"enabled"`
}

// Slash is channels.discord.slashCommand.
type Slash struct {
	Ephemeral *bool `json:"ephemeral"` // show the answer to the asker only; default true
}

// Tables is channels.discord.markdown.
type Tables struct {
	Tables string `json:"tables"` // how tables are shown; default code
}

// DM is channels.discord.dm.
type DM struct {
	Enabled       *bool `json:"enabled"`       // take direct messages; default true
	GroupEnabled  bool  `json:"groupEnabled"`  // take messages of group conversations; default false
	GroupChannels []any `json:"groupChannels"` // those taken; empty is all
}

// Guild is one entry of channels.discord.guilds, which a guild's id names, its
// slug, or a star.
type Guild struct {
	Slug            string          `json:"slug"`
	RequireMention  *bool           `json:"requireMention"`
	IgnoreOthers    *bool           `json:"ignoreOtherMentions"`   // pass over messages that mention somebody else and not the bot
	ReactionNotices string          `json:"reactionNotifications"` // off, own (default), all, allowlist
	Users           []any           `json:"users"`
	Roles           []any           `json:"roles"`
	Channels        map[string]Room `json:"channels"`

	Tools         *settings.ToolPolicy           `json:"tools"`
	ToolsBySender map[string]settings.ToolPolicy `json:"toolsBySender"`
}

// Room is one entry of the channels of a guild.
type Room struct {
	Allow          *bool    `json:"allow"`
	Enabled        *bool    `json:"enabled"`
	RequireMention *bool    `json:"requireMention"`
	IgnoreOthers   *bool    `json:"ignoreOtherMentions"`
	Skills         []string `json:"skills"`
	Users          []any    `json:"users"`
	Roles          []any    `json:"roles"`
	SystemPrompt   string   `json:"systemPrompt"`
	ThreadStarter  *bool    `json:"includeThreadStarter"`
	AutoThread     *bool    `json:"autoThread"`          // answer each mention in a thread of its own
	AutoArchive    any      `json:"autoArchiveDuration"` // minutes until such a thread is archived

	Tools         *settings.ToolPolicy           `json:"tools"`
	ToolsBySender map[string]settings.ToolPolicy `json:"toolsBySender"`
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
