package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pasted text that Telegram's app cut is one message; what only stands behind
// a long one is not.
func TestPastedText(t *testing.T) {
	t.Parallel()
	long := func(s string) string { return strings.Repeat(s, 4000/len(s)) }
	type said struct {
		id, date, from, chat int64
		more, text           string
	}
	for _, tt := range []struct {
		name string
		in   []said
		want []string // the first letter of each part of each message
	}{
		{"three parts", []said{{1, 1, 7, 7, "", long("a")}, {2, 1, 7, 7, "", long("b")}, {3, 2, 7, 7, "", "c"}, {4, 2, 7, 7, "", "d"}}, []string{"abc", "d"}},
		{"a short one in front", []said{{1, 1, 7, 7, "", "a"}, {2, 1, 7, 7, "", "b"}}, []string{"a", "b"}},
		{"much later", []said{{1, 1, 7, 7, "", long("a")}, {2, 9, 7, 7, "", "b"}}, []string{"a", "b"}},
		{"a gap", []said{{1, 1, 7, 7, "", long("a")}, {3, 1, 7, 7, "", "b"}}, []string{"a", "b"}},
		{"another sender", []said{{1, 1, 7, -1, "", long("a")}, {2, 1, 8, -1, "", "b"}}, []string{"a", "b"}},
		{"another chat between", []said{{1, 1, 7, 7, "", long("a")}, {2, 1, 7, -1, "", "x"}, {2, 1, 7, 7, "", "b"}}, []string{"ab", "x"}},
		{"an answer to something", []said{{1, 1, 7, 7, "", long("a")}, {2, 1, 7, 7, `"reply_to_message":{"message_id":9,"chat":{"id":7}},`, "b"}}, []string{"a", "b"}},
		{"forwarded", []said{{1, 1, 7, 7, "", long("a")}, {2, 1, 7, 7, `"forward_origin":{"sender_user_name":"X"},`, "b"}}, []string{"a", "[b"}},
		{"too many parts", func() (out []said) {
			for i := range int64(13) {
				out = append(out, said{1 + i, 1, 7, 7, "", long("a")})
			}
			return out
		}(), []string{strings.Repeat("a", 12), "a"}},
	} {
		for _, hook := range []bool{false, true} {
			s := server(t)
			section := config(s, "")
			if hook {
				section = config(s, hooked)
			}
			r := build(t, kind(), section)
			var updates []string
			for _, x := range tt.in {
				kind := "private"
				if x.chat < 0 {
					kind = "group"
				}
				updates = append(updates, fmt.Sprintf(`{%%s"message":{"message_id":%d,"date":%d,"chat":{"id":%d,"type":%q},"from":{"id":%d},%s"text":%q}}`, x.id, x.date, x.chat, kind, x.from, x.more, x.text))
			}
			if hook {
				r.start()
				url := pushed(t, s, r)
				for i, u := range updates {
					deliver(t, url, "s3cret", fmt.Sprintf(u, fmt.Sprintf(`"update_id":%d,`, i+1)))
				}
			} else {
				for _, u := range updates {
					s.Push(fmt.Sprintf(u, ""))
				}
				r.start()
			}
			got := map[string]bool{}
			for range tt.want {
				in := wait(t, r.got, tt.name)
				letters := ""
				for _, c := range in.Text {
					if n := len(letters); (c >= 'a' && c <= 'd' || c == 'x' || c == '[') && (n == 0 || rune(letters[n-1]) != c) {
						letters += string(c)
					}
					if strings.HasPrefix(letters, "[") {
						letters = "[b"
						break
					}
				}
				if n := len(in.Text) / 4000; n > 1 && letters == "a" {
					letters = strings.Repeat("a", n)
				}
				got[letters] = true
			}
			want := map[string]bool{}
			for _, w := range tt.want {
				want[w] = true
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, webhook %v: %s", tt.name, hook, d)
			}
			r.stop()
		}
	}
}
