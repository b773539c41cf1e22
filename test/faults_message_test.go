package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

func TestFaultKillsOnTelegram(t *testing.T) {
	t.Parallel()
	t.Run("F-01 F-03 killed around the acknowledgement of an update", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		for i := range 8 {
			word := fmt.Sprintf("update%d.", i)
			p.tg.Say(word)
			time.Sleep(time.Duration(rand.IntN(6)) * time.Millisecond)
			p.Kill()
			p.online(t)
			p.answers(t, word)
		}
		p.settled(t)
		for i := range 8 {
			word := fmt.Sprintf("update%d.", i)
			if !p.once(word) {
				t.Errorf("%s is answered %d times", word, p.shows(word))
			}
			if n := users(p.Transcript(mainKey), word); n != 1 {
				t.Errorf("%s is %d times in the transcript", word, n)
			}
		}
	})
	t.Run("F-07 killed before the model accepts", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		p.tg.Say("accept !hold w")
		harness.Until(t, within, "the model is asked", func() bool { return len(p.model.Calls("accept")) > 0 })
		p.Kill()
		p.model.Release("w")
		p.online(t)
		p.answers(t, "accept")
		p.settled(t)
		if n := users(p.Transcript(mainKey), "accept"); p.shows("accept") != 1 || n != 1 {
			t.Errorf("%d answers, %d times in the transcript", p.shows("accept"), n)
		}
	})
	t.Run("F-14 F-15 the request was read, nothing was posted", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		p.tg.Fail("sendMessage", telegramtest.Fault{Wait: time.Hour})
		p.tg.Say("unposted")
		harness.Until(t, within, "the model has answered", func() bool { return len(p.model.Calls("unposted")) > 0 })
		time.Sleep(300 * time.Millisecond) // the send hangs now
		p.Kill()
		p.online(t)
		start := time.Now()
		p.answers(t, "unposted")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("sent %v after the start", took)
		}
		p.settled(t)
		if n := p.shows("unposted"); n != 1 {
			t.Errorf("%d copies", n)
		}
	})
	t.Run("F-16 posted, but the answer was not seen", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		p.tg.Fail("sendMessage", telegramtest.Fault{Cut: true, Accept: true})
		p.tg.Say("posted")
		p.answers(t, "posted")
		p.Kill()
		p.online(t)
		p.settled(t)
		if n := p.shows("posted"); n > 2 || !p.once("posted") {
			t.Errorf("copies: %q", p.tg.Shown())
		}
	})
	t.Run("F-21 random kills", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		const all = 60
		for i := range all {
			p.tg.Say(fmt.Sprintf("soak%d.", i))
			if i%6 == 5 {
				time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
				p.Kill()
				p.online(t)
			}
		}
		for i := range all {
			p.answers(t, fmt.Sprintf("soak%d.", i))
		}
		p.settled(t)
		last := -1
		shown := strings.Join(p.tg.Shown(), "\n")
		for i := range all {
			word := fmt.Sprintf("soak%d.", i)
			if !p.once(word) {
				t.Errorf("%s is answered %d times", word, p.shows(word))
			}
			at := strings.Index(shown, word)
			if at < last {
				t.Errorf("%s is out of order", word)
			}
			last = at
		}
		for l := range strings.Lines(read(t, p.TranscriptFile(mainKey))) {
			if !json.Valid([]byte(l)) {
				t.Errorf("transcript line %.100q", l)
			}
		}
	})
}

// once reports whether word was answered and each further copy says that it
// may be one: the promise for a network without idempotency keys.
func (p *phone) once(word string) bool {
	all, plain := 0, 0
	for _, s := range p.tg.Shown() {
		if !strings.Contains(s, word) {
			continue
		}
		if all++; !strings.Contains(s, "may be a repeat") {
			plain++
		}
	}
	return all > 0 && plain <= 1
}

func TestFaultChannels(t *testing.T) {
	t.Parallel()
	t.Run("F-36 the link drops", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		for i := range 4 {
			p.tg.Say(fmt.Sprintf("dropped%d.", i))
			p.tg.Cut()
		}
		p.tg.Fail("getUpdates", telegramtest.Fault{Status: 502, Body: "<html>bad gateway</html>"}, telegramtest.Fault{Cut: true}, telegramtest.Fault{Status: 200, Body: "{"})
		p.tg.Cut()
		p.tg.Say("dropped4.")
		for i := range 5 {
			p.answers(t, fmt.Sprintf("dropped%d.", i))
		}
		p.settled(t)
		for i := range 5 {
			if n := p.shows(fmt.Sprintf("dropped%d.", i)); n != 1 {
				t.Errorf("dropped%d: %d answers", i, n)
			}
		}
	})
	t.Run("F-37 T-36 updates come twice and out of order", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		update := func(id, msg int, text string) {
			p.tg.Push(fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"chat":{"id":7,"type":"private"},"from":{"id":7,"first_name":"F"},"text":%q}}`, id, msg, time.Now().Unix(), text))
		}
		for range 20 {
			update(2005, 5, "doubled.")
		}
		update(2004, 4, "late.")
		update(2006, 6, "after.")
		p.answers(t, "doubled.")
		p.answers(t, "after.")
		p.Kill()
		p.online(t)
		for range 20 {
			update(2010, 5, "doubled.")
		}
		p.settled(t)
		if n := p.shows("doubled."); n != 1 || len(p.model.Calls("doubled.")) != 1 {
			t.Errorf("%d answers, %d runs", n, len(p.model.Calls("doubled.")))
		}
	})
	t.Run("F-38 what the network refuses", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, object{"allowFrom": []any{7, 8, 404}}).online(t)
		p.tg.Fail("sendMessage", telegramtest.Fault{Status: 429, Description: "Too Many Requests: retry after 2", Parameters: `{"retry_after":2}`})
		start := time.Now()
		p.tg.Say("limited.")
		p.answers(t, "limited.")
		if took := time.Since(start); took < 2*time.Second {
			t.Errorf("sent again after %v, want 2 s", took)
		}
		p.tg.Fail("sendMessage", telegramtest.Fault{Status: 400, Description: "Bad Request: can't parse entities: x"})
		p.tg.Say("**plain**.")
		p.answers(t, "plain")
		before := len(p.tg.Calls("sendMessage"))
		p.text(404, 404, "blocked.", nil)
		p.settled(t)
		n := 0
		for _, c := range p.tg.Calls("sendMessage")[before:] {
			if fmt.Sprint(c.Params["chat_id"]) == "404" {
				n++
			}
		}
		if n > 2 {
			t.Errorf("%d tries for a chat that isn't there", n)
		}
		for _, w := range []string{"limited.", "plain"} {
			if p.shows(w) != 1 {
				t.Errorf("%s is shown %d times", w, p.shows(w))
			}
		}
	})
	t.Run("F-41 one sender floods", func(t *testing.T) {
		t.Parallel()
		allow := []any{7}
		for i := range 10 {
			allow = append(allow, 20+i)
		}
		p := newPhone(t, object{"allowFrom": allow})
		p.Edit(func(cfg object) {
			cfg["session"] = object{"dmScope": "per-channel-peer"}
			section(cfg, "messages")["queue"] = object{"mode": "collect"}
		})
		p.online(t)
		for i := range 3000 {
			p.text(7, 7, fmt.Sprintf("flood %d", i), nil)
		}
		start := time.Now()
		for i := range 10 {
			p.text(20+i, 20+i, fmt.Sprintf("calm%d.", i), nil)
		}
		for i := range 10 {
			p.answers(t, fmt.Sprintf("calm%d.", i))
		}
		t.Logf("the others were answered after %v", time.Since(start))
		p.answers(t, "flood 2999")
		if code, _, _ := ask(t, p.Gateway, "GET", "/health", "", nil); code != 200 {
			t.Errorf("health: %d", code)
		}
		if mb := rss(t, p.Gateway); mb > 300 {
			t.Errorf("%d MB", mb)
		}
	})
	t.Run("F-50 a malformed update is that update's problem", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		for _, u := range []string{
			`{"message":null}`, `{"message":{}}`, `{"message":{"message_id":"x"}}`, `{"message":{"message_id":1,"from":{"id":7},"chat":{"id":7,"type":"private"},"text":"x","entities":[{"type":"mention","offset":-5,"length":1000000}]}}`,
			`{"message":{"message_id":2,"from":{"id":7},"chat":{"id":7,"type":"private"},"text":"\ud800","entities":[{"type":"bot_command","offset":99999999,"length":-1}]}}`,
			`{"message":{"message_id":3,"from":{"id":9007199254740993},"chat":{"id":7},"photo":[{}],"caption":"` + strings.Repeat("a", 100_000) + `"}}`,
			`{"message":{"message_id":4,"from":[],"chat":"x"}}`, `{"edited_message":{"message_id":1}}`, `{"message":{"message_id":5,"photo":[],"from":{"id":7},"chat":{"id":7,"type":"martian"},"text":"hello martian"}}`,
		} {
			p.tg.Push(u)
		}
		p.settled(t)
		if strings.Contains(p.Log(), "panic") {
			t.Error("something panicked")
		}
	})
}

// stream writes chunks of a chat completion.
func stream(w http.ResponseWriter, chunks ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, c := range chunks {
		fmt.Fprintf(w, "data: %s\n\n", c)
		_ = http.NewResponseController(w).Flush()
	}
}

func chunk(text string) string {
	return jsonOf(object{"id": "x", "choices": []any{object{"index": 0, "delta": object{"role": "assistant", "content": text}}}})
}

const finished = `{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// asked is a phone whose model is raw; it asks once and returns what is shown.
func asked(t *testing.T, limit time.Duration, raw func(w http.ResponseWriter, r *http.Request, n int)) (p *phone, shown []string) {
	t.Helper()
	p = newPhone(t, nil)
	var n atomic.Int64
	p.model.Raw = func(w http.ResponseWriter, r *http.Request, c harness.ModelCall) bool {
		if !strings.Contains(c.User, "question") {
			return false
		}
		raw(w, r, int(n.Add(1)))
		return true
	}
	p.online(t)
	p.tg.Say("question")
	harness.Until(t, limit, "something is shown", func() bool { return len(p.to(7)) > 0 })
	p.settledWithin(t, limit) // what is shown at first may be a preview
	for _, s := range p.tg.Shown() {
		if !strings.Contains(s, "settled") {
			shown = append(shown, s)
		}
	}
	return p, shown
}

func TestFaultModels(t *testing.T) {
	t.Parallel()
	status := func(code int, body string, h ...string) func(http.ResponseWriter, *http.Request, int) {
		return func(w http.ResponseWriter, _ *http.Request, _ int) {
			for i := 0; i < len(h); i += 2 {
				w.Header().Set(h[i], h[i+1])
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	const canary = "raw-body-CANARY"
	for _, c := range []struct {
		name  string
		raw   func(http.ResponseWriter, *http.Request, int)
		calls int // at most
	}{
		{"F-29 429 for ever", status(429, `{"error":{"message":"`+canary+`"}}`), 4},
		{"F-29 429 with Retry-After", status(429, `{"error":{"message":"`+canary+`"}}`, "Retry-After", "1"), 4},
		{"F-30 500", status(500, canary), 4},
		{"F-30 503", status(503, "<html>"+canary+"</html>"), 4},
		{"F-30 529", status(529, `{"error":{"message":"`+canary+`"}}`), 4},
		{"F-30 401", status(401, `{"error":{"message":"bad key sk-fake `+canary+`"}}`), 1},
		{"F-30 403", status(403, canary), 1},
		{"F-30 404", status(404, `{"error":{"message":"no such model `+canary+`"}}`), 1},
		{"F-30 400", status(400, `{"error":{"message":"bad `+canary+`"}}`), 1},
		{"F-32 the stream is cut", func(w http.ResponseWriter, _ *http.Request, _ int) {
			stream(w, chunk("PARTIAL "+canary))
			panic(http.ErrAbortHandler)
		}, 4},
		{"F-32 the stream ends without a finish", func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, chunk("PARTIAL "+canary)) }, 4},
		{"F-32 cut inside a call", func(w http.ResponseWriter, _ *http.Request, _ int) {
			stream(w, `{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"exec","arguments":"{\"command\":\"touch M`)
			panic(http.ErrAbortHandler)
		}, 4},
		{"F-33 bad JSON", func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, "{"+canary) }, 4},
		{"F-33 HTML with 200", status(200, "<html>"+canary+"</html>", "Content-Type", "text/html"), 4},
		{"F-33 an error with 200", status(200, `{"error":{"message":"`+canary+`","type":"server_error"}}`, "Content-Type", "application/json"), 4},
		{"F-33 an empty answer", func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, finished, "[DONE]") }, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			p, shown := asked(t, time.Minute, c.raw)
			if n := len(p.model.Calls("question")); n > c.calls {
				t.Errorf("%d calls, want at most %d", n, c.calls)
			}
			if len(shown) != 1 {
				t.Errorf("shown %q, want one text", shown)
			}
			for _, s := range shown {
				if strings.Contains(s, canary) || strings.Contains(s, "sk-fake") || strings.Contains(s, "<html") || strings.Contains(s, "invalid character") {
					t.Errorf("shown: %q", s)
				}
			}
			for _, l := range p.Transcript(mainKey) {
				m, _ := l["message"].(map[string]any)
				if text := fmt.Sprint(m["content"]); m["role"] == "assistant" && strings.Contains(text, canary) && fmt.Sprint(m["stopReason"]) == "stop" {
					t.Errorf("stored as an answer: %v", m)
				}
			}
			absent(t, filepath.Join(p.Work, "M"), "half a call ran")
			t.Logf("%v, %d calls: %q", time.Since(start).Round(time.Millisecond), len(p.model.Calls("question")), shown)
		})
	}
	t.Run("F-31 /stop ends a hang at once", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil).online(t)
		p.tg.Say("hang !hold never")
		harness.Until(t, within, "the model is asked", func() bool { return len(p.model.Calls("hang")) > 0 })
		start := time.Now()
		p.tg.Say("/stop")
		harness.Until(t, 5*time.Second, "it is said", func() bool { return len(p.to(7)) > 0 })
		p.settled(t)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the lane was free after %v", took)
		}
	})
	t.Run("F-31 silence in the middle is noticed by the time limit", func(t *testing.T) {
		t.Parallel()
		p := newPhone(t, nil)
		p.Edit(func(cfg object) { section(cfg, "agents", "defaults")["timeoutSeconds"] = 3 })
		p.online(t)
		p.tg.Say("silent !mid never")
		harness.Until(t, 15*time.Second, "something is shown", func() bool { return len(p.to(7)) > 0 })
		p.settled(t)
	})
}

func TestFaultCasesOfModels(t *testing.T) {
	t.Parallel()
	body := func(text string) func(http.ResponseWriter, *http.Request, int) {
		return func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(text))
		}
	}
	sse := read(t, "testdata/PRV-01/stream.sse")
	for name, text := range map[string]string{
		"PRV-01 an odd stream":               sse,
		"PRV-01 without the last line":       strings.Replace(sse, "data: [DONE]\r\n\r\n", "", 1),
		"PRV-01 the body ends at the finish": sse[:strings.Index(sse, `data: {"id":"x","choices":[],"usage"`)],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, shown := asked(t, within, body(text))
			if len(shown) != 1 || shown[0] != "Hello world" || len(p.model.Calls("question")) != 1 {
				t.Errorf("shown %q after %d calls", shown, len(p.model.Calls("question")))
			}
		})
	}
	long := read(t, "testdata/PRV-09/long-line.sse")
	for name, size := range map[string]int{"150 KB": 0, "2 MB": 2 << 20, "12 MB": 12 << 20} {
		t.Run("PRV-09 a line of "+name, func(t *testing.T) {
			t.Parallel()
			g, m := alone(t, nil)
			text := strings.Replace(long, "abcdefghij", "abcdefghij"+strings.Repeat("z", size), 1)
			m.Raw = func(w http.ResponseWriter, r *http.Request, _ harness.ModelCall) bool {
				body(text)(w, r, 0)
				return true
			}
			got := turn(t, g, "long")
			if !strings.HasSuffix(got, "END") && !(size > 4<<20 && strings.Contains(got, "HTTP ")) {
				t.Errorf("%d bytes, ending in %.200q", len(got), got[max(0, len(got)-200):])
			}
			if code, _, _ := ask(t, g, "GET", "/health", "", nil); code != 200 {
				t.Errorf("health: %d", code)
			}
		})
	}
	var texts map[string]string
	if err := json.Unmarshal([]byte(read(t, "testdata/PRV-06/texts.json")), &texts); err != nil {
		t.Fatal(err)
	}
	prose := map[string]string{"kimi": "Let me check.", "qwen": "Reading.", "minimax": "Let me see:", "cut": "Working on it", "benign_code": "That is all.", "benign_prose": "opens a call."}
	for name, text := range texts {
		t.Run("PRV-06 "+name, func(t *testing.T) {
			t.Parallel()
			p, shown := asked(t, within, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n > 1 {
					text = "Done."
				}
				stream(w, chunk(text), finished, "[DONE]")
			})
			all := strings.Join(shown, "\n")
			if !strings.Contains(all, prose[name]) {
				t.Errorf("shown %q, want %q in it", shown, prose[name])
			}
			hidden := !strings.HasPrefix(name, "benign")
			for _, marker := range []string{"<|tool", "<tool_call>", "<function=", "minimax:tool_call", "<invoke", "\"timeout\":30", "<parameter"} {
				if hidden && strings.Contains(all, marker) {
					t.Errorf("%s is shown: %q", marker, shown)
				}
			}
			if !hidden && !strings.Contains(all, "<tool_call>") {
				t.Errorf("harmless text was changed: %q", shown)
			}
			if n := len(p.model.Calls("question")); n > 3 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestCasesOfTelegram(t *testing.T) {
	t.Parallel()
	t.Run("TG-03 a long reply is whole in its parts", func(t *testing.T) {
		t.Parallel()
		reply := read(t, "testdata/TG-03/reply.md")
		p := newPhone(t, nil)
		p.model.Raw = func(w http.ResponseWriter, _ *http.Request, c harness.ModelCall) bool {
			if !strings.Contains(c.User, "question") {
				return false
			}
			stream(w, chunk(reply), finished, "[DONE]")
			return true
		}
		p.online(t)
		p.tg.Fail("sendMessage", telegramtest.Fault{Status: 400, Description: "Bad Request: can't parse entities: x"})
		p.tg.Say("question")
		p.settled(t)
		rows := 0
		for _, s := range p.to(7) {
			rows += strings.Count(s, "fmt.Println(\"row")
			if strings.Contains(s, "**") && strings.Contains(s, "<b>") {
				t.Errorf("markup is shown: %.200q", s)
			}
		}
		if want := strings.Count(reply, "fmt.Println(\"row"); rows != want || len(p.to(7)) < 3 {
			t.Errorf("%d code lines in %d messages, want %d", rows, len(p.to(7)), want)
		}
		for _, c := range p.tg.Calls("sendMessage")[1:] {
			if c.Status != 200 {
				t.Errorf("refused: %.300v", c.Params["text"])
			}
		}
	})
	t.Run("TG-06 an album is one message", func(t *testing.T) {
		t.Parallel()
		var in map[string][]json.RawMessage
		if err := json.Unmarshal([]byte(read(t, "testdata/TG-06/updates.json")), &in); err != nil {
			t.Fatal(err)
		}
		p := newPhone(t, object{"allowFrom": []any{7, 8}})
		p.Edit(func(cfg object) {
			cfg["session"] = object{"dmScope": "per-channel-peer"}
			models, _ := section(cfg, "models", "providers", "fake")["models"].([]any)
			models[0].(object)["input"] = []any{"text", "image"}
		})
		for _, f := range []string{"f101", "f102", "f103", "f201"} {
			p.tg.AddFile(f, photo(t))
		}
		p.online(t)
		push := func(batch string) {
			for _, u := range in[batch] {
				var o object
				_ = json.Unmarshal(u, &o)
				delete(o, "update_id")
				for _, k := range []string{"message", "edited_message"} {
					if m, ok := o[k].(object); ok {
						m["date"] = time.Now().Unix()
					}
				}
				p.tg.Push(jsonOf(o))
			}
		}
		push("batch1")
		time.Sleep(300 * time.Millisecond) // as the case says
		push("batch2_after_300ms")
		time.Sleep(200 * time.Millisecond)
		push("batch3_after_500ms")
		p.answers(t, "best?")
		p.settled(t)
		calls := p.model.Calls("best?")
		if len(calls) != 1 {
			t.Fatalf("%d turns for one album: %q", len(calls), p.tg.Shown())
		}
		if n := strings.Count(calls[0].Raw, `"url":"data:`); n != 3 {
			t.Errorf("%d images: %.3000s", n, calls[0].Raw)
		}
		if files := len(p.tg.Calls("file")); files != 4 {
			t.Errorf("%d files were fetched, want 4", files)
		}
		if n := len(p.to(8)); n != 1 {
			t.Errorf("chat 8 was told %q", p.to(8))
		}
	})
	t.Run("TG-07 names with underscores and files stay text", func(t *testing.T) {
		t.Parallel()
		reply := read(t, "testdata/TG-07/in.md")
		_, shown := asked(t, within, func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, chunk(reply), finished, "[DONE]") })
		all := strings.Join(shown, "\n")
		for _, w := range []string{"snake_case_name", "README.md", "2 * 3 * 4", "a < b && c > d", "_not italic_ <tag>", "🧪 Header text", "a_b"} {
			if !strings.Contains(all, w) {
				t.Errorf("%q is missing in %q", w, all)
			}
		}
		if strings.Contains(all, "**") || strings.Contains(all, "|---|") {
			t.Errorf("markup is shown: %q", all)
		}
	})
}

// photo is a small picture in JPEG.
func photo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
