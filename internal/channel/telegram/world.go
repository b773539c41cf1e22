package telegram

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// world is what the bot learned from the messages it saw: Telegram has no way
// to ask who is there. It is bounded, and kept over restarts.
type world struct {
	mu     sync.Mutex
	topics map[string]string // by "<chat>/<topic>"
	people map[int64]user
	chats  map[int64]chat

	stickers map[string]sticker // by file
	changed  bool               // since it was kept
}

func newWorld() *world {
	return &world{topics: map[string]string{}, people: map[int64]user{}, chats: map[int64]chat{}, stickers: map[string]sticker{}}
}

// put keeps v under k, unless the map is full, and tells whether that changed
// it.
func put[K, V comparable](m map[K]V, k K, v V) bool {
	const most = 500
	was, known := m[k]
	if known && was == v || !known && len(m) >= most {
		return false
	}
	m[k] = v
	return true
}

// note learns from a message.
func (b *bot) note(m *message) {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	w := b.world
	keep := func(changed bool) { w.changed = w.changed || changed }
	if m.From != nil && m.From.ID != 0 && m.SenderChat == nil {
		keep(put(w.people, m.From.ID, *m.From))
	}
	if kindOf(m.Chat) != msg.Direct && m.Chat.ID != 0 {
		keep(put(w.chats, m.Chat.ID, m.Chat))
	}
	if m.Sticker != nil && m.Sticker.ID != "" && b.allows("sticker") {
		keep(put(w.stickers, m.Sticker.ID, *m.Sticker))
	}
	if m.Thread == 0 {
		return
	}
	key := topicKey(m.Chat.ID, m.Thread)
	for _, t := range []*topic{m.TopicCreated, m.TopicEdited} {
		if t != nil && t.Name != "" {
			keep(put(w.topics, key, t.Name))
		}
	}
	// What stands in a topic answers the message that began it.
	if _, known := w.topics[key]; !known && m.ReplyTo != nil && m.ReplyTo.TopicCreated != nil {
		keep(put(w.topics, key, m.ReplyTo.TopicCreated.Name))
	}
}

// kept is what of a world is stored.
type kept struct {
	Topics   map[string]string  `json:"topics,omitempty"`
	People   map[int64]user     `json:"people,omitempty"`
	Chats    map[int64]chat     `json:"chats,omitempty"`
	Stickers map[string]sticker `json:"stickers,omitempty"`
}

const worldKey = "world"

// keepWorld stores what was learned since; nothing depends on it.
func (b *bot) keepWorld(ctx context.Context) {
	w := b.world
	w.mu.Lock()
	if !w.changed || b.env.SetState == nil {
		w.mu.Unlock()
		return
	}
	w.changed = false
	raw, err := json.Marshal(kept{w.topics, w.people, w.chats, w.stickers})
	w.mu.Unlock()
	if err != nil {
		return
	}
	if err := b.env.SetState(ctx, worldKey, string(raw)); err != nil {
		b.log.DebugContext(ctx, "telegram: who was seen isn't kept", "err", err)
	}
}

// recall reads what was learned before a restart.
func (b *bot) recall(ctx context.Context) {
	if b.env.State == nil {
		return
	}
	raw, err := b.env.State(ctx, worldKey)
	var k kept
	if err != nil || raw == "" || json.Unmarshal([]byte(raw), &k) != nil {
		return
	}
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	fill(b.world.topics, k.Topics)
	fill(b.world.people, k.People)
	fill(b.world.chats, k.Chats)
	fill(b.world.stickers, k.Stickers)
}

// fill puts what isn't known yet.
func fill[K, V comparable](m, more map[K]V) {
	for k, v := range more {
		if _, known := m[k]; !known {
			put(m, k, v)
		}
	}
}

func topicKey(chat, topic int64) string {
	return strconv.FormatInt(chat, 10) + "/" + strconv.FormatInt(topic, 10)
}

// room is what is known about the place of m.
func (b *bot) room(m *message) msg.Room {
	if kindOf(m.Chat) == msg.Direct {
		return msg.Room{Agent: b.agentOf(m)}
	}
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	const most = 200
	r := msg.Room{Name: text.Ellipsis(printable(m.Chat.Title), most), Agent: b.agentOf(m)}
	if m.Topic && m.Thread != 0 {
		r.Topic = text.Ellipsis(printable(b.world.topics[topicKey(m.Chat.ID, m.Thread)]), most)
		r.Parent = id.Peer(strconv.FormatInt(m.Chat.ID, 10))
	}
	return r
}

// agentOf is the agent that the section names for the topic of m.
func (b *bot) agentOf(m *message) id.Agent {
	topic := string(thread(m))
	if topic == "" {
		return ""
	}
	for _, key := range []string{strconv.FormatInt(m.Chat.ID, 10), "*"} {
		a := b.cfg.Groups[key].Topics[topic].Agent
		if kindOf(m.Chat) == msg.Direct {
			a = b.cfg.Direct[key].Topics[topic].Agent
		}
		if a = strings.TrimSpace(a); a != "" {
			return id.Agent(a)
		}
	}
	return ""
}
