package scripted_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/scripted"
)

func TestScript(t *testing.T) {
	t.Parallel()
	p, err := scripted.Kind().New(nil, provider.Config{Raw: json.RawMessage(`{"answers":[{"text":"one two"}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	s, ok := p.(*scripted.Provider)
	if !ok {
		t.Fatalf("New = %T", p)
	}
	s.Add(
		scripted.Answer{Thinking: "hm", Calls: []llm.Call{{Name: "ls"}}},
		scripted.Answer{Text: "half", Err: fault.New(fault.RateLimited, "test", "slow down")},
		scripted.Answer{From: func(r llm.Request) scripted.Answer { return scripted.Answer{Text: "asked by " + r.Session} }},
	)
	ask := func() providertest.Outcome {
		return providertest.Collect(t.Context(), t, p, llm.Request{Model: llm.Model{Provider: "x", ID: "y"}, Session: "me"})
	}
	if o := ask(); o.Text != "one two" || o.Message.Text() != "one two" || o.Message.Stop != llm.StopEnd {
		t.Errorf("first: %+v", o)
	}
	if o := ask(); len(o.Message.Calls()) != 1 || o.Message.Stop != llm.StopTool || o.Thinking != "hm" {
		t.Errorf("second: %+v", o)
	}
	if o := ask(); o.Text != "half" || fault.KindOf(o.Err) != fault.RateLimited {
		t.Errorf("third: %+v", o)
	}
	if o := ask(); o.Text != "asked by me" {
		t.Errorf("fourth: %+v", o)
	}
	if o := ask(); fault.KindOf(o.Err) != fault.Invalid {
		t.Errorf("after the last: %+v", o)
	}
	if n := len(s.Asked()); n != 5 || s.Left() != 0 {
		t.Errorf("asked %d times, %d left", n, s.Left())
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	for e, err := range scripted.New(scripted.Answer{Text: "wait", Stall: true}).Stream(ctx, llm.Request{}) {
		if e.Delta == "wait" {
			cancel()
			continue
		}
		if fault.KindOf(err) != fault.Canceled {
			t.Errorf("after the stop: %+v, %v", e, err)
		}
	}
	cancel()
}
