package telegram

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// editable is how old a message may be whose edit the agent is told of. People
// correct themselves soon; what changes later is mostly changed by programs.
const editable = 24 * time.Hour

// revised tells the agent of an edit of what was handed on before: it is no
// message of its own, since the first one is answered already or about to be.
// What still waits is run knowing it.
func (b *bot) revised(update int64, m *message) (in msg.Inbound, ok bool) {
	said := text.Valid(cmp.Or(m.Text, m.Caption))
	if said == "" || m.Location != nil { // a place that moves is edited every few seconds
		return in, false
	}
	if m.Date > 0 && time.Since(time.Unix(m.Date, 0)) > editable {
		return in, false
	}
	if last, known := b.lately.Get(place(m)); known && last == sum(said) {
		return in, false // something beside the text: a preview, a keyboard
	}
	from, ok := sender(m)
	if !ok || m.Chat.ID == 0 || m.From != nil && m.From.ID == b.self().ID {
		return in, false
	}
	b.lately.Put(place(m), sum(said))
	who := printable(cmp.Or(from.Name, from.Username, string(from.ID)))
	in = msg.Inbound{
		ID: id.Message("edit:" + strconv.FormatInt(update, 10)), From: from, At: b.address(m), Room: b.room(m), Received: now(m.EditDate), Notice: true,
		Text: who + " changed message " + strconv.FormatInt(m.ID, 10) + " to: " + said,
	}
	in.Mentioned = in.At.Kind == msg.Direct
	return in, true
}

func sum(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}
