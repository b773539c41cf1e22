package telegram

import (
	"strconv"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// world is what the bot learned from the messages it saw: Telegram has no way
// to ask who is there. It is forgotten with the process, and bounded.
type world struct {
	mu     sync.Mutex
	topics map[string]string // by "<chat>/<topic>"
	people map[int64]user
	chats  map[int64]chat
	sent   map[string]bool // "<chat>/<message>" of our own
	order  []string        // of sent, oldest first
}

func newWorld() *world {
	return &world{topics: map[string]string{}, people: map[int64]user{}, chats: map[int64]chat{}, sent: map[string]bool{}}
}

// put keeps v under k, unless the map is full.
func put[K comparable, V any](m map[K]V, k K, v V) {
	const most = 5000
	if _, known := m[k]; known || len(m) < most {
		m[k] = v
	}
}

// note learns from a message.
func (b *bot) note(m *message) {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	w := b.world
	if m.From != nil && m.From.ID != 0 && m.SenderChat == nil {
		put(w.people, m.From.ID, *m.From)
	}
	if kindOf(m.Chat) != msg.Direct && m.Chat.ID != 0 {
		put(w.chats, m.Chat.ID, m.Chat)
	}
	if m.Thread == 0 {
		return
	}
	key := topicKey(m.Chat.ID, m.Thread)
	for _, t := range []*topic{m.TopicCreated, m.TopicEdited} {
		if t != nil && t.Name != "" {
			put(w.topics, key, t.Name)
		}
	}
	// What stands in a topic answers the message that began it.
	if _, known := w.topics[key]; !known && m.ReplyTo != nil && m.ReplyTo.TopicCreated != nil {
		put(w.topics, key, m.ReplyTo.TopicCreated.Name)
	}
}

func topicKey(chat, topic int64) string {
	return strconv.FormatInt(chat, 10) + "/" + strconv.FormatInt(topic, 10)
}

// room is what is known about the place of m.
func (b *bot) room(m *message) msg.Room {
	if kindOf(m.Chat) == msg.Direct {
		return msg.Room{}
	}
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	const most = 200
	r := msg.Room{Name: text.Ellipsis(printable(m.Chat.Title), most)}
	if m.Topic && m.Thread != 0 {
		r.Topic = text.Ellipsis(printable(b.world.topics[topicKey(m.Chat.ID, m.Thread)]), most)
		r.Parent = id.Peer(strconv.FormatInt(m.Chat.ID, 10))
	}
	return r
}

// wrote remembers a message of our own, for reactions to it.
func (b *bot) wrote(chat, m int64) {
	const most = 5000
	w := b.world
	w.mu.Lock()
	defer w.mu.Unlock()
	k := topicKey(chat, m)
	if w.sent[k] {
		return
	}
	w.sent[k] = true
	if w.order = append(w.order, k); len(w.order) > most {
		delete(w.sent, w.order[0])
		w.order = w.order[1:]
	}
}

func (b *bot) own(chat, m int64) bool {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	return b.world.sent[topicKey(chat, m)]
}
