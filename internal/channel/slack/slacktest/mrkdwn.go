package slacktest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is what people read of mrkdwn: without marks, and with the labels of
// links. A bare < or & is an error.
func Shown(s string) (string, error) {
	var out strings.Builder
	for i, part := range strings.Split(s, "```") {
		text, err := angles(part)
		if err != nil {
			return "", err
		}
		if i%2 == 1 {
			out.WriteString(strings.Trim(text, "\n"))
			continue
		}
		out.WriteString(unmarked(text))
	}
	return out.String(), nil
}

// angles reads entities and what stands in angle brackets.
func angles(s string) (string, error) {
	var out strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "<>&")
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		if s[0] == '>' {
			if at := strings.TrimRight(out.String(), ">"); at != "" && !strings.HasSuffix(at, "\n") {
				return "", fmt.Errorf("a bare > in %.20q", s)
			}
			out.WriteByte('>') // a quote
			s = s[1:]
			continue
		}
		if s[0] == '&' {
			found := false
			for e, r := range map[string]string{"&amp;": "&", "&lt;": "\x01", "&gt;": "\x02"} {
				if strings.HasPrefix(s, e) {
					out.WriteString(r)
					s, found = s[len(e):], true
					break
				}
			}
			if !found {
				return "", fmt.Errorf("a bare & in %.20q", s)
			}
			continue
		}
		end := strings.IndexByte(s, '>')
		if end < 0 {
			return "", fmt.Errorf("a bare < in %.20q", s)
		}
		url, label, labelled := strings.Cut(s[1:end], "|")
		if strings.ContainsAny(url, " \n<") || url == "" || !strings.ContainsAny(url[:1], "@#!") && !strings.Contains(url, ":") {
			return "", fmt.Errorf("%.40q is neither a link nor a mention", s[:end+1])
		}
		if labelled {
			url = label
		}
		out.WriteString(strings.NewReplacer("&lt;", "\x01", "&gt;", "\x02", "&amp;", "&").Replace(url))
		s = s[end+1:]
	}
	return strings.NewReplacer("\x01", "<", "\x02", ">").Replace(out.String() + s), nil
}

// unmarked drops the marks of bold, italic, struck and code: those at the edge
// of a word.
func unmarked(s string) string {
	var out strings.Builder
	prev := ' '
	for i, r := range s {
		if strings.ContainsRune("*_~`", r) {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if r == '`' || !word(prev) || !word(next) {
				continue
			}
		}
		out.WriteRune(r)
		prev = r
	}
	return out.String()
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
