package irc

import (
	"bytes"
	"encoding/json"
	"net"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Config is channels.irc, or one of its accounts merged over it. What the path
// of a message reads (dmPolicy and the like) is named here only so that an
// unknown key is an error.
type Config struct {
	Name     string   `json:"name,omitempty" doc:"Name of the account, for people."`
	Enabled  *bool    `json:"enabled,omitempty"`
	Host     string   `json:"host,omitempty" doc:"Server to connect to."`
	Port     int      `json:"port,omitempty" schema:"minimum=1,maximum=65535" doc:"Default 6697 with TLS, 6667 without."`
	TLS      *bool    `json:"tls,omitempty" doc:"Default true."`
	Nick     string   `json:"nick,omitempty"`
	Username string   `json:"username,omitempty" doc:"Default: the nick."`
	Realname string   `json:"realname,omitempty" doc:"Default: OpenClaw."`
	Password string   `json:"password,omitempty" doc:"Server password."`
	PassFile string   `json:"passwordFile,omitempty" doc:"File that holds the server password."`
	NickServ NickServ `json:"nickserv,omitzero"`
	Channels []string `json:"channels,omitempty" doc:"Channels to join, each with its key behind a space if it has one."`

	MentionPatterns []string `json:"mentionPatterns,omitempty" doc:"Regular expressions that count as a mention."`
	TextChunkLimit  int      `json:"textChunkLimit,omitempty" schema:"minimum=1"`
	MediaMaxMB      float64  `json:"mediaMaxMb,omitempty"`

	DMPolicy       string           `json:"dmPolicy,omitempty" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom      []any            `json:"allowFrom,omitempty"`
	GroupPolicy    string           `json:"groupPolicy,omitempty" schema:"values=open|disabled|allowlist"`
	GroupAllowFrom []any            `json:"groupAllowFrom,omitempty"`
	Groups         map[string]Group `json:"groups,omitempty"`
	NameMatching   bool             `json:"dangerouslyAllowNameMatching,omitempty"`
	HistoryLimit   *int             `json:"historyLimit,omitempty" schema:"minimum=0"`
	DMHistoryLimit *int             `json:"dmHistoryLimit,omitempty" schema:"minimum=0"`
	DMs            map[string]any   `json:"dms,omitempty"`
	Markdown       map[string]any   `json:"markdown,omitempty"`
	ChunkMode      string           `json:"chunkMode,omitempty" schema:"values=length|newline"`
	BlockStreaming *bool            `json:"blockStreaming,omitempty"`
	Coalesce       map[string]any   `json:"blockStreamingCoalesce,omitempty"`
	ResponsePrefix *string          `json:"responsePrefix,omitempty"`
	DefaultAccount string           `json:"defaultAccount,omitempty"`
	Accounts       json.RawMessage  `json:"accounts,omitempty"`
}

// NickServ is channels.irc.nickserv.
type NickServ struct {
	Enabled  *bool  `json:"enabled,omitempty" doc:"Default: whether there is a password."`
	Service  string `json:"service,omitempty" doc:"Default: NickServ."`
	Password string `json:"password,omitempty"`
	PassFile string `json:"passwordFile,omitempty"`
	Register bool   `json:"register,omitempty" doc:"Register the nick at the next connection, with registerEmail."`
	Email    string `json:"registerEmail,omitempty"`
}

// Group is one of channels.irc.groups.
type Group struct {
	RequireMention *bool          `json:"requireMention,omitempty"`
	Tools          map[string]any `json:"tools,omitempty"`
	ToolsBySender  map[string]any `json:"toolsBySender,omitempty"`
	Skills         []string       `json:"skills,omitempty"`
	Enabled        *bool          `json:"enabled,omitempty"`
	AllowFrom      []any          `json:"allowFrom,omitempty"`
	SystemPrompt   string         `json:"systemPrompt,omitempty"`
}

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.Wrap(fault.Invalid, "channels.irc", err)
	}
	bad := func(hint string) (Config, error) { return c, fault.New(fault.Invalid, "channels.irc", hint) }
	c.Host, c.Nick = strings.TrimSpace(c.Host), strings.TrimSpace(c.Nick)
	switch {
	case c.Host == "":
		return bad("host is missing: openclaw config set channels.irc.host irc.example.org")
	case c.Nick == "" || strings.ContainsAny(c.Nick, " \t\r\n\x00:,!@*?"):
		return bad("nick is missing or not a nick: openclaw config set channels.irc.nick mybot")
	case c.NickServ.Register && c.NickServ.Email == "":
		return bad("nickserv.register needs nickserv.registerEmail")
	case strings.ContainsAny(c.Host+c.Username+c.Realname+c.Password+c.NickServ.Service+c.NickServ.Password+c.NickServ.Email+strings.Join(c.Channels, ""), "\r\n\x00"):
		return bad("a value of channels.irc holds a line break")
	}
	if c.Username == "" {
		c.Username = c.Nick
	}
	if c.Realname == "" {
		c.Realname = "OpenClaw"
	}
	if c.NickServ.Service == "" {
		c.NickServ.Service = "NickServ"
	}
	if c.Port == 0 {
		c.Port = 6697
		if !c.secure() {
			c.Port = 6667
		}
	}
	return c, nil
}

func (c *Config) secure() bool { return c.TLS == nil || *c.TLS }

func (c *Config) address() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }

// secret returns value, or what the file at path holds.
func secret(value, path string) (string, error) {
	if value != "" || path == "" {
		return value, nil
	}
	return channel.ReadSecret("channels.irc.passwordFile", path)
}
