// Package sse reads event streams, as the HTML standard defines them, without
// a small limit on the length of a line. It forgives what servers get wrong: a
// missing space after the colon, a last event without its blank line.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// DefaultMax is the most bytes of one event when New is given no limit.
const DefaultMax = 32 << 20

// ErrTooLong is in the chain of an error about an event above the limit.
var ErrTooLong = errors.New("event too long")

// Event is one event. Its fields are valid until the next call of Next.
type Event struct {
	Name []byte // empty for "message"
	Data []byte // lines joined with \n
}

// Reader reads events. It is not safe for use by several goroutines.
type Reader struct {
	r      io.Reader
	buf    []byte // read but not yet consumed: buf[pos:end]
	pos    int
	end    int
	max    int
	name   []byte
	data   []byte
	lines  int // data lines in data
	skipLF bool
	begun  bool
	err    error
}

// New returns a reader of r. An event longer than limit bytes is an error; 0
// means DefaultMax.
func New(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultMax
	}
	return &Reader{r: r, max: limit, buf: make([]byte, 4096)}
}

// Next returns the next event that has data. At the end of the stream it
// returns io.EOF; every other error, from below or ErrTooLong, is final too.
func (r *Reader) Next() (Event, error) {
	r.name, r.data, r.lines = r.name[:0], r.data[:0], 0
	for {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && r.lines > 0 {
				return r.event(), nil // the next call meets the end again
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if r.lines > 0 {
				return r.event(), nil
			}
			r.name = r.name[:0]
			continue
		}
		if err := r.field(line); err != nil {
			r.err, r.pos = err, r.end
			return Event{}, err
		}
	}
}

func (r *Reader) event() Event { return Event{Name: r.name, Data: r.data} }

func (r *Reader) field(line []byte) error {
	key, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(key) { // a comment has an empty key
	case "data":
		if len(r.data)+len(value)+1 > r.max {
			return r.tooLong()
		}
		if r.lines > 0 {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.lines++
	case "event":
		r.name = append(r.name[:0], value...)
	}
	return nil
}

// line returns the next line without its end, valid until the next call. A
// line ends with \n, \r\n or \r; the last one may have no end.
func (r *Reader) line() ([]byte, error) {
	seen := 0 // bytes of buf[pos:end] known to hold no line end
	for {
		if r.skipLF && r.pos < r.end {
			if r.buf[r.pos] == '\n' {
				r.pos++
			}
			r.skipLF = false
		}
		if !r.begun && (r.end-r.pos >= 3 || r.err != nil) {
			r.begun = true
			if bytes.HasPrefix(r.buf[r.pos:r.end], []byte("\xef\xbb\xbf")) {
				r.pos += 3
			}
		}
		if i := lineEnd(r.buf[r.pos+seen : r.end]); i >= 0 && r.begun {
			line := r.buf[r.pos : r.pos+seen+i]
			r.pos += seen + i + 1
			r.skipLF = r.buf[r.pos-1] == '\r'
			return line, nil
		}
		if r.begun {
			seen = r.end - r.pos
		}
		if r.err != nil {
			line := r.buf[r.pos:r.end]
			r.pos = r.end
			if len(line) > 0 && errors.Is(r.err, io.EOF) {
				return line, nil
			}
			return nil, r.err
		}
		if r.end-r.pos > r.max {
			r.err = r.tooLong()
			r.pos = r.end
			return nil, r.err
		}
		r.fill()
	}
}

func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// fill reads more, after making room for it.
func (r *Reader) fill() {
	switch {
	case r.pos == r.end:
		r.pos, r.end = 0, 0
	case r.end == len(r.buf) && r.pos > len(r.buf)/2:
		r.end = copy(r.buf, r.buf[r.pos:r.end])
		r.pos = 0
	case r.end == len(r.buf):
		bigger := make([]byte, 2*len(r.buf))
		r.end = copy(bigger, r.buf[r.pos:r.end])
		r.buf, r.pos = bigger, 0
	}
	for range 100 { // as bufio: a reader that keeps giving nothing is broken
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

func (r *Reader) tooLong() error { return fmt.Errorf("%w: over %d bytes", ErrTooLong, r.max) }
