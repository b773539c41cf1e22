package provider

import (
	"strings"
)

// marker begins a call written as text.
type marker struct {
	open, end string // an empty end reaches to the end of the text
	// prose is set for tags that people also write about: what follows must
	// look like a call.
	prose bool
}

func markers() []marker {
	return []marker{
		{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", false}, // Kimi
		{"<|tool_call_begin|>", "<|tool_call_end|>", false},
		{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", false}, // DeepSeek
		{"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", false},
		{"<tool_call>", "</tool_call>", true}, // Qwen, Hermes, GLM
		{"<tool_calls>", "</tool_calls>", true},
		{"<minimax:tool_call>", "</minimax:tool_call>", false},
		{"<function_calls>", "</function_calls>", true},
		{"<antml:function_calls>", "</antml:function_calls>", false},
		{"<invoke name=", "</invoke>", false},
		{"<antml:invoke name=", "</antml:invoke>", false},
		{"<function_call>", "</function_call>", true},
		{"<function=", "</function>", false},
		{"[TOOL_CALLS]", "", false}, // Mistral
	}
}

// hold bounds how much text waits for a closing backtick on its line.
const hold = 2048

// suspicious tells whether s can hold a marker at all.
func suspicious(s string) bool { return strings.IndexByte(s, '<') >= 0 || strings.Contains(s, "[TOOL") }

// filter passes text on and holds back calls, piece by piece.
type filter struct {
	marks []marker
	pend  string // not decided yet

	lineStart bool
	fence     string // what a fence was opened with, "" outside

	hidden *marker // set inside a call
	inside strings.Builder

	hid   bool // something was hidden
	found []written
}

func newFilter() *filter { return &filter{lineStart: true} }

// add takes a piece and returns what may be shown.
func (f *filter) add(s string) string {
	if f.pend == "" && f.hidden == nil && f.fence == "" && !strings.ContainsAny(s, "<`[~") && !f.lineStart {
		f.lineStart = strings.HasSuffix(s, "\n")
		return s
	}
	return f.run(s, false)
}

// end returns what is left when no more comes. A call that isn't whole is
// dropped.
func (f *filter) end() string {
	out := f.run("", true)
	if f.hidden != nil {
		if f.hidden.end == "" {
			f.found = append(f.found, read(f.inside.String())...)
		}
		f.hidden = nil
	}
	return out
}

func (f *filter) run(s string, last bool) string {
	if f.marks == nil {
		f.marks = markers()
	}
	var out strings.Builder
	f.pend += s
	for f.pend != "" {
		n, show := f.step(last)
		if n == 0 {
			break
		}
		if show {
			out.WriteString(f.pend[:n])
			f.lineStart = f.pend[n-1] == '\n'
		}
		f.pend = f.pend[n:]
	}
	return out.String()
}

// step decides about the beginning of pend: how many bytes are done with, and
// whether they are shown. 0 waits for more.
func (f *filter) step(last bool) (n int, show bool) {
	if f.hidden != nil {
		return f.hide(), false
	}
	p := f.pend
	if f.lineStart {
		if mark, ok := fenceMark(p, last); !ok {
			return 0, false
		} else if n, done := f.fenceLine(mark, last); done {
			return n, true
		}
	}
	if f.fence != "" {
		return lineOf(p), true
	}
	switch p[0] {
	case '`':
		return f.backticks(last)
	case '<', '[':
		return f.tag(last)
	}
	n = strings.IndexAny(p, "`<[\n")
	if n < 0 {
		return len(p), true
	}
	if p[n] == '\n' {
		n++
	}
	return n, true
}

func lineOf(p string) int {
	if n := strings.IndexByte(p, '\n'); n >= 0 {
		return n + 1
	}
	return len(p)
}

// fenceMark returns the run of backticks or tildes that begins the line, or
// "". It isn't ok when the line may still turn into a fence.
func fenceMark(p string, last bool) (string, bool) {
	s := strings.TrimLeft(p, " ")
	if len(p)-len(s) > 3 {
		return "", true
	}
	if s == "" {
		return "", last
	}
	c := s[:1]
	if c != "`" && c != "~" {
		return "", true
	}
	rest := strings.TrimLeft(s, c)
	if rest == "" && !last {
		return "", false
	}
	if mark := s[:len(s)-len(rest)]; len(mark) >= 3 {
		return mark, true
	}
	return "", true
}

// fenceLine opens or closes a fence.
func (f *filter) fenceLine(mark string, last bool) (int, bool) {
	if mark == "" {
		return 0, false
	}
	line := f.pend[:lineOf(f.pend)]
	if f.fence != "" {
		if strings.HasPrefix(mark, f.fence) && strings.TrimSpace(line) == mark && (last || strings.HasSuffix(line, "\n")) {
			f.fence = ""
			return len(line), true
		}
		if !last && !strings.HasSuffix(line, "\n") && strings.TrimSpace(line) == mark {
			return 0, true // the line may go on
		}
		return len(line), true
	}
	if mark[0] == '`' {
		info := strings.TrimLeft(strings.TrimLeft(line, " "), "`")
		if strings.Contains(info, "`") {
			return 0, false // ```code``` in one line
		}
		if !strings.HasSuffix(line, "\n") && !last {
			if len(line) > 200 {
				return 0, false
			}
			return 0, true
		}
	}
	f.fence = mark
	return len(line), true
}

// backticks passes code between backticks of one line. A run that nothing
// closes is plain text.
func (f *filter) backticks(last bool) (int, bool) {
	p := f.pend
	rest := strings.TrimLeft(p, "`")
	run := p[:len(p)-len(rest)]
	if rest == "" && !last {
		return 0, false
	}
	line := rest
	nl := strings.IndexByte(rest, '\n')
	if nl >= 0 {
		line = rest[:nl]
	}
	for i := 0; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		j := i
		for j < len(line) && line[j] == '`' {
			j++
		}
		if j == len(line) && nl < 0 && !last {
			return 0, false // the run may go on
		}
		if j-i == len(run) {
			return len(run) + j, true
		}
		i = j
	}
	if nl < 0 && !last && len(rest) < hold {
		return 0, false
	}
	return len(run), true
}

// tag looks for a marker at the beginning of pend.
func (f *filter) tag(last bool) (int, bool) {
	p := f.pend
	wait := false
	for i := range f.marks {
		m := &f.marks[i]
		switch {
		case strings.HasPrefix(p, m.open):
			if m.prose {
				is, sure := looksLikeCall(p[len(m.open):], last)
				if !sure {
					wait = true
					continue
				}
				if !is {
					continue
				}
			}
			f.hidden, f.hid = m, true
			f.inside.Reset()
			if strings.HasSuffix(m.open, "=") {
				f.inside.WriteString(m.open) // the name follows and belongs to it
			}
			return len(m.open), false
		case m.end != "" && strings.HasPrefix(p, m.end):
			f.hid = true
			return len(m.end), false // an end without its beginning
		case strings.HasPrefix(m.open, p), strings.HasPrefix(m.end, p):
			wait = true
		}
	}
	if wait && !last {
		return 0, false
	}
	if wait && len(p) > 4 { // the text ended in the middle of a marker
		f.hid = true
		return len(p), false
	}
	return 1, true
}

// looksLikeCall tells whether s, after an opening tag, is a call and not a
// sentence about the tag. It isn't sure while s may become either.
func looksLikeCall(s string, last bool) (is, sure bool) {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" {
		return last, last // a text that ends with the tag was cut
	}
	if t[0] == '{' || t[0] == '[' || t[0] == '<' {
		return true, true
	}
	if s[0] == ' ' {
		return false, true
	}
	word := strings.TrimLeft(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
	if word == "" {
		return last, last
	}
	return word != t && (word[0] == '\n' || word[0] == '\r' || word[0] == '<' || word[0] == '{'), true
}

// hide takes what belongs to the call.
func (f *filter) hide() int {
	p := f.pend
	end := f.hidden.end
	if end == "" {
		f.keep(p)
		return len(p)
	}
	if i := strings.Index(p, end); i >= 0 {
		f.keep(p[:i])
		f.found = append(f.found, read(f.inside.String())...)
		f.hidden = nil
		return i + len(end)
	}
	// All but what may be the beginning of the end.
	n := len(p) - (len(end) - 1)
	for ; n < len(p); n++ {
		if n >= 0 && strings.HasPrefix(end, p[n:]) {
			break
		}
	}
	f.keep(p[:n])
	return n
}

func (f *filter) keep(s string) {
	if f.inside.Len()+len(s) <= MaxArgs {
		f.inside.WriteString(s)
	}
}
