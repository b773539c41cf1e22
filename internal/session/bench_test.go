package session_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

// long makes a session whose transcript has n messages: questions, calls,
// results and answers.
func long(tb testing.TB, r *rig, n int) session.Session {
	tb.Helper()
	s, _, err := r.Open(tb.Context(), mainKey)
	ok(tb, err)
	ok(tb, os.MkdirAll(r.sessions(), 0o700))
	f, err := os.Create(filepath.Join(r.sessions(), string(s.ID)+".jsonl"))
	ok(tb, err)
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, `{"type":"session","version":3,"id":"%s","timestamp":"2026-11-30T20:45:28.971Z","cwd":"/ws"}`+"\n", s.ID)
	parent := "null"
	words := strings.Repeat("some words of a message ", 8)
	for i := range n {
		var m string
		switch i % 4 {
		case 0:
			m = `{"role":"user","content":[{"type":"text","text":"[Mon 2026-11-30 20:45 UTC] ` + words + `"}],"timestamp":1796071528980}`
		case 1:
			m = fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"notes.md"}}],"api":"openai-completions","provider":"fake","model":"fake-1","usage":{"input":11,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":18,"cost":{"input":0.000011,"output":0.000014,"cacheRead":0,"cacheWrite":0,"total":0.000024999999999999998}},"stopReason":"toolUse","timestamp":1796071528983}`, i)
		case 2:
			m = fmt.Sprintf(`{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"line one\nline two\n%s"}],"isError":false,"timestamp":1796071528984}`, i-1, words)
		default:
			m = `{"role":"assistant","content":[{"type":"text","text":"` + words + `"}],"api":"openai-completions","provider":"fake","model":"fake-1","usage":{"input":11,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":18,"cost":{"input":0.000011,"output":0.000014,"cacheRead":0,"cacheWrite":0,"total":0.000024999999999999998}},"stopReason":"stop","timestamp":1796071528985}`
		}
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-11-30T20:45:28.985Z","message":%s}`+"\n", i, parent, m)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	ok(tb, w.Flush())
	ok(tb, f.Close())
	return s
}

// BenchmarkLoad is the first look at a session of 10,000 messages.
func BenchmarkLoad(b *testing.B) {
	r := newRig(b)
	s := long(b, r, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		r.restart()
		if n := len(r.history(b, s)); n != 10_000 {
			b.Fatalf("%d messages", n)
		}
	}
}

// BenchmarkTurn is what a turn costs here: open, history, three entries, the
// index entry, and the transcript on the disk.
func BenchmarkTurn(b *testing.B) {
	for _, c := range []struct {
		name         string
		history, par int
	}{{"new", 0, 1}, {"10000 messages", 10_000, 1}, {"100 sessions", 0, 50}} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b)
			if c.history > 0 {
				r.history(b, long(b, r, c.history))
			}
			var caller atomic.Int64
			b.SetParallelism(c.par)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				key := mainKey
				if n := caller.Add(1); n > 1 {
					key = id.AgentKey("main", fmt.Sprint("s", n))
				}
				for pb.Next() {
					if err := turn(b, r, key); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

func turn(b *testing.B, r *rig, key id.SessionKey) error {
	b.Helper()
	s, _, err := r.Open(b.Context(), key)
	if err != nil {
		return err
	}
	if _, err := r.History(b.Context(), s); err != nil {
		return err
	}
	if err := r.SetModel(b.Context(), s, llm.Model{Provider: "fake", ID: "fake-1"}, "off"); err != nil {
		return err
	}
	for _, m := range []llm.Message{user("a question"), says("an answer"), says("and more")} {
		if err := r.Append(b.Context(), s, m); err != nil {
			return err
		}
	}
	if _, err := r.Update(b.Context(), key, func(s *session.Session) error { s.InputTokens++; return nil }); err != nil {
		return err
	}
	return r.Sync(b.Context(), s.ID)
}
