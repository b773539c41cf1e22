package reply

import (
	"strings"
	"unicode"
)

// Stream lets text through as it comes, holding back what may still become a
// token or a tag. One Stream serves one run; Fresh starts a new message of it.
type Stream struct {
	Emit func(text string, fresh bool)
	// Tag is told about each reply tag, with the message that it names or "" for
	// the current one; may be nil.
	Tag func(message string)

	held  string
	begun bool // something of this message was let through
	eat   bool // blanks behind a tag go with it
}

// Fresh starts the next assistant message. What was held of the last one is
// let go unless it is a token.
func (s *Stream) Fresh() {
	s.Flush()
	s.begun, s.eat = false, false
}

// Delta adds streamed text.
func (s *Stream) Delta(t string) {
	s.held += t
	h := s.untagged()
	cut := safe(h, s.begun)
	s.held = h[cut:]
	if cut > 0 {
		s.emit(h[:cut])
	}
}

// untagged is what is held, without the tags in it.
func (s *Stream) untagged() string {
	h := s.held
	if s.eat || !s.begun {
		h = strings.TrimLeftFunc(h, unicode.IsSpace)
		s.eat = s.eat && h == ""
	}
	if strings.Contains(h, "[[") {
		at := tag().FindAllStringSubmatchIndex(h, -1)
		if s.Tag != nil {
			for _, m := range at {
				name := ""
				if m[2] >= 0 {
					name = h[m[2]:m[3]]
				}
				s.Tag(name)
			}
		}
		if n := len(at); n > 0 {
			s.eat = at[n-1][1] == len(h)
			h = tag().ReplaceAllString(h, "")
		}
	}
	if !s.begun {
		if rest, ok := strings.CutPrefix(h, Heartbeat); ok && startsBlank(rest) {
			if t := strings.TrimLeftFunc(rest, unicode.IsSpace); t != "" {
				h = t
			}
		}
	}
	return h
}

// Flush lets go what is held, tokens excepted.
func (s *Stream) Flush() {
	h := s.untagged()
	s.held = ""
	s.eat = false
	h = unTail(h)
	if t := strings.TrimSpace(h); t == "" || !s.begun && onlyTokens(t) {
		return
	}
	s.emit(h)
}

// unTail takes lines that are tokens off the end of s.
func unTail(s string) string {
	for t := strings.TrimRightFunc(s, unicode.IsSpace); ; {
		i := strings.LastIndexByte(t, '\n')
		if i < 0 || !onlyTokens(t[i:]) {
			return s
		}
		t = strings.TrimRightFunc(t[:i], unicode.IsSpace)
		s = t
	}
}

func (s *Stream) emit(t string) {
	s.Emit(t, !s.begun)
	s.begun = true
}

// safe returns how much of h can't become part of a token or tag any more.
func safe(h string, begun bool) int {
	if !begun && tokenish(h) {
		return 0
	}
	end := len(h)
	// The last line may become a token, which then goes with the blanks before it;
	// so may several lines.
	for {
		i := strings.LastIndexByte(h[:end], '\n')
		if i < 0 || !tokenish(h[i:]) {
			break
		}
		end = len(strings.TrimRightFunc(h[:i], unicode.IsSpace))
	}
	if i := strings.LastIndex(h, "[["); i >= 0 && i < end && !strings.Contains(h[i:], "]]") && len(h)-i < 200 {
		end = i
	}
	if end == len(h) && strings.HasSuffix(h, "[") {
		end--
	}
	if end == 0 && !begun {
		return 0
	}
	return end
}

// tokenish reports whether s, with more to come, may become nothing but tokens
// and blanks, or begins like one that is taken off the start.
func tokenish(s string) bool {
	rest := unToken(s)
	return strings.HasPrefix(Silent, rest) || strings.HasPrefix(Heartbeat, rest)
}
