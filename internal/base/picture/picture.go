// Package picture makes pictures fit for a model: of a type that models know,
// upright, at most so many pixels wide and so many bytes long. Pictures come
// from anybody, so what they claim of themselves is looked at before they are
// decoded.
//
// Start at [Fit]. The scaling is in scale.go, the way up in exif.go.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
)

// Limits are what a picture must keep to; zero fields take the defaults.
type Limits struct {
	Side  int // pixels of the longer side; default 2000
	Bytes int // as they are sent, in base64; default 5 MiB
}

const (
	defaultSide  = 2000
	defaultBytes = 5 << 20
	maxFile      = 64 << 20  // bytes of what is decoded
	maxMemory    = 256 << 20 // bytes of the decoded pixels
	coefficients = 9         // bytes that a pixel of a progressive JPEG takes
	maxScans     = 100       // of a JPEG
	smallest     = 320       // pixels of the longer side, below which nothing is to be seen
)

// ErrUnusable is in the chain of an error about a picture that no model can
// get; the error's text says why, fit for the model.
var ErrUnusable = errors.New("unusable picture")

func unusable(why string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnusable, fmt.Sprintf(why, args...))
}

// qualities of JPEG, tried in this order.
func qualities() []int { return []int{85, 75, 65, 55, 45, 35} }

// Info is what a picture says of itself.
type Info struct {
	MIME          string
	Width, Height int
	Turn          int // EXIF's orientation: 1 is upright
	memory        int64
}

// Look reads the head of a picture.
func Look(data []byte) (Info, error) {
	i := Info{MIME: kind(data), Turn: 1}
	var cfg image.Config
	var err error
	perPixel := int64(0)
	switch i.MIME {
	case "image/jpeg":
		cfg, err = jpeg.DecodeConfig(bytes.NewReader(data))
		i.Turn = orientation(data)
		if progressive(data) {
			perPixel = coefficients
		}
	case "image/png":
		cfg, err = png.DecodeConfig(bytes.NewReader(data))
	case "image/gif":
		cfg, err = gif.DecodeConfig(bytes.NewReader(data))
	case "image/webp":
		cfg, err = webp.DecodeConfig(bytes.NewReader(data))
	default:
		return i, unusable("it is neither JPEG, PNG, GIF nor WebP")
	}
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return i, unusable("it is damaged")
	}
	i.Width, i.Height = cfg.Width, cfg.Height
	i.memory = int64(cfg.Width) * int64(cfg.Height) * max(perPixel, depth(cfg.ColorModel))
	return i, nil
}

// depth is about how many bytes a pixel takes when decoded.
func depth(m color.Model) int64 {
	switch m {
	case color.GrayModel, color.AlphaModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

// kind tells the type by the first bytes; what a sender says may be wrong, and
// services refuse a picture that isn't what it is called.
func kind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("GIF8")):
		return "image/gif"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// Encoded is how long n bytes are in base64.
func Encoded(n int) int { return (n + 2) / 3 * 4 }

// fits tells whether the picture may go as it is.
func (i Info) fits(data []byte, l Limits) bool {
	return i.Turn == 1 && max(i.Width, i.Height) <= l.Side && Encoded(len(data)) <= l.Bytes
}

// Ready tells whether data keeps to l as it is, which is quick, and its type.
func Ready(data []byte, l Limits) (mimeType string, ok bool) {
	i, err := Look(data)
	return i.MIME, err == nil && i.fits(data, l.orDefault())
}

func (l Limits) orDefault() Limits {
	if l.Side <= 0 {
		l.Side = defaultSide
	}
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	return l
}

// Fit returns the picture such that it keeps to l, and its type: as it is when
// it does, else smaller, upright and coarser. It may take a quarter of a
// gigabyte of memory for a moment; don't do many at once.
func Fit(data []byte, l Limits) (out []byte, mimeType string, err error) {
	l = l.orDefault()
	i, err := Look(data)
	switch {
	case err != nil:
		return nil, "", err
	case i.fits(data, l):
		return data, i.MIME, nil
	case len(data) > maxFile:
		return nil, "", unusable("it is longer than %d MB", maxFile>>20)
	case i.memory > maxMemory:
		return nil, "", unusable("it has %d x %d pixels", i.Width, i.Height)
	case i.MIME == "image/jpeg" && bytes.Count(data, []byte("\xff\xda")) > maxScans:
		return nil, "", unusable("it is damaged") // each goes over all pixels, and may be a few bytes
	}
	src, err := decode(data, i.MIME)
	if err != nil {
		return nil, "", unusable("it is damaged")
	}
	return shrunk(src, i, l)
}

func decode(data []byte, mimeType string) (image.Image, error) {
	r := bytes.NewReader(data)
	switch mimeType {
	case "image/jpeg":
		return jpeg.Decode(r)
	case "image/png":
		return png.Decode(r)
	case "image/gif":
		return gif.Decode(r) // the first of its frames
	}
	return webp.Decode(r)
}

// shrunk tries sizes and qualities until one keeps to l. What is transparent
// stays PNG where that is short enough, since drawings and letters suffer from
// JPEG; else it goes onto white.
func shrunk(src image.Image, i Info, l Limits) ([]byte, string, error) {
	for side := min(l.Side, max(i.Width, i.Height)); ; side = side * 4 / 5 {
		small := turned(scaled(src, side), i.Turn)
		if !small.Opaque() {
			var b bytes.Buffer
			if err := png.Encode(&b, small); err == nil && Encoded(b.Len()) <= l.Bytes {
				return b.Bytes(), "image/png", nil
			}
			onWhite(small)
		}
		for _, q := range qualities() {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: q}); err != nil {
				return nil, "", unusable("it can't be written anew")
			}
			if Encoded(b.Len()) <= l.Bytes {
				return b.Bytes(), "image/jpeg", nil
			}
		}
		if side <= smallest {
			return nil, "", unusable("it can't be made small enough")
		}
	}
}
