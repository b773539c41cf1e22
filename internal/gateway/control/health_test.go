package control_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

func methodOf(c *control.Control, name string) rpc.Method {
	for _, m := range c.Feature().Methods {
		if m.Name == name {
			return m
		}
	}
	panic(name)
}

func benchControl(log string) *control.Control {
	cfg := &config.Config{}
	return control.New(control.Deps{
		Config: func() *config.Config { return cfg }, Sessions: &sessions{}, Models: models{}, Lines: &lines{}, Bus: event.NewBus(),
		Log: slog.New(slog.DiscardHandler), LogFile: func() string { return log },
	})
}

func BenchmarkHealth(b *testing.B) {
	c := benchControl("")
	b.ReportAllocs()
	for b.Loop() {
		c.Health(b.Context())
	}
}

// run starts the background work of w and returns when it listens.
func (w *world) run(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.Feature().Run(t.Context()) })
	t.Cleanup(wg.Wait)
	until(t, func() bool { // a heartbeat is heard only when somebody listens
		w.deps.Bus.Publish(event.Heartbeat{Payload: json.RawMessage(`{"status":"probe"}`)})
		return string(w.ok(t, "last-heartbeat", nil)) != "null"
	})
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if done() {
			return
		}
		<-tick.C
	}
	t.Fatal("waited in vain")
}

func TestHealthIsCached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.sessions.all = []session.Session{{Key: "agent:main:main", Updated: w.now.UnixMilli() - 5000}, {Key: "agent:second:main", Updated: 7}}
	h := into[control.Health](t, w.ok(t, "health", nil))
	want := []control.RecentSession{{Key: "agent:main:main", Updated: w.now.UnixMilli() - 5000, Age: 5000}}
	if d := cmp.Diff(want, h.Sessions.Recent); d != "" || h.Sessions.Count != 1 || h.Agents[1].Sessions.Count != 1 {
		t.Errorf("sessions: %+v\n%s", h.Sessions, d)
	}
	lists := func() int {
		w.sessions.mu.Lock()
		defer w.sessions.mu.Unlock()
		return w.sessions.lists
	}
	made := lists()
	for range 100 {
		w.Health(t.Context())
	}
	if n := lists(); n != made {
		t.Errorf("100 calls listed the sessions %d times", n-made)
	}
	w.now = w.now.Add(2 * time.Second)
	w.Health(t.Context())
	if n := lists(); n != made {
		t.Error("a snapshot was made though nothing changed")
	}
	w.deps.Bus.Publish(event.SessionChanged{Session: "agent:main:main"})
	until(t, func() bool { w.Health(t.Context()); return lists() > made })
	cfg := *w.cfg
	cfg.Agents.List = cfg.Agents.List[:1]
	w.cfg = &cfg
	if h := w.Health(t.Context()).(*control.Health); len(h.Agents) != 1 {
		t.Errorf("a new configuration isn't seen: %+v", h.Agents)
	}
}

func TestHealthProbeNeedsScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *control.Deps) { d.Channels = ircStatus(object{"ok": true}) })
	for name, tc := range map[string]struct {
		who  *rpc.Caller
		want bool
	}{"nobody": {&rpc.Caller{}, false}, "reader": {owner(), true}} {
		raw, err := w.call(t, tc.who, "health", object{"probe": true})
		if err != nil {
			t.Fatal(err)
		}
		irc := into[map[string]map[string]map[string]any](t, json.RawMessage(`{"c":`+string(mustField(t, raw, "channels"))+`}`))["c"]["irc"]
		if _, probed := irc["probe"]; probed != tc.want {
			t.Errorf("%s: probed = %t", name, probed)
		}
	}
}

func mustField(t *testing.T, raw json.RawMessage, name string) json.RawMessage {
	t.Helper()
	return into[map[string]json.RawMessage](t, raw)[name]
}

func TestHeartbeatSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type beat struct {
		Enabled bool
		Every   string
		EveryMs *int64
	}
	beats := func() (main, second beat) {
		s := into[struct{ Heartbeat struct{ Agents []beat } }](t, w.ok(t, "status", object{}))
		return s.Heartbeat.Agents[0], s.Heartbeat.Agents[1]
	}
	main, second := beats()
	if d := cmp.Diff(beat{true, "0m", nil}, main) + cmp.Diff(beat{false, "disabled", nil}, second); d != "" {
		t.Errorf("recorded setting:\n%s", d)
	}
	w.cfg.Agents.Defaults.Heartbeat.Every = ""
	if main, _ = beats(); main.Every != "30m" || *main.EveryMs != 1800000 {
		t.Errorf("default = %+v", main)
	}
	w.cfg.Agents.List[1].Heartbeat = &config.Heartbeat{Every: "1h"}
	if main, second = beats(); main.Enabled || !second.Enabled || *second.EveryMs != 3600000 {
		t.Errorf("own heartbeat = %+v, %+v", main, second)
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	woken := ""
	w := newWorld(t, func(d *control.Deps) { d.Wake = func(reason string) { woken = reason } })
	sub := w.deps.Bus.Subscribe(4)
	defer sub.Close()
	w.ok(t, "wake", object{"mode": "next-heartbeat", "text": " Later "})
	if woken != "" {
		t.Error("next-heartbeat woke the agent")
	}
	if e := (<-sub.C).(event.SystemEvent); e.Session != "agent:main:main" || e.Text != "Later" {
		t.Errorf("told %+v", e)
	}
	w.ok(t, "wake", object{"mode": "now", "text": "Now"})
	if woken != "wake" {
		t.Error("now didn't wake the agent")
	}
	woken = ""
	w.ok(t, "set-heartbeats", object{"enabled": false})
	w.ok(t, "wake", object{"mode": "now", "text": "Disabled"})
	if woken != "" || w.HeartbeatsOn() {
		t.Error("heartbeats are off but one was started")
	}
	if err := w.Queue(t.Context(), "work", "for work"); err != nil {
		t.Error(err)
	}
	if err := w.Queue(t.Context(), "", string(make([]byte, 20<<10))); err == nil {
		t.Error("a long line is taken")
	}
	want := map[id.SessionKey][]string{"agent:main:main": {"Later", "Now", "Disabled"}, "agent:main:work": {"for work"}}
	if d := cmp.Diff(want, w.lines.all); d != "" {
		t.Errorf("queued:\n%s", d)
	}
	s := into[struct{ QueuedSystemEvents []string }](t, w.ok(t, "status", object{}))
	if len(s.QueuedSystemEvents) != 3 {
		t.Errorf("status shows %v", s.QueuedSystemEvents)
	}
	_, err := w.call(t, owner(), "wake", object{"mode": "zz", "text": "x"})
	if e, ok := errors.AsType[*rpc.Error](err); !ok || e.Code != "INVALID_REQUEST" {
		t.Errorf("bad mode: %v", err)
	}
}

func TestStatusHidesFromReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sessions.all = []session.Session{{Key: "agent:main:irc:direct:alice", ID: "s1", Updated: 5, TotalTokens: 32000, TotalTokensFresh: true, VerboseLevel: "on"}}
	type answer struct {
		Sessions struct {
			Paths    []string
			Count    int
			Defaults struct{ Model *string }
			Recent   []struct {
				Key                          id.SessionKey
				PercentUsed, RemainingTokens int64
				Flags                        []string
			}
			ByAgent []struct {
				Path   string
				Count  int
				Recent []any
			}
		}
	}
	got := into[answer](t, w.ok(t, "status", object{})).Sessions
	if len(got.Recent) != 1 || got.Recent[0].PercentUsed != 25 || got.Recent[0].RemainingTokens != 96000 || len(got.Paths) != 2 || got.ByAgent[0].Count != 1 {
		t.Errorf("owner sees %+v", got)
	}
	if d := cmp.Diff([]string{"verbose:on", "id:s1"}, got.Recent[0].Flags); d != "" {
		t.Error(d)
	}
	raw, err := w.call(t, &rpc.Caller{Scopes: map[rpc.Scope]bool{rpc.Read: true}}, "status", object{})
	if err != nil {
		t.Fatal(err)
	}
	got = into[answer](t, raw).Sessions
	if len(got.Recent)+len(got.Paths)+len(got.ByAgent[0].Recent) != 0 || got.Defaults.Model != nil || got.ByAgent[0].Path != "[redacted]" || got.Count != 1 {
		t.Errorf("a reader sees %s", raw)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sessions.all = []session.Session{{Key: "agent:main:main", ID: "s1", Updated: w.now.UnixMilli()}}
	say := func(at time.Time, in int64) session.Entry {
		u := llm.Usage{Input: in, Output: 2, Total: in + 2, Cost: llm.Cost{Input: 0.5, Output: 0.25, Total: 0.75}}
		return session.Entry{Type: "message", Timestamp: at.UTC().Format("2006-01-02T15:04:05.000Z"), Message: &llm.Message{Role: llm.Assistant, Usage: &u}}
	}
	w.sessions.entries["s1"] = []session.Entry{
		{Type: "session"}, say(w.now.AddDate(0, 0, -40), 1000), say(w.now.AddDate(0, 0, -1), 10), say(w.now, 20), say(w.now, 30),
	}
	type answer struct {
		Days  int
		Daily []struct {
			Date  string
			Input int64
		}
		Totals struct {
			Input, TotalTokens int64
			TotalCost          float64
		}
	}
	sameShape(t, payload(t, "usage.cost", "after turns"), w.ok(t, "usage.cost", object{"days": 2}))
	got := into[answer](t, w.ok(t, "usage.cost", object{"days": "2"}))
	if got.Days != 3 || len(got.Daily) != 2 || got.Daily[1].Input != 50 || got.Totals.Input != 60 || got.Totals.TotalCost != 2.25 {
		t.Errorf("two days: %+v", got)
	}
	if w.sessions.reads != 1 {
		t.Errorf("the transcript was read %d times", w.sessions.reads)
	}
	w.sessions.all[0].Updated++
	if got = into[answer](t, w.ok(t, "usage.cost", nil)); got.Days != 31 || got.Totals.Input != 60 || w.sessions.reads != 2 {
		t.Errorf("30 days: %+v, %d reads", got, w.sessions.reads)
	}
	if got = into[answer](t, w.ok(t, "usage.cost", object{"startDate": "2026-01-01", "endDate": "2027-01-01"})); got.Totals.Input != 1060 {
		t.Errorf("a year: %+v", got)
	}
}
