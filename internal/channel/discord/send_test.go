package discord_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

func person(p string) msg.Address { return msg.Address{Kind: msg.Direct, Peer: id.Peer(p)} }
func place(p string) msg.Address  { return msg.Address{Kind: msg.Channel, Peer: id.Peer(p)} }

// newAccount is an account that isn't connected.
func newAccount(t *testing.T, more string) (*discordtest.Server, channel.Channel) {
	t.Helper()
	s := server(t)
	return s, build(t, config(s, more)).ch
}

func jsonOf(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// A message wakes neither everyone nor a role, shows no previews, and has a
// nonce that stays the same.
func TestSend(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	out := msg.Outbound{ID: id.NewDelivery(), To: place(discordtest.General), Text: "**hi** @everyone <@7> https://e.test/x", ReplyTo: "55", Quiet: true}
	var ids []id.Message
	for range 3 {
		r, err := c.Send(t.Context(), out)
		if err != nil || len(r.IDs) != 1 || time.Since(r.At) > time.Minute {
			t.Fatalf("Send = %+v, %v", r, err)
		}
		ids = append(ids, r.IDs[0])
	}
	if ids[0] != ids[1] || ids[1] != ids[2] || len(s.Messages("")) != 1 {
		t.Errorf("sent three times it is %v", ids)
	}
	body := s.Calls("POST /channels/")[0].Body
	nonce, _ := body["nonce"].(string)
	delete(body, "nonce")
	if got, want := jsonOf(body), `{"allowed_mentions":{"parse":["users"],"replied_user":true},"content":"**hi** @everyone \u003c@7\u003e https://e.test/x","enforce_nonce":true,"flags":4100,"message_reference":{"fail_if_not_exists":false,"message_id":"55"}}`; got != want || len(nonce) != 24 {
		t.Errorf("sent %s with nonce %q, want %s", got, nonce, want)
	}
	out.ID = id.NewDelivery()
	if r, err := c.Send(t.Context(), out); err != nil || r.IDs[0] == ids[0] {
		t.Errorf("another delivery of the same text is %v, %v", r, err)
	}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "p", To: person(discordtest.Person), Text: "x"}); err != nil || len(s.Shown()) != 1 {
		t.Errorf("to a person: %v", err)
	}
}

// After the nonce is forgotten, what may have been shown is looked for.
func TestSendInDoubt(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	send := func(d, text string, doubt bool) {
		t.Helper()
		if _, err := c.Send(t.Context(), msg.Outbound{ID: id.Delivery(d), To: place(discordtest.General), Text: text, Doubt: doubt}); err != nil {
			t.Fatal(err)
		}
	}
	send("1", "an _answer_", false)
	s.Age(time.Hour)
	send("1", "an _answer_", true)
	if n := len(s.Messages("")); n != 1 {
		t.Errorf("shown %d times", n)
	}
	// The same words behind what somebody else said are another answer.
	s.Miss(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "again"})
	send("2", "an _answer_", true)
	if n := len(s.Messages("")); n != 2 {
		t.Errorf("shown %d times", n)
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault discordtest.Fault
		kind  fault.Kind
		hint  string
		doubt bool
	}{
		{"slow down", discordtest.Fault{Status: 429, Body: `{"message":"x","retry_after":7.5,"global":false}`}, fault.RateLimited, "slow down", false},
		{"without a body", discordtest.Fault{Status: 429, Body: "<html>", Header: map[string]string{"Retry-After": "7.5"}}, fault.RateLimited, "slow down", false},
		{"bad gateway", discordtest.Fault{Status: 502, Body: "<html>"}, fault.Unavailable, "502", true},
		{"cut", discordtest.Fault{Cut: true}, fault.Unavailable, "", true},
		{"token revoked", discordtest.Fault{Status: 401, Body: `{"code":0,"message":"401: Unauthorized"}`}, fault.Unauthenticated, "make a new one", false},
		{"permission", discordtest.Fault{Status: 403, Body: `{"code":50013,"message":"Missing Permissions"}`}, fault.Forbidden, "Send Messages", false},
		{"not seen", discordtest.Fault{Status: 403, Body: `{"code":50001,"message":"Missing Access"}`}, fault.Forbidden, "View Channel", false},
		{"gone", discordtest.Fault{Status: 404, Body: `{"code":10003,"message":"Unknown Channel"}`}, fault.NotFound, "Unknown Channel", false},
		{"bad form", discordtest.Fault{Status: 400, Body: `{"code":50035,"message":"Invalid Form Body","errors":{"content":{"_errors":[{"code":"X","message":"too\u001b long"}]}}}`}, fault.Invalid, "content: too", false},
		{"redirect", discordtest.Fault{Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, fault.Unavailable, "between here and Discord", false},
		{"an odd answer", discordtest.Fault{Status: 200, Body: `{"id":"../x"}`}, fault.Unavailable, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, c := newAccount(t, "")
			s.Fail("POST /channels/", tt.fault)
			_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: place(discordtest.General), Text: "x"})
			_, doubt := errors.AsType[channel.InDoubt](err)
			if fault.KindOf(err) != tt.kind || tt.hint != "" && !strings.Contains(fault.Hint(err), tt.hint) || doubt != tt.doubt {
				t.Errorf("Send = %v (%q, doubt %v)", err, fault.Hint(err), doubt)
			}
			if err != nil && (strings.Contains(err.Error(), s.Token) || strings.ContainsRune(err.Error(), 0x1b) || strings.Contains(err.Error(), "127.0.0.1")) {
				t.Errorf("the error tells too much: %v", err)
			}
			if tt.kind == fault.RateLimited {
				if r, ok := errors.AsType[channel.RetryAfter](err); !ok || r.After != 7500*time.Millisecond {
					t.Errorf("the delay is %v", r.After)
				}
			}
		})
	}
	_, c := newAccount(t, "")
	for _, to := range []msg.Address{{}, place("x"), place("7"), place("../users/@me"), person("@al"), person(discordtest.Nobody), place(discordtest.Elsewhere), {Peer: "123 "}, {Kind: msg.Channel, Peer: "1", Thread: "x"}} {
		_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: to, Text: "x"})
		if k := fault.KindOf(err); k != fault.Invalid && k != fault.NotFound && k != fault.Forbidden {
			t.Errorf("Send to %+v = %v", to, err)
		}
	}
}

// One route's limit holds that route back, a global one all of them.
func TestRates(t *testing.T) {
	t.Parallel()
	send := func(c channel.Channel, to string) error {
		_, err := c.Send(t.Context(), msg.Outbound{ID: id.NewDelivery(), To: place(to), Text: "x"})
		return err
	}
	s, c := newAccount(t, "")
	s.Fail("POST /channels/"+discordtest.General, discordtest.Fault{Status: 429, Body: `{"retry_after":60,"global":false}`})
	if err := send(c, discordtest.General); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("Send = %v", err)
	}
	err := send(c, discordtest.General)
	if r, ok := errors.AsType[channel.RetryAfter](err); !ok || r.After < 50*time.Second || len(s.Calls("POST /channels/"+discordtest.General)) != 1 {
		t.Errorf("a limited route is called again: %v", err)
	}
	if err := send(c, discordtest.Random); err != nil {
		t.Errorf("another route waits: %v", err)
	}
	s, c = newAccount(t, "")
	s.Fail("POST /channels/"+discordtest.General, discordtest.Fault{Status: 429, Body: `{"retry_after":60,"global":true}`})
	for _, to := range []string{discordtest.General, discordtest.Random} {
		if err := send(c, to); fault.KindOf(err) != fault.RateLimited {
			t.Errorf("Send = %v", err)
		}
	}
	if n := len(s.Calls("POST")); n != 1 {
		t.Errorf("%d calls under a global limit", n)
	}
	// A short one is waited for, also one that is told before it is reached.
	s, c = newAccount(t, "")
	s.Fail("POST /channels/", discordtest.Fault{Status: 200, Body: `{"id":"5","channel_id":"1"}`, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "0.2"}})
	before := time.Now()
	for range 2 {
		if err := send(c, discordtest.General); err != nil {
			t.Error(err)
		}
	}
	if d := time.Since(before); d < 150*time.Millisecond {
		t.Errorf("two calls took %v", d)
	}
}

func TestSendFiles(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, `,"mediaMaxMb":1`)
	send := func(out msg.Outbound) error {
		out.ID, out.To = id.NewDelivery(), place(discordtest.General)
		_, err := c.Send(t.Context(), out)
		return err
	}
	if err := send(msg.Outbound{Text: "see", Attachments: []msg.Attachment{
		{Name: `../a "b".png`, MIME: "image/png", Data: []byte("png")}, {Name: "f.txt", Ref: "stored"}, {Name: "gone.bin"},
	}}); err != nil {
		t.Fatal(err)
	}
	ms := s.Messages("")
	if len(ms) != 2 || ms[0].Content != "see" || ms[1].Shown != "gone.bin" || len(ms[1].Files) != 2 {
		t.Fatalf("shown %+v", ms)
	}
	if f := ms[1].Files; f[0].Name != `a "b".png` || f[0].MIME != "image/png" || string(f[0].Data) != "png" || string(f[1].Data) != "bytes of stored" {
		t.Errorf("files %+v", f)
	}
	var many []msg.Attachment
	for i := range 12 {
		many = append(many, msg.Attachment{Name: fmt.Sprint(i), Data: []byte("x")})
	}
	if err := send(msg.Outbound{Attachments: many}); err != nil || len(s.Messages("")) != 4 {
		t.Errorf("twelve files are %d messages, %v", len(s.Messages(""))-2, err)
	}
	if err := send(msg.Outbound{Attachments: []msg.Attachment{{Name: "large", Data: make([]byte, 2<<20)}}}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Send of a large file = %v", err)
	}
}

func ogg(length time.Duration) []byte {
	page := func(granule uint64) []byte {
		b := append([]byte("OggS"), make([]byte, 23)...)
		binary.LittleEndian.PutUint64(b[6:], granule)
		return b
	}
	b := append(page(0), "\x01\x13OpusHead"...)
	return append(b, page(uint64(length.Seconds()*48000))...)
}

func TestVoice(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	data := ogg(1500 * time.Millisecond)
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "v", To: place(discordtest.General), Text: "listen", Voice: true, Attachments: []msg.Attachment{{Name: "v.ogg", MIME: "audio/ogg", Data: data}}}); err != nil {
		t.Fatal(err)
	}
	ms := s.Messages("")
	if len(ms) != 2 || ms[1].Content != "" || len(ms[1].Files) != 1 {
		t.Fatalf("shown %+v", ms)
	}
	list, _ := ms[1].Raw["attachments"].([]any)
	a, _ := list[0].(object)
	if flags, _ := ms[1].Raw["flags"].(float64); int(flags)&(1<<13) == 0 || a["duration_secs"] != 1.5 || a["waveform"] == "" {
		t.Errorf("sent %v", ms[1].Raw)
	}
	// Another format is a file.
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "w", To: place(discordtest.General), Voice: true, Attachments: []msg.Attachment{{Name: "v.mp3", Data: []byte("ID3")}}}); err != nil || s.Messages("")[2].Files[0].Name != "v.mp3" {
		t.Errorf("Send = %v", err)
	}
	for _, bad := range [][]byte{nil, []byte("OggS"), append([]byte("OggSOpusHead"), make([]byte, 9)...), ogg(90 * 24 * time.Hour)} {
		if d := discord.OggLength(bad); d != 0 {
			t.Errorf("%q is %v long", bad, d)
		}
	}
}

func TestPollsButtonsForums(t *testing.T) {
	t.Parallel()
	s, c := newAccount(t, "")
	send := func(to string, out msg.Outbound) error {
		out.ID, out.To = id.NewDelivery(), place(to)
		_, err := c.Send(t.Context(), out)
		return err
	}
	if err := send(discordtest.General, msg.Outbound{Poll: &msg.Poll{Question: "When?", Options: []string{"now", strings.Repeat("later ", 20)}, Multi: true, Open: 90 * time.Minute}}); err != nil {
		t.Error(err)
	}
	poll, _ := s.Calls("POST")[0].Body["poll"].(object)
	if poll["duration"] != 2.0 || poll["allow_multiselect"] != true {
		t.Errorf("poll %v", poll)
	}
	rows := [][]msg.Button{{{Text: "Yes", Data: "/approve 1", Style: "success"}, {Text: "Docs", URL: "https://e.test/"}}, {{Text: strings.Repeat("long ", 40), Data: strings.Repeat("d", 300)}}}
	if err := send(discordtest.General, msg.Outbound{Text: "Sure?", Buttons: rows}); err != nil {
		t.Error(err)
	}
	got := jsonOf(s.Calls("POST")[1].Body["components"])
	for _, want := range []string{`"custom_id":"oc:/approve 1"`, `"style":3`, `"style":5,"type":2,"url":"https://e.test/"`, `"custom_id":"oc#`} {
		if !strings.Contains(got, want) {
			t.Errorf("components %s lack %s", got, want)
		}
	}
	for name, out := range map[string]msg.Outbound{
		"a script":      {Text: "x", Buttons: [][]msg.Button{{{Text: "x", URL: "javascript:1"}}}},
		"too many rows": {Text: "x", Buttons: [][]msg.Button{{{Text: "1"}}, {{Text: "2"}}, {{Text: "3"}}, {{Text: "4"}}, {{Text: "5"}}, {{Text: "6"}}}},
		"no options":    {Poll: &msg.Poll{Question: "x"}},
		"11 options":    {Poll: &msg.Poll{Question: "x", Options: strings.Split("1 2 3 4 5 6 7 8 9 10 11", " ")}},
		"odd native":    {Native: json.RawMessage(`"x"`)},
		"odd component": {Native: json.RawMessage(`[{"type":"button"}]`)},
		"nothing":       {Native: json.RawMessage(`{}`)},
	} {
		if err := send(discordtest.General, out); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: Send = %v", name, err)
		}
	}
	if err := send(discordtest.General, msg.Outbound{Native: json.RawMessage(`{"embeds":[{"title":"T"}],"components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"mine"}]}]}`)}); err != nil {
		t.Error(err)
	}
	// A forum takes a message as a post with a title.
	if err := send(discordtest.Forum, msg.Outbound{Text: "# An idea\n\nIt is good."}); err != nil {
		t.Error(err)
	}
	calls := s.Calls("POST /channels/" + discordtest.Forum + "/threads")
	if len(calls) != 1 || calls[0].Body["name"] != "An idea" {
		t.Errorf("made %+v", calls)
	}
	s.AddRoom(object{"id": "4200000000000000001", "type": 11, "archived": true, "guild_id": discordtest.Guild, "parent_id": discordtest.General})
	if err := send("4200000000000000001", msg.Outbound{Text: "wake up"}); err != nil {
		t.Errorf("to an archived thread: %v", err)
	}
}
