package gateway

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
)

// DefaultPort is the port of a gateway that is configured with none.
const DefaultPort = 18789

// CheckBind refuses to listen where strangers could come in: beyond loopback
// without a credential, or with a secret that is none.
func CheckBind(g config.Gateway, s auth.Settings) error {
	if err := s.Check(); err != nil {
		return err
	}
	hosts, err := hosts(g)
	if err != nil {
		return err
	}
	for _, h := range hosts {
		if a, err := netip.ParseAddr(h); (err != nil || !a.IsLoopback()) && s.Mode == auth.ModeNone {
			return fault.New(fault.Invalid, "gateway.CheckBind",
				fmt.Sprintf("gateway.bind %q reaches beyond this host but gateway.auth.mode is none: set gateway.auth.token, or gateway.bind to loopback", g.Bind))
		}
	}
	return nil
}

// hosts returns the addresses that g binds.
func hosts(g config.Gateway) ([]string, error) {
	switch g.Bind {
	case "", "auto", "loopback":
		return []string{"127.0.0.1", "::1"}, nil
	case "lan":
		return []string{"0.0.0.0"}, nil
	case "custom":
		if _, err := netip.ParseAddr(g.CustomBindHost); err != nil {
			return nil, fault.New(fault.Invalid, "gateway.bind", fmt.Sprintf("gateway.customBindHost %q isn't an IP address", g.CustomBindHost))
		}
		return []string{g.CustomBindHost}, nil
	case "tailnet":
		return tailnet()
	}
	return nil, fault.New(fault.Invalid, "gateway.bind", fmt.Sprintf("gateway.bind %q is unknown: use loopback, lan, tailnet, custom or auto", g.Bind))
}

// tailnet returns this host's address in 100.64.0.0/10, and loopback.
func tailnet() ([]string, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "gateway.bind", err)
	}
	cgnat := netip.MustParsePrefix("100.64.0.0/10")
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && cgnat.Contains(p.Addr()) {
			return []string{p.Addr().String(), "127.0.0.1"}, nil
		}
	}
	return nil, fault.New(fault.Unavailable, "gateway.bind", "gateway.bind is tailnet but this host has no Tailscale address: start tailscaled, or set gateway.bind to loopback")
}

// Listen opens the listeners of g on port. An IPv6 loopback that the host
// doesn't have is no error.
func Listen(ctx context.Context, g config.Gateway, port int) ([]net.Listener, error) {
	hosts, err := hosts(g)
	if err != nil {
		return nil, err
	}
	var ls []net.Listener
	for _, h := range hosts {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(h, strconv.Itoa(port)))
		if err != nil && h == "::1" && len(ls) > 0 {
			continue
		}
		if err != nil {
			for _, l := range ls {
				_ = l.Close()
			}
			return nil, &fault.Error{
				Kind: fault.Unavailable, Op: "gateway.Listen", Err: err,
				Hint: fmt.Sprintf("port %d on %s can't be opened: another gateway may be running (openclaw gateway status), or choose one with --port", port, h),
			}
		}
		if port == 0 { // all of them on the port that the first got
			port = l.Addr().(*net.TCPAddr).Port
		}
		ls = append(ls, l)
	}
	return ls, nil
}
