package telegram_test

import (
	"fmt"
	"testing"
)

// What people format as code or a quote comes marked as such.
func TestMarked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, entities, want string }{
		{`/think high`, `{"type":"code","offset":0,"length":11}`, "`/think high`"},
		{`try /think high now`, `{"type":"code","offset":4,"length":11}`, "try `/think high` now"},
		{`😀 x ✓`, `{"type":"code","offset":3,"length":1}`, "😀 `x` ✓"},
		{"a ` b", `{"type":"code","offset":0,"length":5}`, "``a ` b``"},
		{"`a", `{"type":"code","offset":0,"length":2}`, "`` `a ``"},
		{`see /status there`, `{"type":"pre","offset":4,"length":7}`, "see \n```\n/status\n```\n there"},
		{"/status\nx", `{"type":"pre","offset":0,"length":8}`, "```\n/status\n```\nx"},
		{"/status\n/new", `{"type":"blockquote","offset":0,"length":12}`, "> /status\n> /new"},
		{"so: /status", `{"type":"expandable_blockquote","offset":4,"length":7}`, "so: \n> /status"},
		{`bold /status`, `{"type":"bold","offset":0,"length":4}`, "bold /status"},
		{`off the end`, `{"type":"code","offset":8,"length":40}`, "off the end"},
		{"/ask@our_bot `?", `{"type":"bot_command","offset":0,"length":12},{"type":"code","offset":13,"length":2}`, "/ask@our_bot `` `? ``"},
	} {
		in := one(t, fmt.Sprintf(`{"update_id":1,"message":{"message_id":9,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7,"first_name":"A"},"text":%q,"entities":[%s]}}`, tc.text, tc.entities))
		if in.Text != tc.want {
			t.Errorf("%q %s = %q, want %q", tc.text, tc.entities, in.Text, tc.want)
		}
	}
}
