package telegram

import (
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Telegram's apps cut a text that is too long for a message into several, which
// people don't see as such: they pasted one.
const (
	longPart   = 4000 // UTF-16 units from which on another part may follow
	mostParts  = 12
	mostPasted = 50_000 // bytes of all parts
	partGap    = 2      // seconds between two
)

// pasted are the texts of one batch that may go on, by place and sender.
type pasted map[string]*part

// part is the last message of a text.
type part struct {
	at    int   // in the messages of the batch
	id    int64 // of the next part
	last  int64 // when this one was sent
	parts int
}

// long tells a message that may be a part with another one behind it.
func long(m *message) bool {
	return m.Group == "" && m.Origin == nil && len(m.Text) >= longPart && text.UTF16(m.Text) >= longPart
}

// follows tells whether next may go on with the text of m.
func follows(m, next *message) bool {
	return long(m) && next.ID == m.ID+1 && next.Date-m.Date <= partGap && goesOn(next) && speaker(m) == speaker(next)
}

func goesOn(m *message) bool {
	return m.Text != "" && m.Origin == nil && m.Group == "" && m.ReplyTo == nil
}

// speaker names the place and the sender of m.
func speaker(m *message) string {
	from, _ := sender(m)
	return strconv.FormatInt(m.Chat.ID, 10) + "/" + string(thread(m)) + "/" + string(from.ID)
}

// join adds m to the text that it goes on with.
func (p pasted) join(ins []msg.Inbound, m *message, in msg.Inbound) bool {
	key := speaker(m)
	open := p[key]
	if open == nil || open.id != m.ID || m.Date-open.last > partGap || !goesOn(m) || open.parts >= mostParts {
		return false
	}
	first := &ins[open.at]
	if len(first.Text)+len(in.Text) > mostPasted {
		return false
	}
	first.Text += in.Text
	first.Mentioned = first.Mentioned || in.Mentioned
	open.id, open.last, open.parts = m.ID+1, m.Date, open.parts+1
	if !long(m) {
		delete(p, key)
	}
	return true
}

// begin notes that the message at a place of the batch may go on.
func (p pasted) begin(at int, m *message) {
	if long(m) {
		p[speaker(m)] = &part{at: at, id: m.ID + 1, last: m.Date, parts: 1}
	}
}
