package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// answer is what a call gets.
type answer struct {
	status int
	body   any
}

func fine(body any) answer { return answer{http.StatusOK, body} }
func none() answer         { return answer{http.StatusNoContent, nil} }

func refuse(status, code int, text string) answer {
	return answer{status, object{"code": code, "message": text}}
}

// request is a call that was read.
type request struct {
	method string
	parts  []string // of the path
	query  func(string) string
	body   object
	list   []any
	files  []File
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/socket" || r.URL.Path == "/socket/":
		s.gateway(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/cdn/"):
		s.mu.Lock()
		data, ok := s.files[strings.TrimPrefix(r.URL.Path, "/cdn/")]
		if r.Header.Get("Authorization") != "" {
			s.bad = append(s.bad, "the token was sent to the file server")
		}
		s.calls = append(s.calls, Call{Method: r.Method, Path: r.URL.Path})
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
		return
	}
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v10")
	if !ok {
		http.NotFound(w, r)
		return
	}
	q, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.parts = strings.Split(strings.Trim(path, "/"), "/")
	fault, faulty := s.fault(r.Method + " " + path)
	if fault.Wait > 0 {
		select {
		case <-time.After(fault.Wait):
		case <-r.Context().Done():
		}
	}
	var ans answer
	switch {
	case faulty && !fault.Accept && !fault.Cut:
		ans.status = fault.Status
	case faulty && fault.Cut && !fault.Accept:
	default:
		ans = s.answer(r, q)
	}
	s.mu.Lock()
	s.calls = append(s.calls, Call{
		Method: r.Method, Path: path, Query: r.URL.RawQuery, Body: q.body, List: q.list, Status: ans.status, Reason: r.Header.Get("X-Audit-Log-Reason"), At: time.Now(),
	})
	s.mu.Unlock()
	if faulty && fault.Cut {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range fault.Header {
		w.Header().Set(k, v)
	}
	if faulty {
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, fault.Body)
		return
	}
	w.WriteHeader(ans.status)
	if ans.body != nil {
		_ = json.NewEncoder(w).Encode(ans.body)
	}
}

func (s *Server) fault(route string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, fs := range s.faults {
		if strings.HasPrefix(route, k) && len(fs) > 0 {
			s.faults[k] = fs[1:]
			return fs[0], fs[0].Status != 0 || fs[0].Cut
		}
	}
	return Fault{}, false
}

// read reads a body: JSON, or a form with JSON and files.
func read(r *http.Request) (request, error) {
	const most = 64 << 20
	q := request{method: r.Method, query: r.URL.Query().Get}
	raw, err := io.ReadAll(io.LimitReader(r.Body, most))
	if err != nil || len(raw) == 0 {
		return q, err
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		form := multipart.NewReader(bytes.NewReader(raw), params["boundary"])
		for {
			part, err := form.NextPart()
			if errors.Is(err, io.EOF) {
				return q, nil
			}
			if err != nil {
				return q, err
			}
			data, err := io.ReadAll(part)
			if err != nil {
				return q, err
			}
			switch n := part.FormName(); {
			case n == "payload_json":
				if err := json.Unmarshal(data, &q.body); err != nil {
					return q, err
				}
			case n == fmt.Sprintf("files[%d]", len(q.files)):
				q.files = append(q.files, File{Name: part.FileName(), MIME: part.Header.Get("Content-Type"), Data: data})
			default:
				return q, fmt.Errorf("a part that is called %q", n)
			}
		}
	}
	if kind != "application/json" {
		return q, fmt.Errorf("a body of type %q", kind)
	}
	if raw[0] == '[' {
		return q, json.Unmarshal(raw, &q.list)
	}
	return q, json.Unmarshal(raw, &q.body)
}

func (s *Server) answer(r *http.Request, q request) answer {
	if q.parts[0] == "interactions" || q.parts[0] == "webhooks" {
		if r.Header.Get("Authorization") != "" {
			return refuse(http.StatusBadRequest, 0, "no token is needed here")
		}
	} else if r.Header.Get("Authorization") != "Bot "+s.Token {
		return refuse(http.StatusUnauthorized, 0, "401: Unauthorized")
	}
	if !strings.HasPrefix(r.Header.Get("User-Agent"), "DiscordBot (") {
		return refuse(http.StatusForbidden, 40333, "internal network error")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q.parts[0] {
	case "gateway":
		return fine(object{"url": s.socket(), "shards": 1, "session_start_limit": object{"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}})
	case "applications":
		return s.applicationLocked(q)
	case "users":
		return s.usersLocked(q)
	case "channels":
		return s.channelsLocked(q)
	case "guilds":
		return s.guildsLocked(q)
	case "interactions":
		return s.callbackLocked(q)
	case "webhooks":
		return s.followUpLocked(q)
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

func (s *Server) applicationLocked(q request) answer {
	switch {
	case q.method == "GET":
		return fine(object{"id": AppID, "flags": s.flags})
	case q.method == "PUT" && len(q.parts) == 3 && q.parts[2] == "commands":
		for _, c := range q.list {
			o, _ := c.(object)
			name, _ := o["name"].(string)
			if about, _ := o["description"].(string); name == "" || name != strings.ToLower(name) || about == "" || utf8.RuneCountInString(about) > 100 {
				return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
			}
		}
		s.commands = q.list
		return fine(q.list)
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

func (s *Server) usersLocked(q request) answer {
	switch strings.Join(q.parts[1:], "/") {
	case "@me":
		return fine(user(BotID))
	case "@me/guilds":
		return fine([]any{object{"id": Guild, "name": Name}})
	case "@me/channels":
		who, _ := q.body["recipient_id"].(string)
		if who == Person {
			return fine(s.rooms[DM])
		}
		if _, err := strconv.ParseUint(who, 10, 64); err != nil {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		if who == Nobody {
			return refuse(http.StatusForbidden, 50007, "Cannot send messages to this user")
		}
		id := "58" + who[2:]
		if s.rooms[id] == nil {
			s.rooms[id] = object{"id": id, "type": 1, "recipients": []any{user(who)}}
		}
		return fine(s.rooms[id])
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

func (s *Server) guildsLocked(q request) answer {
	if q.parts[1] != Guild {
		return refuse(http.StatusNotFound, 10004, "Unknown Guild")
	}
	member := func(id string) object { return object{"user": user(id), "roles": []any{Role}} }
	g := s.guildLocked()
	if len(q.parts) == 2 {
		return fine(g)
	}
	switch q.method + " " + q.parts[2] {
	case "GET roles":
		return fine(s.roles)
	case "POST channels":
		id := s.idLocked()
		s.rooms[id] = object{"id": id, "type": 0, "name": q.body["name"], "guild_id": Guild}
		return fine(s.rooms[id])
	case "GET channels":
		return fine(g["channels"])
	case "GET threads":
		return fine(object{"threads": g["threads"]})
	case "GET emojis":
		return fine([]any{object{"id": "7000000000000000001", "name": "party"}})
	case "POST scheduled-events":
		for _, k := range []string{"name", "privacy_level", "entity_type", "scheduled_start_time"} {
			if q.body[k] == nil {
				return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+k)
			}
		}
		return fine(object{"id": s.idLocked(), "name": q.body["name"]})
	case "GET scheduled-events":
		return fine([]any{object{"id": "7100000000000000001", "name": "Game night", "scheduled_start_time": "2026-12-24T18:00:00+00:00"}})
	case "GET voice-states":
		return refuse(http.StatusNotFound, 10065, "Unknown Voice State")
	case "GET messages": // search
		var found []any
		for _, m := range s.messages {
			if m.Channel == q.query("channel_id") && strings.Contains(m.Content, q.query("content")) {
				found = append(found, []any{s.objectLocked(m)})
			}
		}
		return fine(object{"messages": found, "total_results": len(found)})
	case "GET members":
		switch {
		case len(q.parts) == 3:
			if s.flags&(1<<14|1<<15) == 0 {
				return refuse(http.StatusForbidden, 50001, "Missing Access")
			}
			return fine([]any{member(Person), member(BotID)})
		case q.parts[3] == "search":
			if strings.HasPrefix("al", q.query("query")) {
				return fine([]any{member(Person)})
			}
			return fine([]any{})
		}
		return fine(member(q.parts[3]))
	case "PATCH members":
		return fine(member(q.parts[3]))
	case "PUT members", "DELETE members", "PUT bans":
		return none()
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}
