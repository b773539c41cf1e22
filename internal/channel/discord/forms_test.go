package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

// customsOf are the custom ids of the controls of a message, by type.
func customsOf(raw object) map[string]string {
	out := map[string]string{}
	rows, _ := raw["components"].([]any)
	for _, r := range rows {
		cs, _ := r.(object)["components"].([]any)
		for _, c := range cs {
			o, _ := c.(object)
			id, _ := o["custom_id"].(string)
			key := fmt.Sprint(o["type"])
			if label, _ := o["label"].(string); label != "" {
				key = label
			}
			out[key] = id
		}
	}
	return out
}

const panel = `{"text":"Choose","blocks":[{"type":"actions","buttons":[{"label":"Mine","allowedUsers":["<@` + discordtest.Person + `>"]},{"label":"Theirs","allowedUsers":["111111111111111111"]},{"label":"Any"}]}],
	"modal":{"title":"Details","triggerLabel":"Fill in","fields":[
		{"type":"text","label":"Requester","style":"paragraph","maxLength":100},
		{"type":"select","label":"Priority","options":[{"label":"Low","value":"low"},{"label":"High"}]},
		{"type":"checkbox","label":"Extras","required":false,"options":[{"label":"A"},{"label":"B"}]},{"type":"user-select","label":"Who"}]}}`

// Controls of an agent do what they are for once, for those they are for; a
// button opens a form, and what is filled in is told. A restart changes nothing.
func TestForms(t *testing.T) {
	t.Parallel()
	s := server(t)
	raw := config(s, "")
	r := build(t, raw).up()
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "panel", To: person(discordtest.Person), Native: json.RawMessage(panel)}); err != nil {
		t.Fatal(err)
	}
	ids := customsOf(s.Messages(discordtest.DM)[0].Raw)
	press := func(label string) string {
		t.Helper()
		n := len(s.Calls("POST /interactions/"))
		s.Interact(object{"type": 3, "data": object{"custom_id": ids[label], "component_type": 2}})
		until(t, "an answer", func() bool { return len(s.Calls("POST /interactions/")) > n })
		return jsonOf(s.Calls("POST /interactions/")[n].Body)
	}
	if got := press("Theirs"); !strings.Contains(got, "not authorized") || !strings.Contains(got, `"flags":64`) {
		t.Errorf("a button of somebody else: %s", got)
	}
	press("Mine")
	if in := wait(t, r.got, "a press"); in.Text != "[pressed Mine]" || in.Native {
		t.Errorf("received %+v", in)
	}
	if got := press("Mine"); !strings.Contains(got, "has expired") {
		t.Errorf("a second press: %s", got)
	}
	r.stop()
	r.build(raw).up()
	if got := press("Mine"); !strings.Contains(got, "has expired") {
		t.Errorf("a press after a restart: %s", got)
	}
	shown := press("Fill in")
	for _, want := range []string{`"type":9`, `"title":"Details"`, `"label":"Requester"`, `"style":2`, `"max_length":100`, `"min_values":0`, `"type":18`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the form lacks %s: %s", want, shown)
		}
	}
	var form struct {
		Data struct {
			ID string `json:"custom_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(shown), &form); err != nil {
		t.Fatal(err)
	}
	filled := object{"type": 5, "data": object{"custom_id": form.Data.ID, "components": []any{
		object{"type": 18, "component": object{"type": 4, "custom_id": "f0", "value": "Al\nB"}},
		object{"type": 18, "component": object{"type": 3, "custom_id": "f1", "values": []any{"high"}}},
		object{"type": 1, "components": []any{object{"type": 3, "custom_id": "f2", "values": []any{"A", "B"}}}},
	}}}
	s.Interact(filled)
	in := wait(t, r.got, "a form")
	if want := "[filled in Details]\nRequester: Al\nB\nPriority: high\nExtras: A, B\nWho: "; in.Text != want || in.Native || !in.Mentioned {
		t.Errorf("received %q, want %q", in.Text, want)
	}
	n := len(s.Calls("POST /interactions/"))
	until(t, "it to be taken", func() bool { return len(s.Calls("POST /interactions/")) >= n })
	s.Interact(filled)
	until(t, "a refusal", func() bool { return strings.Contains(jsonOf(s.Calls("POST /interactions/")), "This form has expired.") })
	s.Interact(object{"type": 5, "data": object{"custom_id": "foreign", "components": []any{5}}})
	s.Say("the end")
	if in := wait(t, r.got, "a message"); in.Text != "the end" {
		t.Errorf("received %+v", in)
	}
}

// agentComponents turns them off.
func TestNoAgentComponents(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"agentComponents":{"enabled":false}`)).up()
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "panel", To: person(discordtest.Person), Native: json.RawMessage(panel)}); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "agentComponents") {
		t.Errorf("Send = %v", err)
	}
	s.Interact(object{"type": 3, "data": object{"custom_id": "ui:0123456789abcdef:0.0", "component_type": 2}})
	until(t, "a refusal", func() bool { return strings.Contains(jsonOf(s.Calls("POST /interactions/")), "turned off") })
}
