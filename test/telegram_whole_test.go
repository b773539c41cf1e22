package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

const hookSecret = "s3cret-of-the-hook"

// hooked starts a gateway that Telegram calls, and waits until it may.
func hooked(t *testing.T) *phone {
	t.Helper()
	p := newPhone(t, object{"webhookUrl": "https://bot.example.com/telegram-webhook", "webhookSecret": hookSecret, "webhookPort": 0})
	p.Start()
	harness.Until(t, within, "the webhook is set", func() bool { return p.tg.Hooked() != nil })
	return p
}

// deliver pushes a message of person 7, again and again as Telegram does until
// it is confirmed.
func (p *phone) deliver(t *testing.T, path, text string) {
	t.Helper()
	p.ids++
	update := fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7,"first_name":"F"},"text":%q}}`, p.ids, p.ids, text)
	harness.Until(t, within, "the delivery is confirmed", func() bool {
		status, err := telegramtest.Deliver(t.Context(), p.URL(path), hookSecret, update)
		return err == nil && status == 200
	})
}

// Telegram calls the gateway; what it confirmed survives a kill, and is
// answered once.
func TestTelegramWebhook(t *testing.T) {
	t.Parallel()
	p := hooked(t)
	for path, word := range map[string]string{"/telegram-webhook": "one", "/channels/telegram/default/": "two"} {
		p.deliver(t, path, "word "+word)
		p.answers(t, "word "+word)
	}
	for _, secret := range []string{"", "wrong"} {
		status, err := telegramtest.Deliver(t.Context(), p.URL("/telegram-webhook"), secret, `{"update_id":1,"message":{"message_id":1,"chat":{"id":7,"type":"private"},"from":{"id":7},"text":"forged"}}`)
		if err != nil || status != 401 {
			t.Errorf("a call with the secret %q: %d, %v", secret, status, err)
		}
	}
	p.deliver(t, "/telegram-webhook", "pear three !hold three")
	p.Kill()
	p.model.Release("three")
	p.Start()
	p.answers(t, "pear three")
	p.deliver(t, "/telegram-webhook", "last word")
	p.answers(t, "last word")
	if n := p.shows("pear three"); n != 1 {
		t.Errorf("what was confirmed before the kill is answered %d times", n)
	}
	if n := len(p.model.Calls("forged")); n != 0 {
		t.Error("a forged call reached the model")
	}
	if n := len(p.tg.Calls("getUpdates")); n != 0 {
		t.Errorf("%d polls beside the webhook", n)
	}
}

// Pressing a button is writing: it is for those who may, and needs no mention.
func TestTelegramButtons(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"groups": object{"-1001": object{"requireMention": true}}, "groupPolicy": "open", "groupAllowFrom": []any{7}}).online(t)
	press := func(n, person int, data string) {
		p.tg.Push(fmt.Sprintf(`{"callback_query":{"id":"q%d","from":{"id":%d,"first_name":"F"},"data":%q,"message":{"message_id":5,"date":1,"chat":{"id":-1001,"type":"supergroup","title":"G"},"from":{"id":424242,"is_bot":true}}}}`, n, person, data))
	}
	press(1, 7, "pressed yes")
	p.answers(t, "pressed yes")
	p.tg.Push(`{"callback_query":{"id":"q9","from":{"id":99,"first_name":"S"},"data":"stranger","message":{"message_id":5,"date":1,"chat":{"id":99,"type":"private"},"from":{"id":424242,"is_bot":true}}}}`)
	p.settled(t)
	if n := len(p.model.Calls("stranger")); n != 0 {
		t.Error("a stranger pressed a button and the model ran")
	}
	harness.Until(t, within, "both are told that it arrived", func() bool { return len(p.tg.Calls("answerCallbackQuery")) == 2 })
}

// A topic has rules and a conversation of its own; its answer stands in it.
func TestTelegramTopics(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{
		"groupPolicy": "open", "groups": object{"-1001": object{"requireMention": true, "topics": object{"42": object{"requireMention": false}}}},
	}).online(t)
	forum := func(topic int) object {
		return object{"message_thread_id": topic, "is_topic_message": true, "chat": object{"id": -1001, "type": "supergroup", "title": "G", "is_forum": true}}
	}
	p.text(7, -1001, "in the garden", forum(42))
	p.text(7, -1001, "in the kitchen", forum(43))
	p.answers(t, "in the garden")
	p.settled(t)
	if n := len(p.model.Calls("in the kitchen")); n != 0 {
		t.Error("a topic whose group wants a mention is answered without one")
	}
	for _, c := range p.tg.Calls("sendMessage") {
		if strings.Contains(c.Text, "in the garden") && fmt.Sprint(c.Params["message_thread_id"]) != "42" {
			t.Errorf("the answer stands in topic %v", c.Params["message_thread_id"])
		}
	}
}

// The command line reaches what Telegram can do, and its gates.
func TestTelegramActions(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"actions": object{"reactions": false}}).online(t)
	run := func(args ...string) (string, error) {
		out, err := p.Command(t.Context(), append([]string{"message"}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := run("poll", "--channel", "telegram", "--target", "-1001:topic:42", "--poll-question", "Ship it?", "--poll-option", "Yes", "--poll-option", "No", "--poll-duration-seconds", "300", "--poll-public"); err != nil {
		t.Errorf("poll: %v\n%s", err, out)
	}
	if c := p.tg.Calls("sendPoll"); len(c) != 1 || fmt.Sprint(c[0].Params["message_thread_id"], c[0].Params["open_period"], c[0].Params["is_anonymous"]) != "42 300 false" {
		t.Errorf("polls %+v", c)
	}
	if out, err := run("send", "--channel", "telegram", "--target", "7", "--message", "Sure?", "--buttons", `[[{"text":"Yes","callback_data":"/yes"}]]`); err != nil {
		t.Errorf("send: %v\n%s", err, out)
	}
	if c := p.tg.Calls("sendMessage"); len(c) == 0 || c[len(c)-1].Params["reply_markup"] == nil {
		t.Errorf("no buttons: %+v", c)
	}
	out, err := run("react", "--channel", "telegram", "--target", "7", "--message-id", "5", "--emoji", "👍")
	if err == nil || !strings.Contains(out, "channels.telegram.actions") || len(p.tg.Calls("setMessageReaction")) != 0 {
		t.Errorf("react behind a closed gate: %v\n%s", err, out)
	}
}

// Killed in each queue mode, with one message running and one waiting: both
// are answered, once.
func TestTelegramKillInEachMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newPhone(t, nil)
			p.Edit(func(config map[string]any) {
				config["messages"] = object{"queue": object{"mode": mode, "debounceMs": 0}}
			})
			p.online(t)
			p.tg.Say("first !hold one")
			harness.Until(t, within, "a model call", func() bool { return len(p.model.Calls("first")) == 1 })
			p.tg.Say("second pear !hold two")
			harness.Until(t, within, "both to be confirmed", func() bool { return p.tg.Acked() == 2 })
			p.Kill()
			p.model.Release("one")
			p.model.Release("two")
			p.online(t)
			p.answers(t, "second pear")
			p.tg.Say("third")
			p.answers(t, "third")
			if n := p.shows("second pear"); n != 1 {
				t.Errorf("the second message was answered %d times", n)
			}
			if n := p.shows("echo: first"); n != 1 && mode != "interrupt" || n > 1 {
				t.Errorf("the first message was answered %d times", n)
			}
		})
	}
}

// An edit is told to the next turn, also to that of the message itself while
// it waits; it starts none, and a stranger's tells nothing.
func TestTelegramEdits(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	edit := func(n, person int, text string) {
		p.tg.Push(jsonOf(object{"edited_message": object{
			"message_id": n, "date": time.Now().Unix(), "edit_date": time.Now().Unix(), "text": text,
			"chat": object{"id": person, "type": "private"}, "from": object{"id": person, "first_name": "F"},
		}}))
	}
	p.text(7, 7, "first !hold one", nil)
	harness.Until(t, within, "a model call", func() bool { return len(p.model.Calls("first")) == 1 })
	p.text(7, 7, "buy the plum", nil)
	plum := p.ids
	confirmed := func(n int) {
		p.tg.Say("mark")
		harness.Until(t, within, "all to be confirmed", func() bool { return p.tg.Acked() == n })
	}
	confirmed(1)
	edit(plum, 7, "buy the quince")
	edit(77, 99, "forged")
	confirmed(2)
	p.model.Release("one")
	p.settled(t)
	if calls := p.model.Calls("buy the plum"); len(calls) != 1 || !strings.Contains(calls[0].Raw, "to: buy the quince") {
		t.Errorf("the waiting message is run %d times, or without knowing its edit", len(calls))
	}
	if n := p.shows("echo: buy the plum"); n != 1 {
		t.Errorf("the edited message is answered %d times", n)
	}
	p.text(7, 7, "buy a pear", nil)
	edit(p.ids, 7, "buy two pears") // before anybody saw it, or behind
	p.settled(t)
	for _, c := range p.model.Calls("") {
		if strings.Contains(c.Raw, "forged") {
			t.Error("a stranger's edit reached the model")
		}
	}
}

// Several files of one answer are an album.
func TestTelegramAlbumOut(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01"
	said := "three pictures"
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		if err := os.MkdirAll(p.Work, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Work, name), []byte(png), 0o600); err != nil {
			t.Fatal(err)
		}
		said += "\nMEDIA:" + name
	}
	p.online(t)
	p.tg.Fail("sendMediaGroup", telegramtest.Fault{Status: 429, Description: "Too Many Requests", Parameters: `{"retry_after":1}`})
	p.text(7, 7, said, nil)
	sent := func() (out []telegramtest.Call) {
		for _, c := range p.tg.Calls("sendMediaGroup") {
			if c.Status == 200 {
				out = append(out, c)
			}
		}
		return out
	}
	harness.Until(t, within, "an album", func() bool { return len(sent()) == 1 })
	if n := len(sent()[0].Params["media"].([]any)); n != 3 {
		t.Errorf("the album has %d pictures", n)
	}
	p.settled(t)
	if n, m := len(sent()), p.shows("three pictures"); n != 1 || m != 1 || len(p.tg.Calls("sendPhoto")) != 0 {
		t.Errorf("%d albums, %d texts, %d single pictures", n, m, len(p.tg.Calls("sendPhoto")))
	}
}

// A channel is heard where it is listed; the number of a group opens nothing
// for those who write as the group, and neither gives commands as an owner.
func TestTelegramChatsAsSenders(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{
		"groupAllowFrom": []any{7, "-1002", "-1001"},
		"groups":         object{"*": object{"requireMention": false}, "-1005": object{"allowFrom": []any{"admins:-1005"}}},
	}).online(t)
	as := func(chat int, kind string, sender int, text string) {
		p.ids++
		p.tg.Push(jsonOf(object{map[bool]string{true: "channel_post", false: "message"}[kind == "channel"]: object{
			"message_id": p.ids, "date": time.Now().Unix(), "text": text,
			"chat":        object{"id": chat, "type": kind, "title": "T"},
			"sender_chat": object{"id": sender, "type": kind, "title": "T"},
		}}))
	}
	as(-1002, "channel", -1002, "listed channel")
	as(-1003, "channel", -1003, "stranger channel")
	as(-1001, "supergroup", -1001, "anonymous there")
	as(-1001, "supergroup", -1002, "channel in group")
	as(-1005, "supergroup", -1005, "anonymous here")
	for _, word := range []string{"listed channel", "channel in group", "anonymous here"} {
		p.answers(t, word)
	}
	p.settled(t)
	for _, word := range []string{"stranger channel", "anonymous there"} {
		if n := len(p.model.Calls(word)); n != 0 {
			t.Errorf("%q reached the model", word)
		}
	}
}

// A topic may have another agent; a direct chat has rules of its own, and can
// be heard in its topics alone.
func TestTelegramPlaces(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{
		"groupPolicy": "open",
		"groups":      object{"-1001": object{"requireMention": false, "topics": object{"3": object{"agentId": "coder"}}}},
		"direct": object{
			"7": object{"topics": object{"5": object{"agentId": "coder", "systemPrompt": "Words of topic five."}}},
			"8": object{"allowFrom": []any{8}, "requireTopic": true},
			"9": object{"dmPolicy": "disabled"},
		},
		"allowFrom": []any{7, 9},
	})
	p.Edit(func(config map[string]any) {
		agents, _ := config["agents"].(map[string]any)
		agents["list"] = []any{object{"id": "main", "default": true}, object{"id": "coder"}}
	})
	p.online(t)
	topic := func(n int) object { return object{"message_thread_id": n, "is_topic_message": true} }
	forum := topic(3)
	forum["chat"] = object{"id": -1001, "type": "supergroup", "title": "G", "is_forum": true}
	p.text(7, -1001, "for the coder", forum)
	p.text(7, 7, "five words", topic(5))
	p.text(8, 8, "outside", nil)
	p.text(8, 8, "inside", topic(6))
	p.text(9, 9, "closed", nil)
	for _, word := range []string{"for the coder", "five words", "inside"} {
		p.answers(t, word)
	}
	p.settled(t)
	for word, want := range map[string]int{"outside": 0, "closed": 0, "five words": 1} {
		if n := len(p.model.Calls(word)); n != want {
			t.Errorf("%q reached the model %d times, want %d", word, n, want)
		}
	}
	if c := p.model.Calls("five words"); len(c) == 1 && !strings.Contains(c[0].Raw, "Words of topic five.") {
		t.Error("the topic's prompt isn't there")
	}
	for _, c := range p.tg.Calls("sendMessage") {
		if strings.Contains(c.Text, "five words") && fmt.Sprint(c.Params["message_thread_id"]) != "5" {
			t.Errorf("the answer stands in topic %v", c.Params["message_thread_id"])
		}
	}
	for _, key := range []string{"agent:coder:telegram:group:-1001:topic:3", "agent:coder:main:thread:7:5", "agent:main:main"} {
		out, _ := p.Command(t.Context(), "sessions", "--all-agents", "--json").CombinedOutput()
		if !strings.Contains(string(out), `"`+key+`"`) {
			t.Errorf("no session %s in %.800s", key, out)
		}
	}
}
