package jsonc

// container edits an object or an array: its slots in order, some of them
// gone or changed, and the additions, which all come after the same slot.
func (r *rewriter) container(old, want *Node, slots []slot, adds []addition, roomy bool) {
	kept := -1
	for i := range slots {
		slots[i].comma = r.comma(slots[i].end)
		if !slots[i].gone {
			kept = i
		}
	}
	if kept < 0 && (len(slots) > 0 || len(adds) == 0) {
		r.whole(old, want, roomy)
		return
	}
	if len(slots) > 0 {
		roomy = r.ownLines(old, slots[0].start)
	}
	if kept < 0 {
		r.fill(old, want, adds, roomy)
		return
	}
	trailing := slots[len(slots)-1].comma >= 0
	floor := old.Start + 1
	for i, s := range slots {
		if s.gone {
			floor = r.remove(s, floor, old.End)
			continue
		}
		r.value(s.old, s.want, r.doc.multiline(old))
		floor = max(s.end, s.comma+1)
		if i == kept && !trailing && s.comma >= 0 && (len(adds) == 0 || adds[0].after < kept) {
			r.replace(s.comma, s.comma+1, "")
		}
	}
	if len(adds) > 0 {
		r.insert(slots, adds, kept, roomy, trailing)
	}
}

// ownLines reports whether the element at offset first stands on its own line.
func (r *rewriter) ownLines(old *Node, first int) bool {
	_, alone := r.doc.leading(first)
	return alone && r.doc.multiline(old)
}

// remove takes a slot out and returns where it ended. Alone on its lines, they
// go with it; otherwise its text and the spaces on one side go.
func (r *rewriter) remove(s slot, floor, limit int) int {
	end := max(s.end, s.comma+1)
	indent, alone := r.doc.leading(s.start)
	if alone {
		lineStart := s.start - len(indent)
		if eol, clear := r.restOfLine(end); clear && eol < limit && lineStart >= floor {
			r.replace(lineStart, eol, "")
			return eol
		}
	}
	start := s.start
	if s.comma >= 0 {
		for end < limit && (r.doc.Source[end] == ' ' || r.doc.Source[end] == '\t') {
			end++
		}
		r.replace(start, end, "")
		return end
	}
	for start > floor && (r.doc.Source[start-1] == ' ' || r.doc.Source[start-1] == '\t') && !alone {
		start--
	}
	r.replace(start, end, "")
	return end
}

// restOfLine returns the offset behind the newline that ends the line, and
// whether only white space and comments stand before it.
func (r *rewriter) restOfLine(at int) (end int, clear bool) {
	src := r.doc.Source
	for at < len(src) {
		switch {
		case src[at] == '\n':
			return at + 1, true
		case src[at] == ' ' || src[at] == '\t' || src[at] == '\r':
			at++
		case src[at] == '/' && at+1 < len(src):
			next := r.skipComment(at)
			if src[at+1] == '*' && containsNewline(src[at:next]) {
				return at, false
			}
			at = next
		default:
			return at, false
		}
	}
	return at, false
}

func containsNewline(b []byte) bool {
	for _, c := range b {
		if c == '\n' {
			return true
		}
	}
	return false
}

func (r *rewriter) skipComment(at int) int {
	p := &parser{doc: r.doc, src: r.doc.Source, off: at}
	p.comment()
	return p.off
}

// comma returns the offset of the comma that follows, or -1.
func (r *rewriter) comma(at int) int {
	p := &parser{doc: r.doc, src: r.doc.Source, off: at}
	p.space()
	if c, _ := p.peek(); c == ',' {
		return p.off
	}
	return -1
}

// insert writes the additions after their slot.
func (r *rewriter) insert(slots []slot, adds []addition, kept int, roomy, trailing bool) {
	after := adds[0].after
	if after < 0 { // before the first kept element
		r.insertFront(slots, adds, roomy)
		return
	}
	s := slots[after]
	at := max(s.end, s.comma+1)
	w := writer{style: r.doc.style}
	indent, _ := r.doc.leading(s.start)
	if s.comma < 0 {
		r.replace(s.end, s.end, ",")
	}
	place := at
	if roomy {
		if eol, clear := r.restOfLine(at); clear {
			place = eol - 1
			if place > 0 && r.doc.Source[place-1] == '\r' {
				place--
			}
		}
	}
	for i, a := range adds {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if roomy {
			w.buf = append(append(w.buf, w.style.newline...), indent...)
		} else {
			w.buf = append(w.buf, ' ')
		}
		a.write(&w, indent, roomy)
	}
	if trailing || after < kept {
		w.buf = append(w.buf, ',')
	}
	r.replace(place, place, string(w.buf))
}

func (r *rewriter) insertFront(slots []slot, adds []addition, roomy bool) {
	at := slots[0].start
	for _, s := range slots {
		if !s.gone {
			at = s.start
			break
		}
	}
	indent, _ := r.doc.leading(at)
	w := writer{style: r.doc.style}
	for _, a := range adds {
		a.write(&w, indent, roomy)
		w.buf = append(w.buf, ',')
		if roomy {
			w.buf = append(append(w.buf, w.style.newline...), indent...)
		} else {
			w.buf = append(w.buf, ' ')
		}
	}
	r.replace(at, at, string(w.buf))
}

// fill writes the additions into a container without elements, keeping the
// comments in it.
func (r *rewriter) fill(old, want *Node, adds []addition, roomy bool) {
	inner := r.doc.Source[old.Start+1 : old.End-1]
	blank := true
	for _, c := range inner {
		blank = blank && (c == ' ' || c == '\t' || c == '\n' || c == '\r')
	}
	if blank {
		r.whole(old, want, roomy)
		return
	}
	indent, alone := r.doc.leading(old.End - 1)
	at := old.End - 1
	w := writer{style: r.doc.style}
	if alone {
		at -= len(indent)
	} else {
		w.buf = append(w.buf, w.style.newline...)
		indent, _ = r.doc.leading(old.Start)
	}
	for i, a := range adds {
		if i > 0 {
			w.buf = append(append(w.buf, ','), w.style.newline...)
		}
		deeper := indent + w.style.indent
		w.buf = append(w.buf, deeper...)
		a.write(&w, deeper, true)
	}
	w.buf = append(w.buf, w.style.newline...)
	if !alone {
		w.buf = append(w.buf, indent...)
	}
	r.replace(at, at, string(w.buf))
}
