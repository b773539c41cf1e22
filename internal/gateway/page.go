package gateway

import (
	_ "embed"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/version"
)

//go:embed page.html
var page []byte

const pagePolicy = "default-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

// forPeople lets a request for something that browsers show through, unless it
// comes under a name that isn't ours.
func (s *Server) forPeople(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !auth.SafeHost(r.Host) && !s.publicHost(r.Host) {
			WriteError(w, http.StatusForbidden, "forbidden", "this host name isn't served (add its origin to gateway.controlUi.allowedOrigins)")
			return
		}
		h := w.Header()
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("Cache-Control", "no-cache")
		next(w, r)
	}
}

// servePage shows that a gateway is here. It holds nothing that isn't public.
func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	_, _ = w.Write(page)
}

type bootstrap struct {
	BasePath        string `json:"basePath"`
	AssistantName   string `json:"assistantName"`
	AssistantAvatar string `json:"assistantAvatar"`
	AssistantAgent  string `json:"assistantAgentId"`
	ServerVersion   string `json:"serverVersion"`
}

// serveBootstrap tells a Control UI what it needs before it connects. It needs
// no credential and tells no more than the page shows.
func (s *Server) serveBootstrap(w http.ResponseWriter, _ *http.Request) {
	conf := s.o.Config()
	agent, _ := conf.Agent(conf.DefaultAgent())
	b := bootstrap{
		BasePath: conf.Gateway.ControlUI.BasePath, AssistantName: "Assistant", AssistantAvatar: "A",
		AssistantAgent: string(agent.ID), ServerVersion: version.String(),
	}
	for _, name := range []string{agent.Name, agent.Identity.Name} {
		if name = strings.TrimSpace(name); name != "" {
			b.AssistantName = name
			first, _ := utf8.DecodeRuneInString(name)
			b.AssistantAvatar = strings.ToUpper(string(first))
		}
	}
	if agent.Identity.Emoji != "" {
		b.AssistantAvatar = agent.Identity.Emoji
	}
	WriteJSON(w, http.StatusOK, b)
}

type avatarMeta struct {
	URL *string `json:"avatarUrl"`
}

// serveAvatar says that an agent has no picture of its own.
func (s *Server) serveAvatar(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("meta") != "1" {
		plain(w, http.StatusNotFound, "Not Found")
		return
	}
	WriteJSON(w, http.StatusOK, avatarMeta{})
}

// publicHost reports whether an allowed origin names host.
func (s *Server) publicHost(host string) bool {
	p := auth.Peer{Host: host}
	for _, scheme := range []string{"https://", "http://"} {
		p.Origin = scheme + host
		if ok, _ := auth.OriginOK(p, s.o.Auth.Settings()); ok {
			return true
		}
	}
	return false
}
