package markdown_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
)

func TestDiscord(t *testing.T) {
	t.Parallel()
	d := markdown.Discord()
	for in, want := range map[string]string{
		"**b** *i* ~~s~~ `c`":                      "**b** *i* ~~s~~ `c`",
		"__b__ _i_ snake_case 2 * 3 * 4":           `**b** *i* snake\_case 2 \* 3 \* 4`,
		"# A **b**\n\ntext":                        "**A b**\n\ntext",
		"- a\n- b\n  - c\n\n1. x\n2. y":            "- a\n- b\n  - c\n\n1. x\n2. y",
		"> q\n> r\n\nend":                          "> q\n> r\n\nend",
		"```go\nx := `y`\n```":                     "```go\nx := `y`\n```",
		"````\na\n```\nb\n````":                    "```\na\n``\u200b`\nb\n```",
		"[l](https://e.test/a_(b))":                "[l](https://e.test/a_%28b%29)",
		"[https://x.test](https://y.test)":         "https://x.test (https://y.test)",
		"[l](javascript:alert(1))":                 "l (javascript:alert%281%29)",
		"https://e.test/a_b_c(d) x_y":              `https://e.test/a_b_c(d) x\_y`,
		"see ftp://e.test/a_b_c":                   "see ftp://e.test/a_b_c",
		"hi <@123> <#4> <:a_b:5> <t:1:R> <b_>":     `hi <@123> <#4> <:a_b:5> <t:1:R> <b\_>`,
		"||spoiler|| a|b":                          `\|\|spoiler\|\| a|b`,
		`\# no` + "\n" + `\> no` + "\n" + `\-# no`: "\\# no\n\\> no\n\\-# no",
		"#general and -5 > 3":                      "#general and -5 > 3",
		"| a | b |\n|---|---|\n| 1 | `2` |":        "```\na | b\n--+--\n1 | 2\n```",
		"a\x07b":                                   "ab",
		"---":                                      "———",
	} {
		if got := markdown.Render(markdown.Parse(in), &d); got != want {
			t.Errorf("Render(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}
