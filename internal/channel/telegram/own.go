package telegram

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// ours knows which messages of a chat the bot sent lately. Telegram doesn't say
// so of what people react to. Each chat is kept under a key of its own: what is
// written for a message stays small.
type ours struct {
	mu    sync.Mutex
	chats map[int64][]int64 // oldest first; what isn't there may be stored
}

func ownKey(chat int64) string { return "sent/" + strconv.FormatInt(chat, 10) }

// wrote remembers a message of our own, for reactions to it. Nothing else
// depends on it.
func (b *bot) wrote(ctx context.Context, chat, m int64) {
	const most = 300
	ids := b.sentTo(ctx, chat)
	if slices.Contains(ids, m) {
		return
	}
	b.ours.mu.Lock()
	if now, known := b.ours.chats[chat]; known {
		ids = now
	}
	ids = append(slices.Clone(ids), m)
	ids = ids[max(len(ids)-most, 0):]
	if b.ours.chats == nil {
		b.ours.chats = map[int64][]int64{}
	}
	b.ours.chats[chat] = ids
	b.ours.mu.Unlock()
	if b.env.SetState == nil {
		return
	}
	raw, err := json.Marshal(ids)
	if err == nil {
		err = b.env.SetState(context.WithoutCancel(ctx), ownKey(chat), string(raw)) // it is sent, also while stopping
	}
	if err != nil {
		b.log.DebugContext(ctx, "telegram: what was sent isn't kept", "err", err)
	}
}

// own tells whether the bot sent a message.
func (b *bot) own(ctx context.Context, chat, m int64) bool {
	return slices.Contains(b.sentTo(ctx, chat), m)
}

// sentTo are the messages that were sent to a chat, also before a restart.
func (b *bot) sentTo(ctx context.Context, chat int64) []int64 {
	o := &b.ours
	o.mu.Lock()
	ids, known := o.chats[chat]
	o.mu.Unlock()
	if known {
		return ids
	}
	if b.env.State != nil {
		raw, err := b.env.State(ctx, ownKey(chat))
		if err != nil {
			b.log.DebugContext(ctx, "telegram: what was sent can't be read", "err", err)
			return nil
		}
		if raw != "" {
			_ = json.Unmarshal([]byte(raw), &ids)
		}
	}
	const most = 500
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.chats == nil || len(o.chats) >= most { // all of them are stored
		o.chats = map[int64][]int64{}
	}
	if now, known := o.chats[chat]; known {
		return now
	}
	o.chats[chat] = ids
	return ids
}
