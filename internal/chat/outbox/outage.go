package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// What waited longer than outage counts as held up; of that, one chat gets at
// most perChat messages when its network is there again.
const (
	outage  = 10 * time.Minute
	perChat = 20
)

// sweep gives up what waited too long for its network to be there, and the
// oldest of too much for one chat. Each chat is told once.
func (o *Outbox) sweep(ctx context.Context, k key, l *line) {
	open, err := o.Store.OpenOutbound(ctx)
	if err != nil {
		return // what is too old is given up when its turn comes
	}
	var order []msg.Address
	chats := map[msg.Address][]Item{}
	for _, it := range open {
		if it.Out.To.Channel != k.channel || it.Out.To.Account != k.account || time.Since(it.Stored) < outage {
			continue
		}
		if len(chats[it.Out.To]) == 0 {
			order = append(order, it.Out.To)
		}
		chats[it.Out.To] = append(chats[it.Out.To], it)
	}
	note := context.WithoutCancel(ctx)
	for _, to := range order {
		gone := tooMuch(chats[to])
		for _, it := range gone {
			err := fault.New(fault.Timeout, "outbox", "the channel was not reachable for a day")
			if time.Since(it.Stored) <= maxAge {
				err = fault.New(fault.Timeout, "outbox", "too many messages waited for the channel")
			}
			o.fail(note, l, it, err)
		}
		if len(gone) == 0 {
			continue
		}
		err := o.Store.PutOutbound(note, msg.Outbound{
			ID: id.Delivery("outage/" + string(gone[0].Out.ID)), To: to, Session: gone[0].Out.Session,
			Text: fmt.Sprintf("⚠️ I could not reach you since %s. %s for you waited too long and %s not sent; ask me again if you still need an answer.",
				gone[0].Stored.Format("Jan 2, 15:04"), count(len(gone)), were(len(gone))),
		})
		if err != nil {
			o.Log.ErrorContext(ctx, "a chat isn't told what it missed", "channel", to.Channel, "err", err)
		}
	}
}

// tooMuch is what of the messages held up for one chat, oldest first, is not
// sent any more. The parts of one text share their fate.
func tooMuch(items []Item) []Item {
	n := 0
	for n < len(items) && time.Since(items[n].Stored) > maxAge {
		n++
	}
	n = max(n, len(items)-perChat)
	for n > 0 && n < len(items) && items[n].Out.Part > 1 {
		n++
	}
	return items[:n]
}

func count(n int) string {
	if n == 1 {
		return "One message"
	}
	return fmt.Sprintf("%d messages", n)
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
