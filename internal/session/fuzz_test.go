package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

// FuzzTranscript gives a book any file: what it makes of that is what a
// provider accepts, it is the same the next time, and one may go on writing.
func FuzzTranscript(f *testing.F) {
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	r := newRig(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		s := session.Session{Key: mainKey, ID: "fuzzed"}
		old, err := filepath.Glob(filepath.Join(r.sessions(), "*"))
		ok(t, err)
		for _, n := range old {
			ok(t, os.Remove(n))
		}
		ok(t, os.MkdirAll(r.sessions(), 0o700))
		ok(t, os.WriteFile(filepath.Join(r.sessions(), "fuzzed.jsonl"), file, 0o600))
		r.restart()
		ms := r.history(t, s)
		paired(t, ms)
		r.restart()
		if diff := cmp.Diff(brief(ms), brief(r.history(t, s))); diff != "" {
			t.Errorf("second load differs:\n%s", diff)
		}
		ok(t, r.Append(t.Context(), s, user("next")))
		r.restart()
		after := r.history(t, s)
		paired(t, after)
		if len(after) == 0 || after[len(after)-1].Text() != "next" {
			t.Errorf("the next message is lost: %s", brief(after))
		}
		ok(t, r.Close())
	})
}

// paired checks that each call has one result right behind its turn.
func paired(t *testing.T, ms []llm.Message) {
	t.Helper()
	for i := 0; i < len(ms); i++ {
		if !utf8.ValidString(ms[i].Text()) {
			t.Errorf("message %d isn't UTF-8", i)
		}
		if ms[i].Role == llm.ToolRole {
			t.Errorf("result without a call: %s", brief(ms))
			return
		}
		if ms[i].Role != llm.Assistant {
			continue
		}
		for _, c := range ms[i].Calls() {
			if i++; i == len(ms) || ms[i].Role != llm.ToolRole || ms[i].CallID != c.ID {
				t.Errorf("call %s without its result: %s", c.ID, brief(ms))
				return
			}
		}
	}
}

// FuzzEntry reads any value as an index entry; what is read is written the
// same.
func FuzzEntry(f *testing.F) {
	for _, s := range []string{
		`{"sessionId":"a","updatedAt":1}`,
		`{"sessionId":"a","updatedAt":1,"lastThreadId":7,"deliveryContext":{"threadId":42,"to":"x"},"origin":null}`,
		`{"sessionId":"a","updatedAt":"wrong","label":{"x":[1,2]},"systemSent":null,"compactionCount":0,"new":"<&>"}`,
		`{"sessionId":"a","sessionId":"b","label":"","fastMode":false}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := session.Decode(mainKey, raw)
		if err != nil {
			return
		}
		b, err := s.Encode()
		ok(t, err)
		if !json.Valid(b) {
			t.Fatalf("Encode wrote %s", b)
		}
		again, err := session.Decode(mainKey, b)
		if err != nil {
			t.Fatalf("Decode(%s): %v", b, err)
		}
		c, err := again.Encode()
		ok(t, err)
		var first, second map[string]json.RawMessage
		ok(t, json.Unmarshal(b, &first))
		ok(t, json.Unmarshal(c, &second))
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("second time:\n%s", diff)
		}
	})
}
