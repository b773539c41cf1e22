package discordtest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// conn is one socket. What is pushed goes out in order.
type conn struct {
	ws   *websocket.Conn
	done chan struct{}
	wake chan struct{}

	mu  sync.Mutex
	out [][]byte
}

func (c *conn) push(raw []byte) {
	c.mu.Lock()
	c.out = append(c.out, raw)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *conn) write(ctx context.Context) {
	for {
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		for _, raw := range out {
			if c.ws.Write(ctx, websocket.MessageText, raw) != nil {
				return
			}
		}
		if len(out) > 0 {
			continue
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
	}
}

// gateway serves one socket.
func (s *Server) gateway(w http.ResponseWriter, r *http.Request) {
	if q := r.URL.Query(); q.Get("v") != "10" || q.Get("encoding") != "json" {
		http.Error(w, "v=10 and encoding=json", http.StatusBadRequest)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	ws.SetReadLimit(4096) // as Discord's
	c := &conn{ws: ws, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	s.mu.Lock()
	s.conns[c] = true
	every := s.Heartbeat
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	var wg sync.WaitGroup
	wg.Go(func() { c.write(ctx) })
	hello, _ := json.Marshal(object{"op": 10, "d": object{"heartbeat_interval": float64(every.Microseconds()) / 1000}})
	c.push(hello)
	code := s.talk(ctx, c)
	if code > 0 {
		_ = ws.Close(code, "")
	}
	cancel()
	_ = ws.CloseNow()
	wg.Wait()
	s.mu.Lock()
	delete(s.conns, c)
	for _, n := range s.sessions {
		if n.conn == c {
			n.conn = nil
		}
	}
	s.mu.Unlock()
	close(c.done)
}

// talk reads what the bot says, until the connection ends or must be closed with
// code.
func (s *Server) talk(ctx context.Context, c *conn) (code websocket.StatusCode) {
	known := false
	for {
		_, raw, err := c.ws.Read(ctx)
		if err != nil {
			return 0
		}
		var f struct {
			Op   int             `json:"op"`
			Data json.RawMessage `json:"d"`
		}
		if json.Unmarshal(raw, &f) != nil {
			return 4002
		}
		switch f.Op {
		case 1:
			var seq *int64
			if json.Unmarshal(f.Data, &seq) != nil {
				return 4002
			}
			s.beat(c, seq)
		case 2:
			if known {
				return 4005
			}
			known = true
			if code := s.identify(c, f.Data); code > 0 {
				return code
			}
		case 6:
			if code, ok := s.resume(c, f.Data); code > 0 {
				return code
			} else if ok {
				known = true
			}
		case 3:
			var p object
			if !known || json.Unmarshal(f.Data, &p) != nil {
				return 4002
			}
			s.mu.Lock()
			s.presences = append(s.presences, p)
			s.mu.Unlock()
		default:
			return 4001
		}
	}
}

func (s *Server) beat(c *conn, seq *int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq != nil {
		for _, n := range s.sessions {
			if n.conn == c {
				n.acked = max(n.acked, *seq)
			}
		}
	}
	if !s.deaf {
		c.push([]byte(`{"op":11}`))
	}
}

func (s *Server) identify(c *conn, data json.RawMessage) websocket.StatusCode {
	var d struct {
		Token      string            `json:"token"`
		Intents    *int              `json:"intents"`
		Properties map[string]string `json:"properties"`
	}
	if json.Unmarshal(data, &d) != nil || d.Intents == nil || d.Properties["os"] == "" {
		return 4002
	}
	if d.Token != s.Token {
		return 4004
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.closes) > 0 {
		code := s.closes[0]
		s.closes = s.closes[1:]
		return code
	}
	for intent, flags := range map[int]int{1 << 15: 1<<18 | 1<<19, 1 << 1: 1<<14 | 1<<15, 1 << 8: 1<<12 | 1<<13} {
		if *d.Intents&intent != 0 && s.flags&flags == 0 {
			return 4014
		}
	}
	var raw object
	_ = json.Unmarshal(data, &raw)
	s.identifies = append(s.identifies, raw)
	id := "session-" + s.idLocked()
	n := &session{id: id, conn: c}
	s.sessions[id] = n
	s.current, s.said = n, nil
	s.eventLocked("READY", object{
		"v": 10, "user": user(BotID), "session_id": id, "resume_gateway_url": s.socket(), "application": object{"id": AppID, "flags": s.flags},
		"guilds": []any{object{"id": Guild, "unavailable": true}},
	})
	s.eventLocked("GUILD_CREATE", s.guildLocked())
	return 0
}

func (s *Server) guildLocked() object {
	g := object{"id": Guild, "name": Name, "owner_id": Person, "roles": s.roles}
	var rooms, threads []any
	for _, r := range s.rooms {
		if r["guild_id"] != Guild {
			continue
		}
		if t, ok := r["type"].(int); ok && t >= 10 && t <= 12 {
			threads = append(threads, r)
		} else {
			rooms = append(rooms, r)
		}
	}
	g["channels"], g["threads"] = rooms, threads
	return g
}

func (s *Server) resume(c *conn, data json.RawMessage) (code websocket.StatusCode, ok bool) {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	if json.Unmarshal(data, &d) != nil {
		return 4002, false
	}
	if d.Token != s.Token {
		return 4004, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.sessions[d.Session]
	if n == nil || n.gone {
		c.push([]byte(`{"op":9,"d":false}`))
		return 0, false
	}
	if d.Seq > n.seq {
		return 4007, false
	}
	s.resumes++
	n.conn, n.acked, s.current = c, max(n.acked, d.Seq), n
	for _, e := range n.log {
		if e.seq > d.Seq {
			c.push(e.raw)
		}
	}
	s.eventLocked("RESUMED", object{})
	return 0, true
}

// socket is the address of the gateway.
func (s *Server) socket() string {
	return "ws" + strings.TrimPrefix(strings.TrimSuffix(s.URL, "/api"), "http") + "/socket"
}
