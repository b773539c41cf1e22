package reply

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// ledger knows what a run said and how much of it people were shown.
type ledger struct {
	turns []*turn // messages with text that are complete, and the one that comes
	over  int     // how many are complete
	known []msg.Span
	named map[string]bool // shown things that aren't text
}

// turn is the visible text of one message.
type turn struct {
	text   string
	grows  strings.Builder // behind text, while it comes
	shown  int             // bytes that are in the outbox
	ready  int             // bytes that make whole pieces
	next   int             // bytes from which it is worth looking for more pieces
	answer Text
}

// learn notes what an earlier process stored.
func (l *ledger) learn(spans []msg.Span) {
	if l.named == nil {
		l.named = map[string]bool{}
	}
	for _, s := range spans {
		if s.To == 0 {
			l.named[s.Sum] = true
		} else {
			l.known = append(l.known, s)
		}
	}
}

// once reports whether the thing is new, and notes it.
func (l *ledger) once(name string) bool {
	if l.named[name] {
		return false
	}
	l.learn([]msg.Span{{Sum: name}})
	return true
}

// current is the message that comes.
func (l *ledger) current() *turn {
	if len(l.turns) == l.over {
		l.turns = append(l.turns, &turn{})
	}
	return l.turns[l.over]
}

// add appends to the message that comes. It may become very long.
func (l *ledger) add(text string) {
	t := l.current()
	t.grows.WriteString(text)
	t.text = t.grows.String()
}

// cut finds the pieces that are whole. In a long stretch without any, such as an
// endless fence, it looks seldom.
func (t *turn) cut(c Chunk) {
	for len(t.text) >= t.next {
		n := c.Next(t.text[t.ready:], false)
		if n == 0 {
			t.next = len(t.text) + (len(t.text)-t.ready)/16
			return
		}
		t.ready += n
	}
}

// restart forgets the message that came: it broke off and is said anew. What of
// it is shown stays so if it is said again.
func (l *ledger) restart() {
	if len(l.turns) == l.over {
		return
	}
	if t := l.turns[l.over]; t.shown > 0 {
		l.known = append(l.known, msg.Span{Turn: l.over, From: 0, To: t.shown, Sum: sum(t.text[:t.shown])})
	}
	l.turns = l.turns[:l.over]
}

// meet passes over text that is shown already. It reports whether what follows
// is new; until then more text must come, unless whole is set.
func (l *ledger) meet(n int, whole bool) bool {
	t := l.turns[n]
	for {
		i := slices.IndexFunc(l.known, func(s msg.Span) bool { return s.Turn == n && s.From == t.shown })
		if i < 0 {
			return true
		}
		s := l.known[i]
		if len(t.text) < s.To && !whole {
			return false
		}
		if len(t.text) < s.To || sum(t.text[s.From:s.To]) != s.Sum {
			// It is said in other words now, which nobody has read.
			l.known = slices.DeleteFunc(l.known, func(s msg.Span) bool { return s.Turn == n })
			return true
		}
		l.known = slices.Delete(l.known, i, i+1)
		t.shown, t.ready = s.To, max(t.ready, s.To)
	}
}

// end completes the message that came with its final text. A message without
// text is none.
func (l *ledger) end(raw string) (t *turn) {
	if raw == "" {
		if len(l.turns) > l.over {
			l.turns = l.turns[:l.over]
		}
		return nil
	}
	t = l.current()
	c := Clean(raw)
	if strings.HasPrefix(c.Text, t.text[:t.shown]) {
		t.text = c.Text
	} else {
		t.text = strings.TrimSpace(t.text)
		t.shown, t.ready = min(t.shown, len(t.text)), min(t.ready, len(t.text))
	}
	t.answer = c
	l.over++
	l.meet(l.over-1, true)
	return t
}

// rest is what isn't shown yet, and the pieces that it is made of. The message
// that comes counts up to its byte upTo; less than zero is all of it.
func (l *ledger) rest(upTo int) (text string, spans []msg.Span) {
	var b strings.Builder
	for i, t := range l.turns {
		to := len(t.text)
		if i == l.over && upTo >= 0 {
			to = min(upTo, to)
		}
		if to <= t.shown {
			continue
		}
		piece := t.text[t.shown:to]
		spans = append(spans, msg.Span{Turn: i, From: t.shown, To: to, Sum: sum(piece)})
		if piece = strings.Trim(strings.TrimRight(piece, " \t\n"), "\n"); piece == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(piece)
	}
	return b.String(), spans
}

// pending is what isn't shown yet, without its pieces and about as much as limit
// bytes; of the message that comes up to byte n, less than zero is all.
func (l *ledger) pending(n, limit int) string {
	var b strings.Builder
	for i, t := range l.turns {
		to := len(t.text)
		if i == l.over && n >= 0 {
			to = min(n, to)
		}
		if to = min(to, t.shown+limit); to <= t.shown || b.Len() >= limit {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.Trim(strings.TrimRight(t.text[t.shown:to], " \t\n"), "\n"))
	}
	return b.String()
}

// mark notes that spans are in the outbox.
func (l *ledger) mark(spans []msg.Span) {
	for _, s := range spans {
		if s.To > 0 && s.Turn < len(l.turns) {
			t := l.turns[s.Turn]
			t.shown, t.ready = max(t.shown, s.To), max(t.ready, s.To)
		}
	}
}

// said drops what isn't shown yet of complete messages when it says nothing but
// what text, which was sent by other means, says.
func (l *ledger) said(text string) {
	have := squeezed(text)
	for _, t := range l.turns[:l.over] {
		if piece := squeezed(t.text[t.shown:]); piece != "" && (piece == have || len(piece) > 40 && strings.Contains(have, piece)) {
			t.shown = len(t.text)
		}
	}
}

// squeezed is s without what doesn't matter when texts are compared.
func squeezed(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:8])
}
