package watest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// media keeps encrypted files and gives them out.
func (s *Server) media(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/mms/"):
		if r.URL.Query().Get("auth") != "let-me-in" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		b, err := io.ReadAll(io.LimitReader(r.Body, 128<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.next++
		path := fmt.Sprintf("/v/t62.1-24/%d.enc", s.next)
		s.files[path] = b
		s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]string{"url": "https://mmg.whatsapp.net" + path + "?ccb=1", "direct_path": path + "?ccb=1"})
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v/"):
		s.mu.Lock()
		b, ok := s.files[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(b)
	default:
		http.NotFound(w, r)
	}
}
