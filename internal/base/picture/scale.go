package picture

import (
	"image"
	"image/draw"
)

// scaled returns src with its longer side at most side. Each pixel is the mean
// of those that it stands for; the source is gone through row by row, since a
// second copy of a large one may not fit into memory.
func scaled(src image.Image, side int) *image.RGBA {
	b := src.Bounds()
	w, h := size(b.Dx(), b.Dy(), side)
	if w == b.Dx() && h == b.Dy() {
		out := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(out, out.Bounds(), src, b.Min, draw.Src)
		return out
	}
	s := &scaler{
		out: image.NewRGBA(image.Rect(0, 0, w, h)), row: image.NewRGBA(image.Rect(0, 0, b.Dx(), 1)),
		across: spans(b.Dx(), w), line: make([]float32, 4*w), sum: make([]float32, 4*w),
	}
	down := spans(b.Dy(), h)
	at := 0
	for y, d := range down {
		draw.Draw(s.row, s.row.Bounds(), src, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		s.squeeze()
		if d.at != at { // the line before was the last of its pixel row
			s.flush(at)
			at = d.at
		}
		s.add(d.here)
		if d.next > 0 {
			s.flush(at)
			at++
			s.add(d.next)
		}
	}
	if at < h {
		s.flush(at)
	}
	return s.out
}

func size(w, h, side int) (int, int) {
	long := max(w, h)
	if long <= side {
		return w, h
	}
	return max(1, w*side/long), max(1, h*side/long)
}

// span says which pixel of the result one of the source belongs to, and how
// much of that one it makes up, there and in the next.
type span struct {
	at         int
	here, next float32
}

func spans(from, to int) []span {
	out := make([]span, from)
	r := float64(to) / float64(from)
	for i := range out {
		lo, hi := float64(i)*r, float64(i+1)*r
		at := min(int(lo), to-1)
		edge := float64(at + 1)
		out[i] = span{at: at, here: float32(min(hi, edge) - lo)}
		if rest := hi - edge; rest > 1e-9 && at+1 < to {
			out[i].next = float32(rest)
		}
	}
	return out
}

type scaler struct {
	out    *image.RGBA
	row    *image.RGBA // one row of the source
	across []span
	line   []float32 // that row at the result's width
	sum    []float32 // the row of the result that is being made
}

func (s *scaler) squeeze() {
	clear(s.line)
	for x, a := range s.across {
		p := s.row.Pix[4*x : 4*x+4 : 4*x+4]
		l := s.line[4*a.at : 4*a.at+4 : 4*a.at+4]
		for c := range 4 {
			l[c] += float32(p[c]) * a.here
		}
		if a.next > 0 {
			l = s.line[4*a.at+4 : 4*a.at+8 : 4*a.at+8]
			for c := range 4 {
				l[c] += float32(p[c]) * a.next
			}
		}
	}
}

func (s *scaler) add(weight float32) {
	for i, v := range s.line {
		s.sum[i] += v * weight
	}
}

func (s *scaler) flush(y int) {
	row := s.out.Pix[y*s.out.Stride:]
	for i, v := range s.sum {
		row[i] = uint8(min(v+0.5, 255))
	}
	clear(s.sum)
}

// onWhite takes the transparency out.
func onWhite(m *image.RGBA) {
	for i := 0; i+3 < len(m.Pix); i += 4 {
		rest := 255 - m.Pix[i+3] // colours are premultiplied
		for c := range 3 {
			m.Pix[i+c] += rest
		}
		m.Pix[i+3] = 255
	}
}

// turned returns m the right way up; turn is EXIF's orientation.
func turned(m *image.RGBA, turn int) *image.RGBA {
	if turn < 2 || turn > 8 {
		return m
	}
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	ow, oh := w, h
	if turn >= 5 {
		ow, oh = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, ow, oh))
	for y := range h {
		for x := range w {
			tx, ty := place(turn, x, y, w, h)
			copy(out.Pix[ty*out.Stride+4*tx:], m.Pix[y*m.Stride+4*x:y*m.Stride+4*x+4])
		}
	}
	return out
}

// place is where the pixel at x, y of a picture of w by h comes to be.
func place(turn, x, y, w, h int) (int, int) {
	switch turn {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	}
	return y, w - 1 - x // 8
}
