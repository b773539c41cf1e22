// Package discordtest is a Discord server for tests: it speaks the gateway and
// the REST API on loopback, is as strict as the real one, and misbehaves when
// told to.
package discordtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Who and what is there.
const (
	BotID     = "1000000000000000001"
	BotName   = "claw"
	AppID     = "1000000000000000002"
	BotRole   = "1000000000000000003" // that Discord made for the bot
	Person    = "2000000000000000007" // named al
	Guild     = "3000000000000000001"
	Name      = "Friends of Claw" // of the guild
	General   = "4000000000000000001"
	Random    = "4000000000000000002"
	Forum     = "4000000000000000003"
	DM        = "5000000000000000007" // with Person
	GroupDM   = "5000000000000000008"
	Role      = "6000000000000000001" // a role that people have
	Nobody    = "2000000000000000099" // takes no direct messages
	Elsewhere = "4000000000000000009" // a channel that the bot doesn't see
)

type object = map[string]any

// Message is a message on the server.
type Message struct {
	ID, Channel, Guild, Author string
	Content                    string
	Shown                      string // without marks
	ReplyTo                    string
	Nonce                      string
	Files                      []File
	Raw                        object // the request of the bot, or the object that was written
	Edits                      int
	Deleted                    bool
}

// File is a file that the bot uploaded.
type File struct {
	Name, MIME string
	Data       []byte
}

// Call is a call of the REST API.
type Call struct {
	Method, Path string
	Query        string
	Body         object
	List         []any // a body that is a list
	Status       int
	Reason       string
	At           time.Time
}

// Fault is how one call goes wrong; the zero Fault is one that doesn't.
type Fault struct {
	Status int    // 0 with Cut: the connection breaks
	Body   string // of the answer
	Header map[string]string
	Cut    bool // break the connection instead of answering
	Accept bool // act as if nothing were wrong, and then go wrong
	Wait   time.Duration
}

// Server is Discord with one bot.
type Server struct {
	URL   string // for channels.discord.apiRoot
	Token string // the only one it accepts

	http *httptest.Server
	mu   sync.Mutex

	Heartbeat  time.Duration // of the next connections; set before they are made
	last       int64
	sessions   map[string]*session
	current    *session
	conns      map[*conn]bool
	messages   []*Message
	rooms      map[string]object
	roles      []object
	faults     map[string][]Fault
	closes     []websocket.StatusCode // of the next connections, after identify
	deaf       bool                   // heartbeats aren't answered
	calls      []Call
	opens      map[string]bool // interactions by id: answered
	tokens     map[string]string
	originals  map[string]*Message
	files      map[string][]byte
	commands   []any
	identifies []object
	resumes    int
	flags      int // of the application
	presences  []object
	said       []int64
	bad        []string
}

// session is what can be resumed.
type session struct {
	id    string
	seq   int64
	log   []entry
	acked int64
	conn  *conn
	gone  bool
}

type entry struct {
	seq int64
	raw []byte
}

// New starts a server. Close stops it.
func New() *Server {
	s := &Server{
		Token: "TEST.token.of-the-bot", Heartbeat: 150 * time.Millisecond, sessions: map[string]*session{}, conns: map[*conn]bool{}, faults: map[string][]Fault{},
		opens: map[string]bool{}, tokens: map[string]string{}, originals: map[string]*Message{}, files: map[string][]byte{}, flags: 1<<19 | 1<<15,
	}
	s.rooms = map[string]object{
		General: {"id": General, "type": 0, "guild_id": Guild, "name": "general", "topic": "All of it"},
		Random:  {"id": Random, "type": 0, "guild_id": Guild, "name": "random-talk"},
		Forum:   {"id": Forum, "type": 15, "guild_id": Guild, "name": "ideas"},
		DM:      {"id": DM, "type": 1, "recipients": []any{user(Person)}},
		GroupDM: {"id": GroupDM, "type": 3, "name": "Trio", "recipients": []any{user(Person)}},
	}
	s.roles = []object{
		{"id": Guild, "name": "@everyone", "permissions": "274877975552"},
		{"id": BotRole, "name": "Claw", "managed": true, "permissions": "0", "tags": object{"bot_id": BotID}},
		{"id": Role, "name": "Crew", "permissions": "0"},
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + "/api"
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.Cut()
	s.http.Close()
}

// Cut breaks all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	var cs []*conn
	for c := range s.conns {
		cs = append(cs, c)
	}
	s.mu.Unlock()
	for _, c := range cs {
		_ = c.ws.CloseNow()
		<-c.done
	}
	s.http.CloseClientConnections()
}

// Drop forgets the sessions: none can be resumed.
func (s *Server) Drop() {
	s.mu.Lock()
	s.sessions = map[string]*session{}
	s.current = nil
	s.mu.Unlock()
	s.Cut()
}

// CloseWith ends the connection with code.
func (s *Server) CloseWith(code int) {
	if c := s.connection(); c != nil {
		_ = c.ws.Close(websocket.StatusCode(code), "test")
	}
}

// Refuse makes the next connections end with code once they identify.
func (s *Server) Refuse(codes ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range codes {
		s.closes = append(s.closes, websocket.StatusCode(c))
	}
}

// Deaf makes the server leave heartbeats unanswered.
func (s *Server) Deaf(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = on
}

// SetFlags sets the flags of the application.
func (s *Server) SetFlags(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flags = n
}

// Fail makes the next calls go wrong, one fault each. route is a method and the
// beginning of a path, as "POST /channels/1/messages".
func (s *Server) Fail(route string, fs ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[route] = append(s.faults[route], fs...)
}

// ID mints an id, as Discord does.
func (s *Server) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idLocked()
}

func (s *Server) idLocked() string {
	const epoch = 1420070400000
	n := (time.Now().UnixMilli() - epoch) << 22
	if n <= s.last {
		n = s.last + 1
	}
	s.last = n
	return strconv.FormatInt(n, 10)
}

// Age makes the bot's messages older.
func (s *Server) Age(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		n, _ := strconv.ParseInt(m.ID, 10, 64)
		m.ID = strconv.FormatInt(n-by.Milliseconds()<<22, 10)
		m.Raw["id"], m.Nonce = m.ID, ""
	}
}

// AddFile makes a file available and returns its address.
func (s *Server) AddFile(name string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = data
	return strings.TrimSuffix(s.URL, "/api") + "/cdn/" + name
}

// AddRoom adds a channel or thread.
func (s *Server) AddRoom(r map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rooms[fmt.Sprint(r["id"])] = r
}
