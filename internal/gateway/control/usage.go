package control

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

// usageStatus is about quotas of services; no service of this build has any.
func (c *Control) usageStatus(context.Context, *rpc.Caller, rpc.Any) (any, error) {
	return struct {
		Updated   int64 `json:"updatedAt"`
		Providers []any `json:"providers"`
	}{millis(c.Now()), []any{}}, nil
}

type usageDay struct {
	Date string `json:"date"`
	session.Totals
}

type usageResult struct {
	Updated int64          `json:"updatedAt"`
	Days    int            `json:"days"`
	Daily   []usageDay     `json:"daily"`
	Totals  session.Totals `json:"totals"`
}

// usageCost sums up what the transcripts say about tokens and money.
func (c *Control) usageCost(ctx context.Context, _ *rpc.Caller, raw rpc.Any) (any, error) {
	since, until := usageRange(raw, c.Now())
	return c.spent(ctx, since, until)
}

func (c *Control) spent(ctx context.Context, since, until time.Time) (usageResult, error) {
	r := usageResult{Updated: millis(c.Now()), Days: int(math.Ceil(until.Sub(since).Hours()/24)) + 1, Daily: []usageDay{}}
	all, err := c.Sessions.List(ctx, session.Filter{UpdatedSince: since.UnixMilli()})
	if err != nil {
		return r, err
	}
	days := map[string]session.Totals{}
	for _, s := range all {
		points, err := c.costs.of(ctx, c.Sessions, s)
		if err != nil {
			return r, err
		}
		for _, p := range points {
			if p.hour.Before(since.Truncate(time.Hour)) || p.hour.After(until) {
				continue
			}
			day := p.hour.In(since.Location()).Format(time.DateOnly)
			sum := days[day]
			sum.Join(p.Totals)
			days[day] = sum
			r.Totals.Join(p.Totals)
		}
	}
	for _, date := range slices.Sorted(maps.Keys(days)) {
		r.Daily = append(r.Daily, usageDay{date, days[date]})
	}
	return r, nil
}

// costs remembers what each transcript came to, by the hour, so that a summary
// reads only those that grew.
type costs struct {
	mu   sync.Mutex // held while reading: two summaries don't read twice
	seen map[id.Session]spending
}

type spending struct {
	updated int64
	points  []usagePoint
}

type usagePoint struct {
	hour time.Time
	session.Totals
}

// maxCosts bounds the transcripts remembered.
const maxCosts = 20_000

func (c *costs) of(ctx context.Context, ss Sessions, s session.Session) ([]usagePoint, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.seen[s.ID]; ok && have.updated == s.Updated {
		return have.points, nil
	}
	entries, err := ss.Entries(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	hours := map[time.Time]session.Totals{}
	for _, e := range entries {
		if e.Message == nil || e.Message.Usage == nil || e.Message.Role != llm.Assistant {
			continue
		}
		at := time.UnixMilli(e.Message.Time)
		if t, err := time.Parse(time.RFC3339, e.Timestamp); err == nil {
			at = t
		}
		at = at.UTC().Truncate(time.Hour)
		sum := hours[at]
		sum.Add(*e.Message.Usage)
		hours[at] = sum
	}
	points := make([]usagePoint, 0, len(hours))
	for at, sum := range hours {
		points = append(points, usagePoint{at, sum})
	}
	slices.SortFunc(points, func(a, b usagePoint) int { return a.hour.Compare(b.hour) })
	if c.seen == nil || len(c.seen) >= maxCosts {
		c.seen = map[id.Session]spending{}
	}
	c.seen[s.ID] = spending{s.Updated, points}
	return points, nil
}

// usageRange is the time that params ask for: startDate and endDate, or the
// last days days, 30 when nothing is said. Days begin at midnight UTC, or where
// mode gateway (here) or specific (utcOffset) says.
func usageRange(raw rpc.Any, now time.Time) (since, until time.Time) {
	var p struct {
		Days      any    `json:"days"`
		Start     string `json:"startDate"`
		End       string `json:"endDate"`
		Mode      string `json:"mode"`
		UTCOffset string `json:"utcOffset"`
	}
	_ = json.Unmarshal(raw, &p) // the recorded gateway takes anything
	zone := zoneOf(p.Mode, p.UTCOffset)
	now = now.In(zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	last := func(day time.Time) time.Time { return day.AddDate(0, 0, 1).Add(-time.Millisecond) }
	start, serr := time.ParseInLocation(time.DateOnly, p.Start, zone)
	end, eerr := time.ParseInLocation(time.DateOnly, p.End, zone)
	if serr == nil && eerr == nil {
		if end.Before(start) {
			start, end = end, start
		}
		return start, last(end)
	}
	days := 30.0
	switch d := p.Days.(type) {
	case float64:
		days = d
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSpace(d), 64); err == nil {
			days = n
		}
	}
	n := int(min(max(1, math.Floor(days)), 3660))
	return today.AddDate(0, 0, 1-n), last(today)
}

func zoneOf(mode, offset string) *time.Location {
	switch mode {
	case "gateway":
		return time.Local
	case "specific":
		m := regexp.MustCompile(`^UTC([+-])(\d{1,2})(?::([0-5]\d))?$`).FindStringSubmatch(offset)
		if m == nil {
			return time.UTC
		}
		h, _ := strconv.Atoi(m[2])
		mins, _ := strconv.Atoi(cmp.Or(m[3], "0"))
		secs := h*3600 + mins*60
		if m[1] == "-" {
			secs = -secs
		}
		if h > 14 {
			return time.UTC
		}
		return time.FixedZone(offset, secs)
	}
	return time.UTC
}
