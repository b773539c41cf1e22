package jsonw_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
)

func TestString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                              `""`,
		"a\"b\\c":                       `"a\"b\\c"`,
		"\b\t\n\f\r\x00\x1f":            `"\b\t\n\f\r\u0000\u001f"`,
		"<&>\u2028\x7f gr\u00fc\u00dfe": "\"<&>\u2028\x7f gr\u00fc\u00dfe\"",
		"a\xffb\xc3":                    "\"a\uFFFDb\uFFFD\"",
	} {
		if got := string(jsonw.String(nil, in)); got != want {
			t.Errorf("String(%q) = %s, want %s", in, got, want)
		}
		if got := string(jsonw.String(nil, []byte(in))); got != want {
			t.Errorf("String([]byte(%q)) = %s, want %s", in, got, want)
		}
		if got := string(jsonw.Inside(nil, in)); got != want[1:len(want)-1] {
			t.Errorf("Inside(%q) = %s, want what is inside %s", in, got, want)
		}
	}
}

// Every byte is seen wherever it stands among plain ones.
func TestStringEveryByteEverywhere(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 20 {
			for _, fill := range []string{" ", "~", "a!#[]"} {
				in := []byte(strings.Repeat(fill, 20)[:20])
				in[at] = byte(c)
				var got string
				raw := jsonw.String(nil, in)
				if err := json.Unmarshal(raw, &got); err != nil || got != strings.ToValidUTF8(string(in), "\uFFFD") {
					t.Fatalf("String(%q) = %s, %v", in, raw, err)
				}
			}
		}
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "q\"b\\n\n\r\t\x00\x1f", "\xff\xfe", "a\xc3", "grüße 🦞 €", "\xe2\x82"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := jsonw.String(nil, s)
		var got, want string
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("String(%q) = %s: %v", s, raw, err)
		}
		std, _ := json.Marshal(s)
		_ = json.Unmarshal(std, &want)
		if got != want || utf8.ValidString(s) && got != s {
			t.Fatalf("String(%q) reads back as %q, want %q", s, got, want)
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
