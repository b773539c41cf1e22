package slack_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	k := slack.Kind()
	for _, tt := range []struct {
		in, want string
		name     bool
	}{
		{"*", "*", false},
		{"U0PERSON", "U0PERSON", false},
		{"u0person", "U0PERSON", false},
		{" slack:u0person ", "U0PERSON", false},
		{"User:U0PERSON", "U0PERSON", false},
		{"<@U0PERSON>", "U0PERSON", false},
		{"<@U0PERSON|al>", "U0PERSON", false},
		{"W0PERSON", "W0PERSON", false},
		{"al", "al", true},
		{"@Al", "al", true},
		{"slack:Al Example", "al example", true},
		{"ursula", "ursula", true},
		{"slack:*", "", false},
		{"<@*>", "", false},
		{"<@U0PERSON", "", false},
		{"", "", false},
		{"a\nb", "", false},
	} {
		got := k.Normalize(tt.in)
		if got != tt.want || got != "" && k.IsName(got) != tt.name {
			t.Errorf("Normalize(%q) = %q, name %v; want %q, %v", tt.in, got, k.IsName(got), tt.want, tt.name)
		}
	}
	ids, names := k.Forms(msg.Sender{ID: "U0PERSON", Name: "Al Example", Username: "al"})
	if d := cmp.Diff([]string{"U0PERSON"}, ids); d != "" {
		t.Error(d)
	}
	for _, n := range []string{"al", "al example", "al-example"} {
		if !strings.Contains(strings.Join(names, "\n")+"\n", n+"\n") {
			t.Errorf("names %q lack %q", names, n)
		}
	}
	// A name that is written like an id is nobody's id.
	if ids, _ := k.Forms(msg.Sender{ID: "U0EVIL01", Name: "U0PERSON", Username: "slack:U0PERSON"}); len(ids) != 1 || ids[0] != "U0EVIL01" {
		t.Errorf("ids are %q", ids)
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]msg.Address{
		"user:U0PERSON": {Channel: "slack", Kind: msg.Direct, Peer: "U0PERSON"}, "slack:u0person": {Channel: "slack", Kind: msg.Direct, Peer: "U0PERSON"},
		"<@U0PERSON|al>": {Channel: "slack", Kind: msg.Direct, Peer: "U0PERSON"}, "@U0PERSON": {Channel: "slack", Kind: msg.Direct, Peer: "U0PERSON"},
		"channel:c0general": {Channel: "slack", Kind: msg.Channel, Peer: "C0GENERAL"}, "#C0GENERAL": {Channel: "slack", Kind: msg.Channel, Peer: "C0GENERAL"},
		"C0GENERAL": {Channel: "slack", Kind: msg.Channel, Peer: "C0GENERAL"}, "<#C0GENERAL|general>": {Channel: "slack", Kind: msg.Channel, Peer: "C0GENERAL"},
		"G0MPIM": {Channel: "slack", Kind: msg.Group, Peer: "G0MPIM"}, "D0PERSON": {Channel: "slack", Kind: msg.Direct, Peer: "D0PERSON"},
	} {
		if got, err := slack.Kind().Target(in); err != nil || got != want {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "@al b", "user:C0GENERAL", "#team-ops", "user:", "C0\nX", strings.Repeat("C", 30)} {
		if got, err := slack.Kind().Target(in); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		name, section string
		kind          msg.PeerKind
		peer, room    string
		want          channel.Rules
	}{
		{"nothing", `{}`, msg.Channel, "C1", "ops", channel.Rules{}},
		{"by id, small", `{"channels":{"c1":{"requireMention":false,"systemPrompt":"p","skills":["s"]}}}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Mention: &no, Prompt: "p", Skills: []string{"s"}, Allow: []string{"*"}}},
		{"by #id", `{"channels":{"#C1":{}}}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Allow: []string{"*"}}},
		{"others", `{"channels":{"C2":{}}}`, msg.Channel, "C1", "", channel.Rules{Others: true}},
		{"a name is nothing", `{"channels":{"#ops":{},"ops":{}}}`, msg.Channel, "C1", "ops", channel.Rules{Others: true}},
		{"unless names count", `{"channels":{"#ops":{}},"dangerouslyAllowNameMatching":true}`, msg.Channel, "C1", "ops", channel.Rules{Listed: true, Others: true, Allow: []string{"*"}}},
		{"disabled", `{"channels":{"C1":{"enabled":false}}}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Disabled: true, Allow: []string{"*"}}},
		{"not allowed", `{"channels":{"C1":{"allow":false},"*":{}}}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Disabled: true, Allow: []string{"*"}}},
		{"star, and its users", `{"channels":{"*":{"users":["U1",7],"allowBots":true}},"requireMention":true}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Mention: &yes, Bots: "on", Allow: []string{"U1", "7"}}},
		{"nobody", `{"channels":{"C1":{"users":[]}}}`, msg.Channel, "C1", "", channel.Rules{Listed: true, Others: true, Allow: []string{}}},
		{"group conversations are off", `{}`, msg.Group, "G1", "", channel.Rules{Disabled: true}},
		{"and on", `{"dm":{"groupEnabled":true}}`, msg.Group, "G1", "", channel.Rules{Listed: true, Policy: "allowlist", Allow: []string{"*"}}},
		{"some", `{"dm":{"groupEnabled":true,"groupChannels":["g2"]}}`, msg.Group, "G1", "", channel.Rules{Disabled: true}},
		{"what can't be read", `{"channels":5}`, msg.Channel, "C1", "", channel.Rules{Disabled: true, Others: true}},
	}
	for _, tt := range tests {
		in := msg.Inbound{At: msg.Address{Kind: tt.kind, Peer: id.Peer(tt.peer)}, Room: msg.Room{Name: tt.room}}
		if d := cmp.Diff(tt.want, slack.Kind().Rules(json.RawMessage(tt.section), in)); d != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, d)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"botToken":"xoxb-1"}`:                                                     "appToken is missing",
		`{"appToken":"xapp-1"}`:                                                     "botToken is missing",
		`{"botToken":"123:abc","appToken":"xapp-1"}`:                                "xoxb-",
		`{"botToken":"xoxb-1","appToken":"xoxb-2"}`:                                 "xapp-",
		`{"botToken":"xoxb-1","mode":"http"}`:                                       "signingSecret",
		`{"botToken":"xoxb-1","mode":"rtm"}`:                                        "mode",
		`{"botToken":"xoxb-1","mode":"http","signingSecret":"s","webhookPath":"x"}`: "webhookPath",
		`{"botToken":"xoxb-1","appToken":"xapp-1","apiRoot":"file:///x"}`:           "apiRoot",
		"{\"botToken\":\"xoxb-1\\nX: y\",\"appToken\":\"xapp-1\"}":                  "xoxb-",
	} {
		_, err := slack.Kind().New(channel.Env{}, json.RawMessage(raw))
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%s) = %v, want Invalid about %s", raw, err, want)
		}
	}
}

// Nothing unsigned, old or changed gets in, and nothing is answered before it
// is stored.
func TestWebhook(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, json.RawMessage(`{"mode":"http","botToken":"`+s.BotToken+`","signingSecret":"`+s.SigningSecret+`","apiRoot":"`+s.URL+`","slashCommand":{"enabled":true}}`))
	stop := r.run()
	r.connected()
	var mu sync.Mutex
	var got []msg.Inbound
	var fail error
	hook, _ := channel.As[channel.Webhook](r.ch)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	web := httptest.NewServer(hook.Handler(func(_ context.Context, in msg.Inbound) error {
		mu.Lock()
		defer mu.Unlock()
		if fail != nil {
			return fail
		}
		got = append(got, in)
		return nil
	}))
	t.Cleanup(web.Close)
	const js, form = "application/json", "application/x-www-form-urlencoded"
	post := func(kind, body string, change func(*http.Request)) int {
		t.Helper()
		req := s.Request(t.Context(), web.URL, kind, body)
		if change != nil {
			change(req)
		}
		resp, err := client.Do(req)
		if err != nil {
			if len(body) > 1<<20 {
				return http.StatusRequestEntityTooLarge // refused while it is still being sent
			}
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	event := func(text string) string {
		ts := s.Stamp()
		raw, _ := json.Marshal(slacktest.Callback(object{"type": "message", "channel": slacktest.DM, "channel_type": "im", "user": slacktest.Person, "text": text, "ts": ts}))
		return string(raw)
	}
	body := event("x")
	at := func(d time.Duration) func(*http.Request) {
		return func(q *http.Request) {
			now := time.Now().Add(d)
			q.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(now.Unix(), 10))
			q.Header.Set("X-Slack-Signature", slacktest.Sign(s.SigningSecret, now, body))
		}
	}
	for name, tt := range map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"no signature":        {body, func(q *http.Request) { q.Header.Del("X-Slack-Signature") }},
		"empty signature":     {body, func(q *http.Request) { q.Header.Set("X-Slack-Signature", "v0=") }},
		"no time":             {body, func(q *http.Request) { q.Header.Del("X-Slack-Request-Timestamp") }},
		"odd time":            {body, func(q *http.Request) { q.Header.Set("X-Slack-Request-Timestamp", "1e9") }},
		"six minutes old":     {body, at(-6 * time.Minute)},
		"six minutes to come": {body, at(6 * time.Minute)},
		"another time": {body, func(q *http.Request) {
			q.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(time.Now().Unix()-9, 10))
		}},
		"a byte changed":  {body + " ", at(0)},
		"reserialised":    {strings.ReplaceAll(body, `","`, `", "`), at(0)},
		"another version": {body, func(q *http.Request) { q.Header.Set("X-Slack-Signature", "v1="+q.Header.Get("X-Slack-Signature")[3:]) }},
		"a challenge":     {`{"type":"url_verification","challenge":"c"}`, at(0)},
		"nothing":         {"", at(0)},
	} {
		if code := post(js, tt.body, tt.change); code != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", name, code)
		}
	}
	if code := post(js, "", nil); code != http.StatusBadRequest {
		t.Errorf("an empty body that is signed: %d", code)
	}
	if code := post(js, strings.Repeat("x", 1<<20+1), nil); code != http.StatusRequestEntityTooLarge && code != http.StatusBadRequest {
		t.Errorf("too large a body: %d", code)
	}
	if code := post(js, body, func(q *http.Request) { q.Method = http.MethodGet }); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d, want 405", code)
	}
	mu.Lock()
	if len(got) != 0 {
		t.Errorf("received %+v", got)
	}
	fail = fault.New(fault.Unavailable, "test", "disk full")
	mu.Unlock()
	if code := post(js, body, nil); code != http.StatusServiceUnavailable {
		t.Errorf("what can't be stored: %d, want 503", code)
	}
	mu.Lock()
	fail = nil
	mu.Unlock()
	for range 3 {
		if code := post(js, body, func(q *http.Request) { q.Header.Set("X-Slack-Retry-Num", "1") }); code != http.StatusOK {
			t.Errorf("a good delivery: %d", code)
		}
	}
	command := url.Values{"command": {"/openclaw"}, "text": {"hi"}, "user_id": {slacktest.Person}, "channel_id": {slacktest.DM}, "trigger_id": {"1.2"}}.Encode()
	press, _ := json.Marshal(object{"type": "block_actions", "user": object{"id": slacktest.Person}, "channel": object{"id": slacktest.DM}, "actions": []object{{"action_id": "oc_1", "value": "/ok", "action_ts": "1"}}})
	for _, b := range []string{command, url.Values{"payload": {string(press)}}.Encode(), "ssl_check=1", "payload=%7B"} {
		if code := post(form, b, nil); code != http.StatusOK {
			t.Errorf("%s: %d", b, code)
		}
	}
	for _, b := range []string{`{"type":"app_rate_limited"}`, `{"type":"event_callback"}`, `{"type":"event_callback","event":{"type":"message","ts":1}}`} {
		if code := post(js, b, nil); code != http.StatusOK {
			t.Errorf("%s: %d", b, code)
		}
	}
	mu.Lock()
	var texts []string
	for _, in := range got {
		texts = append(texts, in.Text)
	}
	mu.Unlock()
	if d := cmp.Diff([]string{"x", "hi", "/ok"}, texts); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	stop()
	if err := <-r.done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// In HTTP mode a token that is revoked is noticed.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, json.RawMessage(`{"mode":"http","botToken":"`+s.BotToken+`","signingSecret":"s","apiRoot":"`+s.URL+`"}`))
	stop := r.run()
	r.connected()
	s.Fail("auth.test", slacktest.Fault{Error: "token_revoked"})
	until(t, "the status", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return fault.KindOf(r.last) == fault.Unauthenticated
	})
	stop()
	<-r.done
}

func FuzzDelivery(f *testing.F) {
	for _, s := range []string{
		`{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"D0PERSON","channel_type":"im","user":"U0PERSON","text":"hi <@U0CLAW|x> <https://a|b> &amp;","ts":"1.2","thread_ts":"1.1","files":[{"id":"F1","size":-5}],"attachments":[{"is_share":true,"text":"<"}]}}`,
		`{"event":{"type":"reaction_added","user":"U0PERSON","reaction":"eyes","item_user":"U0CLAW","event_ts":"1.3","item":{"type":"message","channel":"C1","ts":"1.2"}}}`,
		`{"event":{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U1","ts":"1.2","text":"x","edited":{"ts":"1.3"}}}}`,
		`{"command":"/openclaw","text":"x","user_id":"U1","channel_id":"C1","trigger_id":"1"}`,
		`{"type":"block_actions","user":{"id":"U1"},"channel":{"id":"C1"},"actions":[{"action_id":"oc_1","value":"x"}]}`,
	} {
		for kind := range 3 {
			f.Add(kind, []byte(s))
		}
	}
	kinds := []string{"events_api", "slash_commands", "interactive"}
	f.Fuzz(func(t *testing.T, kind int, raw []byte) {
		for _, in := range slack.Read(kinds[uint(kind)%3], raw) {
			if in.ID == "" || in.From.ID == "" || in.At.Peer == "" || in.At.Kind == "" || in.Text == "" && len(in.Attachments) == 0 || in.Client != nil || in.Received.IsZero() {
				t.Errorf("a message lacks something: %+v", in)
			}
			if in.From.ID == "U0CLAW" && !in.Native {
				t.Errorf("a message of our own: %+v", in)
			}
			if strings.ToValidUTF8(in.Text, "") != in.Text {
				t.Errorf("%q isn't UTF-8", in.Text)
			}
			for _, a := range in.Attachments {
				if a.Size < 0 || strings.ContainsAny(a.Ref, "/\\ ") {
					t.Errorf("an odd attachment: %+v", a)
				}
			}
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add("application/json", []byte(`{"type":"url_verification","challenge":"x"}`))
	f.Add("application/x-www-form-urlencoded", []byte(`payload=%7B%22type%22%3A%22block_actions%22%7D`))
	f.Add("application/x-www-form-urlencoded", []byte(`command=%2Fopenclaw&text=x&&=;%`))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		kind, payload, err := slack.Unpack(contentType, body)
		if err == nil && kind == "slash_commands" && !json.Valid(payload) {
			t.Errorf("%q gave %q", body, payload)
		}
	})
}

func FuzzMrkdwn(f *testing.F) {
	for _, s := range []string{"**a** <b> & [c](https://d|e) `<&>`", "| a | b |\n|-|-|\n| <@U1> | & |", "> q\n\n```\n<x>\n```", "<@U0PERSON|x> <#C1> <!channel> <https://x|y>", "[<@U1>](https://x.y/<z>)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tables := range []string{"code", "bullets", "off"} {
			out := slack.Render(s, tables)
			if strings.ContainsAny(s, "\x01\x02") { // the reader uses them
				continue
			}
			if _, err := slacktest.Shown(out); err != nil && !strings.Contains(err.Error(), "bare >") {
				t.Errorf("Render(%q, %s) = %q: %v", s, tables, out, err)
			}
			if strings.Contains(out, "<!") {
				t.Errorf("Render(%q) wakes everybody: %q", s, out)
			}
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"slack:U1", "<@U1|x>", "@al", "user:*", "*"} {
		f.Add(s)
	}
	k := slack.Kind()
	f.Fuzz(func(t *testing.T, s string) {
		n := k.Normalize(s)
		if n == "*" && strings.TrimSpace(s) != "*" {
			t.Errorf("Normalize(%q) is a star", s)
		}
		if again := k.Normalize(n); n != "" && !strings.ContainsAny(n, ":@<") && again != n {
			t.Errorf("Normalize(%q) = %q, and of that %q", s, n, again)
		}
		if at, err := k.Target(s); err == nil && (at.Peer == "" || strings.ContainsAny(string(at.Peer), "\r\n /")) {
			t.Errorf("Target(%q) = %+v", s, at)
		}
	})
}
