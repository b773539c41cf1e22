// Package slacktest is a Slack for tests: the Web API, Socket Mode and the
// signed HTTP deliveries of the real protocols on loopback. It is as strict as
// the real one, and misbehaves when told to.
package slacktest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Who and what is there.
const (
	BotUser   = "U0CLAW"
	BotID     = "B0CLAW"
	BotName   = "claw"
	Team      = "T0TEAM"
	Person    = "U0PERSON"  // writes by Say
	DM        = "D0PERSON"  // their conversation with the bot
	General   = "C0GENERAL" // a channel that the bot is in
	Elsewhere = "C0ELSE"    // and one that it isn't
	Mpim      = "G0MPIM"    // a group conversation
)

// Server is a Slack with one app in one workspace.
type Server struct {
	URL           string // for channels.slack.apiRoot
	BotToken      string
	AppToken      string
	SigningSecret string
	Scopes        string // of the bot token

	http *httptest.Server
	mu   sync.Mutex
	wake chan struct{} // closed and renewed when something changed

	epoch    int // connections of an older one are cut
	conns    map[*websocket.Conn]bool
	opened   int // sockets so far
	queue    []*envelope
	messages []*Message
	calls    []Call
	faults   map[string][]Fault
	files    map[string]*File
	dms      map[string]string // by person
	number   int
	frames   []string // to send as they are
	bye      string   // reason of a disconnect to send
	mute     int      // sockets that get no hello
	wg       sync.WaitGroup
	renamed  map[string]string // names of channels
}

type envelope struct {
	id    string
	raw   []byte
	said  bool // by Say
	acked bool
	reply json.RawMessage
}

// Message is a message that is there.
type Message struct {
	Channel, TS, Thread, User, BotID, Text string
	Metadata                               json.RawMessage
	Blocks                                 json.RawMessage
	Files                                  []*File
	Reactions                              map[string][]string
	Pinned, Streaming                      bool
	Shown                                  string // of the bot's: what people read
}

// File is a file that is there.
type File struct {
	ID, Name, MIME string
	Data           []byte
	URL            string // instead of the server's own
	Shared         bool
}

// Call is a call of the Web API.
type Call struct {
	Method string
	Params map[string]string
	Token  string
	Error  string // of the answer
	At     time.Time
}

// Fault is how one call goes wrong.
type Fault struct {
	Error      string // of an answer with ok:false
	Needed     string // scope, with missing_scope
	Status     int    // of HTTP
	RetryAfter string
	Body       string // instead of an answer of the API
	Cut        bool   // break the connection instead of answering
	Accept     bool   // with Cut, Status or Error: act as if nothing were wrong first
	Wait       time.Duration
}

// New starts a server. Close stops it.
func New() *Server {
	s := &Server{
		BotToken: "xoxb-TEST-bot-token", AppToken: "xapp-TEST-app-token", SigningSecret: "8f742231b10e8888abcd99yyyzzz85a5",
		Scopes: "chat:write,im:history,im:write,channels:history,groups:history,channels:read,groups:read,app_mentions:read,users:read,reactions:read,reactions:write,files:read,files:write",
		wake:   make(chan struct{}), conns: map[*websocket.Conn]bool{}, faults: map[string][]Fault{}, files: map[string]*File{},
		dms: map[string]string{Person: DM},
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + "/api"
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.Cut()
	s.http.Close()
	s.wg.Wait()
}

// Cut breaks all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	s.epoch++
	conns := slices.Collect(maps.Keys(s.conns))
	s.changedLocked()
	s.mu.Unlock()
	for _, c := range conns {
		_ = c.CloseNow()
	}
	s.http.CloseClientConnections()
}

// Disconnect announces the end of the sockets for a reason, as Slack does, and
// closes them.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bye = reason
	s.epoch++
	s.changedLocked()
}

// Mute makes the next n sockets open and say nothing.
func (s *Server) Mute(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = n
}

// Frame sends text on the socket as it is.
func (s *Server) Frame(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames = append(s.frames, text)
	s.changedLocked()
}

func (s *Server) changedLocked() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// stampLocked is the id of a new message.
func (s *Server) stampLocked() string {
	s.number++
	return fmt.Sprintf("%d.%06d", time.Now().Unix(), s.number)
}

// Stamp is the time of a message that is still to come.
func (s *Server) Stamp() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stampLocked()
}

// Say writes text to the bot directly, and returns the message's id.
func (s *Server) Say(text string) string {
	return s.write(Message{Channel: DM, User: Person, Text: text}, "im", true)
}

// Write writes a message that the app hears of. kind is Slack's channel_type.
func (s *Server) Write(m Message, kind string) string { return s.write(m, kind, false) }

// Miss writes a message that the app isn't told of, as in a downtime.
func (s *Server) Miss(m Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.TS == "" {
		m.TS = s.stampLocked()
	}
	s.messages = append(s.messages, &m)
	return m.TS
}

func (s *Server) write(m Message, kind string, said bool) string {
	m.TS = s.Miss(m)
	e := map[string]any{"type": "message", "channel": m.Channel, "channel_type": kind, "user": m.User, "text": m.Text, "ts": m.TS, "event_ts": m.TS, "team": Team}
	if m.Thread != "" {
		e["thread_ts"] = m.Thread
		s.mu.Lock()
		for _, p := range s.messages {
			if p.Channel == m.Channel && p.TS == m.Thread {
				e["parent_user_id"] = p.User
			}
		}
		s.mu.Unlock()
	}
	if len(m.Files) > 0 {
		e["subtype"] = "file_share"
		e["files"] = describe(m.Files)
		s.mu.Lock()
		for _, f := range m.Files {
			s.files[f.ID] = f
		}
		s.mu.Unlock()
	}
	s.push("events_api", Callback(e), said)
	return m.TS
}

// Callback wraps an event as the Events API delivers it.
func Callback(event any) map[string]any {
	raw, _ := json.Marshal(event)
	return map[string]any{
		"type": "event_callback", "token": "x", "team_id": Team, "api_app_id": "A0APP",
		"event_id": fmt.Sprintf("Ev%08X", len(raw)), "event_time": time.Now().Unix(), "event": json.RawMessage(raw),
	}
}

// Event delivers an event.
func (s *Server) Event(event any) { s.push("events_api", Callback(event), false) }

// Push delivers a payload of a kind: events_api, slash_commands, interactive.
func (s *Server) Push(kind string, payload any) { s.push(kind, payload, false) }

func (s *Server) push(kind string, payload any, said bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	id := fmt.Sprintf("env-%d", s.number)
	raw, err := json.Marshal(map[string]any{"envelope_id": id, "type": kind, "accepts_response_payload": kind != "events_api", "payload": payload})
	if err != nil {
		panic(err)
	}
	s.queue = append(s.queue, &envelope{id: id, raw: raw, said: said})
	s.changedLocked()
}

// Fail makes the next calls of method go wrong, one fault each.
func (s *Server) Fail(method string, fs ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fs...)
}

// Acked is how many of the messages of Say the app confirmed.
func (s *Server) Acked() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.queue {
		if e.said && e.acked {
			n++
		}
	}
	return n
}

// Open is how many envelopes the app hasn't confirmed.
func (s *Server) Open() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.queue {
		if !e.acked {
			n++
		}
	}
	return n
}

// Answers are the payloads that came with confirmations.
func (s *Server) Answers() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.queue {
		if len(e.reply) > 0 {
			out = append(out, string(e.reply))
		}
	}
	return out
}

// Sockets is how many sockets were opened so far.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Calls returns the calls of method, all of them when it is "".
func (s *Server) Calls(method string) (out []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Messages returns the bot's messages in a conversation, in all when it is "".
func (s *Server) Messages(channel string) (out []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.BotID == BotID && (channel == "" || m.Channel == channel) {
			out = append(out, *m)
		}
	}
	return out
}

// Shown returns what people read of the bot, in order.
func (s *Server) Shown() (out []string) {
	for _, m := range s.Messages("") {
		out = append(out, m.Shown)
	}
	return out
}

// serveSocket is one connection of Socket Mode.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	s.wg.Add(1)
	defer s.wg.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	s.conns[c] = true
	s.opened++
	epoch := s.epoch
	mute := s.mute > 0
	s.mute = max(s.mute-1, 0)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		_ = c.CloseNow()
	}()
	hello := `{"type":"hello","num_connections":1,"debug_info":{"host":"applink-test"},"connection_info":{"app_id":"A0APP"}}`
	if mute {
		_, _, _ = c.Read(ctx) // until it is closed
		return
	}
	if c.Write(ctx, websocket.MessageText, []byte(hello)) != nil {
		return
	}
	go func() {
		defer cancel()
		for {
			_, raw, err := c.Read(ctx)
			if err != nil {
				return
			}
			s.confirm(raw)
		}
	}()
	given := map[string]bool{}
	for {
		s.mu.Lock()
		var out [][]byte
		for _, f := range s.frames {
			out = append(out, []byte(f))
		}
		s.frames = nil
		for _, e := range s.queue {
			if !e.acked && !given[e.id] {
				given[e.id] = true
				out = append(out, e.raw)
			}
		}
		wake, cut, bye := s.wake, s.epoch != epoch, s.bye
		if cut {
			s.bye = ""
		}
		s.mu.Unlock()
		if cut {
			if bye != "" {
				_ = c.Write(ctx, websocket.MessageText, []byte(`{"type":"disconnect","reason":"`+bye+`","debug_info":{}}`))
			}
			return
		}
		for _, f := range out {
			if c.Write(ctx, websocket.MessageText, f) != nil {
				return
			}
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) confirm(raw []byte) {
	var a struct {
		ID      string          `json:"envelope_id"`
		Payload json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.queue {
		if e.id == a.ID {
			e.acked, e.reply = true, a.Payload
		}
	}
}

// Join makes the conversation of one more person with the bot, and returns it.
func (s *Server) Join(user string) (channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dms[user] == "" {
		s.dms[user] = "D" + user[1:]
	}
	return s.dms[user]
}
