package telegram_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

func TestMenu(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, `,"customCommands":[{"command":"/Backup","description":"Git backup"},{"command":"status","description":"taken"},{"command":"no good","description":"x"}]`))
	m := r.ch.(channel.Menu)
	items := []channel.MenuItem{
		{Name: "status", Help: strings.Repeat("long ", 100)},
		{Name: "allow-list", Help: "Lists"},
		{Name: "UPPER", Help: "x"},
		{Name: "status", Help: "again"},
		{Name: "plain"},
	}
	for range 2 {
		if err := m.SetMenu(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}
	calls := s.Calls("setMyCommands")
	if len(calls) != 1 {
		t.Fatalf("an unchanged menu is sent %d times", len(calls))
	}
	var names []string
	for _, c := range calls[0].Params["commands"].([]any) {
		names = append(names, c.(map[string]any)["command"].(string))
	}
	if d := cmp.Diff([]string{"status", "allow_list", "plain", "backup"}, names); d != "" {
		t.Error(d)
	}
	r.start()
	s.Say("/allow_list add x")
	if in := wait(t, r.got, "a command of the menu"); in.Text != "/allow-list add x" {
		t.Errorf("received %q", in.Text)
	}
	var many []channel.MenuItem
	for i := range 150 {
		many = append(many, channel.MenuItem{Name: fmt.Sprintf("c%d", i), Help: "x"})
	}
	s.Fail("setMyCommands", telegramtest.Fault{Status: 400, Description: "Bad Request: BOT_COMMANDS_TOO_MUCH"})
	if err := m.SetMenu(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	calls = s.Calls("setMyCommands")
	if n := len(calls[len(calls)-1].Params["commands"].([]any)); n != 80 {
		t.Errorf("%d commands after a refusal of 100", n)
	}
	if err := m.SetMenu(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// Who was heard is known over a restart.
func TestDirectory(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.AddChat(telegramtest.Chat{ID: -1001, Type: "supergroup", Title: "Home", Admins: []string{"Ann", "Ben"}})
	r := build(t, kind(), config(s, "")).start()
	s.Push(`{"message":{"message_id":3,"date":1,"message_thread_id":42,"is_topic_message":true,"chat":{"id":-1001,"type":"supergroup","title":"Home","is_forum":true},` +
		`"from":{"id":9,"first_name":"Bo","username":"bo_li"},"reply_to_message":{"message_id":42,"forum_topic_created":{"name":"Garden"}},"text":"x"}}`)
	wait(t, r.got, "a message")
	r.stop()
	if r.state["world"] == "" {
		t.Fatal("nothing is kept")
	}
	r2 := build(t, kind(), config(s, ""))
	r2.state = r.state
	r2.start()
	s.Push(`{"message":{"message_id":4,"date":1,"message_thread_id":42,"is_topic_message":true,"chat":{"id":-1001,"type":"supergroup","title":"Home","is_forum":true},"from":{"id":9,"first_name":"Bo","username":"bo_li"},"reply_to_message":{"message_id":3,"from":{"id":5}},"text":"answer"}}`)
	in := wait(t, r2.got, "a message")
	for in.Text != "answer" {
		in = wait(t, r2.got, "the next message")
	}
	if in.Room.Topic != "Garden" {
		t.Errorf("room %+v", in.Room)
	}
	d := r2.ch.(channel.Directory)
	self, err := d.Self(t.Context())
	if err != nil || self.Handle != telegramtest.BotName || !self.Bot {
		t.Errorf("Self = %+v, %v", self, err)
	}
	for query, want := range map[string]int{"": 1, "@bo": 1, "9": 1, "zed": 0} {
		if es, err := d.Peers(t.Context(), query, 0); err != nil || len(es) != want {
			t.Errorf("Peers(%q) = %+v, %v", query, es, err)
		}
	}
	if es, err := d.Groups(t.Context(), "hom", 5); err != nil || len(es) != 1 || es[0].ID != "-1001" {
		t.Errorf("Groups = %+v, %v", es, err)
	}
	if es, err := d.Members(t.Context(), "-1001", 0); err != nil || len(es) != 2 || es[0].Name != "Ann" {
		t.Errorf("Members = %+v, %v", es, err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.AddChat(telegramtest.Chat{ID: -1001, Type: "supergroup"})
	s.AddChat(telegramtest.Chat{ID: -1002, Type: "supergroup", Left: true})
	a := build(t, kind(), config(s, `,"groups":{"*":{"requireMention":true},"-1001":{"requireMention":false},"-1002":{},"-1003":{"enabled":false,"requireMention":false},"Home":{},"-1004":{"topics":{"7":{"requireMention":false}}}}`)).ch.(channel.Auditor)
	issues := func() (out []string) {
		t.Helper()
		is, err := a.Audit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range is {
			out = append(out, i.Kind+": "+i.Text)
		}
		return out
	}
	want := []string{
		"config: groups.-1001 wants messages without a mention, but privacy mode is on, so Telegram doesn't show them",
		"permissions: the bot isn't in group -1002",
		"permissions: the bot isn't in group -1004",
		"config: groups.Home is not the id of a group",
	}
	if d := cmp.Diff(want, issues()); d != "" {
		t.Error(d)
	}
	s.ReadAll()
	if d := cmp.Diff(want[1:], issues()); d != "" {
		t.Error(d)
	}
	wrong := build(t, kind(), config(s, `,"allowFrom":[7,"-1001"],"groupAllowFrom":["tg:-1001",-1009,"admins:-1001"],"groups":{"-1001":{}}`)).ch.(channel.Auditor)
	is, err := wrong.Audit(t.Context())
	if err != nil || len(is) != 2 || is[0].Text != "allowFrom names the group -1001, which lets nobody in" || !strings.Contains(is[1].Mend, "admins:-1001") {
		t.Errorf("groups on lists of people: %+v, %v", is, err)
	}
	s.Fail("getChatMember", telegramtest.Fault{Status: 401, Description: "Unauthorized"})
	if _, err := a.Audit(t.Context()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("Audit with a revoked token = %v", err)
	}
}

func TestStickersAndGates(t *testing.T) {
	t.Parallel()
	s := server(t)
	closed := build(t, kind(), config(s, `,"actions":{"reactions":false}`)).ch
	if n := len(closed.(channel.Actor).Actions()); n != 0 {
		t.Errorf("%d actions though stickers are off by default", n)
	}
	for action, want := range map[string]bool{"react": false, "send": true, "sticker": false, "delete": true, "pin": true} {
		if got := closed.(channel.Gate).Allows(action); got != want {
			t.Errorf("Allows(%q) = %v", action, got)
		}
	}
	r := build(t, kind(), config(s, `,"actions":{"sticker":true}`)).start()
	s.Push(`{"message":{"message_id":3,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7},"sticker":{"file_id":"CAAC","emoji":"😀","set_name":"Cats"}}}`)
	wait(t, r.got, "a sticker")
	run := map[string]channel.Action{}
	for _, a := range r.ch.(channel.Actor).Actions() {
		run[a.Name] = a
		if !json.Valid(a.Schema) {
			t.Errorf("%s: schema %s", a.Name, a.Schema)
		}
	}
	found, err := run["sticker-search"].Run(t.Context(), json.RawMessage(`{"query":"cats"}`))
	if raw, _ := json.Marshal(found); err != nil || !strings.Contains(string(raw), "CAAC") {
		t.Errorf("sticker-search = %s, %v", raw, err)
	}
	if _, err := run["sticker"].Run(t.Context(), json.RawMessage(`{"to":"-1001:topic:42","fileId":"CAAC","replyTo":"5"}`)); err != nil {
		t.Error(err)
	}
	if p := s.Calls("sendSticker")[0].Params; p["sticker"] != "CAAC" || p["message_thread_id"] != 42. || p["reply_parameters"] == nil {
		t.Errorf("params %v", p)
	}
	for _, bad := range []string{`{}`, `{"to":"7"}`, `{"to":"7","fileId":"https://x"}`, `{"to":"nobody","fileId":"a"}`, `[]`} {
		if _, err := run["sticker"].Run(t.Context(), json.RawMessage(bad)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("sticker %s = %v", bad, err)
		}
	}
}
