package jsonw_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
)

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "q\"b\\n\n\r\t\x00\x1f", "\xff\xfe", "grüße 🦞", "\xe2\x82"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := jsonw.String(nil, s)
		var got string
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("String(%q) = %s: %v", s, raw, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); got != want && len(got) != len(want) {
			std, _ := json.Marshal(s)
			var viaStd string
			_ = json.Unmarshal(std, &viaStd)
			if got != viaStd {
				t.Fatalf("String(%q) reads back as %q, want %q", s, got, viaStd)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	b := []byte("{")
	b = jsonw.String(jsonw.Key(b, "a"), "1")
	b = append(jsonw.Key(b, "b"), '[')
	b = jsonw.String(jsonw.Comma(b), "x")
	b = jsonw.Base64(jsonw.Comma(b), "data:", []byte("hi"))
	b = append(b, ']', '}')
	if got, want := string(b), `{"a":"1","b":["x","data:aGk="]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkString(b *testing.B) {
	s := strings.Repeat("A usual sentence of a conversation, with \"quotes\" and\nlines. ", 1000)
	dst := make([]byte, 0, 2*len(s))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		dst = jsonw.String(dst[:0], s)
	}
}
