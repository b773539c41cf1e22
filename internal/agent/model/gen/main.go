// Command gen writes the catalogue of models, models.txt: what each takes in,
// how much, and what it costs. The numbers are those of the tables in an npm
// package under the MIT licence, of one named version, and of more.txt beside
// this file, which adds to them and wins.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

const (
	tarball   = "https://registry.npmjs.org/@mariozechner/pi-ai/-/pi-ai-0.58.0.tgz"
	integrity = "3TrkJ9QcBYFPo4NxYluhd+JQ4M+98RaEkNPMrLFU4wK4GMFVtsL3kp1YJ/oj7X0eqKuuDKbHj6MdoMZeT2TCvA=="
	table     = "package/dist/models.generated.js"
)

func main() {
	file := flag.String("package", "", "a copy of the package (default: fetch it)")
	more := flag.String("more", "gen/more.txt", "what to add")
	out := flag.String("o", "models.txt", "where to write")
	flag.Parse()
	if err := run(context.Background(), *file, *more, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, more, out string) error {
	raw, err := read(ctx, file)
	if err != nil {
		return err
	}
	if sum := sha512.Sum512(raw); base64.StdEncoding.EncodeToString(sum[:]) != integrity {
		return errors.New("the package isn't the one that is expected")
	}
	js, err := unpack(raw)
	if err != nil {
		return err
	}
	sections, err := parse(js)
	if err != nil {
		return err
	}
	extra, err := os.ReadFile(more)
	if err != nil {
		return err
	}
	if err := sections.add(string(extra)); err != nil {
		return err
	}
	return os.WriteFile(out, sections.text(), 0o644) //nolint:gosec // for everybody to read
}

func read(ctx context.Context, file string) ([]byte, error) {
	if file != "" {
		return os.ReadFile(file)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, tarball, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // only read
	return io.ReadAll(io.LimitReader(res.Body, 64<<20))
}

func unpack(raw []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		if h.Name == table {
			return io.ReadAll(io.LimitReader(t, 16<<20))
		}
	}
}

// model is one of the package's table.
type model struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	API       string   `json:"api"`
	Reasoning bool     `json:"reasoning"`
	Input     []string `json:"input"`
	Cost      struct {
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
		CacheRead  float64 `json:"cacheRead"`
		CacheWrite float64 `json:"cacheWrite"`
	} `json:"cost"`
	Context int `json:"contextWindow"`
	Output  int `json:"maxTokens"`
}

// catalogue is the lines of each service by model.
type catalogue map[string]map[string]string

func parse(js []byte) (catalogue, error) {
	_, body, ok := bytes.Cut(js, []byte("export const MODELS ="))
	if !ok {
		return nil, errors.New("the table of models has another form")
	}
	body = body[:bytes.LastIndexByte(body, '}')+1]
	doc, err := jsonc.Parse(table, bytes.TrimSpace(body)) // a literal of JavaScript is JSON5 here
	if err != nil {
		return nil, err
	}
	var all map[string]map[string]model
	if err := json.Unmarshal(jsonc.AppendJSON(nil, doc.Root), &all); err != nil {
		return nil, err
	}
	out := catalogue{}
	for service, models := range all {
		row, ok := compat.Find(service)
		if !ok {
			continue // spoken to in a way that isn't built
		}
		out[row.ID] = map[string]string{}
		for _, m := range models {
			out[row.ID][m.ID] = line(row, m)
		}
	}
	return out, nil
}

// line writes a model: name, context, answer, r for reasoning and i for images,
// prices, and the format where it isn't the service's own.
func line(row compat.Row, m model) string {
	flags := ""
	if m.Reasoning {
		flags += "r"
	}
	if slices.Contains(m.Input, "image") {
		flags += "i"
	}
	name := m.Name
	if name == m.ID {
		name = ""
	}
	var prices []string
	for _, p := range []float64{m.Cost.Input, m.Cost.Output, m.Cost.CacheRead, m.Cost.CacheWrite} {
		prices = append(prices, strconv.FormatFloat(max(p, 0), 'g', 6, 64))
	}
	cost := strings.Join(prices, ",")
	if cost == "0,0,0,0" {
		cost = ""
	}
	api := ""
	// Copilot and Mistral choose the format of a model themselves.
	if m.API != row.API && row.ID != "github-copilot" && row.ID != "mistral" && row.ID != "openai" {
		api = m.API
	}
	return strings.TrimRight(strings.Join([]string{m.ID, name, strconv.Itoa(m.Context), strconv.Itoa(m.Output), flags, cost, api}, "\t"), "\t")
}

// add takes in lines of the same form.
func (c catalogue) add(text string) error {
	service := ""
	for n, l := range strings.Split(text, "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		if s, ok := strings.CutPrefix(l, "@"); ok {
			row, ok := compat.Find(s)
			if !ok || row.ID != s {
				return fmt.Errorf("line %d: no service is called %s", n+1, s)
			}
			service = s
			continue
		}
		id, _, ok := strings.Cut(l, "\t")
		if !ok || service == "" {
			return fmt.Errorf("line %d: not a model", n+1)
		}
		if c[service] == nil {
			c[service] = map[string]string{}
		}
		c[service][id] = l
	}
	return nil
}

// text is the whole catalogue, in the order of the services' table.
func (c catalogue) text() []byte {
	var b bytes.Buffer
	b.WriteString("# Written by go generate from tables of public numbers; don't edit. More goes into gen/more.txt.\n")
	b.WriteString("# id, name, context, answer, r = reasons, i = sees images, prices per million tokens (in, out, cache read, cache write), format\n")
	for _, row := range compat.Table() {
		models := c[row.ID]
		if len(models) == 0 {
			continue
		}
		b.WriteString("@" + row.ID + "\n")
		ids := make([]string, 0, len(models))
		for id := range models {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			b.WriteString(models[id] + "\n")
		}
	}
	return b.Bytes()
}
