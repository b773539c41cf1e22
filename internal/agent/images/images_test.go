package images_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/images"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/picture"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// shot is a picture of that size; n makes it differ from others.
func shot(t *testing.T, w, h, n int) llm.Block {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	m.SetGray(0, 0, color.Gray{uint8(n)})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: b.Bytes()}
}

func user(c ...llm.Block) llm.Message { return llm.Message{Role: llm.User, Content: c} }

// pictures counts what is left of them, and the notes in their place.
func pictures(ms []llm.Message) (left, notes int) {
	for _, m := range ms {
		for _, b := range m.Content {
			switch {
			case b.Type == llm.ImageBlock:
				left++
			case strings.HasPrefix(b.Text, "[An"):
				notes++
			}
		}
	}
	return left, notes
}

func TestMessage(t *testing.T) {
	t.Parallel()
	var k images.Keeper
	fine, large := shot(t, 40, 30, 1), shot(t, 4000, 100, 1)
	wrong := fine
	wrong.MIME = "image/jpeg"
	in := user(llm.Text("look"), fine, large, wrong, llm.Block{Type: llm.ImageBlock, MIME: "image/heic", Data: []byte("????ftypheic")})
	before := user(in.Content...)
	before.Content = append(llm.Content{}, in.Content...)
	out := k.Message(in, 0)
	if d := cmp.Diff(before, in); d != "" {
		t.Errorf("the message itself was changed:\n%s", d)
	}
	if !bytes.Equal(out.Content[1].Data, fine.Data) || out.Content[3].MIME != "image/png" {
		t.Errorf("a picture that is fine: %s, one of a wrong name: %s", out.Content[1].MIME, out.Content[3].MIME)
	}
	if i, err := picture.Look(out.Content[2].Data); err != nil || i.Width != 2000 || out.Content[2].MIME != "image/jpeg" {
		t.Errorf("a wide picture: %d pixels of %s, %v", i.Width, out.Content[2].MIME, err)
	}
	if b := out.Content[4]; b.Type != llm.TextBlock || b.Text != "[An image can't be shown: it is neither JPEG, PNG, GIF nor WebP.]" {
		t.Errorf("a picture of another kind: %+v", b)
	}
	if again := k.Message(in, 0); !bytes.Equal(again.Content[2].Data, out.Content[2].Data) {
		t.Error("the same picture came out differently")
	}
	if again := k.Message(out, 0); &again.Content[0] != &out.Content[0] {
		t.Error("what was fine was copied")
	}
}

// TestCaps: of too many pictures the oldest go, several at a time.
func TestCaps(t *testing.T) {
	t.Parallel()
	var k images.Keeper
	for n, want := range map[int]int{1: 0, 20: 0, 21: 5, 25: 5, 26: 10, 120: 100} {
		var ms []llm.Message
		for i := range n {
			ms = append(ms, user(llm.Text("look"), shot(t, 8, 8, i)), llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text("ok")}})
		}
		out := k.Messages(ms, 0)
		left, notes := pictures(out)
		if left != n-want || notes != want {
			t.Errorf("of %d pictures %d are left and %d noted, want %d and %d", n, left, notes, n-want, want)
		}
		if l, _ := pictures(ms); l != n {
			t.Error("the history itself was changed")
		}
		if want > 0 && out[0].Content[1].Type != llm.TextBlock || out[len(out)-2].Content[1].Type != llm.ImageBlock {
			t.Error("not the oldest went")
		}
	}
	// One message that holds more than a request may.
	var c llm.Content
	for i := range 50 {
		c = append(c, shot(t, 8, 8, i))
	}
	if left, notes := pictures(k.Messages([]llm.Message{user(c...)}, 0)); left != 20 || notes != 30 {
		t.Errorf("in one message %d are left and %d noted", left, notes)
	}
	// Large ones are counted by their bytes.
	var big []llm.Message
	for i := range 8 {
		b := shot(t, 8, 8, i)
		b.Data = append(b.Data, make([]byte, 3<<20)...) // after its end
		big = append(big, user(b))
	}
	if left, _ := pictures(k.Messages(big, 0)); left != 3 {
		t.Errorf("of eight pictures of 3 MiB %d are left, want 3", left)
	}
}

func answers(err error) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if err != nil {
			yield(llm.Event{}, err)
			return
		}
		yield(llm.Event{Type: llm.Done}, nil)
	}
}

// TestBlamed: a request that a service refuses for its pictures is made once
// more without, and so are the later ones.
func TestBlamed(t *testing.T) {
	t.Parallel()
	var k images.Keeper
	ms := []llm.Message{user(shot(t, 8, 8, 1))}
	refusal := provider.Refused("op", "acme", 400, nil, []byte(`{"error":{"message":"Could not process image"}}`))
	var asked []int
	ask := func(ms []llm.Message) iter.Seq2[llm.Event, error] {
		left, _ := pictures(ms)
		asked = append(asked, left)
		if left > 0 {
			return answers(refusal)
		}
		return answers(nil)
	}
	for range 2 {
		for _, err := range k.Ask(ms, 0, ask) {
			if err != nil {
				t.Errorf("error %v", err)
			}
		}
	}
	if d := cmp.Diff([]int{1, 0, 0}, asked); d != "" {
		t.Errorf("pictures in the requests (-want +got):\n%s", d)
	}
	// Another refusal, and one without pictures, come through.
	for _, tt := range []struct {
		ms  []llm.Message
		err error
	}{
		{[]llm.Message{user(shot(t, 8, 8, 2))}, provider.Refused("op", "acme", 429, nil, nil)},
		{[]llm.Message{user(llm.Text("x"))}, refusal},
	} {
		n := 0
		for _, err := range k.Ask(tt.ms, 0, func([]llm.Message) iter.Seq2[llm.Event, error] { n++; return answers(tt.err) }) {
			if err == nil {
				t.Error("no error")
			}
		}
		if n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var k images.Keeper
	large := user(shot(t, 2400, 50, 1))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if left, _ := pictures(k.Messages([]llm.Message{large}, 0)); left != 1 {
				t.Error("the picture went")
			}
		})
	}
	wg.Wait()
}
