package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
)

// stream writes server-sent events. What all chunks share is made once; a chunk
// goes out in one write as soon as its text is there.
type stream struct {
	w      http.ResponseWriter
	ctl    *http.ResponseController
	hangUp func() // the client is gone

	mu    sync.Mutex
	first func() // adds what goes out before all else
	head  []byte // of each chunk, up to the choices
	buf   []byte
	begun bool // headers are out
	spoke bool // text is out
	dead  bool
}

func newStream(w http.ResponseWriter, run, model string, created int64, hangUp func()) *stream {
	head := []byte(`data: {"id":`)
	head = jsonw.String(head, run)
	head = append(head, `,"object":"chat.completion.chunk","created":`...)
	head = strconv.AppendInt(head, created, 10)
	head = append(head, `,"model":`...)
	head = jsonw.String(head, model)
	head = append(head, `,"choices":[`...)
	s := &stream{w: w, ctl: http.NewResponseController(w), hangUp: hangUp, head: head, buf: make([]byte, 0, 4096)}
	s.first = func() {
		s.buf = append(s.buf, s.head...)
		s.buf = append(s.buf, `{"index":0,"delta":{"role":"assistant"}}]}`+"\n\n"...)
	}
	return s
}

// delta sends a piece of the answer. The first one brings the headers and the
// role: until then an error can still have its own status.
func (s *stream) delta(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beginLocked()
	s.spoke = true
	s.buf = append(s.buf, s.head...)
	s.buf = append(s.buf, `{"index":0,"delta":{"content":`...)
	s.buf = jsonw.String(s.buf, text)
	s.buf = append(s.buf, `},"finish_reason":null}]}`+"\n\n"...)
	s.flushLocked()
}

func (s *stream) beginLocked() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	s.first()
}

// flushLocked writes buf. A client that is gone or doesn't read ends the run.
func (s *stream) flushLocked() {
	if !s.dead {
		_ = s.ctl.SetWriteDeadline(time.Now().Add(unreadTime))
		_, err := s.w.Write(s.buf)
		if err == nil {
			err = s.ctl.Flush()
		}
		if err != nil {
			s.dead = true
			s.hangUp()
		}
	}
	s.buf = s.buf[:0]
}

func (s *stream) finish(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf, s.head...)
	s.buf = append(s.buf, `{"index":0,"delta":{},"finish_reason":`...)
	s.buf = jsonw.String(s.buf, reason)
	s.buf = append(s.buf, "}]}\n\n"...)
	s.flushLocked()
}

func (s *stream) usage(u usage) {
	raw, err := json.Marshal(u)
	if err != nil {
		return // can't be: three numbers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf, s.head...)
	s.buf = append(s.buf, `],"usage":`...)
	s.buf = append(s.buf, raw...)
	s.buf = append(s.buf, "}\n\n"...)
	s.flushLocked()
}

func (s *stream) event(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		return // can't be: strings
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf, "data: "...)
	s.buf = append(s.buf, raw...)
	s.buf = append(s.buf, "\n\n"...)
	s.flushLocked()
}

func (s *stream) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doneLocked()
}

func (s *stream) doneLocked() {
	s.buf = append(s.buf, "data: [DONE]\n\n"...)
	s.flushLocked()
	_ = s.ctl.SetWriteDeadline(time.Time{})
}

// keepAlive sends a comment now and then, so that nothing on the way takes a
// slow model for a dead connection. stop returns when no more will be sent.
func (s *stream) keepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(quiet)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.mu.Lock()
				s.beginLocked()
				s.buf = append(s.buf, ": waiting\n\n"...)
				s.flushLocked()
				s.mu.Unlock()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}
