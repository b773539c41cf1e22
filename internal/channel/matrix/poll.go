package matrix

import (
	"encoding/json"
	"strconv"
	"strings"

	"maunium.net/go/mautrix/event"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// pollStart is a poll as clients write it; unstablePoll is its older name.
const (
	pollStart    = "m.poll.start"
	unstablePoll = "org.matrix.msc3381.poll.start"
)

// words is a text in both of its forms.
type words struct {
	Text     string `json:"m.text,omitempty"`
	Unstable string `json:"org.matrix.msc1767.text,omitempty"`
	Body     string `json:"body,omitempty"`
}

// UnmarshalJSON takes what others write: a newer client puts a list of texts.
func (w *words) UnmarshalJSON(raw []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil //nolint:nilerr // no text then
	}
	for key, into := range map[string]*string{"m.text": &w.Text, "org.matrix.msc1767.text": &w.Unstable, "body": &w.Body} {
		var list []struct {
			Body string `json:"body"`
		}
		if json.Unmarshal(m[key], into) != nil && json.Unmarshal(m[key], &list) == nil && len(list) > 0 {
			*into = list[0].Body
		}
	}
	return nil
}

func (w words) String() string {
	for _, s := range []string{w.Text, w.Unstable, w.Body} {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

func said(s string) words { return words{Text: s, Unstable: s} }

type pollAnswer struct {
	ID string `json:"id"`
	words
}

// UnmarshalJSON reads the words only: nobody here votes.
func (a *pollAnswer) UnmarshalJSON(raw []byte) error { return a.words.UnmarshalJSON(raw) }

type pollBody struct {
	Question words        `json:"question"`
	Kind     string       `json:"kind"`
	Most     int          `json:"max_selections"`
	Answers  []pollAnswer `json:"answers"`
}

// pollContent is the event of a poll. Votes are shown as they come when one may
// be given, after the end otherwise.
func pollContent(p *msg.Poll) map[string]any {
	body := pollBody{Question: said(strings.TrimSpace(p.Question)), Kind: "m.poll.disclosed", Most: 1}
	fallback := body.Question.String()
	for i, o := range p.Options {
		n := strconv.Itoa(i + 1)
		body.Answers = append(body.Answers, pollAnswer{ID: "answer" + n, words: said(strings.TrimSpace(o))})
		fallback += "\n" + n + ". " + strings.TrimSpace(o)
	}
	if p.Multi {
		body.Kind, body.Most = "m.poll.undisclosed", len(body.Answers)
	}
	return map[string]any{pollStart: body, "m.text": fallback, "org.matrix.msc1767.text": fallback}
}

// maxAnswers bounds the answers of somebody's poll that are read.
const maxAnswers = 40

// pollText is somebody's poll as text, or "".
func pollText(ev *event.Event) string {
	if ev.Type.Type != pollStart && ev.Type.Type != unstablePoll {
		return ""
	}
	for _, key := range []string{pollStart, unstablePoll, "m.poll"} {
		raw, err := json.Marshal(ev.Content.Raw[key])
		var p pollBody
		if err != nil || json.Unmarshal(raw, &p) != nil || p.Question.String() == "" {
			continue
		}
		lines := []string{"[Poll]", p.Question.String(), ""}
		for i, a := range p.Answers[:min(len(p.Answers), maxAnswers)] {
			if s := a.String(); s != "" {
				lines = append(lines, strconv.Itoa(i+1)+". "+s)
			}
		}
		return strings.Join(lines, "\n")
	}
	return ""
}
