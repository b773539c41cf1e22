package app

import (
	"context"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// loggedOut is what became of the login of an account.
type loggedOut struct {
	Channel  id.Channel `json:"channel"`
	Account  id.Account `json:"accountId"`
	Cleared  bool       `json:"cleared"`  // something was there to take out
	EnvToken bool       `json:"envToken"` // the environment still has a token
	Out      bool       `json:"loggedOut"`
}

// logout ends the login of an account: the channel does it, or its token goes
// out of the configuration.
func (g *daemon) logout(ctx context.Context, c id.Channel, a id.Account) (any, error) {
	if a == "" {
		a = id.DefaultAccount
	}
	out := loggedOut{Channel: c, Account: a}
	for _, s := range g.channels.list() {
		login, ok := channel.As[channel.Login](s.Channeler)
		if s.Channel != c || s.Account != a || !ok {
			continue
		}
		if err := login.Logout(ctx); err != nil {
			return nil, err
		}
		out.Cleared, out.Out = true, true
		return out, nil
	}
	i := slices.IndexFunc(g.channels.kinds, func(k channel.Kind) bool { return k.ID == c })
	if i < 0 || len(g.channels.kinds[i].Tokens) == 0 {
		return nil, rpc.Invalid("channel %s does not support logout", c)
	}
	kind := g.channels.kinds[i]
	if err := g.forget(ctx, kind, a, &out); err != nil {
		return nil, err
	}
	for _, e := range kind.Env {
		if a == id.DefaultAccount && g.channels.getenv(e.Name) != "" && slices.Contains(kind.Tokens, e.Key) {
			out.EnvToken = true
		}
	}
	out.Out = !out.EnvToken
	return out, nil
}

// forget takes the tokens of an account out of the configuration.
func (g *daemon) forget(ctx context.Context, kind channel.Kind, a id.Account, out *loggedOut) error {
	base := config.KeyPath{"channels", string(kind.ID)}
	at := []config.KeyPath{append(base[:2:2], "accounts", string(a))}
	if a == id.DefaultAccount {
		at = append(at, base) // whose keys may stand in the section itself
	}
	for _, p := range at {
		for _, key := range kind.Tokens {
			path := append(p[:len(p):len(p)], key).String()
			s, err := g.file().Unset(ctx, path)
			if fault.KindOf(err) == fault.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			out.Cleared = true
			g.apply(s.Config, []string{path})
		}
	}
	return nil
}

// file is the configuration file, for changes.
func (g *daemon) file() config.File {
	return config.File{Paths: g.opts.Paths, Version: version.Protocol, Load: config.LoadOptions{LastGood: true}}
}
