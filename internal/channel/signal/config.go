package signal

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Config is channels.signal, or one of its accounts merged over it. What the
// path of a message reads (dmPolicy and the like) is named here only so that an
// unknown key is an error.
type Config struct {
	Name         string   `json:"name,omitempty" doc:"Name of the account, for people."`
	Capabilities []string `json:"capabilities,omitempty"`
	Enabled      *bool    `json:"enabled,omitempty"`
	ConfigWrites *bool    `json:"configWrites,omitempty"`

	Account     string `json:"account,omitempty" doc:"The bot's own number, as +15551234567."`
	AccountUUID string `json:"accountUuid,omitempty" doc:"The bot's own id; its own messages are ignored by it."`
	HTTPURL     string `json:"httpUrl,omitempty" doc:"Where a signal-cli daemon listens; nothing is started then."`
	HTTPHost    string `json:"httpHost,omitempty" doc:"Default 127.0.0.1."`
	HTTPPort    int    `json:"httpPort,omitempty" schema:"minimum=1,maximum=65535" doc:"Default 8080."`
	CLIPath     string `json:"cliPath,omitempty" doc:"The signal-cli to start; default: that of PATH."`
	AutoStart   *bool  `json:"autoStart,omitempty" doc:"Start the daemon; default: unless httpUrl is set."`
	StartupMs   int    `json:"startupTimeoutMs,omitempty" schema:"minimum=1000,maximum=120000" doc:"How long a started daemon may take; default 30000."`
	ReceiveMode string `json:"receiveMode,omitempty" schema:"values=on-start|manual"`

	IgnoreAttachments bool `json:"ignoreAttachments,omitempty"`
	IgnoreStories     bool `json:"ignoreStories,omitempty" doc:"Stories are never answered."`
	ReadReceipts      bool `json:"sendReadReceipts,omitempty" doc:"Show people of direct chats that their messages were read."`

	DMPolicy       string           `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom      []any            `json:"allowFrom,omitempty"`
	DefaultTo      string           `json:"defaultTo,omitempty"`
	GroupAllowFrom []any            `json:"groupAllowFrom,omitempty"`
	GroupPolicy    string           `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	Groups         map[string]Group `json:"groups,omitempty"`
	HistoryLimit   *int             `json:"historyLimit,omitempty" schema:"minimum=0"`
	DMHistoryLimit *int             `json:"dmHistoryLimit,omitempty" schema:"minimum=0"`
	DMs            map[string]any   `json:"dms,omitempty"`

	Markdown       map[string]any `json:"markdown,omitempty"`
	TextChunkLimit int            `json:"textChunkLimit,omitempty" schema:"minimum=1" doc:"Default 4000."`
	ChunkMode      string         `json:"chunkMode,omitempty" schema:"values=length|newline"`
	BlockStreaming *bool          `json:"blockStreaming,omitempty"`
	Coalesce       map[string]any `json:"blockStreamingCoalesce,omitempty"`
	MediaMaxMB     float64        `json:"mediaMaxMb,omitempty" doc:"Default 8."`
	ResponsePrefix *string        `json:"responsePrefix,omitempty"`

	ReactionNotifications string   `json:"reactionNotifications,omitempty" schema:"values=off|own|all|allowlist" doc:"Which reactions the agent learns of; default own."`
	ReactionAllowlist     []any    `json:"reactionAllowlist,omitempty"`
	Actions               *Actions `json:"actions,omitempty"`
	ReactionLevel         string   `json:"reactionLevel,omitempty" schema:"values=off|ack|minimal|extensive" doc:"How freely the agent reacts; default minimal."`

	Heartbeat      map[string]any  `json:"heartbeat,omitempty"`
	Accounts       json.RawMessage `json:"accounts,omitempty"`
	DefaultAccount string          `json:"defaultAccount,omitempty"`
}

// Actions is channels.signal.actions.
type Actions struct {
	Reactions *bool `json:"reactions,omitempty"`
}

// Group is one of channels.signal.groups.
type Group struct {
	RequireMention *bool          `json:"requireMention,omitempty"`
	Tools          map[string]any `json:"tools,omitempty"`
	ToolsBySender  map[string]any `json:"toolsBySender,omitempty"`
}

const (
	usualText  = 4000
	usualMedia = 8
	usualPort  = 8080
)

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.signal", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.signal", hint) }
	c.Account = strings.TrimSpace(c.Account)
	if c.Account != "" && number(c.Account) == "" {
		return bad("account is not a number such as +15551234567")
	}
	if c.HTTPURL != "" {
		u, err := url.Parse(strings.TrimRight(strings.TrimSpace(c.HTTPURL), "/"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
			return bad("httpUrl is not an http or https address such as http://127.0.0.1:8080")
		}
		c.HTTPURL = u.String()
	}
	if c.HTTPURL == "" && c.Account == "" && c.HTTPHost == "" && c.HTTPPort == 0 {
		return bad("account is missing: set channels.signal.account to the bot's number, or httpUrl to a signal-cli daemon")
	}
	if c.TextChunkLimit <= 0 {
		c.TextChunkLimit = usualText
	}
	if c.MediaMaxMB <= 0 {
		c.MediaMaxMB = usualMedia
	}
	return c, nil
}

// starts reports whether the daemon is ours to start.
func (c *Config) starts() bool {
	if c.AutoStart != nil {
		return *c.AutoStart
	}
	return c.HTTPURL == ""
}

// base is the address of the daemon.
func (c *Config) base() string {
	if c.HTTPURL != "" {
		return c.HTTPURL
	}
	return "http://" + c.listen()
}

// listen is where a daemon of ours listens.
func (c *Config) listen() string {
	host, port := c.HTTPHost, c.HTTPPort
	if host == "" {
		host = "127.0.0.1"
	}
	if port == 0 {
		port = usualPort
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// reacts reports whether the agent may react.
func (c *Config) reacts() bool {
	if c.Actions != nil && c.Actions.Reactions != nil && !*c.Actions.Reactions {
		return false
	}
	return c.ReactionLevel != "off" && c.ReactionLevel != "ack"
}
