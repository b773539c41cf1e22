package client

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// DefaultPort is the gateway's port when nobody says otherwise.
const DefaultPort = 18789

// Place is where a gateway is and how to get in.
type Place struct {
	URL      string
	Source   string // where URL comes from, for people
	Token    secret.String
	Password secret.String
}

// Search is what [Locate] looks at.
type Search struct {
	URL, Token, Password string // flags
	Getenv               func(string) string
	Gateway              config.Gateway
	// Resolve turns a secret of the file, a string or a reference, into its value.
	Resolve func(ctx context.Context, raw json.RawMessage) (secret.String, error)
}

// Locate finds the gateway: a flag, OPENCLAW_GATEWAY_URL, gateway.remote when
// gateway.mode is remote, else this host. A secret comes from a flag, the
// environment or the file, but one of the file is never sent to an address
// that isn't the file's too.
func Locate(ctx context.Context, s Search) (Place, error) {
	p := Place{Token: secret.String(s.Token), Password: secret.String(s.Password)}
	switch {
	case s.URL != "":
		p.URL, p.Source = s.URL, "cli --url"
		if p.Token == "" && p.Password == "" {
			return p, fault.New(fault.Invalid, "client.Locate",
				"--url needs the secret of that gateway: add --token <token> or --password <password>")
		}
		return p, p.check(s.Getenv)
	case s.Getenv("OPENCLAW_GATEWAY_URL") != "":
		p.URL, p.Source = s.Getenv("OPENCLAW_GATEWAY_URL"), "env OPENCLAW_GATEWAY_URL"
		p.fromEnv(s.Getenv)
		return p, p.check(s.Getenv)
	case s.Gateway.Mode == "remote":
		p.URL, p.Source = s.Gateway.Remote.URL, "config gateway.remote.url"
		if p.URL == "" {
			return p, fault.New(fault.Invalid, "client.Locate",
				"gateway.mode is remote without an address: openclaw config set gateway.remote.url wss://<host>")
		}
		p.fromEnv(s.Getenv)
		if err := p.fromFile(ctx, s.Resolve, s.Gateway.Remote.Token, s.Gateway.Remote.Password); err != nil {
			return p, err
		}
		return p, p.check(s.Getenv)
	}
	p.URL, p.Source = "ws://"+net.JoinHostPort(localHost(s.Gateway), strconv.Itoa(Port(s.Getenv, s.Gateway))), "local loopback"
	p.fromEnv(s.Getenv)
	return p, p.fromFile(ctx, s.Resolve, s.Gateway.Auth.Token, s.Gateway.Auth.Password)
}

// Port is the gateway's port on this host.
func Port(getenv func(string) string, g config.Gateway) int {
	if n := EnvPort(getenv); n > 0 {
		return n
	}
	if g.Port > 0 {
		return g.Port
	}
	return DefaultPort
}

// EnvPort is the port that the environment chooses; 0 is none.
func EnvPort(getenv func(string) string) int {
	for _, k := range []string{"OPENCLAW_GATEWAY_PORT", "CLAWDBOT_GATEWAY_PORT"} {
		if n, err := strconv.Atoi(strings.TrimSpace(getenv(k))); err == nil && n > 0 && n < 65536 {
			return n
		}
	}
	return 0
}

// localHost is the address to dial on this host: loopback, unless the gateway
// listens on one address that isn't it.
func localHost(g config.Gateway) string {
	if g.Bind != "custom" || g.CustomBindHost == "" {
		return "127.0.0.1"
	}
	if a, err := netip.ParseAddr(g.CustomBindHost); err == nil && a.IsUnspecified() {
		return "127.0.0.1"
	}
	return g.CustomBindHost
}

func (p *Place) fromEnv(getenv func(string) string) {
	if p.Token != "" || p.Password != "" {
		return
	}
	p.Token = secret.String(firstEnv(getenv, "OPENCLAW_GATEWAY_TOKEN", "CLAWDBOT_GATEWAY_TOKEN"))
	p.Password = secret.String(firstEnv(getenv, "OPENCLAW_GATEWAY_PASSWORD", "CLAWDBOT_GATEWAY_PASSWORD"))
}

func (p *Place) fromFile(ctx context.Context, resolve func(context.Context, json.RawMessage) (secret.String, error), token, password json.RawMessage) error {
	if p.Token != "" || p.Password != "" {
		return nil
	}
	for _, e := range []struct {
		raw json.RawMessage
		to  *secret.String
	}{{token, &p.Token}, {password, &p.Password}} {
		if len(e.raw) == 0 {
			continue
		}
		v, err := resolve(ctx, e.raw)
		if err != nil {
			return err
		}
		*e.to = v
	}
	return nil
}

// check refuses what isn't a WebSocket address, and a secret in the clear over
// a network.
func (p *Place) check(getenv func(string) string) error {
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return fault.New(fault.Invalid, "client.Locate", "the gateway's address must be ws://host:port or wss://host ("+p.Source+")")
	}
	if u.Scheme == "wss" || loopback(u.Hostname()) {
		return nil
	}
	if getenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS") == "1" && private(u.Hostname()) {
		return nil
	}
	return fault.New(fault.Forbidden, "client.Locate",
		"ws:// would send the secret in the clear to "+u.Host+
			": use wss://, or a tunnel (ssh -N -L 18789:127.0.0.1:18789 user@host) and ws://127.0.0.1:18789")
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// private tells an address of a private network, the tailnet's range included.
func private(host string) bool {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	a = a.Unmap()
	return a.IsPrivate() || a.IsLinkLocalUnicast() || netip.MustParsePrefix("100.64.0.0/10").Contains(a)
}

func firstEnv(getenv func(string) string, names ...string) string {
	for _, n := range names {
		if v := strings.TrimSpace(getenv(n)); v != "" {
			return v
		}
	}
	return ""
}
