// Package telegramtest is a Telegram Bot API server for tests: it speaks the
// real protocol on loopback, is as strict as the real one, and misbehaves when
// told to.
package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bot is who the server says the bot is.
const (
	BotID   = 424242
	BotName = "claw_bot"
)

// Server is a Bot API server with one bot.
type Server struct {
	URL   string // for channels.telegram.apiRoot
	Token string // the only one it accepts

	http *httptest.Server
	mu   sync.Mutex
	wake chan struct{} // closed and renewed when something changed

	updates []stored
	nextID  int64
	nextMsg int64
	acked   int64 // updates below are confirmed
	calls   []Call
	faults  map[string][]Fault
	polls   int
	webhook bool
	files   map[string][]byte
	chats   map[int64]Chat
	reads   bool // all messages of groups
	hook    *Hook
	epoch   int // connections of an older one are cut
}

type stored struct {
	id   int64
	said bool // by Say
	raw  json.RawMessage
}

// Call is a call that the server got.
type Call struct {
	Method string
	Params map[string]any
	Status int
	Text   string // what is shown of a message's text; only of those accepted
	At     time.Time
	// Message is the id of the message that was sent, or that the call is about.
	Message int64
}

// Fault is how one call goes wrong.
type Fault struct {
	Status      int    // 0 with Cut: the connection breaks
	Description string // of the answer
	Parameters  string // JSON, as {"retry_after":1}
	Body        string // instead of an answer of the API
	Cut         bool   // break the connection instead of answering
	Accept      bool   // with Cut: act as if nothing were wrong, then break
	Wait        time.Duration
}

// New starts a server. Close stops it.
func New() *Server {
	s := &Server{
		Token: "123456:TEST-token_of_the_bot", wake: make(chan struct{}), nextID: 1000, nextMsg: 1,
		faults: map[string][]Fault{}, files: map[string][]byte{}, chats: map[int64]Chat{},
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.mu.Lock()
	s.epoch++
	s.changedLocked()
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Cut breaks all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	s.epoch++
	s.changedLocked()
	s.mu.Unlock()
	s.http.CloseClientConnections()
}

func (s *Server) changedLocked() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// Say queues a private message of user 7 and returns its update id.
func (s *Server) Say(text string) int64 {
	s.mu.Lock()
	m := s.nextMsg
	s.nextMsg++
	s.mu.Unlock()
	t, _ := json.Marshal(text)
	return s.push(fmt.Sprintf(`{"message":{"message_id":%d,"date":%d,"chat":{"id":7,"type":"private"},`+
		`"from":{"id":7,"first_name":"Al","username":"al"},"text":%s}}`, m, time.Now().Unix(), t), true)
}

// Push queues an update, a JSON object; update_id is added unless it is there.
func (s *Server) Push(update string) int64 { return s.push(update, false) }

func (s *Server) push(update string, said bool) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var have struct {
		ID int64 `json:"update_id"`
	}
	id := s.nextID
	if json.Unmarshal([]byte(update), &have) == nil && have.ID != 0 {
		id = have.ID
	} else {
		update = fmt.Sprintf(`{"update_id":%d,%s`, id, strings.TrimPrefix(update, "{"))
	}
	s.nextID = id + 1
	s.updates = append(s.updates, stored{id: id, said: said, raw: json.RawMessage(update)})
	s.changedLocked()
	return id
}

// Fail makes the next calls of method go wrong, one fault each.
func (s *Server) Fail(method string, fs ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], fs...)
}

// SetWebhook makes polls fail until the bot deletes the webhook.
func (s *Server) SetWebhook() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook = true
}

// AddFile makes a file available.
func (s *Server) AddFile(id string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = data
}

// Acked is how many of the messages of Say the bot confirmed.
func (s *Server) Acked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, u := range s.updates {
		if u.said && u.id < s.acked {
			n++
		}
	}
	return n
}

// Calls returns the calls of method, all of them when it is "".
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Shown returns the texts that people see now, in order: as they were changed
// last, and without those taken back.
func (s *Server) Shown() []string {
	type message struct {
		id   int64
		text string
	}
	var all []message
	for _, c := range s.Calls("") {
		at := slices.IndexFunc(all, func(m message) bool { return m.id == c.Message && m.id != 0 })
		switch {
		case strings.HasPrefix(c.Method, "send") && c.Text != "":
			all = append(all, message{c.Message, c.Text})
		case strings.HasPrefix(c.Method, "editMessage") && c.Text != "" && at >= 0:
			all[at].text = c.Text
		case c.Method == "deleteMessage" && c.Status == http.StatusOK && at >= 0:
			all = slices.Delete(all, at, at+1)
		}
	}
	var out []string
	for _, m := range all {
		out = append(out, m.text)
	}
	return out
}
