package provider

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/sse"
)

// Begin returns the body of an answer and, when the service doesn't say that it
// is a stream, its first byte that isn't white space: some send the answer as a
// whole, or an error as one. The byte is 0 for a stream and not taken from body.
func (x *Call) Begin() (body *bufio.Reader, first byte, err error) {
	body = bufio.NewReaderSize(x.Body, 4096)
	if strings.HasPrefix(strings.ToLower(x.Response.Header.Get("Content-Type")), "text/event-stream") {
		return body, 0, nil
	}
	switch first, err = firstByte(body); {
	case err != nil && !errors.Is(err, io.EOF):
		return body, 0, x.Err(err)
	case first == '<':
		return body, 0, x.Garbled("the service answered with a web page instead of an answer; check baseUrl")
	}
	return body, first, nil
}

// firstByte returns the first byte that isn't white space, without taking it.
func firstByte(r *bufio.Reader) (byte, error) {
	for n := 1; n <= r.Size(); n++ {
		b, err := r.Peek(n)
		if err != nil {
			return 0, err
		}
		if c := b[n-1]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, nil
		}
	}
	return 0, nil
}

// Cut says why a stream that ended with err before it gave a reason to stop is
// no answer; parts is how much of one came.
func (x *Call) Cut(err error, parts int) error {
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return x.Garbled("the stream holds a piece larger than the limit of 32 MiB")
	case !errors.Is(err, io.EOF):
		return x.Err(err)
	case parts == 0:
		return x.Garbled("the model gave an empty answer")
	}
	return x.Garbled("the stream was cut before the answer was complete")
}

// Finish ends a stream with m, or with err, and lets the connection be used
// again.
func (x *Call) Finish(m llm.Message, err error, yield func(llm.Event, error) bool) {
	if err != nil {
		yield(llm.Event{}, err)
		return
	}
	x.Pause()
	yield(llm.Event{Type: llm.Done, Message: m}, nil)
	x.Drain()
}

// Decode reads an answer that is one JSON value into v; what names it in the
// error for one that can't be read.
func (x *Call) Decode(v any, what string) error {
	raw, err := io.ReadAll(x.Body)
	if err != nil {
		return x.Err(err)
	}
	if json.Unmarshal(raw, v) != nil {
		return x.Garbled(what + " can't be read; check baseUrl")
	}
	return nil
}
