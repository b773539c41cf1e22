package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// A model whose window is smaller than anybody said refuses; the conversation
// is summed up and the person answered, also when the gateway is killed while
// that goes on. The person learns of it, and can take it back.
func TestConversationIsSummedUp(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"allowFrom": []any{7}})
	p.Edit(func(cfg object) {
		section(cfg, "agents", "defaults")["compaction"] = object{"notifyUser": true}
	})
	const isSum = "You keep the memory of a conversation"
	var sums, hold atomic.Int32
	held := make(chan struct{})
	p.model.Raw = func(w http.ResponseWriter, r *http.Request, c harness.ModelCall) bool {
		if strings.Contains(c.Raw, isSum) {
			n := sums.Add(1)
			if hold.CompareAndSwap(1, 0) {
				close(held)
				<-r.Context().Done()
				return true
			}
			raw, _ := json.Marshal(map[string]any{"id": "s", "choices": []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": fmt.Sprint("## Goal\nnotes number ", n)}, "finish_reason": "stop"}}})
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", raw)
			return true
		}
		talk := 0
		for _, m := range c.Messages {
			if m.Role != "system" {
				talk += len(m.Text())
			}
		}
		if talk > 9000 {
			http.Error(w, `{"error":{"message":"This model's maximum context length is 4096 tokens.","code":"context_length_exceeded","type":"invalid_request_error"}}`, http.StatusBadRequest)
			return true
		}
		return false
	}
	p.online(t)
	say := func(i int) string {
		word := fmt.Sprint("letter", i)
		p.text(7, 7, word+" about ORDER-77"+fmt.Sprint(i)+" "+strings.Repeat("and so on ", 100), nil)
		return word
	}
	for i := range 4 {
		p.answers(t, say(i))
	}
	if n := sums.Load(); n != 0 {
		t.Fatalf("%d summaries already", n)
	}
	hold.Store(1)
	word := say(4)
	<-held
	p.Kill()
	p.online(t)
	p.answers(t, word)
	p.settled(t)
	if n := p.shows(word); n != 1 {
		t.Errorf("%s was answered %d times", word, n)
	}
	if n := p.shows("🧹 Auto-compaction complete (count 1)"); n != 1 {
		t.Errorf("the person was told %d times: %q", n, p.tg.Shown())
	}
	last := p.model.Calls("settled")
	if raw := last[len(last)-1].Raw; !strings.Contains(raw, "notes number") || !strings.Contains(raw, "ORDER-770") || strings.Contains(raw, "letter0") {
		t.Errorf("the model saw %.2000s", raw[strings.Index(raw, `"role":"user"`):])
	}
	p.text(7, 7, "/status", nil)
	p.answers(t, "Compactions: 1")

	all := p.Transcript("agent:main:main")
	for i := range 5 {
		if !strings.Contains(jsonOf(all), fmt.Sprint("letter", i)) {
			t.Errorf("letter%d isn't in the transcript", i)
		}
	}
	p.text(7, 7, "/compact the orders matter", nil)
	p.answers(t, "⚙️ Compacted")
	found := false
	for _, c := range p.model.Calls("the orders matter") {
		found = found || strings.Contains(c.Raw, isSum)
	}
	if !found {
		t.Error("what matters didn't reach the model")
	}
	p.text(7, 7, "/compact undo", nil)
	p.answers(t, "is taken back")
}
