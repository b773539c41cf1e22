package gateway

import (
	_ "embed"
	"net/http"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/auth"
)

//go:embed page.html
var page []byte //nolint:gochecknoglobals // embedded, read-only

const pagePolicy = "default-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

// servePage shows that a gateway is here. It holds nothing that isn't public.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	if !auth.SafeHost(r.Host) && !s.publicHost(r.Host) {
		WriteError(w, http.StatusForbidden, "forbidden", "this host name isn't served (add its origin to gateway.controlUi.allowedOrigins)")
		return
	}
	h := w.Header()
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Length", strconv.Itoa(len(page)))
	_, _ = w.Write(page)
}

// publicHost reports whether an allowed origin names host.
func (s *Server) publicHost(host string) bool {
	p := auth.Peer{Host: host}
	for _, scheme := range []string{"https://", "http://"} {
		p.Origin = scheme + host
		if ok, _ := auth.OriginOK(p, s.o.Auth.Settings().Gateway.ControlUI); ok {
			return true
		}
	}
	return false
}
