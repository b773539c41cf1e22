// Package matrixtest is a homeserver for tests: the part of the client-server
// API that a bot needs, and the ways in which it fails.
package matrixtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// Bot is who the tests' accounts log in as.
	Bot = "@claw:test"
	// Person is who talks to the bot.
	Person = "@alice:test"
	// Token is the bot's access token, Password its password.
	Token    = "syt_token"
	Password = "secret"
	// Direct is the room of the two, Group one with a third person.
	Direct = "!direct:test"
	Group  = "!group:test"
)

// Event is one event of a room.
type Event struct {
	ID, Room, Sender, Type string
	Content                map[string]any
	StateKey               *string
	at                     int64
}

// Fault is an answer other than the usual.
type Fault struct {
	Status int
	Body   string
	Cut    bool // break the connection instead
	After  bool // with Cut: once the request was carried out
}

// Server is a homeserver with two rooms.
type Server struct {
	URL string

	http *httptest.Server

	mu      sync.Mutex
	changed chan struct{}
	cuts    int
	events  []Event
	acked   int // the newest place that the bot has asked from
	txns    map[string]string
	calls   []string
	faults  map[string][]Fault
	garbage []string
	media   map[string][]byte
	members map[string][]string
	limit   int // of a sync's timeline; 0 is none
	invites []string
	aliases map[string]string // rooms by alias
}

// New starts a server. Close stops it.
func New() *Server {
	s := &Server{
		changed: make(chan struct{}), txns: map[string]string{}, faults: map[string][]Fault{}, media: map[string][]byte{}, aliases: map[string]string{},
		members: map[string][]string{Direct: {Bot, Person}, Group: {Bot, Person, "@bob:test"}},
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.Cut()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Cut breaks the requests that wait.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts++
	s.changedLocked()
}

func (s *Server) changedLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Say has the person write in the direct room.
func (s *Server) Say(text string) string {
	return s.Put(Event{Room: Direct, Sender: Person, Type: "m.room.message", Content: map[string]any{"msgtype": "m.text", "body": text}})
}

// Put adds an event to a room and returns its id.
func (s *Server) Put(e Event) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.putLocked(e)
}

func (s *Server) putLocked(e Event) string {
	e.ID = fmt.Sprintf("$e%d", len(s.events)+1)
	e.at = 1796096713000 + int64(len(s.events))
	s.events = append(s.events, e)
	s.changedLocked()
	return e.ID
}

// Fail has the next requests whose path holds part answered with fs.
func (s *Server) Fail(part string, fs ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[part] = append(s.faults[part], fs...)
}

// Garble has the next syncs answered with texts.
func (s *Server) Garble(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.garbage = append(s.garbage, texts...)
	s.changedLocked()
}

// Limit bounds the events of a room in one sync.
func (s *Server) Limit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = n
}

// AddFile gives the server a file and returns its address.
func (s *Server) AddFile(name string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.media[name] = data
	return "mxc://test/" + name
}

// Invite invites the bot to a room.
func (s *Server) Invite(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invites = append(s.invites, room)
	s.members[room] = []string{Person}
	s.changedLocked()
}

// Joined reports whether the bot is in a room.
func (s *Server) Joined(room string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.members[room], Bot)
}

// Acked is how many of the person's messages the bot has moved past.
func (s *Server) Acked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, e := range s.events[:s.acked] {
		if e.Sender == Person && e.Type == "m.room.message" {
			n++
		}
	}
	return n
}

// Sent returns the bot's events of a type, in order.
func (s *Server) Sent(typ string) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Event
	for _, e := range s.events {
		if e.Sender == Bot && e.Type == typ {
			out = append(out, e)
		}
	}
	return out
}

// Shown returns what people see of the bot's messages.
func (s *Server) Shown() []string {
	var out []string
	for _, e := range s.Sent("m.room.message") {
		if e.Content["m.new_content"] != nil {
			continue
		}
		body, _ := e.Content["body"].(string)
		out = append(out, body)
	}
	return out
}

// Calls returns the requests whose path holds part.
func (s *Server) Calls(part string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, c := range s.calls {
		if strings.Contains(c, part) {
			out = append(out, c)
		}
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/_matrix")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "M_TOO_LARGE", "too large")
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+path)
	var f Fault
	for part, fs := range s.faults {
		if strings.Contains(path, part) && len(fs) > 0 {
			f, s.faults[part] = fs[0], fs[1:]
			break
		}
	}
	s.mu.Unlock()
	switch {
	case f.Cut && !f.After:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
		return
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if strings.HasSuffix(path, "/login") || strings.HasSuffix(path, "/versions") {
		s.open(w, path, body)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		refuse(w, http.StatusUnauthorized, "M_UNKNOWN_TOKEN", "unknown token")
		return
	}
	if strings.HasSuffix(path, "/sync") {
		s.sync(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	status, answer := s.act(r, parts, body)
	if f.Cut {
		panic(http.ErrAbortHandler)
	}
	if raw, ok := answer.([]byte); ok {
		_, _ = w.Write(raw)
		return
	}
	write(w, status, answer)
}

func (s *Server) open(w http.ResponseWriter, path string, body []byte) {
	if strings.HasSuffix(path, "/versions") {
		write(w, http.StatusOK, map[string]any{"versions": []string{"v1.11"}})
		return
	}
	var req struct {
		Password   string
		Identifier struct{ User string }
	}
	_ = json.Unmarshal(body, &req) // what can't be read is a wrong password
	if req.Password != Password || req.Identifier.User != Bot {
		refuse(w, http.StatusForbidden, "M_FORBIDDEN", "Invalid username or password")
		return
	}
	write(w, http.StatusOK, map[string]any{"user_id": Bot, "access_token": Token, "device_id": "DEV"})
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that is gone doesn't matter
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	write(w, status, map[string]any{"errcode": code, "error": text})
}

func missing() (int, any) {
	return http.StatusNotFound, map[string]any{"errcode": "M_NOT_FOUND", "error": "not found"}
}

// sync answers at once when there is something new, else after the timeout.
func (s *Server) sync(w http.ResponseWriter, r *http.Request) {
	since := r.URL.Query().Get("since")
	if since == "" { // an account begins before all that is said
		write(w, http.StatusOK, map[string]any{"next_batch": "s0", "rooms": map[string]any{}})
		return
	}
	from, err := strconv.Atoi(strings.TrimPrefix(since, "s"))
	if err != nil || from < 0 {
		refuse(w, http.StatusBadRequest, "M_UNKNOWN", "no such place")
		return
	}
	ms, _ := strconv.Atoi(r.URL.Query().Get("timeout")) // 0 when it isn't there
	late := time.After(time.Duration(ms) * time.Millisecond)
	s.mu.Lock()
	cuts := s.cuts
	s.acked = max(s.acked, min(from, len(s.events)))
	s.mu.Unlock()
	for {
		s.mu.Lock()
		changed, cut, n := s.changed, s.cuts != cuts, len(s.events)
		var garbage string
		if len(s.garbage) > 0 {
			garbage, s.garbage = s.garbage[0], s.garbage[1:]
		}
		invites := s.invites
		s.invites = nil
		var answer map[string]any
		if n > from || len(invites) > 0 {
			answer = s.newsLocked(from, invites)
		}
		s.mu.Unlock()
		switch {
		case cut:
			panic(http.ErrAbortHandler)
		case garbage != "":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, garbage)
			return
		case answer != nil:
			write(w, http.StatusOK, answer)
			return
		}
		select {
		case <-changed:
		case <-late:
			write(w, http.StatusOK, map[string]any{"next_batch": since})
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) newsLocked(from int, invites []string) map[string]any {
	join, invite := map[string]any{}, map[string]any{}
	byRoom := map[string][]any{}
	for _, e := range s.events[from:] {
		byRoom[e.Room] = append(byRoom[e.Room], e.json())
	}
	for room, events := range byRoom {
		timeline := map[string]any{"events": events}
		if s.limit > 0 && len(events) > s.limit {
			first, _ := events[len(events)-s.limit].(map[string]any)
			id, _ := first["event_id"].(string)
			timeline = map[string]any{"events": events[len(events)-s.limit:], "limited": true, "prev_batch": "t" + strings.TrimPrefix(id, "$e")}
		}
		join[room] = map[string]any{"timeline": timeline}
	}
	for _, r := range invites {
		me := Bot
		invite[r] = map[string]any{"invite_state": map[string]any{"events": []any{
			map[string]any{"type": "m.room.member", "sender": Person, "state_key": me, "content": map[string]any{"membership": "invite"}},
		}}}
	}
	return map[string]any{"next_batch": "s" + strconv.Itoa(len(s.events)), "rooms": map[string]any{"join": join, "invite": invite}}
}

func (e Event) json() map[string]any {
	out := map[string]any{"event_id": e.ID, "room_id": e.Room, "sender": e.Sender, "type": e.Type, "content": e.Content, "origin_server_ts": e.at}
	if e.StateKey != nil {
		out["state_key"] = *e.StateKey
	}
	return out
}

// act carries one request out.
func (s *Server) act(r *http.Request, parts []string, body []byte) (int, any) {
	path := strings.Join(parts, "/")
	switch {
	case strings.HasSuffix(path, "account/whoami"):
		return http.StatusOK, map[string]any{"user_id": Bot, "device_id": "DEV"}
	case strings.HasSuffix(path, "/createRoom"):
		var req struct{ Invite []string }
		_ = json.Unmarshal(body, &req) // an empty room then
		room := fmt.Sprintf("!made%d:test", len(s.members))
		s.members[room] = append([]string{Bot}, req.Invite...)
		return http.StatusOK, map[string]any{"room_id": room}
	case strings.Contains(path, "media/") && r.Method == http.MethodPost:
		name := fmt.Sprintf("up%d", len(s.media)+1)
		s.media[name] = body
		return http.StatusOK, map[string]any{"content_uri": "mxc://test/" + name}
	case strings.Contains(path, "media/download/"):
		data, ok := s.media[parts[len(parts)-1]]
		if !ok {
			return missing()
		}
		return http.StatusOK, data
	case strings.HasSuffix(path, "joined_rooms"):
		var rooms []string
		for room, ms := range s.members {
			if slices.Contains(ms, Bot) {
				rooms = append(rooms, room)
			}
		}
		slices.Sort(rooms)
		return http.StatusOK, map[string]any{"joined_rooms": rooms}
	case strings.Contains(path, "directory/room/"):
		room, ok := s.aliases[parts[len(parts)-1]]
		if !ok {
			return missing()
		}
		return http.StatusOK, map[string]any{"room_id": room, "servers": []string{"test"}}
	case strings.Contains(path, "/profile/"):
		return http.StatusOK, map[string]any{"displayname": "Alice", "avatar_url": "mxc://test/face"}
	case strings.HasSuffix(path, "user_directory/search"):
		return http.StatusOK, map[string]any{"results": []any{map[string]any{"user_id": Person, "display_name": "Alice"}}}
	}
	i := slices.Index(parts, "rooms")
	if j := slices.Index(parts, "join"); i < 0 && j >= 0 && j+1 < len(parts) {
		s.members[parts[j+1]] = append(s.members[parts[j+1]], Bot)
		return http.StatusOK, map[string]any{"room_id": parts[j+1]}
	}
	if i < 0 || i+2 >= len(parts) {
		return http.StatusNotFound, map[string]any{"errcode": "M_UNRECOGNIZED", "error": "unrecognized"}
	}
	room, what, rest := parts[i+1], parts[i+2], parts[i+3:]
	if what == "join" {
		s.members[room] = append(s.members[room], Bot)
		return http.StatusOK, map[string]any{"room_id": room}
	}
	if !slices.Contains(s.members[room], Bot) {
		return http.StatusForbidden, map[string]any{"errcode": "M_FORBIDDEN", "error": "not in the room"}
	}
	return s.inRoom(r, room, what, rest, body)
}

func (s *Server) inRoom(r *http.Request, room, what string, rest []string, body []byte) (int, any) {
	switch what {
	case "joined_members":
		joined := map[string]any{}
		for _, m := range s.members[room] {
			joined[m] = map[string]any{"display_name": strings.ToUpper(m[1:2]) + strings.TrimSuffix(m[2:], ":test")}
		}
		return http.StatusOK, map[string]any{"joined": joined}
	case "relations":
		return s.relations(rest)
	case "typing":
		return http.StatusOK, map[string]any{}
	case "messages":
		return s.messages(r, room)
	case "event":
		for _, e := range s.events {
			if len(rest) > 0 && e.ID == rest[0] {
				return http.StatusOK, e.json()
			}
		}
		return missing()
	case "state":
		return s.state(r, room, rest, body)
	case "send", "redact":
		if len(rest) < 2 {
			return missing()
		}
		return s.send(room, what, rest, body)
	}
	return http.StatusNotFound, map[string]any{"errcode": "M_UNRECOGNIZED", "error": "unrecognized"}
}

func (s *Server) send(room, what string, rest []string, body []byte) (int, any) {
	key := what + "/" + strings.Join(rest, "/")
	if e, done := s.txns[key]; done {
		return http.StatusOK, map[string]any{"event_id": e}
	}
	var content map[string]any
	if !utf8.Valid(body) || json.Unmarshal(body, &content) != nil {
		return http.StatusBadRequest, map[string]any{"errcode": "M_NOT_JSON", "error": "not JSON"}
	}
	if len(body) > 65_536 {
		return http.StatusRequestEntityTooLarge, map[string]any{"errcode": "M_TOO_LARGE", "error": "event too large"}
	}
	typ := rest[0]
	if what == "redact" {
		typ, content["redacts"] = "m.room.redaction", rest[0]
	}
	e := s.putLocked(Event{Room: room, Sender: Bot, Type: typ, Content: content})
	s.txns[key] = e
	return http.StatusOK, map[string]any{"event_id": e}
}

func (s *Server) state(r *http.Request, room string, rest []string, body []byte) (int, any) {
	if len(rest) == 0 {
		return http.StatusOK, []any{}
	}
	if r.Method == http.MethodPut {
		var content map[string]any
		_ = json.Unmarshal(body, &content) // empty then
		empty := ""
		return http.StatusOK, map[string]any{"event_id": s.putLocked(Event{Room: room, Sender: Bot, Type: rest[0], Content: content, StateKey: &empty})}
	}
	for _, e := range slices.Backward(s.events) {
		if e.Room == room && e.Type == rest[0] && e.StateKey != nil {
			return http.StatusOK, e.Content
		}
	}
	return missing()
}

// messages pages backward from a place, "t5" being before event 5.
func (s *Server) messages(r *http.Request, room string) (int, any) {
	q := r.URL.Query()
	from := len(s.events)
	if n, err := strconv.Atoi(strings.TrimPrefix(q.Get("from"), "t")); err == nil {
		from = n - 1
	}
	to := 0
	if n, err := strconv.Atoi(strings.TrimPrefix(q.Get("to"), "s")); err == nil {
		to = n
	}
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 10
	}
	var chunk []any
	end := ""
	for i := min(from, len(s.events)) - 1; i >= to; i-- {
		if s.events[i].Room != room {
			continue
		}
		if len(chunk) == limit {
			end = "t" + strconv.Itoa(i+2)
			break
		}
		chunk = append(chunk, s.events[i].json())
	}
	out := map[string]any{"chunk": chunk, "start": q.Get("from")}
	if end != "" {
		out["end"] = end
	}
	return http.StatusOK, out
}

// relations are the reactions to an event.
func (s *Server) relations(rest []string) (int, any) {
	var chunk []any
	for _, e := range s.events {
		relates, _ := e.Content["m.relates_to"].(map[string]any)
		if len(rest) > 0 && e.Type == "m.reaction" && relates["event_id"] == rest[0] {
			chunk = append(chunk, e.json())
		}
	}
	return http.StatusOK, map[string]any{"chunk": chunk}
}

// Alias has an alias mean a room.
func (s *Server) Alias(alias, room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aliases[alias] = room
}

// AddRoom makes a room that the bot and others are in.
func (s *Server) AddRoom(room string, others ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[room] = append([]string{Bot}, others...)
}
