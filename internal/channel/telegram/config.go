package telegram

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Config is channels.telegram, or one of its accounts merged over it. What the
// path of a message reads (dmPolicy and the like), and what belongs to
// features that act on any channel, is named here only so that an unknown key
// is an error.
type Config struct {
	Name      string `json:"name,omitempty" doc:"Name of the account, for people."`
	Enabled   *bool  `json:"enabled,omitempty"`
	BotToken  string `json:"botToken,omitempty" doc:"Token from @BotFather."`
	TokenFile string `json:"tokenFile,omitempty" doc:"File that holds the token."`
	APIRoot   string `json:"apiRoot,omitempty" doc:"Bot API server; default https://api.telegram.org."`
	Proxy     string `json:"proxy,omitempty" doc:"Proxy to reach the Bot API through."`

	ReplyToMode    string  `json:"replyToMode,omitempty" schema:"values=off|first|all" doc:"Whether answers quote what they answer; default off."`
	LinkPreview    *bool   `json:"linkPreview,omitempty" doc:"Show previews of links; default false, as a preview fetches what a model wrote."`
	TextChunkLimit int     `json:"textChunkLimit,omitempty" schema:"minimum=1"`
	MediaMaxMB     float64 `json:"mediaMaxMb,omitempty" doc:"Largest file to fetch; the Bot API gives at most 20."`
	TimeoutSeconds int     `json:"timeoutSeconds,omitempty" schema:"minimum=1" doc:"For one call of the Bot API; default 30."`

	Accounts        json.RawMessage `json:"accounts,omitempty"`
	DefaultAccount  string          `json:"defaultAccount,omitempty"`
	DMPolicy        string          `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom       []any           `json:"allowFrom,omitempty"`
	GroupPolicy     string          `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	GroupAllowFrom  []any           `json:"groupAllowFrom,omitempty"`
	Groups          map[string]any  `json:"groups,omitempty"`
	Direct          map[string]any  `json:"direct,omitempty"`
	DMs             map[string]any  `json:"dms,omitempty"`
	DefaultTo       any             `json:"defaultTo,omitempty"`
	HistoryLimit    *int            `json:"historyLimit,omitempty" schema:"minimum=0"`
	DMHistoryLimit  *int            `json:"dmHistoryLimit,omitempty" schema:"minimum=0"`
	ResponsePrefix  *string         `json:"responsePrefix,omitempty"`
	AckReaction     *string         `json:"ackReaction,omitempty"`
	Capabilities    any             `json:"capabilities,omitempty"`
	ExecApprovals   map[string]any  `json:"execApprovals,omitempty"`
	Markdown        map[string]any  `json:"markdown,omitempty"`
	Commands        map[string]any  `json:"commands,omitempty"`
	CustomCommands  []any           `json:"customCommands,omitempty"`
	ConfigWrites    *bool           `json:"configWrites,omitempty"`
	ChunkMode       string          `json:"chunkMode,omitempty" schema:"values=length|newline"`
	Streaming       any             `json:"streaming,omitempty"`
	StreamMode      string          `json:"streamMode,omitempty" schema:"values=off|partial|block"`
	BlockStreaming  *bool           `json:"blockStreaming,omitempty"`
	Coalesce        map[string]any  `json:"blockStreamingCoalesce,omitempty"`
	DraftChunk      map[string]any  `json:"draftChunk,omitempty"`
	Retry           map[string]any  `json:"retry,omitempty"`
	Network         map[string]any  `json:"network,omitempty"`
	WebhookURL      string          `json:"webhookUrl,omitempty"`
	WebhookSecret   any             `json:"webhookSecret,omitempty"`
	WebhookPath     string          `json:"webhookPath,omitempty"`
	WebhookHost     string          `json:"webhookHost,omitempty"`
	WebhookPort     *int            `json:"webhookPort,omitempty"`
	WebhookCertPath string          `json:"webhookCertPath,omitempty"`
	Actions         map[string]any  `json:"actions,omitempty"`
	ThreadBindings  map[string]any  `json:"threadBindings,omitempty"`
	ReactionNotices string          `json:"reactionNotifications,omitempty" schema:"values=off|own|all"`
	ReactionLevel   string          `json:"reactionLevel,omitempty" schema:"values=off|ack|minimal|extensive"`
	Heartbeat       map[string]any  `json:"heartbeat,omitempty"`
}

const officialRoot = "https://api.telegram.org"

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.telegram", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.telegram", hint) }
	c.BotToken = strings.TrimSpace(c.BotToken)
	if c.BotToken == "" && c.TokenFile == "" {
		return bad("botToken is missing: openclaw channels add --channel telegram --token <token from @BotFather>")
	}
	if c.BotToken != "" && !tokenLike(c.BotToken) {
		return bad("botToken is not of the form 123456:letters; copy it from @BotFather again")
	}
	c.APIRoot = strings.TrimRight(cmp.Or(strings.TrimSpace(c.APIRoot), officialRoot), "/")
	if u, err := url.Parse(c.APIRoot); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return bad("apiRoot is not an http or https address without a user")
	}
	if c.Proxy != "" {
		if u, err := url.Parse(c.Proxy); err != nil || u.Host == "" {
			return bad("proxy is not an address, such as socks5://127.0.0.1:1080")
		}
	}
	switch c.ReplyToMode {
	case "", "off", "first", "all":
	default:
		return bad("replyToMode must be off, first or all")
	}
	if c.TimeoutSeconds <= 0 {
		c.TimeoutSeconds = 30
	}
	return c, nil
}

// tokenLike tells what may stand in a path as a token.
func tokenLike(s string) bool {
	id, rest, ok := strings.Cut(s, ":")
	return ok && id != "" && rest != "" && len(s) < 256 && strings.Trim(id, "0123456789") == "" &&
		!strings.ContainsFunc(rest, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
		})
}

// token is the configured token or that of the file.
func (c *Config) token() (string, error) {
	if c.BotToken != "" {
		return c.BotToken, nil
	}
	const op = "channels.telegram.tokenFile"
	t, err := channel.ReadSecret(op, c.TokenFile)
	if err != nil {
		return "", err
	}
	if !tokenLike(t) {
		return "", fault.New(fault.Invalid, op, c.TokenFile+" holds no token of the form 123456:letters")
	}
	return t, nil
}
