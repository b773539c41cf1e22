package auth

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/openclaw-go/openclaw/internal/config"
)

// maxHops bounds how much of X-Forwarded-For is read.
const maxHops = 32

// Peer is where a request comes from, as the transport shows it; nothing of it
// is what the client says about itself, but for Origin and Host.
type Peer struct {
	Addr netip.Addr // behind trusted proxies; the zero Addr when a proxy told nonsense
	// Local says that the client is a program on this host, talking to us
	// directly and under a name of this host.
	Local   bool
	Proxied bool // a trusted proxy passed the request on
	// Forwarded says that some proxy passed it on. One that gateway.trustedProxies
	// doesn't list makes every client remote.
	Forwarded bool
	Host      string
	Origin    string
	// Browser says that a web page may be behind the request.
	Browser bool
	// User is whom a trusted proxy signed in, in that mode; else noUser says why
	// nobody.
	User   string
	noUser reason
}

// forwarding headers: whoever sends one isn't local.
func forwarded(h http.Header) bool {
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}

// PeerOf tells who sent r.
func PeerOf(r *http.Request, s Settings) Peer {
	g := s.Gateway
	p := Peer{
		Host:    r.Host,
		Origin:  r.Header.Get("Origin"),
		Browser: len(r.Header["Origin"]) > 0 || len(r.Header["Sec-Fetch-Site"]) > 0,
	}
	direct := addrOf(r.RemoteAddr)
	p.Addr = direct
	via := forwarded(r.Header)
	p.Forwarded = via
	if via && trusted(direct, g.TrustedProxies) {
		p.Proxied = true
		p.Addr = behind(r.Header, g)
	}
	p.Local = direct.IsLoopback() && !via && LocalHost(r.Host)
	if s.mode() == ModeProxy {
		p.User, p.noUser = proxyUser(r, s)
	}
	return p
}

// behind returns the right-most hop that is no trusted proxy.
func behind(h http.Header, g config.Gateway) netip.Addr {
	lines := h["X-Forwarded-For"]
	if len(lines) == 0 {
		if g.AllowRealIPFallback {
			return parseAddr(h.Get("X-Real-Ip"))
		}
		return netip.Addr{}
	}
	hops := strings.Split(strings.Join(lines, ","), ",")
	if len(hops) > maxHops {
		hops = hops[len(hops)-maxHops:]
	}
	for i := len(hops) - 1; i >= 0; i-- {
		a := parseAddr(strings.TrimSpace(hops[i]))
		if !a.IsValid() {
			return netip.Addr{}
		}
		if !trusted(a, g.TrustedProxies) || i == 0 {
			return a
		}
	}
	return netip.Addr{}
}

func addrOf(hostport string) netip.Addr {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return parseAddr(host)
}

func parseAddr(s string) netip.Addr {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return a.Unmap().WithZone("")
	}
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	return netip.Addr{}
}

func trusted(a netip.Addr, list []string) bool {
	if !a.IsValid() {
		return false
	}
	for _, entry := range list {
		if p, err := netip.ParsePrefix(entry); err == nil {
			if p.Contains(a) {
				return true
			}
			continue
		}
		if b, err := netip.ParseAddr(entry); err == nil && b.Unmap() == a {
			return true
		}
	}
	return false
}

// hostName strips the port of a Host header.
func hostName(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// LocalHost reports whether a Host header names this host's loopback.
func LocalHost(host string) bool {
	name := hostName(host)
	if name == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Unmap().IsLoopback()
}

// SafeHost reports whether a page of a foreign site can't have made a browser
// send this Host header: it is a loopback name or an address, and rebinding
// needs a name.
func SafeHost(host string) bool {
	if LocalHost(host) {
		return true
	}
	_, err := netip.ParseAddr(hostName(host))
	return err == nil
}
