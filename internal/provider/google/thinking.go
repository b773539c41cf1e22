package google

import (
	"strconv"
	"strings"
)

// family is how the models of a family are told how much to think: the third
// generation by a level, the one before by a number of tokens. Keys are our
// levels; off is the least that the family allows.
type family struct {
	part    string // of the model's name
	levels  map[string]string
	budgets map[string]int
}

// families lists them, the more special name first.
func families() []family {
	return []family{
		{part: "gemini-3-pro", levels: map[string]string{"off": "LOW", "minimal": "LOW", "low": "LOW", "medium": "HIGH", "high": "HIGH"}},
		{part: "gemini-3.1-pro", levels: map[string]string{"off": "LOW", "minimal": "LOW", "low": "LOW", "medium": "MEDIUM", "high": "HIGH"}},
		{part: "gemini-3", levels: map[string]string{"off": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH"}},
		{part: "2.5-flash-lite", budgets: map[string]int{"off": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24_576}},
		{part: "2.5-flash", budgets: map[string]int{"off": 0, "minimal": 128, "low": 2048, "medium": 8192, "high": 24_576}},
		{part: "2.5-pro", budgets: map[string]int{"off": 128, "minimal": 128, "low": 2048, "medium": 8192, "high": 32_768}},
	}
}

// thinking is the value of thinkingConfig. A level of -1 lets the model choose,
// which is also what an unknown family gets.
func thinking(model, level string) string {
	switch level {
	case "":
		level = "off"
	case "xhigh":
		level = "high"
	}
	shown := `"includeThoughts":` + strconv.FormatBool(level != "off")
	for _, f := range families() {
		if !strings.Contains(model, f.part) {
			continue
		}
		if f.levels != nil {
			if l, ok := f.levels[level]; ok {
				return `{` + shown + `,"thinkingLevel":"` + l + `"}`
			}
			return `{` + shown + `}` // adaptive: its own
		}
		n, ok := f.budgets[level]
		if !ok {
			n = -1
		}
		return `{` + shown + `,"thinkingBudget":` + strconv.Itoa(n) + `}`
	}
	return `{` + shown + `}`
}
