package session

import "github.com/openclaw-go/openclaw/internal/base/llm"

// Totals are the tokens of answers and what they cost, in US dollars.
type Totals struct {
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cacheRead"`
	CacheWrite int64   `json:"cacheWrite"`
	Total      int64   `json:"totalTokens"`
	Cost       float64 `json:"totalCost"`
	InCost     float64 `json:"inputCost"`
	OutCost    float64 `json:"outputCost"`
	ReadCost   float64 `json:"cacheReadCost"`
	WriteCost  float64 `json:"cacheWriteCost"`
	Missing    int     `json:"missingCostEntries"`
}

// Add counts one answer.
func (t *Totals) Add(u llm.Usage) {
	t.Input += u.Input
	t.Output += u.Output
	t.CacheRead += u.CacheRead
	t.CacheWrite += u.CacheWrite
	t.Total += u.Total
	t.Cost += u.Cost.Total
	t.InCost += u.Cost.Input
	t.OutCost += u.Cost.Output
	t.ReadCost += u.Cost.CacheRead
	t.WriteCost += u.Cost.CacheWrite
}

// Join adds what o holds.
func (t *Totals) Join(o Totals) {
	t.Add(llm.Usage{Input: o.Input, Output: o.Output, CacheRead: o.CacheRead, CacheWrite: o.CacheWrite, Total: o.Total, Cost: llm.Cost{
		Input: o.InCost, Output: o.OutCost, CacheRead: o.ReadCost, CacheWrite: o.WriteCost, Total: o.Cost,
	}})
}
