package media

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"syscall"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// NewClient makes a client that reaches public addresses only. What a name
// leads to is judged when the connection is made, so that a redirect or a name
// that changes its mind leads nowhere else.
func NewClient() *http.Client {
	const patience, hops = 60 * time.Second, 3
	d := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || !public(ap.Addr()) {
			return errPrivate
		}
		return nil
	}}
	return &http.Client{
		Timeout:   patience,
		Transport: &http.Transport{DialContext: d.DialContext, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 20 * time.Second, DisableKeepAlives: true},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > hops {
				return fault.New(fault.Invalid, "media.fetch", "the address redirects too often")
			}
			return allowed(r.URL)
		},
	}
}

var errPrivate = fault.New(fault.Forbidden, "media.fetch", "the address is in a private network")

// public reports whether a is a host of the internet.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	} {
		if netip.MustParsePrefix(p).Contains(a) {
			return false
		}
	}
	return true
}

func allowed(u *url.URL) error {
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return fault.New(fault.Invalid, "media.fetch", "only plain http and https addresses are fetched")
	}
	return nil
}

// get fetches an address.
func (s *Store) get(ctx context.Context, raw string) (body io.ReadCloser, name string, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "", fault.New(fault.Invalid, "media.fetch", "that is not an address")
	}
	if err := allowed(u); err != nil {
		return nil, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", fault.Wrap(fault.Invalid, "media.fetch", err)
	}
	c := s.Client
	if c == nil {
		c = NewClient()
	}
	resp, err := c.Do(req)
	if err != nil {
		if f, ok := errors.AsType[*fault.Error](err); ok {
			return nil, "", f
		}
		return nil, "", fault.New(fault.Invalid, "media.fetch", "the address can't be reached")
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, "", fault.New(fault.Invalid, "media.fetch", "the address answers "+resp.Status)
	}
	return resp.Body, path.Base(resp.Request.URL.Path), nil
}
