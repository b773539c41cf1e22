package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/media"
)

// The usual limits of gateway.http.endpoints.responses (recorded defaults).
const (
	usualURLs      = 8
	usualFile      = 5 << 20
	usualImage     = 10 << 20
	usualChars     = 200_000
	usualRedirects = 3
	usualPages     = 4
	usualTimeout   = 10 * time.Second
)

// finder reads the parts of one request, within its limits.
type finder struct {
	limits config.ResponsesEndpoint
	http   *http.Client
	urls   int // left
	images int // left
}

func (a *api) newFinder(limits config.ResponsesEndpoint) *finder {
	f := &finder{limits: limits, http: a.o.HTTP, urls: usualURLs, images: maxImages}
	if limits.MaxURLParts != nil {
		f.urls = *limits.MaxURLParts
	}
	if f.http == nil {
		f.http = media.NewClient()
	}
	return f
}

// content reads a text or a list of parts.
func (f *finder) content(ctx context.Context, raw json.RawMessage) (said string, images []msg.Attachment, err error) {
	switch kindOf(raw) {
	case "string":
		err := json.Unmarshal(raw, &said)
		return said, nil, err
	case "array":
	default:
		return "", nil, problem("Invalid input: expected string or array, received " + kindOf(raw))
	}
	var parts []object
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, problem("Invalid input")
	}
	var texts []string
	for i, p := range parts {
		switch kind := p.string("type"); kind {
		case "input_text", "output_text", "text":
			texts = append(texts, p.string("text"))
		case "refusal":
			texts = append(texts, p.string("refusal"))
		case "input_image", "image_url":
			at, err := f.image(ctx, p)
			if err != nil {
				return "", nil, fmt.Errorf("%d: %w", i, err)
			}
			images = append(images, at)
		case "input_file":
			words, image, err := f.file(ctx, p)
			if err != nil {
				return "", nil, fmt.Errorf("%d: %w", i, err)
			}
			if image.Data != nil {
				images = append(images, image)
			}
			texts = append(texts, words)
		default:
			return "", nil, problem(fmt.Sprintf("%d.type: Invalid input: %s isn't known", i, text.Cut(kind, 60)))
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// blob is the bytes of a part and what is said of them.
type blob struct {
	name, mime string
	data       []byte
}

func (f *finder) image(ctx context.Context, p object) (msg.Attachment, error) {
	from := p.string("image_url")
	if from == "" {
		from = p.object("image_url").string("url")
	}
	b, err := f.find(ctx, p, from, f.limits.Images, cmp.Or(f.limits.Images.MaxBytes, usualImage))
	if err != nil {
		return msg.Attachment{}, err
	}
	return f.picture(b)
}

func (f *finder) picture(b blob) (msg.Attachment, error) {
	allowed := f.limits.Images.AllowedMimes
	if len(allowed) == 0 {
		allowed = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}
	}
	kind, _ := media.Sniff(b.data, b.name)
	if !slices.Contains(allowed, kind) || !strings.HasPrefix(kind, "image/") {
		return msg.Attachment{}, problem("An image must be one of " + strings.Join(allowed, ", ") + "; this is " + kind + ".")
	}
	if f.images--; f.images < 0 {
		return msg.Attachment{}, problem(fmt.Sprintf("At most %d images may come with one request.", maxImages))
	}
	return msg.Attachment{Name: b.name, MIME: kind, Size: int64(len(b.data)), Data: b.data}, nil
}

// file reads an input_file: its words, marked as somebody else's, or an image.
func (f *finder) file(ctx context.Context, p object) (words string, image msg.Attachment, err error) {
	from := p.string("file_url")
	if d := p.string("file_data"); d != "" {
		from = d
		if !strings.HasPrefix(d, "data:") {
			from = "data:application/octet-stream;base64," + d
		}
	}
	limits := f.limits.Files
	b, err := f.find(ctx, p, from, limits.Attachments, cmp.Or(limits.MaxBytes, usualFile))
	if err != nil {
		return "", image, err
	}
	b.name = cmp.Or(p.string("filename"), p.object("source").string("filename"), b.name, "file")
	kind, _ := media.Sniff(b.data, b.name)
	if strings.HasPrefix(kind, "image/") {
		image, err = f.picture(b)
		return "[image " + nameOf(b.name) + "]", image, err
	}
	claimed, _, _ := mime.ParseMediaType(b.mime)
	if strings.HasPrefix(kind, "text/plain") && claimed != "" && claimed != "application/octet-stream" {
		kind = claimed
	}
	allowed := limits.AllowedMimes
	if len(allowed) == 0 {
		allowed = []string{"text/plain", "text/markdown", "text/html", "text/csv", "application/json", "application/pdf"}
	}
	if !slices.Contains(allowed, kind) {
		return "", image, problem("A file must be one of " + strings.Join(allowed, ", ") + "; this is " + kind + ".")
	}
	if kind == "application/pdf" {
		if b.data, err = pdfText(ctx, b.data, cmp.Or(limits.PDF.MaxPages, usualPages)); err != nil {
			return "", image, err
		}
	}
	if !utf8.Valid(b.data) {
		return "", image, problem("The file " + nameOf(b.name) + " isn't UTF-8 text.")
	}
	most := cmp.Or(limits.MaxChars, usualChars)
	body := text.Cut(string(b.data), int(most))
	if len(body) < len(b.data) {
		body += fmt.Sprintf("\n[cut after %d characters]", most)
	}
	// Its end can't be written inside it.
	body = strings.ReplaceAll(body, "</file>", "<\\/file>")
	return "<file name=\"" + nameOf(b.name) + "\" untrusted=\"true\">\n" + body + "\n</file>", image, nil
}

// nameOf is a file's name as it may stand in a text for the model.
func nameOf(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"<>&`, r) {
			return '_'
		}
		return r
	}, path.Base(s))
	return text.Cut(s, 200)
}

// find gets the bytes of a part: from its source, a data: URL or an address.
func (f *finder) find(ctx context.Context, p object, from string, limits config.Attachments, most int64) (blob, error) {
	if src := p.object("source"); src != nil {
		switch src.string("type") {
		case "base64":
			from = "data:" + cmp.Or(src.string("media_type"), "application/octet-stream") + ";base64," + src.string("data")
		case "url":
			from = src.string("url")
		default:
			return blob{}, problem("source.type: Invalid input: expected base64 or url")
		}
	}
	if rest, ok := strings.CutPrefix(from, "data:"); ok {
		head, data, found := strings.Cut(rest, ",")
		kind, encoded := strings.CutSuffix(head, ";base64")
		raw, err := base64.StdEncoding.DecodeString(data)
		switch {
		case !found || !encoded || err != nil || len(raw) == 0:
			return blob{}, problem("The data isn't base64.")
		case int64(len(raw)) > most:
			return blob{}, tooLarge(most)
		}
		return blob{mime: kind, data: raw}, nil
	}
	if from == "" {
		return blob{}, problem("There is neither data nor an address; a file_id is of no use here.")
	}
	return f.fetch(ctx, from, limits, most)
}

func tooLarge(most int64) error {
	return problem(fmt.Sprintf("It is too large: the limit is %d MB.", max(most>>20, 1)))
}

// fetch gets what an address names, unless it leads where it may not.
func (f *finder) fetch(ctx context.Context, address string, limits config.Attachments, most int64) (blob, error) {
	u, err := url.Parse(address)
	if err != nil {
		return blob{}, problem("That isn't an address.")
	}
	if limits.AllowURL != nil && !*limits.AllowURL {
		return blob{}, problem("Addresses aren't fetched here; send the data itself.")
	}
	if err := mayFetch(u, limits.URLAllowlist); err != nil {
		return blob{}, err
	}
	if f.urls--; f.urls < 0 {
		return blob{}, problem("Too many addresses in one request.")
	}
	hops := usualRedirects
	if limits.MaxRedirects != nil {
		hops = *limits.MaxRedirects
	}
	timeout := usualTimeout
	if limits.TimeoutMs > 0 {
		timeout = time.Duration(limits.TimeoutMs) * time.Millisecond
	}
	c := *f.http
	c.Timeout = timeout
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) > hops {
			return problem("The address redirects too often.")
		}
		return mayFetch(r.URL, limits.URLAllowlist)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return blob{}, problem("That isn't an address.")
	}
	resp, err := c.Do(req)
	if err != nil {
		if p, ok := errors.AsType[problem](err); ok {
			return blob{}, p
		}
		return blob{}, problem("The address can't be reached.")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return blob{}, problem("The address answers " + resp.Status + ".")
	}
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, io.LimitReader(resp.Body, most+1)); err != nil {
		return blob{}, problem("The address broke off.")
	}
	if int64(buf.Len()) > most {
		return blob{}, tooLarge(most)
	}
	return blob{name: path.Base(resp.Request.URL.Path), mime: resp.Header.Get("Content-Type"), data: buf.Bytes()}, nil
}

// mayFetch judges an address; where its name leads is judged when the
// connection is made. "*.example.com" allows the hosts below example.com.
func mayFetch(u *url.URL, allow []string) error {
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return problem("Only plain http and https addresses are fetched.")
	}
	if len(allow) == 0 {
		return nil
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for _, entry := range allow {
		entry = strings.ToLower(entry)
		if below, ok := strings.CutPrefix(entry, "*."); ok && strings.HasSuffix(host, "."+below) || host == entry {
			return nil
		}
	}
	return problem("The host " + text.Cut(host, 100) + " isn't on the urlAllowlist.")
}
