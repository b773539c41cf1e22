package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

const (
	defaultUsageSessions = 50
	defaultUsageDays     = 30
	maxUsageSessions     = 1000
)

type usageParams struct {
	Key    string `json:"key,omitempty" schema:"minLength=1"`
	Start  string `json:"startDate,omitempty" schema:"pattern=^\\d{4}-\\d{2}-\\d{2}$"`
	End    string `json:"endDate,omitempty" schema:"pattern=^\\d{4}-\\d{2}-\\d{2}$"`
	Mode   string `json:"mode,omitempty" schema:"enum=utc|gateway|specific"`
	Offset string `json:"utcOffset,omitempty" schema:"pattern=^UTC[+-]\\d{1,2}(?::[0-5]\\d)?$"`
	Limit  int    `json:"limit,omitempty" schema:"minimum=1"`
	Weight bool   `json:"includeContextWeight,omitempty"`
}

type usageRow struct {
	Key           id.SessionKey   `json:"key"`
	Label         string          `json:"label,omitempty"`
	SessionID     id.Session      `json:"sessionId"`
	UpdatedAt     int64           `json:"updatedAt"`
	AgentID       id.Agent        `json:"agentId"`
	Channel       string          `json:"channel,omitempty"`
	ChatType      string          `json:"chatType,omitempty"`
	Origin        *Origin         `json:"origin,omitempty"`
	ModelProvider string          `json:"modelProvider,omitempty"`
	Model         string          `json:"model,omitempty"`
	Usage         usage           `json:"usage"`
	Weight        json.RawMessage `json:"contextWeight,omitempty"`
}

type agentTotals struct {
	AgentID id.Agent `json:"agentId"`
	Totals  Totals   `json:"totals"`
}

type channelTotals struct {
	Channel string `json:"channel"`
	Totals  Totals `json:"totals"`
}

type dayTotal struct {
	Date     string  `json:"date"`
	Tokens   int64   `json:"tokens"`
	Cost     float64 `json:"cost"`
	Messages int     `json:"messages"`
	Calls    int     `json:"toolCalls"`
	Errors   int     `json:"errors"`
}

type aggregates struct {
	Messages     counts          `json:"messages"`
	Tools        toolUsage       `json:"tools"`
	ByModel      []modelUsage    `json:"byModel"`
	ByProvider   []modelUsage    `json:"byProvider"`
	ByAgent      []agentTotals   `json:"byAgent"`
	ByChannel    []channelTotals `json:"byChannel"`
	Latency      *latency        `json:"latency,omitempty"`
	DailyLatency []dayLatency    `json:"dailyLatency,omitempty"`
	ModelDaily   []dayModel      `json:"modelDaily,omitempty"`
	Daily        []dayTotal      `json:"daily"`
}

type usageResult struct {
	UpdatedAt  int64      `json:"updatedAt"`
	Start      string     `json:"startDate"`
	End        string     `json:"endDate"`
	Sessions   []usageRow `json:"sessions"`
	Totals     Totals     `json:"totals"`
	Aggregates aggregates `json:"aggregates"`
}

func (b *Book) rpcUsage(ctx context.Context, _ *rpc.Caller, p usageParams) (usageResult, error) {
	from, to, zone, err := p.span(b.Now())
	if err != nil {
		return usageResult{}, err
	}
	ss, err := b.usageSessions(ctx, p)
	if err != nil {
		return usageResult{}, err
	}
	res := usageResult{
		UpdatedAt: b.Now().UnixMilli(), Start: from.In(zone).Format(time.DateOnly),
		End: to.Add(-time.Millisecond).In(zone).Format(time.DateOnly), Sessions: []usageRow{},
	}
	all := newTally()
	agents, channels := map[id.Agent]*Totals{}, map[string]*Totals{}
	for _, s := range ss {
		if err := ctx.Err(); err != nil {
			return usageResult{}, err
		}
		es, err := b.Entries(ctx, s, 0)
		if err != nil {
			return usageResult{}, err
		}
		t := newTally()
		t.count(es, from, to, zone)
		all.join(t)
		r := b.usageRow(s, t)
		if p.Weight {
			r.Weight = s.Extra["systemPromptReport"]
		}
		res.Sessions = append(res.Sessions, r)
		sum(agents, r.AgentID, t.sum)
		if r.Channel != "" {
			sum(channels, r.Channel, t.sum)
		}
	}
	res.Totals, res.Aggregates = all.sum, all.aggregates()
	for a, t := range agents {
		res.Aggregates.ByAgent = append(res.Aggregates.ByAgent, agentTotals{a, *t})
	}
	for c, t := range channels {
		res.Aggregates.ByChannel = append(res.Aggregates.ByChannel, channelTotals{c, *t})
	}
	return res, nil
}

func sum[K comparable](m map[K]*Totals, k K, t Totals) {
	if m[k] == nil {
		m[k] = &Totals{}
	}
	m[k].Join(t)
}

func (b *Book) usageSessions(ctx context.Context, p usageParams) ([]Session, error) {
	if p.Key != "" {
		s, ok, err := b.Get(ctx, b.key(p.Key))
		if err == nil && !ok {
			err = rpc.Invalid("No session found: %s", p.Key)
		}
		return []Session{s}, err
	}
	if p.Limit == 0 {
		p.Limit = defaultUsageSessions
	}
	return b.List(ctx, Filter{Limit: min(p.Limit, maxUsageSessions)})
}

func (b *Book) usageRow(s Session, t *tally) usageRow {
	m := b.answers(s)
	file, _ := b.path(s) // "" for a broken entry
	u := usage{
		SessionID: s.ID, SessionFile: file, First: t.first, Last: t.last, Duration: t.last - t.first,
		Dates: t.dates(), Messages: t.messages, Tools: t.toolUsage(), Models: modelList(t.models),
		Latency: latencyOf(t.took), DailyLatency: t.dayLatencies(), DailyModels: t.dayModels(), Totals: t.sum,
		Daily: []dayTokens{}, DailyMessages: []dayCounts{},
	}
	if u.Dates == nil {
		u.Dates = []string{}
	}
	for _, date := range u.Dates {
		d := t.days[date]
		u.Daily = append(u.Daily, dayTokens{date, d.sum.Total, d.sum.Cost})
		u.DailyMessages = append(u.DailyMessages, dayCounts{date, d.messages})
	}
	return usageRow{
		Key: s.Key, Label: s.Label, SessionID: s.ID, UpdatedAt: s.Updated, AgentID: s.Key.Agent(), Channel: s.LastChannel,
		ChatType: s.ChatType, Origin: s.Origin, ModelProvider: m.Provider, Model: m.ID, Usage: u,
	}
}

func (t *tally) aggregates() aggregates {
	providers := map[modelName]*modelUsage{}
	for name, m := range t.models {
		joinModels(providers, map[modelName]*modelUsage{{name.provider, ""}: {Provider: m.Provider, Count: m.Count, Totals: m.Totals}})
	}
	a := aggregates{
		Messages: t.messages, Tools: t.toolUsage(), ByModel: modelList(t.models), ByProvider: modelList(providers),
		ByAgent: []agentTotals{}, ByChannel: []channelTotals{}, Latency: latencyOf(t.took),
		DailyLatency: t.dayLatencies(), ModelDaily: t.dayModels(), Daily: []dayTotal{},
	}
	for _, date := range t.dates() {
		d := t.days[date]
		a.Daily = append(a.Daily, dayTotal{date, d.sum.Total, d.sum.Cost, d.messages.Total, d.messages.Calls, d.messages.Errors})
	}
	return a
}

// span is the time that p asks about, the last 30 days if it doesn't say.
func (p usageParams) span(now time.Time) (from, to time.Time, zone *time.Location, err error) {
	zone = time.UTC
	switch {
	case p.Mode == "gateway":
		zone = now.Location()
	case p.Mode == "specific" && p.Offset != "":
		var h, m int
		if n, _ := fmt.Sscanf(strings.TrimPrefix(p.Offset, "UTC"), "%d:%d", &h, &m); n == 0 || h < -14 || h > 14 {
			return from, to, nil, rpc.Invalid("invalid utcOffset: %s", p.Offset)
		}
		if strings.Contains(p.Offset, "-") {
			m = -m
		}
		zone = time.FixedZone(p.Offset, h*3600+m*60)
	}
	today := now.In(zone)
	last := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, zone)
	if p.End != "" {
		if last, err = time.ParseInLocation(time.DateOnly, p.End, zone); err != nil {
			return from, to, nil, rpc.Invalid("invalid endDate: %s", p.End)
		}
	}
	from = last.AddDate(0, 0, 1-defaultUsageDays)
	if p.Start != "" {
		if from, err = time.ParseInLocation(time.DateOnly, p.Start, zone); err != nil {
			return from, to, nil, rpc.Invalid("invalid startDate: %s", p.Start)
		}
	}
	return from, last.AddDate(0, 0, 1), zone, nil
}

type point struct {
	Timestamp  int64   `json:"timestamp"`
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cacheRead"`
	CacheWrite int64   `json:"cacheWrite"`
	Total      int64   `json:"totalTokens"`
	Cost       float64 `json:"cost"`
	CumTokens  int64   `json:"cumulativeTokens"`
	CumCost    float64 `json:"cumulativeCost"`
}

type seriesResult struct {
	SessionID id.Session `json:"sessionId"`
	Points    []point    `json:"points"`
}

// maxPoints bounds a series; of a longer one, the newest are shown.
const maxPoints = 200

// ofKey reads the session that hand-checked params name.
func (b *Book) ofKey(ctx context.Context, raw rpc.Any, what string) (s Session, es []Entry, limit int, err error) {
	var p struct {
		Key   string `json:"key"`
		Limit int    `json:"limit"`
	}
	_ = json.Unmarshal(raw, &p) // what doesn't fit is as good as missing
	if p.Key = strings.TrimSpace(p.Key); p.Key == "" {
		return s, nil, 0, rpc.Invalid("key is required for %s", what)
	}
	s, ok, err := b.Get(ctx, b.key(p.Key))
	if err == nil && !ok {
		err = rpc.Invalid("No session found: %s", p.Key)
	}
	if err != nil {
		return s, nil, 0, err
	}
	if p.Limit <= 0 || p.Limit > maxPoints {
		p.Limit = maxPoints
	}
	es, err = b.Entries(ctx, s, 0)
	return s, es, p.Limit, err
}

func (b *Book) rpcSeries(ctx context.Context, _ *rpc.Caller, raw rpc.Any) (seriesResult, error) {
	s, es, _, err := b.ofKey(ctx, raw, "timeseries")
	res := seriesResult{SessionID: s.ID, Points: []point{}}
	var tokens int64
	var cost float64
	for _, e := range es {
		if e.Message == nil || e.Message.Usage == nil {
			continue
		}
		u := e.Message.Usage
		tokens += u.Total
		cost += u.Cost.Total
		at, _ := time.Parse(time.RFC3339, e.Timestamp) // zero when it can't be read
		res.Points = append(res.Points, point{
			at.UnixMilli(), u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total, u.Cost.Total, tokens, cost,
		})
	}
	res.Points = res.Points[max(0, len(res.Points)-maxPoints):]
	return res, err
}

type logLine struct {
	Timestamp int64   `json:"timestamp"`
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	Tokens    int64   `json:"tokens,omitempty"`
	Cost      float64 `json:"cost,omitempty"`
}

type logsResult struct {
	Logs []logLine `json:"logs"`
}

func (b *Book) rpcLogs(ctx context.Context, _ *rpc.Caller, raw rpc.Any) (logsResult, error) {
	_, es, limit, err := b.ofKey(ctx, raw, "logs")
	res := logsResult{Logs: []logLine{}}
	for _, e := range es {
		if e.Message == nil {
			continue
		}
		m := *e.Message
		text := shown(m)
		if m.Role == llm.User {
			text = bare(text)
		}
		if text == "" {
			continue
		}
		at, _ := time.Parse(time.RFC3339, e.Timestamp) // zero when it can't be read
		l := logLine{Timestamp: at.UnixMilli(), Role: shownRole(m), Content: cut(text, maxPreview)}
		if m.Usage != nil {
			l.Tokens, l.Cost = m.Usage.Total, m.Usage.Cost.Total
		}
		res.Logs = append(res.Logs, l)
	}
	res.Logs = res.Logs[max(0, len(res.Logs)-limit):]
	return res, err
}
