// Package images decides which pictures of a conversation go to a model, and
// how large. A picture that a service refuses would otherwise fail every later
// request of its session, since it stays in the history: so each is brought to
// what services take, a request holds only so many, and those that a service
// has blamed go no more. What is left out is said in words.
package images

import (
	"errors"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/picture"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// The caps of one request: the least that any of the services takes.
const (
	maxCount = 20
	maxBytes = 15 << 20 // in base64
	maxSide  = 2000     // pixels
	// step is how many are left out at a time, so that the beginning of the
	// conversation, which services cache, doesn't change with every picture.
	step = 5

	maxKept    = 32 // results of shrinking that are remembered
	maxRefused = 1024
)

// What stands in for a picture.
const (
	older   = "[An older image was left out: the conversation holds more than a request may.]"
	refused = "[An image was left out: the service refused it.]"
)

// Keeper brings pictures to a model's measure and remembers what it did. Its
// zero value is ready.
type Keeper struct {
	one sync.Mutex // one picture at a time: decoding takes much memory

	mu      sync.Mutex
	seed    maphash.Seed
	kept    map[result]llm.Block
	order   []result // of kept, the oldest first
	refused map[uint64]bool
}

// result names what became of a picture: its hash, and the side it was asked for.
type result struct {
	picture uint64
	side    int
}

// Message returns m with its pictures such as a model can get them, as it is
// to be stored. Side is the longest in pixels; 0 and what is more than services
// take are 2000.
func (k *Keeper) Message(m llm.Message, side int) llm.Message {
	m.Content = k.content(m.Content, side)
	return m
}

// Messages returns ms as they go to a model in one request: pictures at its
// measure and not too many, the newest first. ms itself isn't changed.
func (k *Keeper) Messages(ms []llm.Message, side int) []llm.Message {
	if !slices.ContainsFunc(ms, pictured) {
		return ms
	}
	out := slices.Clone(ms)
	var sizes []int
	for i := range out {
		out[i].Content = k.content(out[i].Content, side)
		for j := range out[i].Content {
			if b := &out[i].Content[j]; b.Type == llm.ImageBlock {
				sizes = append(sizes, picture.Encoded(len(b.Data)))
			}
		}
	}
	drop := surplus(sizes)
	for i := 0; i < len(out) && drop > 0; i++ {
		if !pictured(out[i]) {
			continue
		}
		c := slices.Clone(out[i].Content)
		for j := range c {
			if c[j].Type == llm.ImageBlock && drop > 0 {
				c[j] = llm.Text(older)
				drop--
			}
		}
		out[i].Content = c
	}
	return out
}

func pictured(m llm.Message) bool {
	return slices.ContainsFunc(m.Content, func(b llm.Block) bool { return b.Type == llm.ImageBlock })
}

// surplus is how many of the oldest go.
func surplus(sizes []int) int {
	total := 0
	for _, n := range sizes {
		total += n
	}
	n := 0
	for n < len(sizes) && (len(sizes)-n > maxCount || total > maxBytes) {
		total -= sizes[n]
		n++
	}
	n = (n + step - 1) / step * step
	return max(min(n, len(sizes)-1), 0)
}

// content returns c with its pictures brought to measure.
func (k *Keeper) content(c llm.Content, side int) llm.Content {
	changed := false
	for i := range c {
		if c[i].Type != llm.ImageBlock {
			continue
		}
		b := k.block(c[i], side)
		if b.Type == llm.ImageBlock && len(b.Data) == len(c[i].Data) && b.MIME == c[i].MIME {
			continue
		}
		if !changed {
			c, changed = slices.Clone(c), true
		}
		c[i] = b
	}
	return c
}

// block brings one picture to measure.
func (k *Keeper) block(b llm.Block, side int) llm.Block {
	limits := picture.Limits{Side: min(side, maxSide)}
	key := k.key(b.Data)
	k.mu.Lock()
	r, known := k.kept[result{key, side}]
	bad := k.refused[key]
	k.mu.Unlock()
	if bad {
		return llm.Text(refused)
	}
	if kind, ok := picture.Ready(b.Data, limits); ok {
		b.MIME = kind
		return b
	}
	if known {
		return r
	}
	k.one.Lock()
	data, kind, err := picture.Fit(b.Data, limits)
	k.one.Unlock()
	if err != nil {
		why := strings.TrimPrefix(err.Error(), picture.ErrUnusable.Error()+": ")
		b = llm.Text("[An image can't be shown: " + why + ".]")
	} else {
		b.Data, b.MIME = data, kind
	}
	k.keep(result{key, side}, b)
	return b
}

func (k *Keeper) key(data []byte) uint64 {
	k.mu.Lock()
	if k.kept == nil {
		k.seed, k.kept, k.refused = maphash.MakeSeed(), map[result]llm.Block{}, map[uint64]bool{}
	}
	seed := k.seed
	k.mu.Unlock()
	return maphash.Bytes(seed, data)
}

func (k *Keeper) keep(key result, b llm.Block) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.kept[key]; ok {
		return
	}
	if len(k.order) >= maxKept {
		delete(k.kept, k.order[0])
		k.order = k.order[1:]
	}
	k.kept[key] = b
	k.order = append(k.order, key)
}

// refuse leaves the pictures of ms out from now on.
func (k *Keeper) refuse(ms []llm.Message) {
	var keys []uint64
	for i := range ms {
		for j := range ms[i].Content {
			if b := &ms[i].Content[j]; b.Type == llm.ImageBlock {
				keys = append(keys, k.key(b.Data))
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.refused)+len(keys) > maxRefused {
		clear(k.refused)
	}
	for _, key := range keys {
		k.refused[key] = true
	}
}

// Ask asks with the pictures of ms at their measure. When the service blames
// one of them, it is asked once more without any: the same request would be
// refused for ever.
func (k *Keeper) Ask(ms []llm.Message, side int, ask func([]llm.Message) iter.Seq2[llm.Event, error]) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		sent := k.Messages(ms, side)
		begun := false
		for e, err := range ask(sent) {
			if err != nil && !begun && blamed(err) && slices.ContainsFunc(sent, pictured) {
				k.refuse(sent)
				ask(k.Messages(sent, side))(yield)
				return
			}
			begun = true
			if !yield(e, err) {
				return
			}
		}
	}
}

// blamed tells whether err is a service's refusal of a picture.
func blamed(err error) bool {
	f, ok := errors.AsType[*provider.Failure](err)
	return ok && f.Reason == provider.ReasonFormat && f.Status >= 400 && strings.Contains(strings.ToLower(f.Message+f.Code), "image")
}
