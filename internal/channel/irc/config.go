package irc

import (
	"encoding/json"
	"net"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Config is what this package reads of an account's [Section], the values of
// the section under its own. The schema has judged the rest, and others read it:
// the path of a message its policies, features what belongs to them.
type Config struct {
	Name     string   `json:"name"` // name of the account, for people
	Host     string   `json:"host"` // server to connect to
	Port     int      `json:"port"` // default 6697 with TLS, 6667 without
	TLS      *bool    `json:"tls"`  // default true
	Nick     string   `json:"nick"`
	Username string   `json:"username"`     // default: the nick
	Realname string   `json:"realname"`     // default: OpenClaw
	Password string   `json:"password"`     // server password
	PassFile string   `json:"passwordFile"` // file that holds the server password
	NickServ NickServ `json:"nickserv"`
	Channels []string `json:"channels"` // channels to join, each with its key behind a space if it has one

	Groups map[string]any `json:"groups"` // read elsewhere; here only their names

	MentionPatterns []string `json:"mentionPatterns"` // regular expressions that count as a mention
	TextChunkLimit  int      `json:"textChunkLimit"`
}

// NickServ is channels.irc.nickserv.
type NickServ struct {
	Enabled  *bool  `json:"enabled"` // default: whether there is a password
	Service  string `json:"service"` // default: NickServ
	Password string `json:"password"`
	PassFile string `json:"passwordFile"`
	Register bool   `json:"register"` // register the nick at the next connection, with registerEmail
	Email    string `json:"registerEmail"`
}

// decode reads and checks raw.
func decode(raw json.RawMessage) (Config, error) {
	var c Config
	if err := json.Unmarshal(raw, &c); err != nil {
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
