package auth_test

import (
	"crypto/ed25519"
	"net/http"
	"net/netip"
	"testing"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Whatever the headers say, only a direct connection from this host is local,
// and only under a name of this host.
func FuzzPeer(f *testing.F) {
	for _, s := range [][4]string{
		{"127.0.0.1:1", "127.0.0.1:18789", "", ""},
		{"127.0.0.1:1", "evil.example", "", "http://evil.example"},
		{"127.0.0.2:1", "localhost", "203.0.113.9, 127.0.0.1", "null"},
		{"[::ffff:127.0.0.1]:9", "[::1]:1", "x", "http://[::1]:5"},
	} {
		f.Add(s[0], s[1], s[2], s[3])
	}
	f.Fuzz(func(t *testing.T, remote, host, forwarded, origin string) {
		r := &http.Request{RemoteAddr: remote, Host: host, Header: http.Header{}}
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		s := auth.Settings{Gateway: config.Gateway{TrustedProxies: []string{"127.0.0.2", "10.0.0.0/8"}}}
		p := auth.PeerOf(r, s)
		if p.Local && (forwarded != "" || !auth.LocalHost(host)) {
			t.Errorf("local: remote %q host %q forwarded %q", remote, host, forwarded)
		}
		if ap, err := netip.ParseAddrPort(remote); err == nil && !ap.Addr().Unmap().IsLoopback() && p.Local {
			t.Errorf("local: %q", remote)
		}
		if ok, _ := auth.OriginOK(p, s); ok && origin == "" {
			t.Error("no origin is an allowed origin")
		}
	})
}

func FuzzPublicKey(f *testing.F) {
	f.Add("I_0vWpZ9JX1UbZvK1MCr1Snjci-HCW2YXr_c87Q7sCw")
	f.Add("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAQCIxFdq91N8FB5MetYUhroTEndEOuCzqyg3qJ+Efl8s=\n-----END PUBLIC KEY-----\n")
	f.Add("-----BEGIN")
	f.Fuzz(func(t *testing.T, text string) {
		if key, ok := auth.PublicKey(text); ok && len(key) != ed25519.PublicKeySize {
			t.Errorf("PublicKey(%q) has %d bytes", text, len(key))
		}
	})
}
