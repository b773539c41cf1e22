package auth

import (
	"net/url"
	"strings"
)

// OriginOK reports whether a page of p.Origin may talk to the gateway. why is
// the reason in the error's details. Without a credential to show, only pages
// of this very gateway may.
func OriginOK(p Peer, s Settings) (ok bool, why string) {
	ui := s.Gateway.ControlUI
	u, err := url.Parse(p.Origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" || u.User != nil {
		return allowed(p.Origin, ui.AllowedOrigins), "origin missing or invalid"
	}
	switch {
	case allowed(p.Origin, ui.AllowedOrigins):
		return true, ""
	case SafeHost(p.Host) && strings.EqualFold(u.Host, p.Host):
		return true, "" // the page came from this very gateway
	case p.Local && LocalHost(u.Host) && s.mode() != ModeNone:
		return true, "" // a page on this host, whatever its port
	case ui.DangerouslyAllowHostHeaderOriginFallback && strings.EqualFold(u.Host, p.Host):
		return true, ""
	}
	return false, "origin not allowed"
}

func allowed(origin string, list []string) bool {
	for _, a := range list {
		if origin != "" && (a == "*" || strings.EqualFold(strings.TrimSuffix(a, "/"), origin)) {
			return true
		}
	}
	return false
}
