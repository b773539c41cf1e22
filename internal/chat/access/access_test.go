package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
)

// memory is a store for one test.
type memory struct {
	mu      sync.Mutex
	pending []access.Request
	allowed map[string][]id.Peer
	fail    error
}

func at(c id.Channel, a id.Account) string { return string(c) + "/" + string(a) }

func (m *memory) RequestPairing(_ context.Context, r access.Request, l access.Limits) (access.Request, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return access.Request{}, false, m.fail
	}
	m.pending = slices.DeleteFunc(m.pending, func(p access.Request) bool { return p.Created.Before(r.Seen.Add(-l.Life)) })
	n := 0
	for i, p := range m.pending {
		if p.Channel != r.Channel {
			continue
		}
		if n++; p.Account == r.Account && p.Peer == r.Peer {
			m.pending[i].Seen = r.Seen
			return m.pending[i], true, nil
		}
	}
	if n >= l.Pending {
		return access.Request{}, false, nil
	}
	m.pending = append(m.pending, r)
	return r, true, nil
}

func (m *memory) Pairings(_ context.Context, c id.Channel, since time.Time) ([]access.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []access.Request
	for _, p := range m.pending {
		if (c == "" || p.Channel == c) && !p.Created.Before(since) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (m *memory) ApprovePairing(_ context.Context, c id.Channel, code string, since time.Time) (access.Request, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, p := range m.pending {
		if p.Channel == c && strings.EqualFold(p.Code, code) && !p.Created.Before(since) {
			m.pending = slices.Delete(m.pending, i, i+1)
			m.allowed[at(c, p.Account)] = append(m.allowed[at(c, p.Account)], p.Peer)
			return p, true, nil
		}
	}
	return access.Request{}, false, nil
}

func (m *memory) Allowed(_ context.Context, c id.Channel, a id.Account) ([]id.Peer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allowed[at(c, a)], m.fail
}

func (m *memory) Allow(context.Context, id.Channel, id.Account, id.Peer) (bool, error) {
	return false, nil
}

func (m *memory) Disallow(context.Context, id.Channel, id.Account, id.Peer) (bool, error) {
	return false, nil
}

// numbered is a network whose ids are numbers, as Telegram's are.
func numbered() channel.Kind {
	digits := regexp.MustCompile(`^(?i:telegram:|tg:)?(\d+)$`)
	return channel.Kind{ID: "telegram", Label: "Telegram", Normalize: func(e string) string {
		if m := digits.FindStringSubmatch(strings.TrimSpace(e)); m != nil {
			return m[1]
		}
		return ""
	}}
}

func kinds(c id.Channel) (channel.Kind, bool) {
	switch c {
	case "irc":
		return irc.Kind(), true
	case "telegram":
		return numbered(), true
	case "whatsapp":
		return channel.Kind{ID: c, Label: "WhatsApp", Normalize: func(e string) string {
			if regexp.MustCompile(`^\+\d+$`).MatchString(e) {
				return e
			}
			return ""
		}}, true
	case "slack":
		return channel.Kind{ID: c, Label: "Slack"}, true
	}
	return channel.Kind{}, false
}

func gate(c config.ChannelSection) (*access.Gate, *memory) {
	m := &memory{allowed: map[string][]id.Peer{}}
	return &access.Gate{
		Account: func(_ id.Channel, a id.Account) (config.Account, bool) {
			return config.Account{ID: a, Enabled: true, Common: c}, true
		},
		Kind: kinds, Store: m,
	}, m
}

func direct(sender string) msg.Inbound {
	return msg.Inbound{
		ID: "m1", From: msg.Sender{ID: id.Peer(sender), Name: "Al", Username: "alice"}, Mentioned: true, Received: time.Now(),
		At: msg.Address{Channel: "telegram", Account: "default", Kind: msg.Direct, Peer: id.Peer(sender)}, Text: "hi",
	}
}

func inGroup(sender, peer string, mentioned bool) msg.Inbound {
	in := direct(sender)
	in.At.Kind, in.At.Peer, in.Mentioned = msg.Group, id.Peer(peer), mentioned
	return in
}

// The twelve recorded settings: closed unless opened in so many words.
func TestRecordedPolicies(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/policies.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		N       int
		Config  json.RawMessage
		Channel id.Channel
		Chat    string
		Sender  json.RawMessage
		Allow   any
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(fmt.Sprint(tt.N), func(t *testing.T) {
			t.Parallel()
			var c config.ChannelSection
			text := strings.ReplaceAll(string(tt.Config), "125", `"125"`) // the parser keeps numbers as text
			if err := json.Unmarshal([]byte(text), &c); err != nil {
				t.Fatal(err)
			}
			in := direct("")
			if json.Unmarshal(tt.Sender, &in.From.ID) != nil {
				if err := json.Unmarshal(tt.Sender, &in.From); err != nil {
					t.Fatal(err)
				}
			}
			if tt.Channel != "" {
				in.At.Channel = tt.Channel
			}
			if tt.Chat == "group" {
				in.At.Kind = msg.Group
			}
			if tt.Channel == "slack" { // its list of users is the group's
				in.At.Kind, in.At.Peer = msg.Channel, "C1"
				c.Groups = map[string]config.Group{"C1": {AllowFrom: []string{}}}
			}
			g, _ := gate(c)
			d, err := g.Admit(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.Allow == true
			if (d.Verdict == access.Respond) != want {
				t.Errorf("Admit under %s = %+v, want allowed %v", tt.Config, d, want)
			}
			if (d.Text != "") != (tt.N == 10) {
				t.Errorf("Admit under %s tells the sender %q", tt.Config, d.Text)
			}
		})
	}
}

func TestDirect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		c     config.ChannelSection
		from  string
		want  access.Verdict
		owner bool
	}{
		{"nothing set", config.ChannelSection{}, "1", access.Pair, false},
		{"listed", config.ChannelSection{AllowFrom: []string{"1"}}, "1", access.Respond, true},
		{"star without open", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"*"}}, "1", access.Ignore, false},
		{"star under pairing", config.ChannelSection{AllowFrom: []string{"*"}}, "1", access.Pair, false},
		{"open to a stranger", config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"*", "2"}}, "1", access.Respond, false},
		{"open to the owner", config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"*", "2"}}, "2", access.Respond, true},
		{"disabled", config.ChannelSection{DMPolicy: "disabled", AllowFrom: []string{"1"}}, "1", access.Ignore, false},
		{"blank entries", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"", " "}}, "1", access.Ignore, false},
		{"name like an id", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"alice"}}, "2002", access.Ignore, false},
		{"no id", config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"*"}}, "", access.Respond, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := gate(tt.c)
			d, err := g.Admit(t.Context(), direct(tt.from))
			if tt.from == "" {
				tt.want = access.Ignore
			}
			if err != nil || d.Verdict != tt.want || d.Owner != tt.owner {
				t.Errorf("Admit = %+v, %v", d, err)
			}
		})
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	groups := func(g config.Group) map[string]config.Group { return map[string]config.Group{"-100": g} }
	star := map[string]config.Group{"*": {}}
	tests := []struct {
		name string
		c    config.ChannelSection
		in   msg.Inbound
		want bool
	}{
		{"no groups", config.ChannelSection{AllowFrom: []string{"1"}}, inGroup("1", "-100", true), false},
		{"listed group, owner", config.ChannelSection{AllowFrom: []string{"1"}, Groups: groups(config.Group{})}, inGroup("1", "-100", true), true},
		{"another group", config.ChannelSection{AllowFrom: []string{"1"}, Groups: groups(config.Group{})}, inGroup("1", "-200", true), false},
		{"listed group, stranger", config.ChannelSection{AllowFrom: []string{"1"}, Groups: star}, inGroup("2", "-100", true), false},
		{"not mentioned", config.ChannelSection{AllowFrom: []string{"1"}, Groups: star}, inGroup("1", "-100", false), false},
		{"no mention needed", config.ChannelSection{AllowFrom: []string{"1"}, Groups: groups(config.Group{RequireMention: &no})}, inGroup("1", "-100", false), true},
		{"own list wins", config.ChannelSection{AllowFrom: []string{"1"}, GroupAllowFrom: []string{"2"}, Groups: star}, inGroup("1", "-100", true), false},
		{"own list", config.ChannelSection{GroupAllowFrom: []string{"2"}, Groups: star}, inGroup("2", "-100", true), true},
		{"any member", config.ChannelSection{GroupAllowFrom: []string{"*"}, Groups: star}, inGroup("9", "-100", true), true},
		{"open group", config.ChannelSection{Groups: groups(config.Group{GroupPolicy: "open"})}, inGroup("9", "-100", true), true},
		{"open everywhere", config.ChannelSection{GroupPolicy: "open"}, inGroup("9", "-100", true), true},
		{"open, but other groups named", config.ChannelSection{GroupPolicy: "open", Groups: groups(config.Group{})}, inGroup("9", "-200", true), false},
		{"disabled", config.ChannelSection{GroupPolicy: "disabled", Groups: star}, inGroup("1", "-100", true), false},
		{"group disabled", config.ChannelSection{GroupPolicy: "open", Groups: groups(config.Group{Enabled: &no})}, inGroup("1", "-100", true), false},
		{"misspelt", config.ChannelSection{GroupPolicy: "opn", Groups: star}, inGroup("1", "-100", true), false},
		{"group list closes an open policy", config.ChannelSection{GroupPolicy: "open", Groups: groups(config.Group{AllowFrom: []string{}})}, inGroup("1", "-100", true), false},
		{"star of direct chats under pairing", config.ChannelSection{AllowFrom: []string{"*"}, Groups: star}, inGroup("1", "-100", true), false},
		{"topic", config.ChannelSection{GroupPolicy: "open", Groups: groups(config.Group{
			Topics: map[string]config.Group{"7": {RequireMention: &no}}, RequireMention: &yes,
		})}, topic(inGroup("1", "-100", false), "7"), true},
		{"another topic", config.ChannelSection{GroupPolicy: "open", Groups: groups(config.Group{
			Topics: map[string]config.Group{"7": {RequireMention: &no}},
		})}, topic(inGroup("1", "-100", false), "8"), false},
		{"bot", config.ChannelSection{GroupPolicy: "open"}, bot(inGroup("1", "-100", true)), false},
		{"bot that is listed", config.ChannelSection{GroupAllowFrom: []string{"1"}, Groups: star}, bot(inGroup("1", "-100", true)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := gate(tt.c)
			d, err := g.Admit(t.Context(), tt.in)
			if err != nil || (d.Verdict == access.Respond) != tt.want || d.Text != "" {
				t.Errorf("Admit = %+v, %v, want allowed %v", d, err, tt.want)
			}
		})
	}
}

func topic(in msg.Inbound, t id.Thread) msg.Inbound { in.At.Thread = t; return in }

func bot(in msg.Inbound) msg.Inbound { in.From.Bot = true; return in }

// IRC knows people by masks; names count only where they were allowed to.
func TestIRC(t *testing.T) {
	t.Parallel()
	in := func(mask string) msg.Inbound {
		m := direct(mask)
		m.At.Channel = "irc"
		return m
	}
	room := func(mask, room string) msg.Inbound {
		m := in(mask)
		m.At.Kind, m.At.Peer = msg.Group, id.Peer(room)
		return m
	}
	rooms := map[string]config.Group{"#Room": {}}
	for _, tt := range []struct {
		name  string
		c     config.ChannelSection
		in    msg.Inbound
		want  bool
		owner bool
	}{
		{"mask", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"irc:Alice!~a@Host"}}, in("alice!~a@host"), true, true},
		{"half a mask", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"alice@host"}}, in("alice!~a@host"), true, true},
		{"nick", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"alice"}}, in("alice!~a@host"), false, false},
		{"nick, dangerously", config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"alice"}, DangerouslyAllowNameMatching: true}, in("alice!~a@host"), true, false},
		{"room doesn't take allowFrom", config.ChannelSection{AllowFrom: []string{"alice@host"}, Groups: rooms}, room("alice!~a@host", "#room"), false, false},
		{"room", config.ChannelSection{GroupAllowFrom: []string{"alice@host"}, Groups: rooms}, room("alice!~a@host", "#room"), true, false},
		{"open still asks groupAllowFrom", config.ChannelSection{GroupPolicy: "open", GroupAllowFrom: []string{"bob@x"}}, room("alice!~a@host", "#r"), false, false},
	} {
		g, _ := gate(tt.c)
		d, err := g.Admit(t.Context(), tt.in)
		if err != nil || (d.Verdict == access.Respond) != tt.want || d.Owner != tt.owner {
			t.Errorf("%s: Admit = %+v, %v", tt.name, d, err)
		}
	}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	g, _ := gate(config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"*", "1"}})
	for _, tt := range []struct {
		owners []string
		from   string
		want   bool
	}{
		{nil, "1", true},
		{nil, "2", false},
		{[]string{"2"}, "1", false},
		{[]string{"telegram:2"}, "2", true},
		{[]string{"irc:2"}, "2", false},
		{[]string{"*"}, "2", false},
	} {
		g.Commands = func() config.Commands { return config.Commands{OwnerAllowFrom: tt.owners} }
		if d, err := g.Admit(t.Context(), direct(tt.from)); err != nil || d.Owner != tt.want {
			t.Errorf("owners %q: %s is admitted as %+v, %v", tt.owners, tt.from, d, err)
		}
	}
}

func TestPairing(t *testing.T) {
	t.Parallel()
	g, m := gate(config.ChannelSection{})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.Now = func() time.Time { return now }
	admit := func(from string, message id.Message) access.Decision {
		t.Helper()
		in := direct(from)
		in.ID, in.Received = message, now
		d, err := g.Admit(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := admit("1", "a")
	if d.Verdict != access.Pair || !regexp.MustCompile(`^[A-HJ-NP-Z2-9]{8}$`).MatchString(d.Code) {
		t.Fatalf("Admit = %+v", d)
	}
	for _, want := range []string{d.Code, "Your Telegram id: `1`", "openclaw pairing approve telegram " + d.Code} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("the sender is told %q, without %q", d.Text, want)
		}
	}
	if again := admit("1", "a"); again.Text != d.Text {
		t.Errorf("the same message, handled again, is answered %q", again.Text)
	}
	now = now.Add(time.Minute)
	if more := admit("1", "b"); more.Text != "" || more.Code != d.Code {
		t.Errorf("the next message is answered %q with code %s", more.Text, more.Code)
	}
	second := admit("2", "c")
	admit("3", "d")
	if full := admit("4", "e"); full.Verdict != access.Ignore || full.Text != "" {
		t.Errorf("a fourth request gives %+v", full)
	}
	if ps, err := g.Pending(t.Context(), "telegram"); err != nil || len(ps) != 3 || ps[0].Meta["username"] != "alice" {
		t.Errorf("Pending = %+v, %v", ps, err)
	}
	for _, code := range []string{"", "NOPE2345", "' OR 1=1"} {
		if _, err := g.Approve(t.Context(), "telegram", code); err == nil {
			t.Errorf("Approve(%q) works", code)
		}
	}
	if _, err := g.Approve(t.Context(), "irc", d.Code); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Approve on another channel = %v", err)
	}
	if r, err := g.Approve(t.Context(), "telegram", " "+strings.ToLower(d.Code)); err != nil || r.Peer != "1" {
		t.Fatalf("Approve = %+v, %v", r, err)
	}
	if in := admit("1", "f"); in.Verdict != access.Respond || in.Owner {
		t.Errorf("once paired, Admit = %+v", in)
	}
	other := direct("1")
	other.At.Account = "second"
	if d, _ := g.Admit(t.Context(), other); d.Verdict == access.Respond {
		t.Error("pairing with one account opened another")
	}
	if d, _ := g.Admit(t.Context(), inGroup("1", "-100", true)); d.Verdict == access.Respond {
		t.Error("pairing opened a group")
	}
	now = now.Add(access.CodeLife + time.Second)
	if _, err := g.Approve(t.Context(), "telegram", second.Code); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Approve of an old code = %v", err)
	}
	if fresh := admit("2", "g"); fresh.Text == "" || fresh.Code == second.Code {
		t.Errorf("an hour later Admit = %+v", fresh)
	}
	m.fail = fault.New(fault.Unavailable, "test", "disk full")
	if d, err := g.Admit(t.Context(), direct("9")); err == nil || d.Verdict != access.Ignore {
		t.Errorf("with a broken store Admit = %+v, %v", d, err)
	}
}

// A process that starts anew answers the message that made the request, not
// the ones behind it.
func TestPairingAfterRestart(t *testing.T) {
	t.Parallel()
	g, m := gate(config.ChannelSection{})
	first := direct("1")
	if _, err := g.Admit(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		received time.Time
		told     bool
	}{{first.Received, true}, {time.Now().Add(time.Second), false}} {
		g2 := &access.Gate{Account: g.Account, Kind: kinds, Store: m}
		in := first
		in.Received = tt.received
		d, err := g2.Admit(t.Context(), in)
		if err != nil || (d.Text != "") != tt.told {
			t.Errorf("a message of %v gives %+v, %v", tt.received, d, err)
		}
	}
}

func TestPairingFlood(t *testing.T) {
	t.Parallel()
	g, m := gate(config.ChannelSection{})
	told := 0
	for i := range 5000 {
		in := direct(fmt.Sprint(i % 1000))
		in.ID = id.Message(fmt.Sprint(i))
		d, err := g.Admit(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			told++
		}
	}
	if told != access.MaxPending || len(m.pending) != access.MaxPending {
		t.Errorf("a flood got %d answers and %d requests", told, len(m.pending))
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	no := false
	acc := config.Account{ID: "work", Common: config.ChannelSection{
		DMPolicy: "allowlst", GroupPolicy: "opn", AllowFrom: []string{"*", "typo!!!", "@alice", "12"}, GroupAllowFrom: []string{"-100"},
		Groups: map[string]config.Group{"-1": {AllowFrom: []string{}, Enabled: &no, Topics: map[string]config.Group{"7": {GroupPolicy: "x"}}}},
	}}
	k, _ := kinds("telegram")
	var texts []string
	for _, f := range access.Findings("telegram", acc, k) {
		texts = append(texts, f.Severity+" "+f.Text)
		if f.Mend == "" {
			t.Errorf("no mend for %q", f.Text)
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		`error channels.telegram.accounts.work.dmPolicy: "allowlst"`, `error channels.telegram.accounts.work.groupPolicy: "opn"`,
		`.allowFrom has "*"`, `"typo!!!" can never match anybody on Telegram`, `"@alice" can never`, `groupAllowFrom: "-100" can never`,
		"groups.-1.allowFrom names nobody", `groups.-1.topics.7.groupPolicy: "x"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("findings\n%s\nlack %q", all, want)
		}
	}
	k, _ = kinds("irc")
	fs := access.Findings("irc", config.Account{ID: "default", Common: config.ChannelSection{DMPolicy: "open", AllowFrom: []string{"alice"}}}, k)
	if len(fs) != 2 || !strings.Contains(fs[1].Text, "a name that others can take") || fs[0].Severity != "error" {
		t.Errorf("findings on IRC = %+v", fs)
	}
	if fs := access.Findings("irc", config.Account{ID: "default", Common: config.ChannelSection{AllowFrom: []string{"a!b@c"}}}, k); len(fs) != 0 {
		t.Errorf("findings on good rules = %+v", fs)
	}
}

func BenchmarkAdmit(b *testing.B) {
	g, _ := gate(config.ChannelSection{DMPolicy: "allowlist", AllowFrom: []string{"telegram:11", "12", "13", "1"}})
	g.Kind = func(id.Channel) (channel.Kind, bool) { return channel.Kind{}, true }
	in := direct("1")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Admit(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}
