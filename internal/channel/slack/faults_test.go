package slack_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

// MD-01: one converter on every way out; digits, stars and code stay, nothing is
// escaped twice, and nobody is woken by a model.
func TestMarkdownFault(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/MD-01.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct{ In, Slack string }
	if err := json.Unmarshal(raw, &pairs); err != nil || len(pairs) < 8 {
		t.Fatal(len(pairs), err)
	}
	s := server(t)
	r := build(t, config(s, ""))
	for _, p := range pairs {
		want := p.Slack
		if strings.Contains(p.In, "<!channel>") { // described in words there
			want = "<@U123> &lt;!channel&gt; from the model"
		}
		if got := slack.Render(p.In, "code"); got != want {
			t.Errorf("Render(%q) = %q, want %q", p.In, got, want)
		}
		// What is edited is rendered the same way.
		rcpt, err := r.ch.Send(t.Context(), msg.Outbound{ID: id.Delivery(p.In), To: to(slacktest.General, ""), Text: p.In})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ch.(channel.Editor).Edit(t.Context(), to(slacktest.General, ""), rcpt.IDs[0], p.In); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"chat.postMessage", "chat.update"} {
			cs := s.Calls(method)
			if got := cs[len(cs)-1].Params["text"]; got != want {
				t.Errorf("%s of %q says %q, want %q", method, p.In, got, want)
			}
		}
	}
	live := running(t, config(s, ""))
	s.Say("AT&amp;T says <https://x.test|t>, 2 * 3 and 4 * 5")
	if in := live.next(); in.Text != "AT&T says t (https://x.test), 2 * 3 and 4 * 5" {
		t.Errorf("read %q", in.Text)
	}
}
