package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// tells lets the model say pieces; it waits at the one that is "wait" until the
// gate is open.
func (p *phone) tells(pieces []string, gate <-chan struct{}) {
	p.model.Raw = func(w http.ResponseWriter, r *http.Request, _ harness.ModelCall) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta string, finish any) {
			b, _ := json.Marshal(object{"id": "c", "object": "chat.completion.chunk", "model": "fake-1", "choices": []any{object{"index": 0, "delta": object{"role": "assistant", "content": delta}, "finish_reason": finish}}})
			fmt.Fprintf(w, "data: %s\n\n", b)
			_ = http.NewResponseController(w).Flush()
		}
		for _, s := range pieces {
			if s != "wait" {
				send(s, nil)
				continue
			}
			select {
			case <-gate:
			case <-r.Context().Done():
				return true
			}
		}
		send("", "stop")
		fmt.Fprint(w, "data: [DONE]\n\n")
		return true
	}
}

func sentences(from, to int) (out []string) {
	for i := from; i < to; i++ {
		s := fmt.Sprintf("This is sentence number %d of the answer. ", i)
		if i%4 == 3 {
			s += "\n\n"
		}
		out = append(out, s)
	}
	return out
}

// flat is text without what cutting it may change.
func flat(parts ...string) string { return strings.Join(strings.Fields(strings.Join(parts, " ")), " ") }

// MSG-01: the process is killed while an answer is shown as a preview; the next
// one finishes that message. Each piece of 5000 characters is there once.
func TestKillDuringAPreview(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	gate := make(chan struct{})
	p.tells(slices.Concat(sentences(0, 4), []string{"wait"}, sentences(4, 20), []string{"wait"}, sentences(20, 130)), gate)
	p.text(7, 7, "tell me", nil)
	harness.Until(t, within, "a preview", func() bool { return p.shows("sentence number 3 ") == 1 })
	gate <- struct{}{}
	// Once it is changed its id is noted: a process that is killed before that
	// leaves a preview that nobody finds.
	harness.Until(t, within, "a preview that was changed", func() bool { return p.shows("sentence number 19 ") == 1 })
	p.Kill()
	close(gate)
	p.online(t)
	want := flat(sentences(0, 130)...)
	harness.Until(t, within, "the whole answer", func() bool { return flat(p.tg.Shown()...) == want })
	p.model.Raw = nil
	p.settled(t)
	got := p.tg.Shown()
	if d := cmp.Diff(want, flat(got[:len(got)-1]...)); d != "" {
		t.Error(d)
	}
	if first := p.tg.Calls("sendMessage")[0].Message; len(p.tg.Calls("editMessageText")) == 0 || first == 0 {
		t.Error("the preview was not changed")
	}
	for _, c := range p.tg.Calls("deleteMessage") {
		t.Errorf("a message was taken back: %v", c.Params)
	}
}

// The process is killed while an answer is shown in blocks: those that were
// stored are shown once, the rest follows.
func TestKillDuringBlocks(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"blockStreaming": true})
	p.Edit(func(c map[string]any) {
		c["agents"] = object{"defaults": object{"blockStreamingChunk": object{"minChars": 100, "maxChars": 300}, "blockStreamingCoalesce": object{"idleMs": 0}}}
	})
	p.online(t)
	gate := make(chan struct{})
	p.tells(append(append(sentences(0, 13), "wait"), sentences(13, 30)...), gate)
	p.text(7, 7, "tell me", nil)
	harness.Until(t, within, "three blocks", func() bool { return len(p.tg.Shown()) >= 3 })
	p.Kill()
	close(gate)
	p.online(t)
	want := flat(sentences(0, 30)...)
	harness.Until(t, within, "the whole answer", func() bool { return strings.HasSuffix(flat(p.tg.Shown()...), "number 29 of the answer.") })
	p.model.Raw = nil
	p.settled(t)
	got := p.tg.Shown()
	// Telegram takes no key: what was on its way when the process was killed may
	// come once more, marked.
	text := flat(got[:len(got)-1]...)
	if n := strings.Count(text, "(may be a repeat)"); n == 0 && text != want || n > 1 {
		t.Errorf("shown:\n%s", cmp.Diff(want, text))
	}
}

// A network that wants less changes gets less, and the answer all the same.
func TestPreviewRespectsTheNetwork(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	gate := make(chan struct{})
	p.tg.Fail("editMessageText", telegramtest.Fault{Status: http.StatusTooManyRequests, Description: "Too Many Requests: retry after 2", Parameters: `{"retry_after":2}`})
	p.tells([]string{"This is the beginning of it, ", "and more of it, ", "wait", "and the end."}, gate)
	p.text(7, 7, "tell me", nil)
	harness.Until(t, within, "a preview", func() bool { return p.shows("beginning") == 1 })
	close(gate)
	harness.Until(t, within, "the answer", func() bool {
		return cmp.Equal(p.tg.Shown(), []string{"This is the beginning of it, and more of it, and the end."})
	})
}
