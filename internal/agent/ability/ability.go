// Package ability finds out what a model at an endpoint can really do, by asking:
// whether it answers and streams, calls tools and understands their results,
// sees images, thinks, counts its tokens, and how much it takes in without
// forgetting the beginning. What a catalogue or the endpoint claims isn't asked.
package ability

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// Finding is what came of one check.
type Finding struct {
	Name    string
	OK      bool
	Skipped bool
	Detail  string // what was seen, in a few words
	Took    time.Duration
	Err     error
}

// Target is whom to ask.
type Target struct {
	Model    llm.Model
	Provider provider.Provider
	Timeout  time.Duration // of one check, 30 s when 0
	// Context is up to how many tokens the memory is tried; 0 tries a few
	// thousand only, which is what servers that cut silently often take.
	Context int
}

const (
	timeout  = 30 * time.Second
	smallest = 6_000 // tokens of the first try of the memory
	answer   = 1024  // tokens that a check's answer may have: thinking counts
)

// All runs the checks one after the other. The first that shows that nobody
// answers is also the last.
func All(ctx context.Context, t Target) []Finding {
	first := t.Text(ctx)
	out := []Finding{first}
	if !first.OK {
		for _, name := range []string{"stream", "tools", "results", "images", "thinking", "usage", "context"} {
			out = append(out, Finding{Name: name, Skipped: true})
		}
		return out
	}
	tools, results := t.Tools(ctx)
	return append(out, t.Stream(ctx), tools, results, t.Images(ctx), t.Thinking(ctx), t.usage(ctx), t.Memory(ctx))
}

// exchange is one question and what came of it.
type exchange struct {
	message  llm.Message
	deltas   int
	thinking bool
	first    time.Duration // until the first content
	took     time.Duration
	err      error
}

func (t Target) ask(ctx context.Context, req llm.Request) exchange {
	limit := t.Timeout
	if limit <= 0 {
		limit = timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req.Model = t.Model
	if req.MaxTokens == 0 {
		req.MaxTokens = answer
	}
	start := time.Now()
	var x exchange
	for e, err := range t.Provider.Stream(ctx, req) {
		switch {
		case err != nil:
			x.err = err
		case e.Type == llm.Done:
			x.message = e.Message
		default:
			if x.deltas++; x.deltas == 1 {
				x.first = time.Since(start)
			}
			x.thinking = x.thinking || e.Type == llm.ThinkingDelta
		}
	}
	x.took = time.Since(start)
	return x
}

func (x exchange) finding(name string, ok bool, detail string) Finding {
	f := Finding{Name: name, OK: ok && x.err == nil, Detail: detail, Took: x.took, Err: x.err}
	if x.err != nil {
		f.Detail = fault.Hint(x.err)
	}
	return f
}

func user(blocks ...llm.Block) llm.Message {
	return llm.Message{Role: llm.User, Content: blocks}
}

// Text asks for a word.
func (t Target) Text(ctx context.Context) Finding {
	x := t.ask(ctx, llm.Request{Messages: []llm.Message{user(llm.Text("Reply with the word OK and nothing else."))}})
	return x.finding("text", strings.TrimSpace(x.message.Text()) != "", "answered in "+x.took.Round(time.Millisecond).String())
}

// Stream looks whether a longer answer comes in pieces.
func (t Target) Stream(ctx context.Context) Finding {
	x := t.ask(ctx, llm.Request{Messages: []llm.Message{user(llm.Text("Count from 1 to 30 in digits, separated by spaces. Nothing else."))}})
	return x.finding("stream", x.deltas > 1, fmt.Sprintf("%d pieces, the first after %s", x.deltas, x.first.Round(time.Millisecond)))
}

func ping() llm.ToolSpec {
	return llm.ToolSpec{
		Name: "ping", Description: "Returns the code of the day.",
		Schema: json.RawMessage(`{"type":"object","properties":{"count":{"type":"integer","description":"How many times."}},"required":["count"]}`),
	}
}

// Tools looks whether the model calls a tool as its schema wants, and whether
// it understands what the tool returned.
func (t Target) Tools(ctx context.Context) (called, understood Finding) {
	ask := user(llm.Text("Call the ping tool with count 2. Then tell me the code that it returned."))
	x := t.ask(ctx, llm.Request{Messages: []llm.Message{ask}, Tools: []llm.ToolSpec{ping()}})
	understood = Finding{Name: "results", Skipped: true}
	calls := x.message.Calls()
	if len(calls) == 0 {
		return x.finding("tools", false, "no call came"), understood
	}
	var args struct {
		Count json.RawMessage `json:"count"`
	}
	fits := calls[0].Name == "ping" && json.Unmarshal(calls[0].Args, &args) == nil && string(args.Count) == "2"
	called = x.finding("tools", fits, "the call fits its schema")
	if !fits {
		called.Detail = "the call doesn't fit its schema"
		return called, understood
	}
	ms := []llm.Message{ask, x.message}
	for _, c := range calls {
		ms = append(ms, llm.Message{Role: llm.ToolRole, CallID: c.ID, ToolName: c.Name, Content: llm.Content{llm.Text("The code is HERON-42.")}})
	}
	y := t.ask(ctx, llm.Request{Messages: ms, Tools: []llm.ToolSpec{ping()}})
	ok := strings.Contains(strings.ToUpper(y.message.Text()), "HERON-42")
	understood = y.finding("results", ok, "the result is in the answer")
	if !ok && y.err == nil {
		understood.Detail = "the result isn't in the answer"
	}
	return called, understood
}

// Images shows a red picture and asks for its colour.
func (t Target) Images(ctx context.Context) Finding {
	t.Model.Input = []string{"text", "image"} // whatever is claimed
	x := t.ask(ctx, llm.Request{Messages: []llm.Message{user(
		llm.Text("What colour is this picture? Answer with one word."),
		llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: red()},
	)}})
	said := strings.ToLower(x.message.Text())
	ok := strings.Contains(said, "red") || strings.Contains(said, "rot") || strings.Contains(said, "红")
	f := x.finding("images", ok, "it sees them")
	if !ok && x.err == nil {
		f.Detail = "it doesn't see them, and doesn't say so"
	}
	return f
}

// red is a picture of one colour, large enough for services that refuse tiny
// ones.
func red() []byte {
	const side = 64
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		m.Set(i%side, i/side, color.RGBA{R: 220, A: 255})
	}
	var b bytes.Buffer
	if png.Encode(&b, m) != nil {
		return nil // can't be: it is in memory
	}
	return b.Bytes()
}

// Thinking looks whether the model can be made to think, and shows it.
func (t Target) Thinking(ctx context.Context) Finding {
	t.Model.Reasoning = true
	x := t.ask(ctx, llm.Request{
		Thinking: "low", MaxTokens: 4 * answer,
		Messages: []llm.Message{user(llm.Text("A bat and a ball cost 1.10 together; the bat costs 1 more than the ball. What does the ball cost?"))},
	})
	detail := "it thinks and shows it"
	if !x.thinking {
		detail = "it takes the request and shows no thoughts"
	}
	return x.finding("thinking", x.thinking, detail)
}

// usage looks whether the answer says what it took.
func (t Target) usage(ctx context.Context) Finding {
	x := t.ask(ctx, llm.Request{Messages: []llm.Message{user(llm.Text("Reply with the word OK and nothing else."))}})
	u := x.message.Usage
	if u == nil || u.Total == 0 {
		return x.finding("usage", false, "no usage is reported")
	}
	return x.finding("usage", true, fmt.Sprintf("%d tokens in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output))
}

// Memory puts a word at the beginning of an ever longer text and asks for it:
// some servers cut the beginning off and say nothing.
func (t Target) Memory(ctx context.Context) Finding {
	good := 0
	last := Finding{Name: "context"}
	for size := smallest; ; size *= 2 {
		if t.Context > 0 {
			size = min(size, t.Context)
		}
		x := t.ask(ctx, llm.Request{Messages: []llm.Message{user(llm.Text(long(size)))}})
		switch ok := strings.Contains(strings.ToUpper(x.message.Text()), "PELICAN"); {
		case ok:
			good = size
			if u := x.message.Usage; u != nil && u.Input+u.CacheRead+u.CacheWrite > 0 {
				good = int(u.Input + u.CacheRead + u.CacheWrite)
			}
			last = x.finding("context", true, fmt.Sprintf("%d tokens are kept", good))
		case x.err != nil && good > 0:
			last.Detail += fmt.Sprintf("; about %d are refused", size)
			return last
		case x.err != nil:
			return x.finding("context", false, "")
		default:
			last = x.finding("context", false, fmt.Sprintf("about %d tokens are cut at the beginning, silently; %d are kept", size, good))
			return last
		}
		if size >= t.Context {
			return last
		}
	}
}

// long is a text of about n tokens with the word at its beginning.
func long(n int) string {
	const line = "The tide comes in and the tide goes out again. " // 11 tokens
	var b strings.Builder
	b.WriteString("Remember this word: PELICAN.\n\n")
	for range n / 11 {
		b.WriteString(line)
	}
	b.WriteString("\n\nWhich word were you told to remember at the beginning? Answer with that word only.")
	return b.String()
}
