package agent_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/picture"
)

func wide(t *testing.T) llm.Block {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 5000, 100))); err != nil {
		t.Fatal(err)
	}
	return llm.Block{Type: llm.ImageBlock, MIME: "image/jpeg", Data: b.Bytes()}
}

// TestPictures: what a person sends reaches the model and the transcript at a
// size that no service refuses, and of too many the oldest become words.
func TestPictures(t *testing.T) {
	t.Parallel()
	r := newRig(t, step{text: "one"}, step{text: "two"})
	say := func(key string, n int) {
		var all []llm.Block
		for range n {
			all = append(all, wide(t))
		}
		if _, err := r.Run(t.Context(), agent.Request{
			Run: "run-1", Session: "agent:main:main", Owner: true, Inputs: []agent.Input{{Key: key, Text: "look", Images: all}},
		}, agent.Output{Fresh: func() {}, Delta: func(string) {}}); err != nil {
			t.Fatal(err)
		}
	}
	say("a", 1)
	say("b", 24)
	s, _, err := r.Sessions.Open(t.Context(), "agent:main:main")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := r.Sessions.History(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		ms              []llm.Message
		pictures, left  int
		firstIsAPicture bool
	}{
		"the first request":  {r.m.seen[0], 1, 0, true},
		"the second request": {r.m.seen[1], 20, 5, false},
		"the transcript":     {stored, 25, 0, true},
	} {
		n, notes := 0, 0
		for _, m := range tt.ms {
			for _, b := range m.Content {
				switch {
				case b.Type == llm.ImageBlock:
					n++
					if i, err := picture.Look(b.Data); err != nil || i.Width != 1200 || b.MIME != "image/jpeg" || i.MIME != b.MIME {
						t.Fatalf("%s: a picture of %d pixels, %s called %s, %v", name, i.Width, i.MIME, b.MIME, err)
					}
				case m.Role == llm.User && b.Text != "look":
					notes++
				}
			}
		}
		if n != tt.pictures || notes != tt.left || (tt.ms[0].Content[1].Type == llm.ImageBlock) != tt.firstIsAPicture {
			t.Errorf("%s: %d pictures and %d notes, want %d and %d", name, n, notes, tt.pictures, tt.left)
		}
	}
}
