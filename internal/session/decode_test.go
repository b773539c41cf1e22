package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

// TestEntries compares the reader of transcripts with encoding/json.
func TestEntries(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"recorded-tool-turn.jsonl", "recorded-aborted-turn.jsonl", "open-call.jsonl", "double-results.jsonl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := r.given(t, name)
			es, err := r.Entries(t.Context(), s, 0)
			ok(t, err)
			lines := r.lines(t, s)
			if len(es) != len(lines) {
				t.Fatalf("%d entries of %d lines", len(es), len(lines))
			}
			for i, line := range lines {
				compare(t, es[i], line)
			}
			last, err := r.Entries(t.Context(), s, 2)
			ok(t, err)
			if diff := cmp.Diff(es[len(es)-2:], last); diff != "" {
				t.Errorf("last two (-want +got):\n%s", diff)
			}
		})
	}
}

func compare(t *testing.T, e session.Entry, line string) {
	t.Helper()
	var want struct {
		Type, ID, ParentID, Timestamp string
		Message                       *llm.Message
	}
	ok(t, json.Unmarshal([]byte(line), &want))
	if want.Type == "session" {
		want.ID = ""
	}
	if e.Type != want.Type || e.ID != want.ID || e.ParentID != want.ParentID || e.Timestamp != want.Timestamp {
		t.Errorf("entry %+v of %s", e, line)
	}
	if diff := cmp.Diff(want.Message, e.Message); diff != "" {
		t.Errorf("message of %s (-want +got):\n%s", line, diff)
	}
	var fields map[string]json.RawMessage
	ok(t, json.Unmarshal([]byte(line), &fields))
	for _, k := range []string{"type", "parentId", "timestamp", "message"} {
		delete(fields, k)
	}
	if e.Type != "session" {
		delete(fields, "id")
	}
	for k, v := range fields {
		if string(e.Fields[k]) != string(v) {
			t.Errorf("field %s = %s, want %s", k, e.Fields[k], v)
		}
	}
	if len(fields) != len(e.Fields) {
		t.Errorf("fields %v of %s", e.Fields, line)
	}
}

// TestLines compares what is written with the recorded lines: the same keys
// in the same order.
func TestLines(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, _, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	ok(t, r.SetModel(t.Context(), s, llm.Model{Provider: "fake", ID: "fake-1", API: "openai-completions"}, "off"))
	ok(t, r.Append(t.Context(), s, user("Hello"), says("Hi")))
	b, err := os.ReadFile(filepath.Join("testdata", "recorded-tool-turn.jsonl"))
	ok(t, err)
	recorded := strings.Split(string(b), "\n")
	lines := r.lines(t, s)
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		want, got := keys(t, recorded[i]), keys(t, line)
		if want != got {
			t.Errorf("line %d has %s, want %s", i, got, want)
		}
	}
}

// keys lists the keys of a line, those of its message and data too, in order.
func keys(t *testing.T, line string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(line))
	var out []string
	key := []bool{}
	for {
		tok, err := dec.Token()
		if err != nil {
			return strings.Join(out, " ")
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				key = append(key, v == '{')
			} else {
				key = key[:len(key)-1]
			}
			continue
		case string:
			// A string before a colon is a key: More is true and the decoder is
			// inside an object; values are told by what was read before.
			if len(key) > 0 && key[len(key)-1] && strings.HasPrefix(strings.TrimLeft(line[dec.InputOffset():], " "), ":") {
				out = append(out, v)
			}
		}
	}
}
