package test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

func TestFaultDamagedDatabase(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string){
		"the header": func(t *testing.T, path string) { overwrite(t, path, 0, 100) },
		"a page":     func(t *testing.T, path string) { overwrite(t, path, 4096*3, 4096) },
		"cut":        func(t *testing.T, path string) { _ = os.Truncate(path, 5000) },
		"the log":    func(t *testing.T, path string) { overwrite(t, path+"-wal", 0, 64) },
		"no log":     func(t *testing.T, path string) { _ = os.Remove(path + "-wal") },
	} {
		t.Run("F-27 "+name, func(t *testing.T) {
			t.Parallel()
			p := newPhone(t, nil).online(t)
			p.tg.Say("before")
			p.answers(t, "before")
			harness.Until(t, within, "the index is written", func() bool {
				_, err := os.Stat(filepath.Join(p.Dir, sessionsDir, "sessions.json"))
				return err == nil
			})
			p.Kill()
			damage(t, filepath.Join(p.Dir, "openclaw.sqlite"))
			p.online(t)
			p.tg.Say("after")
			p.answers(t, "after")
			if calls := p.model.Calls("after"); !strings.Contains(calls[0].Raw, "before") {
				t.Error("the history is gone")
			}
		})
	}
	t.Run("F-28 a damaged allow list lets nobody in", func(t *testing.T) {
		t.Parallel()
		for i, text := range []string{"", `{"version":1,"allow`, `{"allowFrom":"*"}`, `["*"]`} {
			p := newPhone(t, object{"dmPolicy": "pairing"})
			path := filepath.Join(p.Dir, "credentials", "telegram-default-allowFrom.json")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p.online(t)
			p.text(66, 66, "stranger", nil)
			p.settled(t)
			if n := len(p.model.Calls("stranger")); n != 0 {
				t.Errorf("%d: %q let a stranger in", i, text)
			}
		}
	})
}

func overwrite(t *testing.T, path string, at int64, n int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", n)), at); err != nil {
		t.Fatal(err)
	}
}

func TestFaultWildModels(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) string {
		return jsonOf(object{"id": "x", "choices": []any{object{"index": 0, "delta": object{"tool_calls": []any{object{"index": 0, "id": id, "type": "function", "function": object{"name": name, "arguments": args}}}}}}})
	}
	const calls = `{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	for name, raw := range map[string]func(w http.ResponseWriter, r *http.Request, n int){
		"an unknown tool for ever": func(w http.ResponseWriter, _ *http.Request, n int) {
			stream(w, call(fmt.Sprint("c", n), "no_such_tool", "{}"), calls, "[DONE]")
		},
		"arguments that are no JSON": func(w http.ResponseWriter, _ *http.Request, n int) {
			stream(w, call(fmt.Sprint("c", n), "exec", `[1,`), calls, "[DONE]")
		},
		"one id for every call": func(w http.ResponseWriter, _ *http.Request, _ int) {
			stream(w, call("same", "ls", `{"path":"."}`), calls, "[DONE]")
		},
		"the same call for ever": func(w http.ResponseWriter, _ *http.Request, n int) {
			stream(w, call(fmt.Sprint("c", n), "ls", `{"path":"."}`), calls, "[DONE]")
		},
	} {
		t.Run("F-35 "+name, func(t *testing.T) {
			t.Parallel()
			p, shown := asked(t, time.Minute, raw)
			if n := len(p.model.Calls("question")); n > 60 {
				t.Errorf("%d calls", n)
			}
			if len(shown) == 0 {
				t.Error("nothing is shown")
			}
			for _, c := range p.model.Calls("question") {
				paired(t, c)
			}
		})
	}
	t.Run("F-34 an endless answer ends", func(t *testing.T) {
		t.Parallel()
		before := 0
		p, shown := asked(t, time.Minute, func(w http.ResponseWriter, r *http.Request, _ int) {
			piece := chunk(strings.Repeat("endless ", 8000))
			w.Header().Set("Content-Type", "text/event-stream")
			for range 4000 {
				if _, err := fmt.Fprintf(w, "data: %s\n\n", piece); err != nil || r.Context().Err() != nil {
					return
				}
			}
		})
		if mb := rss(t, p.Gateway); mb > before+400 {
			t.Errorf("%d MB", mb)
		}
		for _, s := range shown {
			if len(s) > 5000 {
				t.Errorf("%d bytes in one text", len(s))
			}
		}
		if len(shown) > 3 {
			t.Errorf("%d texts are shown", len(shown))
		}
	})
}

func TestThreatsOfOpenAI(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	where, hits := sink(t)
	t.Run("T-90 no side door", func(t *testing.T) {
		off, _ := alone(t, func(cfg object) {
			section(cfg, "gateway", "http", "endpoints")["chatCompletions"] = object{"enabled": false}
		})
		for _, p := range []string{"/v1/chat/completions", "/v1/responses"} {
			if code, _, _ := ask(t, off, "POST", p, "{}", bearer()); code != 404 {
				t.Errorf("%s when off: %d", p, code)
			}
		}
		for _, u := range []string{"http://" + where + "/x.png", "file:///etc/passwd", "ftp://" + where} {
			_, body := g.HTTP("POST", "/v1/chat/completions", object{"model": "openclaw", "messages": []any{object{"role": "user", "content": []any{object{"type": "text", "text": "picture"}, object{"type": "image_url", "image_url": object{"url": u}}}}}})
			if strings.Contains(body, "root:x:") {
				t.Errorf("%s: %.200s", u, body)
			}
		}
		for _, model := range []string{"openclaw:../x", "openclaw/../../x", "agent:nosuch"} {
			g.HTTP("POST", "/v1/chat/completions", object{"model": model, "messages": []any{object{"role": "user", "content": "agent"}}})
		}
		absent(t, filepath.Join(filepath.Dir(g.Dir), "x"), "a model's name became a path")
		absent(t, filepath.Join(g.Dir, "x"), "a model's name became a path")
		if hits() != 0 {
			t.Error("an address was fetched")
		}
		for _, c := range m.Calls("") {
			if strings.Contains(c.Raw, "root:x:") {
				t.Error("a file of the host went to the model")
			}
		}
	})
}
