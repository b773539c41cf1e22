package discord_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

func TestSlashCommands(t *testing.T) {
	t.Parallel()
	s := server(t)
	raw := config(s, "")
	r := build(t, raw).up()
	use := func(more object) (msg.Inbound, string) {
		t.Helper()
		x := object{"type": 2, "guild_id": discordtest.Guild, "channel_id": discordtest.General, "data": object{"name": "model", "options": []any{
			object{"name": "set", "type": 1, "options": []any{object{"name": "name", "type": 3, "value": "gpt 5"}, object{"name": "n", "type": 4, "value": 2}}},
		}}}
		for k, v := range more {
			x[k] = v
		}
		i := s.Interact(x)
		in := wait(t, r.got, "a command")
		until(t, "it to be taken", func() bool { return s.Answered(i) })
		return in, i
	}
	in, i := use(nil)
	if in.Text != "/model set gpt 5 2" || !in.Native || !in.Mentioned || in.At.Peer != discordtest.General || in.From.ID != discordtest.Person || in.Room.Guild != discordtest.Guild || string(in.ID) != "int:"+i {
		t.Errorf("received %+v", in)
	}
	if c := s.Calls("POST /interactions/"); len(c) != 1 || jsonOf(c[0].Body) != `{"data":{"flags":64},"type":5}` {
		t.Errorf("taken with %+v", c)
	}
	answer := func(in msg.Inbound, text string) {
		t.Helper()
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: id.NewDelivery(), To: in.At, ReplyTo: in.ID, Text: text}); err != nil {
			t.Errorf("Send = %v", err)
		}
	}
	answer(in, "first")
	answer(in, "second")
	// An answer that is faster than Discord's own waits for that.
	s.Fail("POST /interactions/", discordtest.Fault{Accept: true, Status: 204, Wait: 200 * time.Millisecond})
	s.Interact(object{"type": 2, "data": object{"name": "whoami"}})
	answer(wait(t, r.got, "a command"), "at once")
	if ms := s.Messages("thinking"); len(ms) != 3 || ms[2].Content != "at once" || len(s.Shown()) != 0 {
		t.Errorf("shown %+v, %q", ms, s.Shown())
	}
	ms := s.Messages("thinking")[:2]
	if ms[0].Content != "first" || ms[0].Edits != 1 || ms[1].Content != "second" {
		t.Fatalf("shown %+v", ms)
	}
	if flags, _ := ms[1].Raw["flags"].(float64); int(flags)&64 == 0 {
		t.Error("what follows is seen by all")
	}
	// After a restart the answer still finds who asked.
	in, _ = use(nil)
	r.stop()
	r.build(raw).up()
	answer(in, "third")
	if ms := s.Messages("thinking"); len(ms) != 4 || ms[3].Content != "third" || ms[3].Edits != 1 {
		t.Errorf("shown %+v", ms)
	}
	// Where Discord takes no more answers, that person has them alone.
	in, _ = use(nil)
	s.Fail("PATCH /webhooks/", discordtest.Fault{Status: 404, Body: `{"code":10015,"message":"Unknown Webhook"}`})
	answer(in, "fourth")
	if n := len(s.Messages(discordtest.General)); n != 0 || len(s.Shown()) != 1 || s.Shown()[0] != "fourth" {
		t.Errorf("shown %q, and %d to all", s.Shown(), n)
	}
	// Told again, it is one.
	s.Cut()
	s.Say("the end")
	if in := wait(t, r.got, "a message"); in.Text != "the end" {
		t.Errorf("received %+v", in)
	}
}

func TestPresses(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"slashCommand":{"ephemeral":false}`)).up()
	long := strings.Repeat("long data ", 40) + "end"
	rcpt, err := r.ch.Send(t.Context(), msg.Outbound{ID: "b", To: person(discordtest.Person), Text: "Sure?", Buttons: [][]msg.Button{{{Text: "Yes", Data: "/approve 1"}, {Text: "Long", Data: long}}}})
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := s.Calls("POST /channels/")[0].Body["components"].([]any)
	row, _ := rows[0].(object)
	var customs []string
	for _, c := range row["components"].([]any) {
		customs = append(customs, c.(object)["custom_id"].(string))
	}
	for i, want := range []string{"/approve 1", long} {
		x := s.Interact(object{"type": 3, "message": object{"id": string(rcpt.IDs[0])}, "data": object{"custom_id": customs[i], "component_type": 2}})
		in := wait(t, r.got, "a press")
		if in.Text != want || !in.Native || in.ReplyTo != rcpt.IDs[0] || in.At.Kind != msg.Direct {
			t.Errorf("received %+v", in)
		}
		until(t, "it to be taken", func() bool { return s.Answered(x) })
	}
	s.Interact(object{"type": 3, "data": object{"custom_id": "mine", "values": []any{"a", "b"}}})
	if in := wait(t, r.got, "a choice"); in.Text != "[chose mine: a, b]" || in.Native || !in.Mentioned {
		t.Errorf("received %+v", in)
	}
	if c := s.Calls("POST /interactions/"); jsonOf(c[0].Body) != `{"type":6}` {
		t.Errorf("taken with %+v", c)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "ui", To: person(discordtest.Person), Text: "Hi", Native: json.RawMessage(`{"reusable":true,"text":"**Choose**","blocks":[
		{"type":"text","text":"a path"},{"type":"separator"},
		{"type":"actions","buttons":[{"label":"Left","style":"success"},{"label":"Map","url":"https://e.test/"}]},
		{"type":"actions","select":{"type":"string","placeholder":"Pick","options":[{"label":"A","value":"a"},{"label":"B"}]}}]}`)}); err != nil {
		t.Fatal(err)
	}
	sent := s.Messages(discordtest.DM)[1]
	if sent.Content != "Hi\n\n**Choose**\n\na path\n\n———" || !strings.Contains(jsonOf(sent.Raw["components"]), `"options":[{"label":"A","value":"a"},{"label":"B","value":"B"}]`) {
		t.Errorf("sent %s, %s", sent.Content, jsonOf(sent.Raw["components"]))
	}
	for range 2 { // it is reusable
		s.Interact(object{"type": 3, "data": object{"custom_id": customsOf(sent.Raw)["3"], "values": []any{"a"}}})
		if in := wait(t, r.got, "a choice"); in.Text != "[chose Pick: a]" || in.Native {
			t.Errorf("received %+v", in)
		}
	}
	for _, bad := range []string{`{"blocks":7}`, `{"text":"x","modal":{}}`, `{"modal":{"title":"x","fields":[{"label":"y","type":"date"}]}}`, `{"modal":{"title":"x","fields":[{"label":"y","type":"radio"}]}}`, `{"text":"x","blocks":[{"type":"file"}]}`, `{"text":"x","blocks":[{"type":"actions"}]}`, `{"text":"x","blocks":[{"type":"actions","buttons":[{"label":"x","url":"javascript:1"}]}]}`} {
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "bad", To: person(discordtest.Person), Text: "x", Native: json.RawMessage(bad)}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send(%s) = %v", bad, err)
		}
	}
	s.Interact(object{"type": 4, "data": object{"name": "x"}}) // autocomplete
	s.Interact(object{"type": 2, "token": "../../../channels/1", "data": object{"name": "x"}})
	s.Say("the end")
	if in := wait(t, r.got, "a message"); in.Text != "the end" {
		t.Errorf("received %+v", in)
	}
}

func TestMenu(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	m := c.(channel.Menu)
	items := []channel.MenuItem{
		{Name: "status", Help: "How it is"},
		{Name: "No Such", Help: "x"},
		{Name: "status", Help: "twice"},
		{Name: "think", Help: strings.Repeat("x", 300), Args: []channel.MenuArg{{Name: "note"}, {Name: "level", Required: true, Choices: []string{"off", "high"}}}},
	}
	for range 3 {
		if err := m.SetMenu(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}
	calls := s.Calls("PUT /applications/")
	if len(calls) != 1 {
		t.Errorf("the same commands were sent %d times", len(calls))
	}
	got := jsonOf(s.Commands())
	if len(s.Commands()) != 2 || !strings.Contains(got, `"options":[{"choices":[{"name":"off","value":"off"},{"name":"high","value":"high"}],"description":"level","name":"level","required":true,"type":3},{"description":"note"`) {
		t.Errorf("commands %s", got)
	}
	if err := m.SetMenu(t.Context(), nil); err != nil || len(s.Commands()) != 0 || len(s.Calls("PUT /applications/")) != 2 {
		t.Errorf("they aren't taken back: %v", err)
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	to := place(discordtest.General)
	var ids []id.Message
	for _, text := range []string{"one apple", "two"} {
		r, err := c.Send(t.Context(), msg.Outbound{ID: id.NewDelivery(), To: to, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.IDs...)
	}
	said := s.Miss(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "three"})
	for i, err := range []error{
		c.(channel.Typer).Typing(t.Context(), to),
		c.(channel.Editor).Edit(t.Context(), to, ids[0], "**one** apple"),
		c.(channel.Reactor).React(t.Context(), to, ids[0], "❤️", true),
		c.(channel.Reactor).React(t.Context(), to, ids[0], "<:party:77>", true),
		c.(channel.Reactor).React(t.Context(), to, ids[0], "👍", false),
		c.(channel.Reactor).React(t.Context(), to, ids[0], "", false),
		c.(channel.Pinner).Pin(t.Context(), to, ids[0], true),
		c.(channel.Deleter).Delete(t.Context(), to, ids[1]),
		c.(channel.Deleter).Delete(t.Context(), to, ids[1]), // gone already
	} {
		if err != nil {
			t.Errorf("act %d: %v", i, err)
		}
	}
	base := "/channels/" + discordtest.General + "/messages/" + string(ids[0])
	for _, want := range []string{"PUT " + base + "/reactions/%E2%9D%A4/@me", "PUT " + base + "/reactions/party:77/@me", "DELETE " + base + "/reactions/%F0%9F%91%8D/@me"} {
		if len(s.Calls(want)) != 1 {
			t.Errorf("%s wasn't called", want)
		}
	}
	for name, err := range map[string]error{
		"edit of another's":  c.(channel.Editor).Edit(t.Context(), to, id.Message(said), "x"),
		"edit to nothing":    c.(channel.Editor).Edit(t.Context(), to, ids[0], " "),
		"edit to too much":   c.(channel.Editor).Edit(t.Context(), to, ids[0], strings.Repeat("x", 3000)),
		"a path as an emoji": c.(channel.Reactor).React(t.Context(), to, ids[0], "../../x", true),
		"a name as an emoji": c.(channel.Reactor).React(t.Context(), to, ids[0], "party:", true),
		"an odd message":     c.(channel.Reactor).React(t.Context(), to, "../1", "👍", true),
	} {
		if k := fault.KindOf(err); k != fault.Invalid && k != fault.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	pins, err := c.(channel.Pinner).Pins(t.Context(), to)
	if err != nil || len(pins) != 1 || pins[0].ID != ids[0] {
		t.Errorf("Pins = %+v, %v", pins, err)
	}
	read, err := c.(channel.Reader).Read(t.Context(), to, channel.Page{})
	if err != nil || len(read) != 2 || read[0].Text != "three" || read[1].ID != ids[0] || read[0].From.ID != discordtest.Person {
		t.Errorf("Read = %+v, %v", read, err)
	}
	if read, err := c.(channel.Reader).Read(t.Context(), to, channel.Page{Before: read[0].ID, Limit: 500}); err != nil || len(read) != 1 {
		t.Errorf("Read before = %+v, %v", read, err)
	}
	found, err := c.(channel.Searcher).Search(t.Context(), to, "apple", 10)
	if err != nil || len(found) != 1 || found[0].ID != ids[0] {
		t.Errorf("Search = %+v, %v", found, err)
	}
	for m, where := range map[id.Message]string{"": discordtest.General, ids[0]: discordtest.General, "f": discordtest.Forum} {
		if where == discordtest.Forum {
			m = ""
		}
		at, err := c.(channel.Threader).Thread(t.Context(), place(where), m, "A talk")
		if err != nil || at.Peer == "" || at.Kind != msg.Channel {
			t.Errorf("Thread in %s under %q = %+v, %v", where, m, at, err)
		}
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	d := c.(channel.Directory)
	self, err := d.Self(t.Context())
	if err != nil || self.ID != discordtest.BotID || self.Name != discordtest.BotName {
		t.Errorf("Self = %+v, %v", self, err)
	}
	for query, want := range map[string]int{"": 2, "al": 1, "@al": 1, "zz": 0, discordtest.Person: 1} {
		if es, err := d.Peers(t.Context(), query, 10); err != nil || len(es) != want {
			t.Errorf("Peers(%q) = %+v, %v", query, es, err)
		}
	}
	for query, want := range map[string]int{"": 3, "#General": 1, "talk": 1, discordtest.Forum: 1} {
		if es, err := d.Groups(t.Context(), query, 10); err != nil || len(es) != want {
			t.Errorf("Groups(%q) = %+v, %v", query, es, err)
		}
	}
	if es, err := d.Members(t.Context(), discordtest.General, 10); err != nil || len(es) != 2 {
		t.Errorf("Members = %+v, %v", es, err)
	}
	s.SetFlags(1 << 19)
	if _, err := d.Peers(t.Context(), "", 10); fault.KindOf(err) != fault.Forbidden || !strings.Contains(fault.Hint(err), "Server Members Intent") {
		t.Errorf("Peers without the intent = %v", err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, `,"guilds":{"friends":{},"`+discordtest.Guild+`":{"channels":{"`+discordtest.General+`":{},"`+discordtest.Elsewhere+`":{},"4300000000000000001":{},"general":{}}}}`)
	s.AddRoom(object{"id": "4300000000000000001", "type": 0, "guild_id": discordtest.Guild, "name": "quiet", "permission_overwrites": []any{object{"id": discordtest.Guild, "type": 0, "allow": "0", "deny": "2048"}}})
	issues, err := c.(channel.Auditor).Audit(t.Context())
	if err != nil || len(issues) != 3 {
		t.Fatalf("Audit = %+v, %v", issues, err)
	}
	for i, want := range []string{"the bot doesn't see channel " + discordtest.Elsewhere, "in #quiet (4300000000000000001) the bot lacks Send Messages", "guilds.friends is a name"} {
		found := false
		for _, x := range issues {
			found = found || strings.Contains(x.Text, want)
		}
		if !found {
			t.Errorf("issue %d, %q, isn't among %+v", i, want, issues)
		}
	}
}

// What can harm is turned on by hand.
func TestActions(t *testing.T) {
	t.Parallel()
	names := func(more string) (out []string, by map[string]channel.Action, s *discordtest.Server) {
		s, c := newAccount(t, more)
		by = map[string]channel.Action{}
		for _, a := range c.(channel.Actor).Actions() {
			out = append(out, a.Name)
			by[a.Name] = a
			if !json.Valid(a.Schema) || a.Description == "" {
				t.Errorf("%s: %s", a.Name, a.Schema)
			}
		}
		return out, by, s
	}
	got, _, _ := names("")
	if want := "member-info role-info channel-info emoji-list reactions event-list permissions voice-status thread-list channel-create channel-edit channel-delete channel-move category-create category-edit category-delete event-create sticker"; strings.Join(got, " ") != want {
		t.Errorf("by default: %q", got)
	}
	got, _, _ = names(`,"actions":{"memberInfo":false,"reactions":false,"events":false,"voiceStatus":false,"threads":false,"channels":false,"permissions":false,"stickers":false,"channelInfo":false}`)
	if strings.Join(got, " ") != "role-info" {
		t.Errorf("with closed gates: %q", got)
	}
	_, by, s := names(`,"actions":{"moderation":true,"roles":true}`)
	who := `"guildId":"` + discordtest.Guild + `","userId":"<@` + discordtest.Person + `>"`
	for name, args := range map[string]string{
		"member-info": "{" + who + "}", "role-info": "{" + who + "}", "emoji-list": "{" + who + "}", "event-list": "{" + who + "}", "voice-status": "{" + who + "}",
		"channel-info": `{"channelId":"` + discordtest.General + `"}`, "permissions": `{"channelId":"` + discordtest.General + `"}`,
		"role-add": "{" + who + `,"roleId":"` + discordtest.Role + `"}`, "role-remove": "{" + who + `,"roleId":"` + discordtest.Role + `"}`,
		"thread-list": "{" + who + "}", "channel-create": "{" + who + `,"name":"new one","topic":"t"}`,
		"channel-edit": `{"channelId":"` + discordtest.Random + `","name":"renamed"}`, "channel-delete": `{"channelId":"` + discordtest.Forum + `"}`,
		"channel-move": `{"channelId":"<#` + discordtest.Random + `>","position":2}`, "category-create": "{" + who + `,"name":"Topics"}`,
		"event-create": "{" + who + `,"eventName":"Party","startTime":"2027-01-31T20:00:00Z","endTime":"2027-01-31T22:00:00Z","location":"Roof"}`,
		"sticker":      `{"channelId":"channel:` + discordtest.General + `","stickerId":"123456789012345678","message":"ha"}`,
		"timeout":      "{" + who + `,"durationMinutes":5,"reason":"too\r\nloud"}`, "kick": "{" + who + "}", "ban": "{" + who + `,"deleteMessageDays":1}`,
	} {
		if _, err := by[name].Run(t.Context(), json.RawMessage(args)); err != nil {
			t.Errorf("%s(%s) = %v", name, args, err)
		}
	}
	if c := s.Calls("PATCH /guilds/"); len(c) != 1 || c[0].Reason != "too++loud" || c[0].Body["communication_disabled_until"] == nil {
		t.Errorf("timeout called %+v", c)
	}
	if c := s.Calls("PUT /guilds/" + discordtest.Guild + "/bans/"); len(c) != 1 || c[0].Body["delete_message_seconds"] != 86400.0 {
		t.Errorf("ban called %+v", c)
	}
	if c := s.Calls("POST /guilds/" + discordtest.Guild + "/scheduled-events"); len(c) != 1 || c[0].Body["entity_type"] != 3.0 || jsonOf(c[0].Body["entity_metadata"]) != `{"location":"Roof"}` {
		t.Errorf("event-create called %+v", c)
	}
	if c := s.Calls("POST /channels/" + discordtest.General + "/messages"); len(c) != 1 || jsonOf(c[0].Body["sticker_ids"]) != `["123456789012345678"]` {
		t.Errorf("sticker called %+v", c)
	}
	for name, args := range map[string]string{
		"kick": `{"guildId":"1/../2","userId":"1"}`, "ban": "{" + who + `,"deleteMessageDays":70}`, "timeout": "{" + who + `,"durationMinutes":9999999}`,
		"sticker": `{"channelId":"` + discordtest.General + `","stickerId":["1/2"]}`, "category-create": "{" + who + "}",
		"event-create":   "{" + who + `,"eventName":"Party","startTime":"tomorrow"}`,
		"channel-create": "{" + who + "}", "channel-edit": `{"channelId":"` + discordtest.General + `"}`,
		"member-info": `{"guildId":7}`, "role-add": "{" + who + "}",
	} {
		if _, err := by[name].Run(t.Context(), json.RawMessage(args)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s(%s) = %v", name, args, err)
		}
	}
}
