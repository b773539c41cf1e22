// Package signaltest is signal-cli's HTTP daemon for tests: JSON-RPC, the
// stream of received messages, and the ways in which both fail.
package signaltest

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
	"unicode/utf8"
)

// Person is who talks to the bot.
const Person = "+15550001111"

// Bot is the bot's own number.
const Bot = "+15559990000"

// Group is a group with the person and the bot, Left one that the bot left.
const (
	Group = "R3JvdXBPZkZhbWlseQ=="
	Left  = "R3JvdXBUaGF0V2FzTGVmdA=="
)

// Call is one call of a method.
type Call struct {
	Method string
	Params map[string]any
}

// Fault is an answer other than the usual.
type Fault struct {
	Status  int    // of HTTP; 0 is 200
	Code    int    // of a JSON-RPC error; 0 is none
	Message string // of it
	Cut     bool   // break the connection after the call was carried out
}

// Server is a daemon with one account. Messages that nobody listens for wait,
// as in the receive mode on-connection.
type Server struct {
	URL string

	http *httptest.Server

	mu      sync.Mutex
	changed chan struct{}
	events  []string // what waits for a listener
	cuts    int
	clock   int64
	calls   []Call
	shown   []string
	faults  map[string][]Fault
	files   map[string]string // base64 by id
}

// New starts a server. Close stops it.
func New() *Server {
	s := &Server{changed: make(chan struct{}), clock: 1796096713000, faults: map[string][]Fault{}, files: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/check", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /api/v1/rpc", s.rpc)
	mux.HandleFunc("GET /api/v1/events", s.stream)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.Cut()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Cut ends the streams that are open.
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

// Push queues one event of the stream.
func (s *Server) Push(data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, data)
	s.changedLocked()
}

// Say has the person write to the bot; more are further members of the
// dataMessage, as JSON. It returns the message's time.
func (s *Server) Say(text string, more ...string) int64 {
	s.mu.Lock()
	s.clock += 1000
	t := s.clock
	s.mu.Unlock()
	raw, err := json.Marshal(text)
	if err != nil {
		raw = []byte(`""`)
	}
	extra := ""
	for _, m := range more {
		extra += "," + m
	}
	s.Push(fmt.Sprintf(`{"envelope":{"source":%[1]q,"sourceNumber":%[1]q,"sourceUuid":"123e4567-e89b-12d3-a456-426614174000","sourceName":"Alice","timestamp":%[2]d,"dataMessage":{"timestamp":%[2]d,"message":%[3]s%[4]s}},"account":%[5]q}`,
		Person, t, raw, extra, Bot))
	return t
}

// Fail has the next calls of method answered with fs, one each.
func (s *Server) Fail(method string, fs ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fs...)
}

// AddFile gives the daemon an attachment, in base64.
func (s *Server) AddFile(id, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = data
}

// Calls returns the calls of method, in order.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Shown returns what people see of the bot's messages.
func (s *Server) Shown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.shown)
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	s.mu.Lock()
	cuts := s.cuts
	s.mu.Unlock()
	for {
		s.mu.Lock()
		changed, cut := s.changed, s.cuts != cuts
		var next []string
		if !cut {
			next, s.events = s.events, nil
		}
		s.mu.Unlock()
		if cut {
			return
		}
		for _, e := range next {
			_, _ = io.WriteString(w, "event:receive\ndata:"+e+"\n\n")
		}
		if flush.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	var req struct {
		JSONRPC string
		Method  string
		Params  map[string]any
		ID      string
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.JSONRPC != "2.0" || req.ID == "" {
		http.Error(w, "not JSON-RPC", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var f Fault
	if fs := s.faults[req.Method]; len(fs) > 0 {
		f, s.faults[req.Method] = fs[0], fs[1:]
	}
	if f.Status != 0 {
		w.WriteHeader(f.Status)
		return
	}
	if f.Code != 0 {
		answer(w, req.ID, nil, f.Code, f.Message)
		return
	}
	s.calls = append(s.calls, Call{req.Method, req.Params})
	result, bad := s.act(req.Method, req.Params)
	if f.Cut {
		panic(http.ErrAbortHandler)
	}
	if bad != "" {
		answer(w, req.ID, nil, -1, bad)
		return
	}
	answer(w, req.ID, result, 0, "")
}

func answer(w http.ResponseWriter, id string, result any, code int, message string) {
	body := map[string]any{"jsonrpc": "2.0", "id": id}
	if code != 0 {
		body["error"] = map[string]any{"code": code, "message": message}
	} else {
		body["result"] = result
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // a client that is gone doesn't matter
}

// act carries a call out, with the checks that signal-cli makes.
func (s *Server) act(method string, p map[string]any) (result any, bad string) {
	if a, ok := p["account"].(string); ok && a != Bot {
		return nil, "Specified account does not exist"
	}
	to := ""
	for _, k := range []string{"recipient", "username"} {
		if list, ok := p[k].([]any); ok && len(list) == 1 {
			to, _ = list[0].(string)
		}
	}
	if one, ok := p["recipient"].(string); ok {
		to = one
	}
	if g, ok := p["groupId"].(string); ok {
		to = g
	}
	switch method {
	case "version":
		return map[string]any{"version": "0.13.18"}, ""
	case "listGroups":
		return []any{
			map[string]any{"id": Group, "name": "Family", "isMember": true, "members": []any{
				map[string]any{"number": Person, "uuid": "123e4567-e89b-12d3-a456-426614174000"}, map[string]any{"number": Bot},
			}},
			map[string]any{"id": Left, "name": "Old friends", "isMember": false, "members": []any{}},
		}, ""
	case "listContacts":
		return []any{
			map[string]any{"number": Person, "name": "Alice", "profile": map[string]any{"givenName": "Al"}},
			map[string]any{"uuid": "223E4567-e89b-12d3-a456-426614174000", "profile": map[string]any{"givenName": "Bob", "familyName": "B"}},
			map[string]any{"number": "+15550003333", "name": "Spam", "isBlocked": true},
			map[string]any{"number": Bot, "name": "me"},
			map[string]any{"name": "nobody"},
		}, ""
	case "getAttachment":
		id, _ := p["id"].(string)
		data, ok := s.files[id]
		if !ok {
			return nil, "Could not find attachment with ID: " + id
		}
		return map[string]any{"data": data}, ""
	}
	if to == "" {
		return nil, "No recipients given"
	}
	if strings.ContainsAny(to, " \r\n") {
		return nil, "Invalid identifier " + strconv.Quote(to)
	}
	if method == "sendReaction" && (p["targetAuthor"] == nil || p["targetTimestamp"] == nil || p["emoji"] == nil) {
		return nil, "Missing target of the reaction"
	}
	if method == "send" {
		text, _ := p["message"].(string)
		if text == "" && p["attachments"] == nil {
			return nil, "No message body or attachment given"
		}
		if !utf8.ValidString(text) {
			return nil, "Invalid UTF-8"
		}
		if p["editTimestamp"] == nil {
			s.shown = append(s.shown, text)
		}
		s.clock++
		return map[string]any{"timestamp": s.clock, "results": []any{map[string]any{"recipientAddress": map[string]any{"number": to}, "type": "SUCCESS"}}}, ""
	}
	return map[string]any{"timestamp": s.clock}, ""
}
