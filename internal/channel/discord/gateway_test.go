package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

type object = map[string]any

// Codes after which trying again can't help end the account with a mend.
func TestFatalCodes(t *testing.T) {
	t.Parallel()
	for code, mend := range map[int]string{
		4004: "make a new one under Bot", 4010: "servers", 4011: "servers", 4012: "update openclaw", 4013: "channels.discord.intents", 4014: "turn on",
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s := server(t)
			s.Refuse(code)
			r := build(t, config(s, "")).start()
			err := wait(t, r.done, "Run to end")
			if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), mend) {
				t.Errorf("Run = %v", err)
			}
			if strings.Contains(r.logged()+err.Error(), s.Token) {
				t.Error("the token is told")
			}
		})
	}
}

// A missing intent is named, with the place to turn it on.
func TestMissingIntent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		flags      int
		more, want string
	}{
		{0, "", "turn on Message Content Intent at https://discord.com/developers/applications"},
		{1 << 19, `,"intents":{"guildMembers":true}`, "turn on Server Members Intent at"},
		{1 << 15, `,"intents":{"guildMembers":true,"presence":true}`, "turn on Message Content Intent and Presence Intent at"},
	} {
		s := server(t)
		s.SetFlags(tt.flags)
		r := build(t, config(s, tt.more)).start()
		if err := wait(t, r.done, "Run to end"); fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), tt.want) {
			t.Errorf("with flags %d Run = %v", tt.flags, err)
		}
		issues, err := r.ch.(channel.Auditor).Audit(t.Context())
		if err != nil || len(issues) == 0 || issues[0].Kind != "intent" {
			t.Errorf("Audit = %+v, %v", issues, err)
		}
	}
}

// Other ends of a connection are mended, and nothing is lost by them.
func TestReconnects(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	n := 0
	say := func() {
		t.Helper()
		n++
		s.Say(fmt.Sprint("message ", n))
		if in := wait(t, r.got, "a message"); in.Text != fmt.Sprint("message ", n) {
			t.Errorf("received %q, want message %d", in.Text, n)
		}
	}
	say()
	for _, code := range []int{1000, 1001, 4000, 4001, 4002, 4008} {
		s.CloseWith(code)
		say()
	}
	s.Cut()
	say()
	s.Frame(`{"op":7}`)
	say()
	resumed := s.Resumed()
	if len(s.Identified()) != 1 || resumed < 8 {
		t.Errorf("%d sessions, %d times resumed", len(s.Identified()), resumed)
	}
	// Sessions that can't go on.
	for _, code := range []int{4003, 4007, 4009} {
		was := len(s.Identified())
		s.CloseWith(code)
		until(t, "a new session", func() bool { return len(s.Identified()) > was })
		say()
	}
	was := len(s.Identified())
	s.Frame(`{"op":9,"d":false}`)
	until(t, "a new session", func() bool { return len(s.Identified()) > was })
	say()
	was, resumed = len(s.Identified()), s.Resumed()
	s.Frame(`{"op":9,"d":true}`)
	until(t, "the session to go on", func() bool { return s.Resumed() > resumed })
	say()
	if len(s.Identified()) != was {
		t.Error("a session that may go on was begun anew")
	}
	s.Frame(`{"op":1}`)
	say()
}

// A connection that no longer answers is given up.
func TestZombie(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	s.Deaf(true)
	until(t, "the connection to be given up", func() bool { return strings.Contains(r.logged(), "a heartbeat wasn't answered") })
	s.Deaf(false)
	until(t, "the session to go on", func() bool { return s.Resumed() > 0 })
	s.Say("alive")
	wait(t, r.got, "a message")
}

// The session goes on after a restart, behind the last message that is stored;
// without it, history is fetched, each message once.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := server(t)
	raw := config(s, `,"guilds":{"*":{}}`)
	r := build(t, raw).up()
	s.Say("one")
	wait(t, r.got, "a message")
	s.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "in the channel"})
	wait(t, r.got, "a message")
	r.stop()
	s.Say("two")
	r.build(raw).up()
	if in := wait(t, r.got, "a message"); in.Text != "two" || in.Backlog {
		t.Errorf("received %+v", in)
	}
	if len(s.Identified()) != 1 || s.Resumed() != 1 {
		t.Errorf("%d sessions, %d times resumed", len(s.Identified()), s.Resumed())
	}
	r.stop()
	s.Drop()
	s.Miss(discordtest.Message{Channel: discordtest.DM, Author: discordtest.Person, Content: "three"})
	s.Miss(discordtest.Message{Channel: discordtest.DM, Author: discordtest.BotID, Content: "of the bot"})
	s.Miss(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "<@" + discordtest.BotID + "> four"})
	s.Miss(discordtest.Message{Channel: discordtest.Random, Author: discordtest.Person, Content: "where nobody was"})
	s.Fail("GET /channels/", discordtest.Fault{Status: 429, Body: `{"retry_after":0.05}`}, discordtest.Fault{Status: 500})
	r.build(raw).start()
	got := map[string]msg.Inbound{}
	for range 2 {
		in := wait(t, r.got, "a message of the downtime")
		got[in.Text] = in
	}
	if in := got["three"]; !in.Backlog || in.At.Kind != msg.Direct || in.At.Peer != discordtest.Person {
		t.Errorf("received %+v", got)
	}
	if in := got["four"]; !in.Backlog || !in.Mentioned || in.Room.Guild != discordtest.Guild || in.Room.GuildName != discordtest.Name || len(in.Room.Roles) != 1 {
		t.Errorf("received %+v", got)
	}
	r.connected()
	s.Say("five")
	if in := wait(t, r.got, "a message"); in.Text != "five" || in.Backlog {
		t.Errorf("received %+v", in)
	}
}

// What isn't stored when the account stops comes again.
func TestStoredFirst(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	var tries atomic.Int32
	r.recv = func(context.Context, msg.Inbound) error { tries.Add(1); return errors.New("disk full") }
	s.Say("again")
	until(t, "tries", func() bool { return tries.Load() > 2 })
	id := s.Interact(object{"type": 2, "data": object{"name": "status"}})
	r.stop()
	if s.Acked() != 0 || s.Answered(id) {
		t.Error("something was confirmed before it was stored")
	}
	r.recv = nil
	r.build(config(s, "")).up()
	if in := wait(t, r.got, "the message"); in.Text != "again" {
		t.Errorf("received %+v", in)
	}
	if in := wait(t, r.got, "the command"); in.Text != "/status" {
		t.Errorf("received %+v", in)
	}
	until(t, "the answer to it", func() bool { return s.Answered(id) })
}

func TestGatewayAddress(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"url":"wss://evil.example"}`:                    "isn't Discord's",
		`{"url":"ws://gateway.discord.gg"}`:               "isn't Discord's",
		`{"url":"wss://u:p@gateway.discord.gg"}`:          "isn't Discord's",
		`{"url":"wss://gateway.discord.gg.evil.example"}`: "isn't Discord's",
	} {
		s := server(t)
		s.Fail("GET /gateway/bot", discordtest.Fault{Status: 200, Body: body})
		r := build(t, config(s, "")).start()
		if err := wait(t, r.status, "trouble"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %s the status is %v", body, err)
		}
	}
	s := server(t)
	s.Fail("GET /gateway/bot", discordtest.Fault{Status: 200, Body: fmt.Sprintf(`{"url":%q,"session_start_limit":{"remaining":0,"reset_after":120000}}`, "ws"+strings.TrimSuffix(strings.TrimPrefix(s.URL, "http"), "/api")+"/socket")})
	r := build(t, config(s, "")).start()
	err := wait(t, r.status, "trouble")
	if after, ok := errors.AsType[channel.RetryAfter](err); !ok || after.After != 2*time.Minute || fault.KindOf(err) != fault.RateLimited {
		t.Errorf("after too many sessions the status is %v", err)
	}
}

// The agent sets it where its gate is open, and the bot is connected.
func TestSetPresence(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"actions":{"presence":true}`))
	var set channel.Action
	for _, a := range r.ch.(channel.Actor).Actions() {
		if a.Name == "set-presence" {
			set = a
		}
	}
	args := json.RawMessage(`{"status":"dnd","activityName":"chess","activityType":0}`)
	if _, err := set.Run(t.Context(), args); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("before Run: %v", err)
	}
	r.up()
	if _, err := set.Run(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	until(t, "the presence", func() bool { return len(s.Presences()) == 1 })
	if p := s.Presences()[0]; p["status"] != "dnd" {
		t.Errorf("shown as %v", p)
	}
	if _, err := set.Run(t.Context(), json.RawMessage(`{"status":"away"}`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an odd status: %v", err)
	}
}

// What people see the bot doing.
func TestPresence(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		``:                                     `null`,
		`,"status":"idle"`:                     `{"activities":[],"afk":false,"since":null,"status":"idle"}`,
		`,"activity":"thinking"`:               `{"activities":[{"name":"Custom Status","state":"thinking","type":4}],"afk":false,"since":null,"status":"online"}`,
		`,"activity":"chess","activityType":0`: `{"activities":[{"name":"chess","type":0}],"afk":false,"since":null,"status":"online"}`,
		`,"activity":"x","activityType":1,"activityUrl":"https://twitch.tv/x","status":"dnd"`: `{"activities":[{"name":"x","type":1,"url":"https://twitch.tv/x"}],"afk":false,"since":null,"status":"dnd"}`,
	} {
		s := server(t)
		build(t, config(s, more)).up()
		d := s.Identified()[0]
		if got, _ := json.Marshal(d["presence"]); string(got) != want {
			t.Errorf("with %s the presence is %s, want %s", more, got, want)
		}
		if n, _ := d["intents"].(float64); int(n) != 1|1<<9|1<<10|1<<12|1<<13|1<<15 {
			t.Errorf("intents are %v", d["intents"])
		}
	}
}
