package telegramtest

import (
	"fmt"
	"strings"
)

// parseHTML is as strict as Telegram: known tags, closed in order, and every
// <, > and & escaped. It returns the text that is shown.
func parseHTML(s string) (string, error) {
	var out strings.Builder
	var open []string
	for i := 0; i < len(s); {
		switch s[i] {
		case '<':
			end := strings.IndexByte(s[i:], '>')
			if end < 0 {
				return "", fmt.Errorf("unclosed start tag at byte offset %d", i)
			}
			tag := s[i+1 : i+end]
			if name, closing := strings.CutPrefix(tag, "/"); closing {
				if len(open) == 0 || open[len(open)-1] != name {
					return "", fmt.Errorf("unmatched end tag at byte offset %d", i)
				}
				open = open[:len(open)-1]
			} else {
				name, attr, _ := strings.Cut(tag, " ")
				if !known(name, attr) {
					return "", fmt.Errorf("unsupported start tag %q at byte offset %d", tag, i)
				}
				open = append(open, name)
			}
			i += end + 1
		case '>':
			return "", fmt.Errorf("unexpected > at byte offset %d", i)
		case '&':
			end := strings.IndexByte(s[i:], ';')
			if end < 0 {
				return "", fmt.Errorf("bare & at byte offset %d", i)
			}
			r, ok := map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": `"`}[s[i:i+end+1]]
			if !ok {
				return "", fmt.Errorf("unknown entity at byte offset %d", i)
			}
			out.WriteString(r)
			i += end + 1
		default:
			out.WriteByte(s[i])
			i++
		}
	}
	if len(open) > 0 {
		return "", fmt.Errorf("can't find end tag corresponding to start tag %s", open[len(open)-1])
	}
	return out.String(), nil
}

func known(name, attr string) bool {
	quoted := func(key string) bool {
		v, ok := strings.CutPrefix(attr, key+`="`)
		return ok && strings.HasSuffix(v, `"`) && strings.Count(v, `"`) == 1 && !strings.Contains(v, "<")
	}
	switch name {
	case "b", "i", "s", "u", "pre", "blockquote":
		return attr == ""
	case "code":
		return attr == "" || quoted("class")
	case "a":
		return quoted("href")
	}
	return false
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
