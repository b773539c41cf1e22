//go:build load

// Package load_test loads a gateway with many people on five networks: make load.
package load_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

type object = map[string]any

const (
	peers   = 1000
	rate    = 20 // messages a second
	thinks  = 200 * time.Millisecond
	half    = 50 * time.Millisecond  // p99 of what queueing adds
	crossed = 100 * time.Millisecond // what a flood may add to others
)

// town is a gateway on five networks.
type town struct {
	*harness.Gateway
	tg     *telegramtest.Server
	slack  *slacktest.Server
	matrix *matrixtest.Server
	signal *signaltest.Server
	irc    []*harness.Person
	ids    int

	mu    sync.Mutex
	asked map[string]time.Time // when the model got each word
	quick bool                 // the model answers at once
}

var word = regexp.MustCompile(`w\d+x\d+`)

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{tg: telegramtest.New(), slack: slacktest.New(), matrix: matrixtest.New(), signal: signaltest.New(), ids: 1000, asked: map[string]time.Time{}}
	t.Cleanup(func() { w.tg.Close(); w.slack.Close(); w.matrix.Close(); w.signal.Close() })
	model := harness.NewModel(t)
	model.Raw = func(_ http.ResponseWriter, r *http.Request, c harness.ModelCall) bool {
		w.mu.Lock()
		for _, x := range word.FindAllString(c.User, -1) {
			w.asked[x] = c.At
		}
		wait := thinks
		if w.quick {
			wait = 0
		}
		w.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		return false
	}
	server := harness.NewIRC(t)
	irc := server.Config("claw")["irc"].(object)
	irc["dmPolicy"], irc["allowFrom"] = "open", []any{"*"}
	open := func(s object) object {
		s["dmPolicy"], s["allowFrom"] = "open", []any{"*"}
		return s
	}
	w.Gateway = harness.New(t, model.URL, object{
		"channels": object{
			"telegram": open(object{"botToken": w.tg.Token, "apiRoot": w.tg.URL, "streaming": "off"}),
			"slack":    open(object{"botToken": w.slack.BotToken, "appToken": w.slack.AppToken, "apiRoot": w.slack.URL, "streaming": "off"}),
			"matrix":   object{"homeserver": w.matrix.URL, "accessToken": matrixtest.Token, "dm": object{"policy": "open", "allowFrom": []any{"*"}}},
			"signal":   open(object{"account": signaltest.Bot, "httpUrl": w.signal.URL}),
			"irc":      irc,
		},
		"session":  object{"dmScope": "per-channel-peer"},
		"messages": object{"queue": object{"mode": "followup", "cap": 2000}},
	})
	w.Edit(func(c map[string]any) {
		c["agents"].(object)["defaults"].(object)["maxConcurrent"] = 16
	})
	w.Start()
	for i := range 20 {
		w.irc = append(w.irc, server.Join(t, fmt.Sprintf("p%d", i)))
	}
	server.Online(t, "claw")
	harness.Until(t, 20*time.Second, "Telegram and Slack are connected", func() bool {
		return len(w.tg.Calls("getUpdates")) > 0 && w.slack.Sockets() > 0 && len(w.matrix.Calls("sync")) > 1
	})
	return w
}

// network is where peer n is. Few are on IRC, where a bot may write one line a
// second.
func network(n int) int {
	if n%5 == 4 && n%25 != 4 {
		return 3
	}
	return n % 5
}

// say has peer n write text on its network.
func (w *town) say(n int, text string) {
	switch network(n) {
	case 0:
		w.ids++
		raw, _ := json.Marshal(object{"message": object{
			"message_id": w.ids, "date": time.Now().Unix(), "chat": object{"id": 10_000 + n, "type": "private"},
			"from": object{"id": 10_000 + n, "first_name": "P"}, "text": text,
		}})
		w.tg.Push(string(raw))
	case 1:
		user := fmt.Sprintf("U0P%d", n)
		w.slack.Write(slacktest.Message{Channel: w.slack.Join(user), User: user, Text: text}, "im")
	case 2:
		room, person := fmt.Sprintf("!r%d:test", n), fmt.Sprintf("@p%d:test", n)
		w.matrix.AddRoom(room, person)
		w.matrix.Put(matrixtest.Event{Room: room, Sender: person, Type: "m.room.message", Content: object{"msgtype": "m.text", "body": text}})
	case 3:
		w.ids++
		w.signal.Push(fmt.Sprintf(`{"envelope":{"sourceNumber":"+1555%07d","sourceName":"P","timestamp":%d,"dataMessage":{"message":%q}}}`, n, 1796096713000+w.ids, text))
	default:
		w.irc[n/25%len(w.irc)].Say("claw", text)
	}
}

// shown are the words of all answers, in the order of each network.
func (w *town) shown() []string {
	var out []string
	for _, list := range [][]string{w.tg.Shown(), w.slack.Shown(), w.matrix.Shown(), w.signal.Shown()} {
		out = append(out, word.FindAllString(strings.Join(list, "\n"), -1)...)
	}
	for _, p := range w.irc {
		out = append(out, word.FindAllString(strings.Join(p.Got("echo"), "\n"), -1)...)
	}
	return out
}

func (w *town) memory() int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.PID()))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(raw)
	if m == nil {
		return 0
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return kb / 1024
}

// added is what stood between the saying of words and the model's getting
// them, sorted.
func (w *town) added(said map[string]time.Time) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []time.Duration
	for x, at := range said {
		if got, ok := w.asked[x]; ok {
			out = append(out, got.Sub(at))
		}
	}
	slices.Sort(out)
	return out
}

// meet has everybody say hello once, so that all are known.
func (w *town) meet(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	w.quick = true
	w.mu.Unlock()
	met := map[string]time.Time{}
	for n := range peers {
		if network(n) == 4 { // a bot may write one line a second there
			continue
		}
		x := fmt.Sprintf("w%dx0", n)
		met[x] = time.Now()
		w.say(n, "hello "+x)
		<-time.After(10 * time.Millisecond)
	}
	harness.Until(t, 60*time.Second, "everybody is met", func() bool { return len(w.added(met)) == len(met) })
	w.mu.Lock()
	w.quick = false
	w.mu.Unlock()
}

// TestLoad: 1,000 people on five networks, 20 messages a second for a minute.
// Nothing is lost, the order is kept, memory is flat, and queueing adds little.
func TestLoad(t *testing.T) {
	w := newTown(t)
	seconds := 60
	if s, err := strconv.Atoi(os.Getenv("LOAD_SECONDS")); err == nil && s > 0 {
		seconds = s
	}
	w.meet(t)
	said := map[string]time.Time{}
	next := map[int]int{}
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	early := 0
	for i := range seconds * rate {
		<-tick.C
		n := i * 7919 % peers // spread, and each peer once before any again
		next[n]++
		x := fmt.Sprintf("w%dx%d", n, next[n])
		said[x] = time.Now()
		w.say(n, "hello "+x)
		if i == 10*rate {
			early = w.memory()
		}
	}
	deadline := time.Now().Add(60 * time.Second)
	answered := func() (n int) {
		for _, x := range w.shown() {
			if _, ok := said[x]; ok {
				n++
			}
		}
		return n
	}
	for answered() < len(said) && time.Now().Before(deadline) {
		<-time.After(200 * time.Millisecond)
	}
	late := w.memory()
	last, times := map[string]int{}, map[string]int{}
	for _, x := range w.shown() {
		times[x]++
		var n, k int
		fmt.Sscanf(x, "w%dx%d", &n, &k)
		key := strconv.Itoa(n)
		if k < last[key] {
			t.Errorf("%s is answered after %d", x, last[key])
		}
		last[key] = k
	}
	for x := range said {
		if times[x] != 1 {
			var n int
			fmt.Sscanf(x, "w%d", &n)
			t.Errorf("%s on network %d is answered %d times, asked %t", x, network(n), times[x], !w.asked[x].IsZero())
		}
	}
	d := w.added(said)
	p50, p99 := d[len(d)/2], d[len(d)*99/100]
	t.Logf("%d messages; before the model p50 %v, p99 %v; memory %d -> %d MB", len(said), p50, p99, early, late)
	if p99 > half {
		t.Errorf("queueing adds %v (p99), more than %v", p99, half)
	}
	if late > early+early/4+4 {
		t.Errorf("memory grew from %d to %d MB", early, late)
	}
}

// TestFlood: one person sends 1,000 messages at once. Others hardly notice.
func TestFlood(t *testing.T) {
	w := newTown(t)
	alone := map[string]time.Time{}
	for i := range 20 {
		x := fmt.Sprintf("w%dx1", 3+5*i)
		alone[x] = time.Now()
		w.say(3+5*i, "hello "+x)
		<-time.After(100 * time.Millisecond)
	}
	harness.Until(t, 30*time.Second, "the answers before", func() bool { return len(w.added(alone)) == len(alone) })
	for i := range 1000 {
		w.say(0, fmt.Sprintf("flood w0x%d", i+1))
	}
	beside := map[string]time.Time{}
	for i := range 20 {
		x := fmt.Sprintf("w%dx2", 3+5*i)
		beside[x] = time.Now()
		w.say(3+5*i, "hello "+x)
		<-time.After(100 * time.Millisecond)
	}
	harness.Until(t, 30*time.Second, "the answers beside", func() bool { return len(w.added(beside)) == len(beside) })
	before, after := w.added(alone), w.added(beside)
	t.Logf("before the model: median alone %v, beside a flood %v, worst %v", before[len(before)/2], after[len(after)/2], after[len(after)-1])
	if extra := after[len(after)/2] - before[len(before)/2]; extra > crossed {
		t.Errorf("a flood delays others by %v", extra)
	}
}
