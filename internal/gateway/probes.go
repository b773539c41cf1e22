package gateway

import (
	"net/http"

	"github.com/openclaw-go/openclaw/internal/auth"
)

type liveAnswer struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"`
}

type readyAnswer struct {
	Ready    bool     `json:"ready"`
	Failing  []string `json:"failing"`
	UptimeMs int64    `json:"uptimeMs"`
}

type readyBrief struct {
	Ready bool `json:"ready"`
}

// serveProbe answers the probes: live says that the process answers, ready that
// a turn can run.
func (s *Server) serveProbe(w http.ResponseWriter, r *http.Request) bool {
	var ready bool
	switch r.URL.Path {
	case "/health", "/healthz":
	case "/ready", "/readyz":
		ready = true
	default:
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		return true
	}
	w.Header().Set("Cache-Control", "no-store")
	if !ready {
		WriteJSON(w, http.StatusOK, liveAnswer{true, "live"})
		return true
	}
	status, failing := http.StatusOK, []string{}
	if s.o.Ready != nil {
		if err := s.o.Ready(); err != nil {
			status, failing = http.StatusServiceUnavailable, []string{err.Error()}
		}
	}
	if !s.mayKnow(r) {
		WriteJSON(w, status, readyBrief{status == http.StatusOK})
		return true
	}
	WriteJSON(w, status, readyAnswer{status == http.StatusOK, failing, s.now().Sub(s.started).Milliseconds()})
	return true
}

// mayKnow reports whether details may be shown: to programs of this host, and
// to whoever shows a credential.
func (s *Server) mayKnow(r *http.Request) bool {
	settings := s.o.Auth.Settings()
	if auth.PeerOf(r, settings).Local {
		return true
	}
	if auth.Bearer(r) == "" || settings.ModeName() == auth.ModeNone {
		return false
	}
	_, refusal := s.o.Auth.HTTP(r)
	return refusal == nil
}
