package openai

import (
	"encoding/json"
	"net/http"

	"github.com/google/uuid"
)

// responseStream writes the events of one response. Its text is one message,
// the first item of the output.
type responseStream struct {
	stream

	base    response
	message string // id of the message
	opened  bool   // the message has begun
	text    []byte
	number  int // of the next event
}

func newResponseStream(w http.ResponseWriter, base response, hangUp func()) *responseStream {
	s := &responseStream{stream: stream{w: w, ctl: http.NewResponseController(w), hangUp: hangUp}, base: base, message: "msg_" + uuid.NewString()}
	s.first = func() {
		s.putLocked("response.created", fields{"response": s.base})
		s.putLocked("response.in_progress", fields{"response": s.base})
	}
	return s
}

type fields map[string]any

// putLocked adds an event to what goes out next.
func (s *responseStream) putLocked(kind string, f fields) {
	f["type"], f["sequence_number"] = kind, s.number
	raw, err := json.Marshal(f)
	if err != nil {
		return // can't be: strings and numbers
	}
	s.number++
	s.buf = append(s.buf, "event: "...)
	s.buf = append(s.buf, kind...)
	s.buf = append(s.buf, "\ndata: "...)
	s.buf = append(s.buf, raw...)
	s.buf = append(s.buf, "\n\n"...)
}

// at adds where an event belongs in the message.
func (s *responseStream) at(f fields) fields {
	f["item_id"], f["output_index"], f["content_index"] = s.message, 0, 0
	return f
}

// openLocked begins the message.
func (s *responseStream) openLocked() {
	s.beginLocked()
	if s.opened {
		return
	}
	s.opened = true
	empty := item{Type: "message", ID: s.message, Role: "assistant", Content: &[]part{}, Status: "in_progress"}
	s.putLocked("response.output_item.added", fields{"output_index": 0, "item": empty})
	s.putLocked("response.content_part.added", s.at(fields{"part": outputText("")}))
}

// delta sends a piece of the answer. The first one brings the headers: until
// then an error can still have its own status.
func (s *responseStream) delta(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openLocked()
	s.text = append(s.text, text...)
	s.putLocked("response.output_text.delta", s.at(fields{"delta": text}))
	s.flushLocked()
}

// end sends what is left and the whole response.
func (s *responseStream) end(answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beginLocked()
	whole := s.base.ended(answer)
	if s.opened { // what the client saw counts
		shown := said(string(s.text))
		shown.ID = s.message
		if len(whole.Output) > 0 && whole.Output[0].Type == "message" {
			whole.Output[0] = shown
		} else {
			whole.Output = append([]item{shown}, whole.Output...)
		}
	}
	for i := range whole.Output {
		it := &whole.Output[i]
		if it.Type == "message" {
			s.closeLocked(it)
		} else {
			s.callLocked(i, *it)
		}
	}
	kind := "response.completed"
	if whole.Status == "incomplete" {
		kind = "response.incomplete"
	}
	s.putLocked(kind, fields{"response": whole})
	s.doneLocked()
}

// closeLocked ends the message, which has one piece of text when none was
// streamed.
func (s *responseStream) closeLocked(it *item) {
	text := (*it.Content)[0].Text
	if !s.opened {
		s.openLocked()
		it.ID = s.message
		s.putLocked("response.output_text.delta", s.at(fields{"delta": text}))
	}
	s.putLocked("response.output_text.done", s.at(fields{"text": text}))
	s.putLocked("response.content_part.done", s.at(fields{"part": outputText(text)}))
	s.putLocked("response.output_item.done", fields{"output_index": 0, "item": *it})
}

func (s *responseStream) callLocked(i int, it item) {
	args, none := *it.Arguments, ""
	begun := it
	begun.Arguments, begun.Status = &none, "in_progress"
	s.putLocked("response.output_item.added", fields{"output_index": i, "item": begun})
	s.putLocked("response.function_call_arguments.delta", fields{"item_id": it.ID, "output_index": i, "delta": args})
	s.putLocked("response.function_call_arguments.done", fields{"item_id": it.ID, "output_index": i, "arguments": args})
	s.putLocked("response.output_item.done", fields{"output_index": i, "item": it})
}

// failed ends a response that had begun.
func (s *responseStream) failed(why errorBody) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.base
	r.Status, r.Error = "failed", &why
	s.putLocked("response.failed", fields{"response": r})
	s.doneLocked()
}
