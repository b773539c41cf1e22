package gateway

import (
	"fmt"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/feature"
)

// ServeHTTP answers one request. The stages, in order: sockets, probes, the
// routes of features (APIs, hooks, webhooks of channels), the built-in page,
// and 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	if len(r.TransferEncoding) > 0 {
		// A second length that an intermediary believed must not start a second
		// request here.
		h.Set("Connection", "close")
	}
	boundBody(w, r)
	switch {
	case isUpgrade(r) && r.URL.Path != "/__openclaw__/ws":
		s.serveWS(w, r)
	case s.serveProbe(w, r):
	case !canonical(r):
		notFound(w, r)
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// canonical refuses spellings of a path that one check could read in another
// way than the next.
func canonical(r *http.Request) bool {
	p := r.URL.Path
	if p == "" || p[0] != '/' || strings.ContainsAny(p, "\\\x00") {
		return false
	}
	clean := path.Clean(p)
	if clean != "/" && strings.HasSuffix(p, "/") {
		clean += "/"
	}
	raw := strings.ToLower(r.URL.EscapedPath())
	return clean == p && !strings.Contains(raw, "%2e") && !strings.Contains(raw, "%5c") && !strings.Contains(raw, "%00")
}

// routes returns the handler of everything but sockets and probes.
func (s *Server) routes() (mux *http.ServeMux, err error) {
	defer func() {
		if p := recover(); p != nil { // two patterns conflict
			err = fmt.Errorf("gateway: routes: %v", p)
		}
	}()
	mux = http.NewServeMux()
	for _, r := range s.o.Feature.Routes {
		h := r.Handler
		if r.Auth == feature.ByGateway {
			h = s.authenticated(h)
		}
		mux.Handle(r.Pattern, h)
	}
	mux.HandleFunc("GET /{$}", s.forPeople(s.servePage))
	mux.HandleFunc("GET /__openclaw/control-ui-config.json", s.forPeople(s.serveBootstrap))
	mux.HandleFunc("GET /avatar/{agent}", s.forPeople(s.serveAvatar))
	mux.HandleFunc("/", s.serveRest)
	return mux, nil
}

// serveRest answers what no route does: webhooks of channels come and go with
// their accounts.
func (s *Server) serveRest(w http.ResponseWriter, r *http.Request) {
	if s.o.Webhook != nil {
		if h := s.o.Webhook(r.URL.Path); h != nil {
			h.ServeHTTP(w, r)
			return
		}
	}
	notFound(w, r)
}

// authenticated lets only the holder of the gateway's credential through, and
// does so before a byte of the body is read.
func (s *Server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.o.Auth.Settings().ModeName() == auth.ModeNone && !auth.SafeHost(r.Host) {
			WriteError(w, http.StatusForbidden, "forbidden", "this host name isn't served without a credential (set gateway.auth.token)")
			return
		}
		if _, refusal := s.o.Auth.HTTP(r); refusal != nil {
			unread(w, r)
			if refusal.RetryAfter > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refusal.RetryAfter.Seconds()))))
			}
			if refusal.Status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			WriteError(w, refusal.Status, refusal.Type, refusal.Message)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notFound answers APIs in JSON and everything else in plain text.
func notFound(w http.ResponseWriter, r *http.Request) {
	unread(w, r)
	for _, api := range []string{"/v1/", "/tools/", "/sessions/"} {
		if strings.HasPrefix(r.URL.Path, api) && r.URL.Path != "/tools/invoke/" {
			WriteError(w, http.StatusNotFound, "not_found", "No such endpoint: "+r.Method+" "+text.Cut(r.URL.Path, 200))
			return
		}
	}
	plain(w, http.StatusNotFound, "Not Found")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
