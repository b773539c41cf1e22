package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/sse"
)

type event struct{ Name, Data string }

func readAll(r io.Reader, limit int) ([]event, error) {
	var out []event
	s := sse.New(r, limit)
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, event{string(e.Name), string(e.Data)})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want []event
	}{
		"plain":           {"data: a\n\ndata: b\n\n", []event{{"", "a"}, {"", "b"}}},
		"crlf":            {"data: a\r\n\r\ndata: b\r\n\r\n", []event{{"", "a"}, {"", "b"}}},
		"cr":              {"data: a\r\rdata: b\r\r", []event{{"", "a"}, {"", "b"}}},
		"no space":        {"data:a\n\n", []event{{"", "a"}}},
		"one space goes":  {"data:  a\n\n", []event{{"", " a"}}},
		"comments":        {": ping\n\n:\n\ndata: a\n: in between\n\n", []event{{"", "a"}}},
		"named":           {"event: x\nid: 7\nretry: 3\ndata: a\n\n", []event{{"x", "a"}}},
		"many lines":      {"data: a\ndata\ndata: b\n\n", []event{{"", "a\n\nb"}}},
		"no blank at end": {"data: a\n\ndata: b", []event{{"", "a"}, {"", "b"}}},
		"byte order mark": {"\xef\xbb\xbfdata: a\n\n", []event{{"", "a"}}},
		"name without data": {
			"event: lonely\n\ndata: a\n\n", []event{{"", "a"}},
		},
		"short": {"a", nil},
		"empty": {"", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "bytes": iotest.OneByteReader(strings.NewReader(tt.in)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := readAll(r, 0)
				if err != nil {
					t.Fatalf("%s: Next = %v", kind, err)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("%s: events (-want +got):\n%s", kind, d)
				}
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{150 << 10, 2 << 20, 12 << 20} {
		got, err := readAll(strings.NewReader("data: "+strings.Repeat("x", n)+"END\n\ndata: after\n\n"), 0)
		if err != nil || len(got) != 2 || len(got[0].Data) != n+3 || !strings.HasSuffix(got[0].Data, "END") || got[1].Data != "after" {
			t.Errorf("a line of %d bytes: %d events, %v", n, len(got), err)
		}
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one line":   "data: " + strings.Repeat("x", 100_000) + "\n\n",
		"many lines": strings.Repeat("data: xxxxxxxxxx\n", 10_000) + "\n",
		"no end":     strings.Repeat("x", 100_000),
	} {
		if _, err := readAll(strings.NewReader(in), 50_000); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%s: error = %v, want ErrTooLong", name, err)
		}
	}
}

func TestErrorIsSeen(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("data: a\n\ndata: half"), iotest.ErrReader(io.ErrUnexpectedEOF))
	got, err := readAll(broken, 0)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 1 {
		t.Errorf("events %v, error %v; want the first event and the error", got, err)
	}
}

// FuzzNext checks that how the bytes arrive makes no difference, and that no
// event holds more than came in.
func FuzzNext(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\nevent: b\ndata:c\n\n: x\n"))
	f.Add([]byte("\xef\xbb\xbfdata\rdata: \r\r"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err1 := readAll(bytes.NewReader(in), 1<<10)
		single, err2 := readAll(iotest.OneByteReader(bytes.NewReader(in)), 1<<10)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("whole: %v, byte by byte: %v", err1, err2)
		}
		if err1 == nil {
			if d := cmp.Diff(whole, single); d != "" {
				t.Fatalf("whole and byte by byte differ:\n%s", d)
			}
		}
		n := 0
		for _, e := range whole {
			n += len(e.Data)
		}
		if n > len(in) {
			t.Fatalf("%d bytes of data from %d", n, len(in))
		}
	})
}

func BenchmarkNext(b *testing.B) {
	in := []byte(strings.Repeat("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"tok\"}}]}\n\n", 200))
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		s := sse.New(bytes.NewReader(in), 0)
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
	}
}
