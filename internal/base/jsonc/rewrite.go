package jsonc

import (
	"fmt"
	"sort"
)

// Rewrite returns the source of d changed to hold root. What root shares with
// d.Root, or holds unchanged, stays byte for byte; comments stay, except those
// on the same line as a value that is taken out.
func Rewrite(d *Document, root *Node) ([]byte, error) {
	r := &rewriter{doc: d}
	r.value(d.Root, root, true)
	out := r.apply()
	check, err := Parse(d.Name, out)
	if err == nil && Equal(check.Root, root) {
		return out, nil
	}
	// Never hand out a source that holds something else: give up the layout.
	w := writer{style: d.style}
	w.value(root, "", true)
	out = append(append(append([]byte{}, d.Source[:d.Root.Start]...), w.buf...), d.Source[d.Root.End:]...)
	if check, err = Parse(d.Name, out); err != nil || !Equal(check.Root, root) {
		return nil, fmt.Errorf("jsonc: the value can't be written into %q", d.Name)
	}
	return out, nil
}

type edit struct {
	start, end int
	text       string
}

type rewriter struct {
	doc   *Document
	edits []edit
}

func (r *rewriter) replace(start, end int, text string) {
	r.edits = append(r.edits, edit{start, end, text})
}

func (r *rewriter) apply() []byte {
	sort.SliceStable(r.edits, func(i, j int) bool { return r.edits[i].start < r.edits[j].start })
	out := make([]byte, 0, len(r.doc.Source)+256)
	at := 0
	for _, e := range r.edits {
		if e.start > at {
			out = append(out, r.doc.Source[at:e.start]...)
			at = e.start
		}
		out = append(out, e.text...)
		at = max(at, e.end)
	}
	return append(out, r.doc.Source[at:]...)
}

// value writes what it takes to turn old into want. roomy tells whether the
// place is laid out over several lines.
func (r *rewriter) value(old, want *Node, roomy bool) {
	switch {
	case Equal(old, want):
	case old.Kind == Object && want.Kind == Object:
		r.object(old, want, roomy)
	case old.Kind == Array && want.Kind == Array:
		r.array(old, want, roomy)
	default:
		r.whole(old, want, roomy)
	}
}

// whole replaces the text of old.
func (r *rewriter) whole(old, want *Node, roomy bool) {
	if old.Kind == Object || old.Kind == Array {
		if len(old.Members)+len(old.Items) > 0 {
			roomy = r.doc.multiline(old)
		}
	}
	indent, _ := r.doc.leading(old.Start)
	w := writer{style: r.doc.style}
	w.value(want, indent, roomy)
	r.replace(old.Start, old.End, string(w.buf))
}

// slot is one element of a container: a member or an item.
type slot struct {
	start, end int // from key to value
	comma      int // offset of the comma behind it, or -1
	old, want  *Node
	gone       bool
}

// addition is an element that the container lacks.
type addition struct {
	after int // index of the slot it comes after, -1 for the front
	write func(w *writer, indent string, multiline bool)
}

func (r *rewriter) object(old, want *Node, roomy bool) {
	slots := make([]slot, len(old.Members))
	counts := map[string]int{}
	for i, m := range old.Members {
		counts[m.Key] = i
	}
	last, values := -1, want.Index()
	for i, m := range old.Members {
		slots[i] = slot{start: m.Start, end: m.Value.End, old: m.Value, want: m.Value}
		if now := values[m.Key]; now == nil {
			slots[i].gone = true
			continue
		} else if counts[m.Key] == i {
			slots[i].want = now
		}
		last = i
	}
	var adds []addition
	for _, m := range want.Unique() {
		if _, had := counts[m.Key]; !had {
			adds = append(adds, addition{last, func(w *writer, indent string, multiline bool) {
				w.member(m, indent, multiline)
			}})
		}
	}
	r.container(old, want, slots, adds, roomy)
}

func (r *rewriter) array(old, want *Node, roomy bool) {
	a, b := old.Items, want.Items
	head := 0
	for head < len(a) && head < len(b) && Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	paired := min(len(a), len(b)) - head - tail
	slots := make([]slot, len(a))
	last := head + paired - 1
	for i, v := range a {
		slots[i] = slot{start: v.Start, end: v.End, old: v, want: v}
		switch {
		case i >= head && i < head+paired:
			slots[i].want = b[i]
		case i >= head+paired && i < len(a)-tail:
			slots[i].gone = true
		}
	}
	var adds []addition
	for _, v := range b[min(head+paired, len(b)-tail) : len(b)-tail] {
		adds = append(adds, addition{last, func(w *writer, indent string, multiline bool) {
			w.value(v, indent, multiline)
		}})
	}
	r.container(old, want, slots, adds, roomy)
}
