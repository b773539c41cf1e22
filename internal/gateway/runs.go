package gateway

import (
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	deltaPause  = 150 * time.Millisecond // between two chat deltas of a run
	maxLiveText = 4 << 20                // bytes of text that live views get of one run
	silence     = "NO_REPLY"
	keepEnded   = time.Minute
	keepRun     = 24 * time.Hour
)

// runs follows what each run has told so far. Only the pump uses it.
type runs struct {
	s    *Server
	byID map[id.Run]*run
}

// run numbers the agent events of one run and gathers its text for the
// cumulative chat deltas.
type run struct {
	id      id.Run
	session id.SessionKey
	client  bool // a connection asked: it follows the event chat
	begun   time.Time

	seq  int64
	text []byte // of the current assistant message, escaped
	chat []byte // of all of them, escaped
	told int    // how much of chat went out
	last time.Time
	held string // may become NO_REPLY, which isn't shown

	ended   time.Time
	aborted bool
	waiting *event.ChatEnded // came before the end of the run
	since   time.Time        // that it waits
}

func newRuns(s *Server) *runs { return &runs{s: s, byID: map[id.Run]*run{}} }

// get returns the run, which may have begun before we listened.
func (rs *runs) get(name id.Run, session id.SessionKey) *run {
	r := rs.byID[name]
	if r == nil {
		r = &run{id: name, session: session, begun: rs.s.now()}
		rs.byID[name] = r
	}
	return r
}

// sweep forgets runs that are over.
func (rs *runs) sweep(time.Time) {
	now := rs.s.now()
	for name, r := range rs.byID {
		switch {
		case r.waiting != nil && now.Sub(r.since) > keepEnded:
			w := *r.waiting
			r.waiting, r.ended = nil, now
			rs.finish(r, w)
		case !r.ended.IsZero() && now.Sub(r.ended) > keepEnded, now.Sub(r.begun) > keepRun:
			delete(rs.byID, name)
		}
	}
}

// agent broadcasts an agent event with the next number of its run.
func (rs *runs) agent(r *run, stream string, data []byte, volatile bool) {
	r.seq++
	if rs.s.hub.idle() {
		rs.s.hub.skip()
		return
	}
	rs.s.hub.send(broadcast{event: "agent", payload: rs.agentPayload(r, stream, data), volatile: volatile})
}

func (rs *runs) agentPayload(r *run, stream string, data []byte) []byte {
	b := make([]byte, 0, len(data)+len(r.id)+len(r.session)+128)
	b = append(b, `{"runId":`...)
	b = jsonw.String(b, string(r.id))
	b = append(b, `,"stream":"`...)
	b = append(b, stream...)
	b = append(b, `","data":`...)
	b = append(b, data...)
	b = append(b, `,"sessionKey":`...)
	b = jsonw.String(b, string(r.session))
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, r.seq, 10)
	b = append(b, `,"ts":`...)
	b = strconv.AppendInt(b, rs.s.now().UnixMilli(), 10)
	return append(b, '}')
}

func (rs *runs) started(e event.RunStarted) {
	r := rs.get(e.Run, e.Session)
	r.session, r.client = e.Session, e.Conn != ""
	b := strconv.AppendInt([]byte(`{"phase":"start","startedAt":`), millis(e.At, rs.s.now()), 10)
	rs.agent(r, "lifecycle", append(b, '}'), false)
}

func millis(t, otherwise time.Time) int64 {
	if t.IsZero() {
		t = otherwise
	}
	return t.UnixMilli()
}

func (rs *runs) delta(e event.RunDelta) {
	r := rs.get(e.Run, e.Session)
	if r.aborted || !r.ended.IsZero() {
		return
	}
	if e.Fresh {
		r.text = r.text[:0]
	}
	piece := r.held + e.Text
	if len(r.chat) == 0 && strings.HasPrefix(silence, strings.TrimSpace(piece)) {
		r.held = piece
		return
	}
	r.held = ""
	if piece == "" || len(r.chat)+len(piece) > maxLiveText {
		return
	}
	from := len(r.text)
	r.text = jsonw.Inside(r.text, piece)
	escaped := r.text[from:]
	r.chat = append(r.chat, escaped...)
	if rs.s.hub.idle() {
		r.seq++
		rs.s.hub.skip()
	} else {
		data := make([]byte, 0, len(r.text)+len(escaped)+32)
		data = append(data, `{"text":"`...)
		data = append(data, r.text...)
		data = append(data, `","delta":"`...)
		data = append(data, escaped...)
		rs.agent(r, "assistant", append(data, `"}`...), true)
	}
	if now := rs.s.now(); r.client && now.Sub(r.last) >= deltaPause {
		rs.flush(r, now)
	}
}

// flush sends the text so far as a chat delta.
func (rs *runs) flush(r *run, now time.Time) {
	r.last, r.told = now, len(r.chat)
	if rs.s.hub.idle() {
		rs.s.hub.skip()
		return
	}
	b := make([]byte, 0, len(r.chat)+len(r.id)+len(r.session)+192)
	b = append(b, `{"runId":`...)
	b = jsonw.String(b, string(r.id))
	b = append(b, `,"sessionKey":`...)
	b = jsonw.String(b, string(r.session))
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, r.seq, 10)
	b = append(b, `,"state":"delta","message":{"role":"assistant","content":[{"type":"text","text":"`...)
	b = append(b, r.chat...)
	b = append(b, `"}],"timestamp":`...)
	b = strconv.AppendInt(b, now.UnixMilli(), 10)
	rs.s.hub.send(broadcast{event: "chat", payload: append(b, `}}`...), volatile: true})
}

// tool tells the asking connection alone, if it wants to know.
func (rs *runs) tool(name id.Run, session id.SessionKey, asker id.Conn, d toolData) {
	r := rs.get(name, session)
	r.seq++
	c := rs.s.hub.get(asker)
	if c == nil || !c.caller.Caps["tool-events"] || c.muted.Load() {
		return
	}
	data, err := rs.s.hub.enc.marshal(d)
	if err != nil {
		rs.s.log.Error("tool event", "err", err)
		return
	}
	c.push(direct("agent", rs.agentPayload(r, "tool", data)))
}

func (rs *runs) ended(e event.RunEnded) {
	r := rs.get(e.Run, e.Session)
	at := strconv.AppendInt(nil, millis(e.At, rs.s.now()), 10)
	switch {
	case canceled(e.Err) && (r.client || r.aborted):
		// The event chat tells: aborted.
	case e.Err != nil && !canceled(e.Err):
		b := append([]byte(`{"phase":"error","error":`), jsonw.String(nil, runError(e.Err))...)
		b = append(append(b, `,"endedAt":`...), at...)
		rs.agent(r, "lifecycle", append(b, '}'), false)
	default:
		if strings.TrimSpace(r.held) != silence && r.held != "" {
			rs.unhold(r)
		}
		b := append([]byte(`{"phase":"end","endedAt":`), at...)
		rs.agent(r, "lifecycle", append(b, '}'), false)
	}
	r.ended = rs.s.now()
	if r.waiting != nil {
		w := *r.waiting
		r.waiting = nil
		rs.finish(r, w)
	}
}

// unhold shows what was held back but didn't become NO_REPLY.
func (rs *runs) unhold(r *run) {
	piece := r.held
	r.held = ""
	r.chat = jsonw.Inside(r.chat, piece)
	data := append([]byte(`{"text":`), jsonw.String(nil, piece)...)
	data = append(append(data, `,"delta":`...), jsonw.String(nil, piece)...)
	rs.agent(r, "assistant", append(data, '}'), true)
}

// runError is the text of a failed run that clients see.
func runError(err error) string {
	if words, ok := provider.Words(err); ok {
		return words // as recorded: clients are told what the service said
	}
	if fault.KindOf(err) == fault.Internal {
		return fault.Hint(err)
	}
	if hint := fault.Hint(err); hint != fault.Hint(nil) {
		return hint
	}
	return err.Error()
}

// chatEnded tells how a message of a client was answered. A final or error
// waits for the end of its run, so that clients see the two in order.
func (rs *runs) chatEnded(e event.ChatEnded) {
	r := rs.byID[e.Run]
	if r != nil && r.ended.IsZero() && e.State != "aborted" {
		r.waiting, r.since = &e, rs.s.now()
		return
	}
	if r == nil {
		rs.chat(chatPayload{Run: e.Run, Session: e.Session, Seq: lone(e.Run), State: e.State, Stop: e.Stop, Message: whole(e.Message), Error: e.Error})
		return
	}
	rs.finish(r, e)
}

// lone is the number of a chat event without a run.
func lone(name id.Run) int64 {
	if strings.HasPrefix(string(name), "inject-") {
		return 0
	}
	return 1
}

func whole(m *llm.Message) any {
	if m == nil {
		return nil
	}
	return m
}

func (rs *runs) finish(r *run, e event.ChatEnded) {
	now := rs.s.now()
	p := chatPayload{Run: e.Run, Session: e.Session, Seq: max(r.seq, 1), State: e.State, Error: e.Error}
	switch e.State {
	case "aborted":
		r.aborted = true
		r.seq++
		p.Seq, p.Stop = r.seq, e.Stop
	case "final":
		if r.client && e.Message != nil && len(r.chat) > r.told {
			rs.flush(r, now)
		}
	}
	if e.Message != nil {
		m := wireMessage{Role: llm.Assistant, Time: e.Message.Time}
		for _, b := range e.Message.Content {
			if b.Type == llm.TextBlock || b.Type == llm.ImageBlock {
				m.Content = append(m.Content, b)
			}
		}
		if m.Time == 0 {
			m.Time = now.UnixMilli()
		}
		p.Message = m
	}
	r.chat, r.text = nil, nil
	rs.chat(p)
}

func (rs *runs) chat(p chatPayload) {
	raw, err := rs.s.hub.enc.marshal(p)
	if err != nil {
		rs.s.log.Error("chat event", "err", err)
		return
	}
	rs.s.hub.send(broadcast{event: "chat", payload: raw})
}
