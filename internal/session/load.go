package session

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// maxTranscript bounds the file that is read into memory at once; of a longer
// one, the newest part is.
const maxTranscript = 96 << 20

// loaded is what a transcript file holds.
type loaded struct {
	size    int64 // of the file
	good    int64 // up to the end of the last whole line
	torn    string
	unended bool // the last line is whole but has no line end
	bad     []string

	records []record
	text    int // bytes of text that records point at
}

// readTranscript parses the file at path. A file that isn't there is empty.
func readTranscript(path string) (*loaded, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return &loaded{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, st.Size()-maxTranscript)
	var b strings.Builder
	b.Grow(int(st.Size() - from))
	if _, err := io.Copy(&b, io.NewSectionReader(f, from, st.Size()-from)); err != nil {
		return nil, err
	}
	l := parse(b.String(), from > 0)
	l.good += from
	l.size = st.Size()
	return l, nil
}

// parse splits text into records. Of a part, the first line is dropped. Long
// texts are read by several goroutines, since a person waits for the first turn
// of a long session.
func parse(text string, part bool) *loaded {
	rest := text
	if part {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	pieces := divide(rest, min(runtime.GOMAXPROCS(0), 1+len(rest)/pieceSize))
	read := make([]loaded, len(pieces))
	most := 0 // of records; each piece gets its part of one slice
	for i, p := range pieces {
		n := strings.Count(p, "\n") + 1
		read[i].size = int64(n)
		most += n
	}
	all := make([]record, most)
	for i, from := 0, 0; i < len(read); i++ {
		to := from + int(read[i].size)
		read[i].records, from = all[from:from:to], to
	}
	var wg sync.WaitGroup
	for i := 1; i < len(pieces); i++ {
		wg.Go(func() { read[i].lines(pieces[i]) })
	}
	read[0].lines(pieces[0])
	wg.Wait()
	l := &read[0]
	l.records = all[:len(l.records)] // the others move up behind it
	at := int64(len(text) - len(rest))
	l.good += at
	for i := range read[1:] {
		at += int64(len(pieces[i]))
		next := &read[i+1]
		l.records, l.bad = append(l.records, next.records...), append(l.bad, next.bad...)
		l.good, l.torn, l.unended = at+next.good, next.torn, next.unended
	}
	l.size, l.text = int64(len(text)), len(text)
	return l
}

// pieceSize is how much text is worth a goroutine of its own, in bytes.
const pieceSize = 256 << 10

// divide cuts text into at most n pieces of about the same length, each but the
// last ending with a line end.
func divide(text string, n int) []string {
	var out []string
	for ; n > 1; n-- {
		at := len(text) / n
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		out = append(out, text[:at+end+1])
		text = text[at+end+1:]
	}
	return append(out, text)
}

// lines reads text into l, whose records have room for them. The good part is counted from the beginning of text.
func (l *loaded) lines(text string) {
	d := decoder{dirty: !utf8.ValidString(text)}
	for rest := text; rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		before := len(l.records)
		ok := l.line(&d, line)
		switch {
		case ended:
			l.good = int64(len(text) - len(after))
			if !ok {
				l.bad = append(l.bad, line)
			}
		case ok, len(l.records) > before: // also what is glued to a torn line
			l.unended, l.good = true, int64(len(text))
			if !ok {
				l.bad = append(l.bad, line)
			}
		default:
			l.torn = line
		}
		rest = after
	}
}

// line reads one line. It reports false for one that has lost something; what
// can be read of it is taken nevertheless.
func (l *loaded) line(d *decoder, line string) bool {
	clean := strings.Trim(line, "\x00 \t\r") // a hole of NULs may stand before a good line
	if clean == "" {
		return true
	}
	l.records = append(l.records, record{})
	r := &l.records[len(l.records)-1]
	if d.decode(clean, r) {
		return true
	}
	// A torn line with a later one glued to it: the later one is whole.
	for at := 1; ; {
		n := strings.Index(clean[at:], `{"type":"`)
		if n < 0 {
			break
		}
		if at += n; d.decode(clean[at:], r) {
			return false
		}
		at++
	}
	l.records = l.records[:len(l.records)-1]
	return false
}

// path returns the records from the root to the last one, following parents.
// Where a parent is missing, a damaged line has taken it away, and the line
// before stands in for it; nothing earlier is lost that way.
func (l *loaded) path() []*record {
	last := len(l.records) - 1
	for last >= 0 && l.records[last].typ == "session" {
		last--
	}
	straight := true // each record's parent is the one before
	prev := ""
	for i := range l.records[:last+1] {
		r := &l.records[i]
		if r.typ == "session" {
			continue
		}
		if follows := r.parent == prev || r.root && prev == ""; r.linked && !follows {
			straight = false
			break
		}
		prev = r.id
	}
	var chain []*record
	if straight {
		for i := range l.records[:last+1] {
			if l.records[i].typ != "session" {
				chain = append(chain, &l.records[i])
			}
		}
		return chain
	}
	at := map[string]int{}
	for i := range l.records {
		if id := l.records[i].id; id != "" {
			at[id] = i
		}
	}
	for i := last; i >= 0; {
		r := &l.records[i]
		if r.typ != "session" {
			chain = append(chain, r)
		}
		if r.root && r.typ != "session" {
			break
		}
		next := i - 1
		if n, known := at[r.parent]; known && r.parent != "" && n < i {
			next = n
		}
		i = next
	}
	for i, j := 0, len(chain)-1; i < j; i, j = i+1, j-1 {
		chain[i], chain[j] = chain[j], chain[i]
	}
	return chain
}

// history fills v with what a model sees of chain: all after the last
// compaction, behind its summary and what that kept.
func history(chain []*record, v *view) {
	from := 0
	for i := len(chain) - 1; i >= 0; i-- {
		if chain[i].typ != "compaction" {
			continue
		}
		if !whole(chain[i]) {
			v.entry = chain[i].id
			v.add(summaryOf(chain[i]))
		}
		kept := chain[i].str("firstKeptEntryId")
		for j := range chain[:i] {
			if kept != "" && chain[j].id == kept {
				for _, r := range chain[j:i] {
					add(r, v)
				}
				break
			}
		}
		from = i + 1
		break
	}
	n := len(v.msgs) + len(chain) - from
	v.msgs = append(make([]llm.Message, 0, n+min(n/4, 28)+4), v.msgs...) // most sessions are short
	for _, r := range chain[from:] {
		add(r, v)
	}
	v.bytes = 0 // counted with the text of the file
}

func add(r *record, v *view) {
	v.entry = r.id
	switch {
	case r.typ == "message" && r.isMsg:
		v.add(r.msg)
	case r.typ == "branch_summary":
		v.add(note("Summary of a branch of the conversation that was left:\n\n"+r.str("summary"), r))
	case r.typ == "custom_message":
		d := decoder{}
		c, ok := d.content(&scanner{s: r.raw("content")})
		if ok && len(c) > 0 {
			v.add(llm.Message{Role: llm.User, Content: c, Time: r.millis()})
		}
	}
}

func note(text string, r *record) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(text)}, Time: r.millis()}
}

// entry is r as others see it.
func (r *record) entry() Entry {
	e := Entry{Type: r.typ, ID: r.id, ParentID: r.parent, Timestamp: r.time, Fields: make(map[string]json.RawMessage, len(r.fields))}
	if r.typ == "session" {
		e.Fields["id"] = jsonw.String(nil, r.id)
		e.ID = ""
	}
	if r.isMsg {
		m := r.msg
		e.Message = &m
	}
	for _, f := range r.fields {
		e.Fields[f.key] = json.RawMessage(f.raw)
	}
	return e
}

// number is an id of eight hex digits as a number.
func number(id string) (uint32, bool) {
	if len(id) != 8 {
		return 0, false
	}
	n, err := strconv.ParseUint(id, 16, 32)
	return uint32(n), err == nil
}
