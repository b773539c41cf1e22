package control

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
)

// scope is the part of the configuration that a command wants to write to: an
// account, a whole channel, or neither.
type scope struct {
	channel, account string
	whole            bool // all channels, a channel or its accounts as one value
}

// pathScope is the scope of a path that a command names, with or without a
// value behind it.
func pathScope(text string) scope {
	if i := strings.IndexAny(text, "= "); i > 0 {
		text = text[:i]
	}
	p, err := config.ParseKeyPath(text)
	if err != nil || len(p) == 0 || p[0] != "channels" {
		return scope{}
	}
	switch {
	case len(p) < 3 || p[2] == "accounts" && len(p) == 3:
		return scope{whole: true}
	case p[2] == "accounts":
		return scope{channel: p[1], account: p[3], whole: len(p) == 4}
	}
	return scope{channel: p[1]}
}

// mayWrite tells why a command may not write to a scope, or "". configWrites of
// the channel and account that it comes from and of those that it is about must
// not be off. Clients of the gateway that own it are not bound by a channel's
// switch.
func mayWrite(l *config.Loaded, env command.Env, to scope) string {
	if env.In.Client != nil {
		return ""
	}
	if to.whole {
		return "⚠️ Commands from a channel can't replace channels, a whole channel or its accounts. Use a longer path, or on the gateway's host: openclaw config set"
	}
	off := func(at ...string) bool {
		n := l.Resolved.Find(append(append([]string{"channels"}, at...), "configWrites")...)
		return n != nil && string(n.JSON()) == "false"
	}
	from := scope{channel: string(env.In.At.Channel), account: string(env.In.At.Account)}
	for _, s := range []scope{from, to} {
		var path string
		switch {
		case s.channel == "":
			continue
		case s.account != "" && off(s.channel, "accounts", s.account):
			path = s.channel + ".accounts." + s.account
		case off(s.channel):
			path = s.channel
		default:
			continue
		}
		return "⚠️ Config writes are disabled for " + s.channel + ". Set channels." + path + ".configWrites=true to enable."
	}
	return ""
}

func accountOf(a id.Account) id.Account {
	if a == "" {
		return id.DefaultAccount
	}
	return a
}
