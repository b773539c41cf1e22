package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// counts are messages by kind.
type counts struct {
	Total     int `json:"total"`
	User      int `json:"user"`
	Assistant int `json:"assistant"`
	Calls     int `json:"toolCalls"`
	Results   int `json:"toolResults"`
	Errors    int `json:"errors"`
}

func (c *counts) add(m llm.Message) {
	switch m.Role {
	case llm.User:
		c.User++
	case llm.Assistant:
		c.Assistant++
		c.Calls += len(m.Calls())
	case llm.ToolRole:
		c.Results++
	}
	if m.Role != llm.ToolRole {
		c.Total++
	}
	if m.IsError || m.Stop == llm.StopError {
		c.Errors++
	}
}

func (c *counts) join(o counts) {
	c.Total += o.Total
	c.User += o.User
	c.Assistant += o.Assistant
	c.Calls += o.Calls
	c.Results += o.Results
	c.Errors += o.Errors
}

// latency is how long answers took, in milliseconds.
type latency struct {
	Count int     `json:"count"`
	Avg   float64 `json:"avgMs"`
	P95   int64   `json:"p95Ms"`
	Min   int64   `json:"minMs"`
	Max   int64   `json:"maxMs"`
}

func latencyOf(ms []int64) *latency {
	if len(ms) == 0 {
		return nil
	}
	ms = slices.Sorted(slices.Values(ms))
	sum := int64(0)
	for _, x := range ms {
		sum += x
	}
	at := (len(ms)*95+99)/100 - 1
	return &latency{Count: len(ms), Avg: float64(sum) / float64(len(ms)), P95: ms[at], Min: ms[0], Max: ms[len(ms)-1]}
}

type dayTokens struct {
	Date   string  `json:"date"`
	Tokens int64   `json:"tokens"`
	Cost   float64 `json:"cost"`
}

type dayCounts struct {
	Date string `json:"date"`
	counts
}

type dayLatency struct {
	Date string `json:"date"`
	latency
}

type dayModel struct {
	Date     string  `json:"date"`
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Tokens   int64   `json:"tokens"`
	Cost     float64 `json:"cost"`
	Count    int     `json:"count"`
}

type toolCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type toolUsage struct {
	Total  int         `json:"totalCalls"`
	Unique int         `json:"uniqueTools"`
	Tools  []toolCount `json:"tools"`
}

type modelUsage struct {
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
	Count    int    `json:"count"`
	Totals   Totals `json:"totals"`
}

// usage is what the recorded usage of one session holds.
type usage struct {
	SessionID     id.Session   `json:"sessionId"`
	SessionFile   string       `json:"sessionFile"`
	First         int64        `json:"firstActivity,omitempty"`
	Last          int64        `json:"lastActivity,omitempty"`
	Duration      int64        `json:"durationMs"`
	Dates         []string     `json:"activityDates"`
	Daily         []dayTokens  `json:"dailyBreakdown"`
	DailyMessages []dayCounts  `json:"dailyMessageCounts"`
	DailyLatency  []dayLatency `json:"dailyLatency,omitempty"`
	DailyModels   []dayModel   `json:"dailyModelUsage"`
	Messages      counts       `json:"messageCounts"`
	Tools         toolUsage    `json:"toolUsage"`
	Models        []modelUsage `json:"modelUsage"`
	Latency       *latency     `json:"latency,omitempty"`
	Totals
}

// modelName is a provider and one of its models.
type modelName struct{ provider, model string }

// tally sums the messages of one session, or of many.
type tally struct {
	first, last int64
	sum         Totals
	messages    counts
	tools       map[string]int
	models      map[modelName]*modelUsage
	days        map[string]*day
	took        []int64
}

// day is one day of a tally.
type day struct {
	sum      Totals
	messages counts
	models   map[modelName]*modelUsage
	took     []int64
}

func newTally() *tally {
	return &tally{tools: map[string]int{}, models: map[modelName]*modelUsage{}, days: map[string]*day{}}
}

func (t *tally) day(date string) *day {
	d := t.days[date]
	if d == nil {
		d = &day{models: map[modelName]*modelUsage{}}
		t.days[date] = d
	}
	return d
}

// count takes es that were written in [from, to).
func (t *tally) count(es []Entry, from, to time.Time, zone *time.Location) {
	asked := int64(0)
	for _, e := range es {
		at, err := time.Parse(time.RFC3339, e.Timestamp)
		if err != nil || e.Message == nil || at.Before(from) || !at.Before(to) {
			continue
		}
		m, ms := *e.Message, at.UnixMilli()
		if t.first == 0 {
			t.first = ms
		}
		t.last = ms
		d := t.day(at.In(zone).Format(time.DateOnly))
		t.messages.add(m)
		d.messages.add(m)
		if m.Role == llm.User {
			asked = ms
		}
		if m.Role != llm.Assistant {
			continue
		}
		if asked > 0 {
			t.took = append(t.took, ms-asked)
			d.took = append(d.took, ms-asked)
			asked = 0
		}
		for _, c := range m.Calls() {
			t.tools[c.Name]++
		}
		if m.Usage != nil {
			t.sum.Add(*m.Usage)
			d.sum.Add(*m.Usage)
			name := modelName{m.Provider, m.Model}
			addModel(t.models, name, *m.Usage)
			addModel(d.models, name, *m.Usage)
		}
	}
}

func addModel(to map[modelName]*modelUsage, name modelName, u llm.Usage) {
	x := to[name]
	if x == nil {
		x = &modelUsage{Provider: name.provider, Model: name.model}
		to[name] = x
	}
	x.Count++
	x.Totals.Add(u)
}

// join adds what another session used.
func (t *tally) join(o *tally) {
	t.sum.Join(o.sum)
	t.messages.join(o.messages)
	t.took = append(t.took, o.took...)
	for name, n := range o.tools {
		t.tools[name] += n
	}
	joinModels(t.models, o.models)
	for date, x := range o.days {
		d := t.day(date)
		d.sum.Join(x.sum)
		d.messages.join(x.messages)
		d.took = append(d.took, x.took...)
		joinModels(d.models, x.models)
	}
}

func joinModels(to, from map[modelName]*modelUsage) {
	for name, x := range from {
		y := to[name]
		if y == nil {
			y = &modelUsage{Provider: x.Provider, Model: x.Model}
			to[name] = y
		}
		y.Count += x.Count
		y.Totals.Join(x.Totals)
	}
}

func (t *tally) dates() []string { return slices.Sorted(maps.Keys(t.days)) }

func (t *tally) toolUsage() toolUsage {
	u := toolUsage{Unique: len(t.tools), Tools: []toolCount{}}
	for name, n := range t.tools {
		u.Total += n
		u.Tools = append(u.Tools, toolCount{name, n})
	}
	slices.SortFunc(u.Tools, func(a, b toolCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return u
}

func modelList(ms map[modelName]*modelUsage) []modelUsage {
	out := make([]modelUsage, 0, len(ms))
	for _, m := range ms {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b modelUsage) int {
		return cmp.Or(cmp.Compare(b.Totals.Cost, a.Totals.Cost), cmp.Compare(b.Totals.Total, a.Totals.Total),
			b.Count-a.Count, cmp.Compare(a.Provider+"/"+a.Model, b.Provider+"/"+b.Model))
	})
	return out
}

func (t *tally) dayLatencies() []dayLatency {
	var out []dayLatency
	for _, date := range t.dates() {
		if l := latencyOf(t.days[date].took); l != nil {
			out = append(out, dayLatency{date, *l})
		}
	}
	return out
}

func (t *tally) dayModels() []dayModel {
	out := []dayModel{}
	for _, date := range t.dates() {
		for _, m := range modelList(t.days[date].models) {
			out = append(out, dayModel{date, m.Provider, m.Model, m.Totals.Total, m.Totals.Cost, m.Count})
		}
	}
	return out
}
