package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/picture"
)

// halves is red on the left and blue on the right, with a green top row.
func halves(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 0, 0, 255}
			if x >= w/2 {
				c = color.RGBA{0, 0, 255, 255}
			}
			if y < h/4 {
				c = color.RGBA{0, 255, 0, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func noise(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, m image.Image, turn int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	if turn == 0 {
		return b.Bytes()
	}
	tiff := []byte("MM\x00*\x00\x00\x00\x08\x00\x02\x01\x0f\x00\x02\x00\x00\x00\x01\x00\x00\x00\x00\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	tiff = append(tiff, byte(turn), 0, 0, 0, 0, 0, 0)
	exif := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
	return append(append(out, exif...), b.Bytes()[2:]...)
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(a color.Color, r, g, b uint32) bool {
	x, y, z, _ := a.RGBA()
	d := func(a, b uint32) bool { return max(a, b)-min(a, b) < 0x3000 }
	return d(x, r) && d(y, g) && d(z, b)
}

func TestFit(t *testing.T) {
	t.Parallel()
	clear := image.NewNRGBA(image.Rect(0, 0, 3000, 100))
	small := asPNG(t, halves(40, 30))
	var anim bytes.Buffer
	if err := gif.Encode(&anim, halves(2500, 20), nil); err != nil {
		t.Fatal(err)
	}
	webp, err := os.ReadFile("testdata/wide.webp")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		data []byte
		lim  picture.Limits
		w, h int
		kind string
		same bool
	}{
		"as it is":       {small, picture.Limits{}, 40, 30, "image/png", true},
		"wide":           {asPNG(t, halves(4000, 3000)), picture.Limits{}, 2000, 1500, "image/jpeg", false},
		"tall":           {asJPEG(t, halves(300, 2400), 0), picture.Limits{}, 250, 2000, "image/jpeg", false},
		"a line":         {asPNG(t, halves(5000, 1)), picture.Limits{}, 2000, 1, "image/jpeg", false},
		"see-through":    {asPNG(t, clear), picture.Limits{}, 2000, 66, "image/png", false},
		"GIF":            {anim.Bytes(), picture.Limits{}, 2000, 16, "image/jpeg", false},
		"WebP":           {webp, picture.Limits{Side: 20}, 20, 10, "image/png", false},
		"WebP as it is":  {webp, picture.Limits{}, 40, 20, "image/webp", true},
		"too many bytes": {asPNG(t, noise(600, 400)), picture.Limits{Bytes: 120_000}, 600, 400, "image/jpeg", false},
		"smaller, too":   {asPNG(t, noise(800, 400)), picture.Limits{Bytes: 60_000}, 640, 320, "image/jpeg", false},
		"turned":         {asJPEG(t, halves(300, 200), 6), picture.Limits{}, 200, 300, "image/jpeg", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, kind, err := picture.Fit(tt.data, tt.lim)
			if err != nil {
				t.Fatal(err)
			}
			i, err := picture.Look(out)
			if err != nil || i.Width != tt.w || i.Height != tt.h || kind != tt.kind || i.MIME != kind || bytes.Equal(out, tt.data) != tt.same {
				t.Errorf("%d x %d %s (%s), unchanged %v, %v; want %d x %d %s", i.Width, i.Height, kind, i.MIME, bytes.Equal(out, tt.data), err, tt.w, tt.h, tt.kind)
			}
			if got, ok := picture.Ready(out, tt.lim); !ok || got != kind {
				t.Errorf("it still doesn't keep to the limits: %d bytes, %s", len(out), got)
			}
		})
	}
}

// TestColours: what was where stays there.
func TestColours(t *testing.T) {
	t.Parallel()
	out, _, err := picture.Fit(asPNG(t, halves(3000, 1503)), picture.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := decoded(t, out)
	if b := m.Bounds(); !near(m.At(b.Dx()/4, b.Dy()/2), 0xffff, 0, 0) || !near(m.At(b.Dx()*3/4, b.Dy()-1), 0, 0, 0xffff) || !near(m.At(10, 10), 0, 0xffff, 0) {
		t.Errorf("left %v, right %v, top %v", m.At(b.Dx()/4, b.Dy()/2), m.At(b.Dx()*3/4, b.Dy()-1), m.At(10, 10))
	}
}

// TestUpright: each of EXIF's orientations comes out with the green side where
// it belongs and without the note.
func TestUpright(t *testing.T) {
	t.Parallel()
	for turn, green := range map[int]image.Point{ // a point on the side that is green then
		2: {60, 2}, 3: {60, 77}, 4: {60, 77}, 5: {2, 60}, 6: {77, 60}, 7: {77, 60}, 8: {2, 60},
	} {
		out, _, err := picture.Fit(asJPEG(t, halves(120, 80), turn), picture.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if c := decoded(t, out).At(green.X, green.Y); !near(c, 0, 0xffff, 0) {
			t.Errorf("orientation %d: %v at %v, want green", turn, c, green)
		}
		if i, err := picture.Look(out); err != nil || i.Turn != 1 {
			t.Errorf("orientation %d: still %d, %v", turn, i.Turn, err)
		}
	}
}

// TestRefused: what can't be decoded, and what would take all memory.
func TestRefused(t *testing.T) {
	t.Parallel()
	bomb := asPNG(t, image.NewGray(image.Rect(0, 0, 8, 8)))
	binary.BigEndian.PutUint32(bomb[16:], 60_000) // the width in its head
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crcOf(bomb[12:29]))
	scans := asJPEG(t, halves(3000, 16), 0)
	scans = append(scans, bytes.Repeat([]byte{0xff, 0xda}, 200)...)
	long := asPNG(t, halves(3000, 16))
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "a bomb": bomb, "many scans": scans, "half": long[:len(long)/2],
		"only a head": []byte("\x89PNG\r\n\x1a\n"), "HEIC": []byte("\x00\x00\x00\x18ftypheic"),
	} {
		if _, _, err := picture.Fit(data, picture.Limits{}); !errors.Is(err, picture.ErrUnusable) {
			t.Errorf("%s: %v, want ErrUnusable", name, err)
		}
	}
}

func crcOf(b []byte) uint32 {
	const poly = 0xedb88320
	c := ^uint32(0)
	for _, x := range b {
		c ^= uint32(x)
		for range 8 {
			c = c>>1 ^ poly&-(c&1)
		}
	}
	return ^c
}

func FuzzFit(f *testing.F) {
	f.Add(asJPEG(f, halves(20, 10), 6))
	f.Add(asPNG(f, halves(20, 10)))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if i, err := picture.Look(data); err == nil && i.Width*i.Height > 1<<20 {
			return // allowed, and slow
		}
		l := picture.Limits{Side: 16, Bytes: 4000}
		out, _, err := picture.Fit(data, l)
		if err != nil {
			if !errors.Is(err, picture.ErrUnusable) {
				t.Fatal(err)
			}
			return
		}
		if _, ok := picture.Ready(out, l); !ok {
			t.Fatalf("%d bytes don't keep to the limits", len(out))
		}
	})
}

func BenchmarkFit(b *testing.B) {
	data := asJPEG(b, halves(4000, 3000), 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := picture.Fit(data, picture.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
