package telegram

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Config is what this package reads of an account's [Section], the values of
// the section under its own. The schema has judged the rest, and others read it:
// the path of a message its policies, features what belongs to them.
type Config struct {
	Name      string `json:"name"`      // name of the account, for people
	BotToken  string `json:"botToken"`  // token from @BotFather
	TokenFile string `json:"tokenFile"` // file that holds the token
	APIRoot   string `json:"apiRoot"`   // Bot API server; default https://api.telegram.org
	Proxy     string `json:"proxy"`     // proxy to reach the Bot API through

	ReplyToMode           string           `json:"replyToMode"` // whether answers quote what they answer; default off
	LinkPreview           *bool            `json:"linkPreview"` // show previews of links; default false, as a preview fetches what a model wrote
	TextChunkLimit        int              `json:"textChunkLimit"`
	MediaMaxMB            float64          `json:"mediaMaxMb"`            // largest file to fetch; the Bot API gives at most 20
	Capabilities          json.RawMessage  `json:"capabilities"`          // where there are inline buttons
	ReactionNotifications string           `json:"reactionNotifications"` // of which messages: off, own (the default), all
	Actions               map[string]*bool `json:"actions"`               // what the message tool may do

	CustomCommands []customCommand        `json:"customCommands"` // entries of the menu beside the gateway's
	AllowFrom      []json.RawMessage      `json:"allowFrom"`      // read for the audit
	GroupAllowFrom []json.RawMessage      `json:"groupAllowFrom"`
	Groups         map[string]group       `json:"groups"` // read for the audit, and for agents of topics
	Direct         map[string]directRules `json:"direct"` // for agents of topics
	Network        network                `json:"network"`

	WebhookURL      string `json:"webhookUrl"`      // where Telegram is to call; polling without it
	WebhookSecret   string `json:"webhookSecret"`   // that its calls bear
	WebhookPath     string `json:"webhookPath"`     // default /telegram-webhook
	WebhookHost     string `json:"webhookHost"`     // to listen at; default 127.0.0.1
	WebhookPort     *int   `json:"webhookPort"`     // default 8787; 0 is the gateway's only
	WebhookCertPath string `json:"webhookCertPath"` // certificate of one's own, for Telegram to trust

	TimeoutSeconds int `json:"timeoutSeconds"` // for one call of the Bot API; default 30
}

// network is how the Bot API is reached.
type network struct {
	// DNSResultOrder ipv4first is for hosts whose IPv6 leads nowhere. Families
	// are tried side by side in any case, so autoSelectFamily needs nothing.
	DNSResultOrder string `json:"dnsResultOrder"`
}

const officialRoot = "https://api.telegram.org"

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	if err := json.Unmarshal(raw, &c); err != nil {
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
		u, err := url.Parse(c.Proxy)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
			return bad("proxy is not an http, https or socks5 address, such as socks5://127.0.0.1:1080")
		}
	}
	switch c.ReplyToMode {
	case "", "off", "first", "all":
	default:
		return bad("replyToMode must be off, first or all")
	}
	if _, ok := scopeOf(c.Capabilities); !ok {
		return bad("capabilities.inlineButtons must be off, dm, group, all or allowlist")
	}
	switch c.ReactionNotifications {
	case "", "off", "own", "all":
	default:
		return bad("reactionNotifications must be off, own or all")
	}
	if hint := c.checkHook(); hint != "" {
		return bad(hint)
	}
	if c.TimeoutSeconds <= 0 {
		c.TimeoutSeconds = 30
	}
	return c, nil
}

// checkHook fills in and checks what belongs to the webhook; it returns what is
// wrong with it.
func (c *Config) checkHook() string {
	if c.WebhookURL = strings.TrimSpace(c.WebhookURL); c.WebhookURL == "" {
		return ""
	}
	c.WebhookPath = cmp.Or(strings.TrimSpace(c.WebhookPath), "/telegram-webhook")
	c.WebhookHost = cmp.Or(strings.TrimSpace(c.WebhookHost), "127.0.0.1")
	const most = 256
	u, err := url.Parse(c.WebhookURL)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil:
		return "webhookUrl is not an https address without a user"
	case c.WebhookSecret == "":
		return "webhookUrl needs webhookSecret, or anybody could write as Telegram: openclaw config set channels.telegram.webhookSecret <letters and digits>"
	case len(c.WebhookSecret) > most || strings.ContainsFunc(c.WebhookSecret, oddInToken):
		return "webhookSecret may hold letters, digits, _ and -, 256 at most"
	case !strings.HasPrefix(c.WebhookPath, "/") || strings.ContainsAny(c.WebhookPath, " {}?#%\\"):
		return "webhookPath is not a path such as /telegram-webhook"
	case c.WebhookPort != nil && (*c.WebhookPort < 0 || *c.WebhookPort > 65535):
		return "webhookPort is not a port"
	}
	return ""
}

func oddInToken(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// tokenLike tells what may stand in a path as a token.
func tokenLike(s string) bool {
	id, rest, ok := strings.Cut(s, ":")
	return ok && id != "" && rest != "" && len(s) < 256 && strings.Trim(id, "0123456789") == "" &&
		!strings.ContainsFunc(rest, oddInToken)
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

// allows tells whether actions leave what name stands for to the message tool.
func (b *bot) allows(name string) bool {
	if name == "poll" && !b.allows("sendMessage") {
		return false
	}
	if on := b.cfg.Actions[name]; on != nil {
		return *on
	}
	return name != "sticker"
}
