package app

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// words are the secrets that this gateway keeps: those of its configuration and
// environment, its agents' keys, its own identity and its devices' tokens.
type words struct {
	config  func() *config.Config
	environ func() []string
	now     func() time.Time

	mu      sync.Mutex
	given   []string // by flags
	made    *config.Config
	base    []string // of configuration and environment
	files   map[string]keptFile
	checked time.Time
	all     []string // longest first
}

type keptFile struct {
	stamp  time.Time
	size   int64
	values []string
}

const (
	wordsCheck = 2 * time.Second // how long a look at the files serves
	shortest   = 6               // shorter values stand in too much that is no secret
	maxKept    = 1 << 20
)

func newWords(c func() *config.Config) *words {
	return &words{config: c, environ: os.Environ, now: time.Now, files: map[string]keptFile{}}
}

// give makes secrets known that stand in no file: those of the command line.
func (w *words) give(values ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = nil // the next look takes them in
	for _, v := range values {
		if v != "" {
			w.given = append(w.given, v)
		}
	}
}

// list returns the secrets, longest first.
func (w *words) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	cfg := w.config()
	if w.made == cfg && w.now().Sub(w.checked) < wordsCheck {
		return w.all
	}
	if w.made != cfg {
		w.made = cfg
		w.base = append(cfg.SecretTexts(), w.given...)
		for _, kv := range w.environ() {
			if name, v, ok := strings.Cut(kv, "="); ok && config.SecretName(name) && config.Secretive(v) && !filepath.IsAbs(v) {
				w.base = append(w.base, v)
			}
		}
	}
	w.checked = w.now()
	all := append(slices.Clone(w.base), cfg.SecretsFound()...)
	state := cfg.Paths.State
	for _, pattern := range []string{"identity/*.json", "devices/*.json", "nodes/*.json", "credentials/*.json", "credentials/*/*.json", "agents/*/agent/*.json"} {
		paths, err := filepath.Glob(filepath.Join(globLiteral(state), filepath.FromSlash(pattern)))
		if err != nil {
			continue // the pattern is a constant
		}
		for _, p := range paths {
			all = append(all, w.file(p)...)
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < shortest || s == config.Redacted })
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	w.all = slices.Compact(all)
	return w.all
}

// file returns the secrets in a JSON file, read again when it changed.
func (w *words) file(path string) []string {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	if k, ok := w.files[path]; ok && k.stamp.Equal(st.ModTime()) && k.size == st.Size() {
		return k.values
	}
	k := keptFile{stamp: st.ModTime(), size: st.Size()}
	if f, err := os.Open(filepath.Clean(path)); err == nil {
		defer f.Close()
		var doc any
		if json.NewDecoder(io.LimitReader(f, maxKept)).Decode(&doc) == nil {
			keys("", doc, &k.values)
		}
	}
	w.files[path] = k
	return k.values
}

//nolint:gochecknoglobals // compiled on first use
var keptName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(key|access|refresh)$|token$|private|secret|password`)
})

// keys collects the strings that stand under the name of a secret, as they are
// and as JSON writes them.
func keys(name string, v any, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			keys(k, x, out)
		}
	case []any:
		for _, x := range v {
			keys(name, x, out)
		}
	case string:
		if !keptName().MatchString(name) || !config.Secretive(v) {
			return
		}
		*out = append(*out, v)
		if raw, err := json.Marshal(v); err == nil && string(raw) != `"`+v+`"` {
			*out = append(*out, string(raw[1:len(raw)-1]))
		}
	}
}

// globLiteral quotes what has a meaning in a pattern.
func globLiteral(path string) string {
	return regexp.MustCompile(`[*?\[]`).ReplaceAllString(path, `[$0]`)
}
