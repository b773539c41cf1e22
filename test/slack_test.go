package test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// office is a gateway in a Slack workspace.
type office struct {
	*harness.Gateway
	model *harness.Model
	slack *slacktest.Server
}

func newOffice(t *testing.T, section object) *office {
	t.Helper()
	o := &office{model: harness.NewModel(t), slack: slacktest.New()}
	t.Cleanup(o.slack.Close)
	s := object{
		"enabled": true, "botToken": o.slack.BotToken, "appToken": o.slack.AppToken, "apiRoot": o.slack.URL, "dmPolicy": "allowlist",
		"allowFrom": []any{"slack:" + slacktest.Person}, "groupPolicy": "allowlist", "channels": object{strings.ToLower(slacktest.General): object{}},
	}
	for k, v := range section {
		s[k] = v
	}
	o.Gateway = harness.New(t, o.model.URL, object{
		"channels": object{"slack": s},
		"messages": object{"queue": object{"mode": "followup", "cap": 1000}}, // each message has an answer of its own
	})
	return o
}

func (o *office) up(t *testing.T) *office {
	t.Helper()
	n := o.slack.Sockets()
	o.Start()
	harness.Until(t, within, "the bot is connected", func() bool { return o.slack.Sockets() > n })
	return o
}

// answers are the bot's messages with word in them.
func (o *office) answers(channel, word string) (out []slacktest.Message) {
	for _, m := range o.slack.Messages(channel) {
		if strings.Contains(m.Shown, word) {
			out = append(out, m)
		}
	}
	return out
}

func (o *office) answered(t *testing.T, channel, word string) slacktest.Message {
	t.Helper()
	harness.Until(t, within, word+" is answered", func() bool { return len(o.answers(channel, word)) > 0 })
	return o.answers(channel, word)[0]
}

func TestSlackMentionInAThread(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil).up(t)
	root := o.slack.Miss(slacktest.Message{Channel: slacktest.General, User: "U0OTHER1", Text: "root"})
	m := slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "<@" + slacktest.BotUser + "> plum"}
	m.TS = o.slack.Write(m, "channel")
	// Slack tells of a mention twice.
	o.slack.Event(object{"type": "app_mention", "channel": m.Channel, "user": m.User, "text": m.Text, "ts": m.TS, "event_ts": m.TS, "thread_ts": root})
	got := o.answered(t, slacktest.General, "plum")
	if got.Thread != root {
		t.Errorf("answered in the thread %q, want %q", got.Thread, root)
	}
	o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "quince without a mention"}, "channel")
	o.slack.Write(slacktest.Message{Channel: slacktest.Mpim, User: slacktest.Person, Text: "<@" + slacktest.BotUser + "> quince in a group"}, "mpim")
	o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "<@" + slacktest.BotUser + "> pear"}, "channel")
	if got := o.answered(t, slacktest.General, "pear"); got.Thread != "" {
		t.Errorf("with replyToMode off a mention outside threads was answered in the thread %q", got.Thread)
	}
	o.slack.Say("fig")
	o.answered(t, slacktest.DM, "fig")
	if n := len(o.answers("", "plum")); n != 1 {
		t.Errorf("a message and the mention of it were answered %d times", n)
	}
	if n := len(o.model.Calls("quince")); n != 0 {
		t.Errorf("what isn't for the bot reached the model %d times", n)
	}
}

func TestSlackGroupsAndThreadsOfOurs(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"dm": object{"groupEnabled": true}, "replyToMode": "all"}).up(t)
	o.slack.Write(slacktest.Message{Channel: slacktest.Mpim, User: slacktest.Person, Text: "<@" + slacktest.BotUser + "> almond"}, "mpim")
	o.answered(t, slacktest.Mpim, "almond")
	root := o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "<@" + slacktest.BotUser + "> cashew"}, "channel")
	if got := o.answered(t, slacktest.General, "cashew"); got.Thread != root {
		t.Errorf("answered in the thread %q, want %q", got.Thread, root)
	}
	// In a thread that the bot wrote in nobody need mention it.
	o.slack.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "pecan"}, "channel")
	if got := o.answered(t, slacktest.General, "pecan"); got.Thread != root {
		t.Errorf("answered in the thread %q, want %q", got.Thread, root)
	}
}

func TestSlackStrangersAreNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"allowFrom": []any{slacktest.Person, "mallory", "Mallory"}}).up(t)
	o.slack.Write(slacktest.Message{Channel: slacktest.DM, User: "U0MALLORY", Text: "melon"}, "im")
	o.slack.Write(slacktest.Message{Channel: slacktest.Elsewhere, User: slacktest.Person, Text: "<@" + slacktest.BotUser + "> melon"}, "channel")
	o.slack.Push("slash_commands", object{"command": "/openclaw", "text": "melon", "user_id": slacktest.Person, "channel_id": slacktest.DM, "trigger_id": "1.2"})
	o.slack.Say("fig")
	o.answered(t, slacktest.DM, "fig")
	if n := len(o.model.Calls("melon")); n != 0 {
		t.Errorf("%d model calls for strangers", n)
	}
}

// A Slack that limits, fails, breaks off and asks for new connections loses
// nothing and shows nothing twice.
func TestSlackMisbehaves(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil).up(t)
	o.slack.Fail("users.info", slacktest.Fault{Status: 500}, slacktest.Fault{Status: 429, RetryAfter: "1"})
	o.slack.Fail("conversations.info", slacktest.Fault{Body: "<html>"})
	o.slack.Fail("chat.postMessage", slacktest.Fault{Accept: true, Status: 502}, slacktest.Fault{}, slacktest.Fault{Accept: true, Cut: true})
	for i := range 6 {
		o.slack.Say(fmt.Sprintf("berry%d", i))
		switch i {
		case 1:
			o.slack.Frame("<html>")
			o.slack.Frame(`{"type":"events_api","envelope_id":"odd","payload":{"event":{"type":"message","ts":7}}}`)
		case 2:
			o.slack.Cut()
		case 3:
			o.slack.Disconnect("refresh_requested")
		}
	}
	for i := range 6 {
		o.answered(t, slacktest.DM, fmt.Sprintf("berry%d", i))
	}
	harness.Until(t, within, "all is confirmed", func() bool { return o.slack.Open() == 0 })
	for i := range 6 {
		if n := len(o.answers("", fmt.Sprintf("berry%d", i))); n != 1 {
			t.Errorf("berry%d was answered %d times", i, n)
		}
	}
	for _, secret := range []string{o.slack.BotToken, o.slack.AppToken, "secret-ticket"} {
		if strings.Contains(o.Log(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// A token that Slack refuses stops the account with a mend, and nothing else.
func TestSlackRefusesTheToken(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"botToken": "xoxb-wrong"})
	o.Start()
	harness.Until(t, within, "the log names the mend", func() bool { return strings.Contains(o.Log(), "copy it again from OAuth") })
	if code, _ := o.HTTP("GET", "/health", nil); code != http.StatusOK {
		t.Errorf("/health answers %d", code)
	}
	if strings.Contains(o.Log(), "xoxb-wrong") {
		t.Error("the log holds the token")
	}
}

// Files are fetched for those who are let in only.
func TestSlackFiles(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil).up(t)
	file := func(id string) []*slacktest.File {
		return []*slacktest.File{{ID: id, Name: "notes.txt", MIME: "text/plain", Data: []byte("the notes")}}
	}
	o.slack.Write(slacktest.Message{Channel: slacktest.DM, User: "U0STRANGE", Text: "nut", Files: file("F0STRANGE")}, "im")
	o.slack.Write(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Text: "walnut", Files: file("F0GOOD")}, "im")
	o.answered(t, slacktest.DM, "walnut")
	var asked []string
	for _, c := range o.slack.Calls("files.info") {
		asked = append(asked, c.Params["file"])
	}
	if len(asked) != 1 || asked[0] != "F0GOOD" {
		t.Errorf("fetched are %q, want F0GOOD alone", asked)
	}
}

// The answer to a slash command is for who asked, and about the conversation.
func TestSlackCommand(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"slashCommand": object{"enabled": true}}).up(t)
	type form = map[string]string
	for i, text := range []string{"/whoami", "what is a kiwi"} {
		o.slack.Push("slash_commands", form{"command": "/openclaw", "text": text, "user_id": slacktest.Person, "channel_id": slacktest.General, "trigger_id": fmt.Sprint(i), "response_url": o.slack.ResponseURL()})
		harness.Until(t, within, text+" is answered", func() bool { return len(o.slack.Calls("respond")) == i+1 })
	}
	got := o.slack.Calls("respond")
	if got[0].Params["response_type"] != "ephemeral" || !strings.Contains(got[0].Params["text"], slacktest.Person) || !strings.Contains(got[1].Params["text"], "kiwi") {
		t.Errorf("answered with %v", got)
	}
	if n := len(o.slack.Messages("")); n != 0 {
		t.Errorf("%d messages that everybody sees", n)
	}
}

// Killed at any moment, the gateway loses nothing and says nothing twice.
func TestSlackCrash(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil).up(t)
	o.slack.Say("grape one !hold g")
	harness.Until(t, within, "a model call", func() bool { return len(o.model.Calls("grape one")) > 0 })
	o.Kill()
	o.slack.Say("grape two") // while nobody is there
	o.slack.Miss(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Text: "grape three"})
	o.model.Release("g")
	o.up(t)
	for _, w := range []string{"grape one", "grape two", "grape three"} {
		o.answered(t, slacktest.DM, w)
	}
	// The answer is posted, but nobody hears that it was.
	o.slack.Fail("chat.postMessage", slacktest.Fault{Accept: true, Cut: true, Wait: 300 * time.Millisecond})
	n := len(o.slack.Calls("chat.postMessage"))
	o.slack.Say("lemon")
	harness.Until(t, within, "a post", func() bool { return len(o.slack.Calls("chat.postMessage")) > n })
	o.Kill()
	o.up(t)
	o.slack.Say("afterwards")
	o.answered(t, slacktest.DM, "afterwards")
	for _, w := range []string{"grape one", "grape two", "grape three", "lemon"} {
		if n := len(o.answers("", w)); n != 1 {
			t.Errorf("%q was answered %d times", w, n)
		}
	}
}

func TestSlackOverHTTP(t *testing.T) {
	t.Parallel()
	o := newOffice(t, object{"mode": "http", "appToken": nil, "signingSecret": "placeholder"})
	o.Edit(func(c map[string]any) {
		s := c["channels"].(object)["slack"].(object)
		delete(s, "appToken")
		s["signingSecret"] = o.slack.SigningSecret
	})
	o.Start()
	harness.Until(t, within, "the bot knows itself", func() bool { return len(o.slack.Calls("auth.test")) > 0 })
	hook := o.URL("/slack/events")
	deliver := func(url, body string, change func(*http.Request)) (int, string) {
		t.Helper()
		r := o.slack.Request(t.Context(), url, "application/json", body)
		if change != nil {
			change(r)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	message := func(text string) string {
		ts := o.slack.Stamp()
		return jsonOf(slacktest.Callback(object{"type": "message", "channel": slacktest.DM, "channel_type": "im", "user": slacktest.Person, "text": text, "ts": ts, "event_ts": ts}))
	}
	harness.Until(t, within, "the challenge is answered", func() bool {
		code, body := deliver(hook, `{"type":"url_verification","challenge":"abc123"}`, nil)
		return code == http.StatusOK && body == "abc123"
	})
	signedAt := func(d time.Duration, body string) func(*http.Request) {
		return func(r *http.Request) {
			at := time.Now().Add(d)
			r.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(at.Unix(), 10))
			r.Header.Set("X-Slack-Signature", slacktest.Sign(o.slack.SigningSecret, at, body))
		}
	}
	bad := message("mango forged")
	for name, change := range map[string]func(*http.Request){
		"no signature":    func(r *http.Request) { r.Header.Del("X-Slack-Signature") },
		"wrong signature": func(r *http.Request) { r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64)) },
		"other body": func(r *http.Request) {
			r.Header.Set("X-Slack-Signature", slacktest.Sign(o.slack.SigningSecret, time.Now(), bad+" "))
		},
		"other secret":    func(r *http.Request) { r.Header.Set("X-Slack-Signature", slacktest.Sign("x", time.Now(), bad)) },
		"too old":         signedAt(-6*time.Minute, bad),
		"too new":         signedAt(6*time.Minute, bad),
		"no time":         func(r *http.Request) { r.Header.Del("X-Slack-Request-Timestamp") },
		"gateway's token": func(r *http.Request) { r.Header.Del("X-Slack-Signature"); r.Header.Set("Authorization", "Bearer x") },
	} {
		if code, _ := deliver(hook, bad, change); code != http.StatusUnauthorized {
			t.Errorf("%s: answered %d, want 401", name, code)
		}
	}
	good := message("mango good")
	for i, url := range []string{hook, hook, o.URL("/channels/slack/default/")} { // Slack repeats what it isn't sure of
		if code, body := deliver(url, good, func(r *http.Request) { r.Header.Set("X-Slack-Retry-Num", fmt.Sprint(i)) }); code != http.StatusOK {
			t.Errorf("delivery %d: answered %d %s, want 200", i, code, body)
		}
	}
	o.answered(t, slacktest.DM, "mango good")
	o.Kill()
	o.Start()
	harness.Until(t, within, "the delivery is taken again", func() bool {
		code, _ := deliver(hook, good, nil)
		return code == http.StatusOK
	})
	deliver(hook, message("mango last"), nil)
	o.answered(t, slacktest.DM, "mango last")
	if n := len(o.answers("", "mango good")); n != 1 {
		t.Errorf("a repeated delivery was answered %d times", n)
	}
	if n := len(o.model.Calls("forged")); n != 0 {
		t.Errorf("forged deliveries reached the model %d times", n)
	}
}
