package config

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// nearest returns the known key that was probably meant, or "".
func nearest(key string, known []property) string {
	best, limit := "", len(key)/3+1
	for _, p := range known {
		if d := distance(strings.ToLower(key), strings.ToLower(p.key), limit); d < limit {
			best, limit = p.key, d
		}
	}
	return best
}

func nearChoice(n *jsonc.Node, values []*jsonc.Node, labels []string) string {
	if len(labels) == 1 {
		return labels[0]
	}
	if n != nil && n.Kind == jsonc.String {
		best, limit := "", len(n.Text)/3+2
		for i, v := range values {
			if d := distance(strings.ToLower(n.Text), strings.ToLower(v.Text), limit); d < limit {
				best, limit = labels[i], d
			}
		}
		if best != "" {
			return best
		}
	}
	return "one of the allowed values"
}

// distance is the number of edits between a and b, or limit when it is more.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j-1], row[j])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return min(row[len(b)], limit)
}
