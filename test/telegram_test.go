package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// phone is a gateway on a Bot API server. Person 7 is its owner.
type phone struct {
	*harness.Gateway
	model *harness.Model
	tg    *telegramtest.Server
	ids   int
}

func newPhone(t *testing.T, section object) *phone {
	t.Helper()
	p := &phone{model: harness.NewModel(t), tg: telegramtest.New(), ids: 5000}
	t.Cleanup(p.tg.Close)
	p.Gateway = harness.New(t, p.model.URL, object{
		"channels": object{"telegram": p.telegram(section)},
		"messages": object{"queue": object{"mode": "followup", "cap": 1000}}, // each message has an answer of its own
	})
	return p
}

func (p *phone) telegram(section object) object {
	s := object{"enabled": true, "botToken": p.tg.Token, "apiRoot": p.tg.URL, "dmPolicy": "allowlist", "allowFrom": []any{7}}
	for k, v := range section {
		if v == nil {
			delete(s, k)
			continue
		}
		s[k] = v
	}
	return s
}

// online starts the gateway and waits until it polls.
func (p *phone) online(t *testing.T) *phone {
	t.Helper()
	n := len(p.tg.Calls("getUpdates"))
	p.Start()
	harness.Until(t, within, "the bot polls", func() bool { return len(p.tg.Calls("getUpdates")) > n })
	return p
}

// text queues a message of person from in chat; a negative chat is a group.
func (p *phone) text(from, chat int, text string, more object) {
	p.ids++
	kind := "private"
	if chat < 0 {
		kind = "supergroup"
	}
	m := object{"message_id": p.ids, "date": time.Now().Unix(), "chat": object{"id": chat, "type": kind, "title": "G"}, "from": object{"id": from, "first_name": "F"}, "text": text}
	for k, v := range more {
		m[k] = v
	}
	p.tg.Push(jsonOf(object{"message": m}))
}

// settled waits until the bot confirmed everything that was pushed, and a
// message behind it was answered: what was to happen has happened.
func (p *phone) settled(t *testing.T) {
	t.Helper()
	p.settledWithin(t, within)
}

func (p *phone) settledWithin(t *testing.T, limit time.Duration) {
	t.Helper()
	p.ids++
	word := fmt.Sprint("settled", p.ids)
	p.text(7, 7, word, nil)
	harness.Until(t, limit, word+" is answered", func() bool { return p.shows(word) == 1 })
}

// shows counts the texts on people's screens that have word in them.
func (p *phone) shows(word string) (n int) {
	for _, s := range p.tg.Shown() {
		if strings.Contains(s, word) {
			n++
		}
	}
	return n
}

// to are the texts shown in a chat.
func (p *phone) to(chat int) (out []string) {
	for _, c := range p.tg.Calls("sendMessage") {
		if c.Text != "" && fmt.Sprint(c.Params["chat_id"]) == fmt.Sprint(chat) {
			out = append(out, c.Text)
		}
	}
	return out
}

func (p *phone) answers(t *testing.T, word string) {
	t.Helper()
	harness.Until(t, within, word+" is answered", func() bool { return p.shows(word) > 0 })
}
