package config

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Redacted stands for a secret in what clients see. It never reaches the disk.
const Redacted = "__OPENCLAW_REDACTED__"

//go:embed data/hints.gz
var hintsData []byte

//nolint:gochecknoglobals // immutable once read
var theHints = sync.OnceValue(func() *jsonc.Node {
	r, err := gzip.NewReader(bytes.NewReader(hintsData))
	if err != nil {
		panic("config: embedded hints: " + err.Error())
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		panic("config: embedded hints: " + err.Error())
	}
	d, err := jsonc.Parse("hints", raw)
	if err != nil {
		panic("config: embedded hints: " + err.Error())
	}
	return d.Root
})

// sensitiveHints are the paths that the hints call sensitive.
//
//nolint:gochecknoglobals // immutable once made
var sensitiveHints = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, m := range theHints().Members {
		if s := m.Value.Get("sensitive"); s != nil {
			out[m.Key] = s.Bool
		}
	}
	return out
})

//nolint:gochecknoglobals // compiled on first use
var sensitiveName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(token|password|passwd|secret|api.?key|access.?key|encrypt.?key|private.?key|credential|authorization|cookie|service.?account(ref)?)s?$|password|secret|api.?key`)
})

//nolint:gochecknoglobals // compiled on first use
var harmlessName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(max.?tokens|output.?tokens|input.?tokens|completion.?tokens|context.?tokens|total.?tokens|token.?count|token.?limit|token.?budget|password.?file|soft.?threshold.?tokens|reserve.?tokens(.?floor)?)$`)
})

// shape is path with every index written alike.
func shape(path []string) string {
	var b strings.Builder
	for _, k := range path {
		if isIndex(k) {
			k = "0"
		}
		b.WriteString(k)
		b.WriteByte(0)
	}
	return b.String()
}

// sensitiveAt reports whether what stands at path is a secret.
func sensitiveAt(path []string) bool {
	if len(path) == 0 {
		return false
	}
	for _, candidate := range hintForms(path) {
		if s, ok := sensitiveHints()[candidate]; ok {
			return s
		}
	}
	last := path[len(path)-1]
	for i := len(path) - 1; i > 0 && isIndex(last); i-- {
		last = path[i-1]
	}
	if len(path) > 1 {
		switch path[len(path)-2] {
		case "headers":
			return true
		case "env":
			if path[0] == "mcp" {
				return true
			}
		}
	}
	if path[0] == "secrets" && last != "token" { // its settings name places, they hold no secrets
		return len(path) > 3 && path[len(path)-2] == "env"
	}
	return sensitiveName().MatchString(last) && !harmlessName().MatchString(last)
}

// maxHintDepth is deeper than any hint.
const maxHintDepth = 14

// hintForms are the ways in which the hints may write path: as it is, and with
// map keys as * and list elements as [].
func hintForms(path []string) []string {
	if len(path) > maxHintDepth {
		return nil
	}
	forms := []string{""}
	for _, k := range path {
		var next []string
		for _, f := range forms {
			sep := "."
			if f == "" {
				sep = ""
			}
			if isIndex(k) {
				next = append(next, f+"[]")
			}
			next = append(next, f+sep+k)
			if len(forms) < 16 {
				next = append(next, f+sep+"*")
			}
		}
		forms = next
	}
	return forms
}

//nolint:gochecknoglobals // compiled on first use
var urlSecret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@|[?&](access_?token|token|api_?key|key|secret|password|sig|signature)=[^&\s]+`)
})

func secretInURL(v string) bool { return strings.Contains(v, "://") && urlSecret().MatchString(v) }

func placeholder(v string) bool {
	v = strings.TrimSpace(v)
	return strings.HasPrefix(v, "${") && strings.HasSuffix(v, "}") && strings.Count(v, "}") == 1
}

// Redact returns n with every secret replaced by the mark. A reference keeps
// its shape and loses its id; ${VAR} stays.
func Redact(n *jsonc.Node) *jsonc.Node {
	out, _ := redact(n)
	return out
}

func redact(n *jsonc.Node) (*jsonc.Node, []string) {
	var values []string
	var hidden []string        // the last object that is secret as a whole; the walk is depth first
	known := map[string]bool{} // long lists ask the same again and again
	secretAt := func(path []string) bool {
		key := shape(path)
		is, ok := known[key]
		if !ok {
			is = sensitiveAt(path)
			known[key] = is
		}
		return is
	}
	out := n.Map(func(path []string, v *jsonc.Node) *jsonc.Node {
		if v == nil {
			return nil
		}
		inside := hidden != nil && len(hidden) < len(path) && slices.Equal(hidden, path[:len(hidden)])
		switch {
		case v.Kind == jsonc.Object && !inside && secretAt(path):
			hidden = slices.Clone(path)
		case v.Kind == jsonc.String && v.Text != "" && !placeholder(v.Text):
			last := ""
			if len(path) > 0 {
				last = path[len(path)-1]
			}
			if inside && (last == "source" || last == "provider") {
				return v
			}
			if inside || secretAt(path) || secretInURL(v.Text) {
				values = append(values, v.Text)
				c := *v
				c.Text = Redacted
				return &c
			}
		case v.Kind == jsonc.Number && (inside || secretAt(path)):
			values = append(values, v.Text)
			return &jsonc.Node{Kind: jsonc.String, Text: Redacted, Doc: v.Doc, Start: v.Start, End: v.End}
		}
		return v
	})
	return out, values
}

// RedactSource returns the source of d with every secret replaced by the mark,
// also where a comment repeats it.
func RedactSource(d *jsonc.Document) ([]byte, error) {
	root, values := redact(d.Root)
	out, err := jsonc.Rewrite(d, root)
	if err != nil {
		return nil, err
	}
	sort.Slice(values, func(i, j int) bool { return len(values[i]) > len(values[j]) })
	text := string(out)
	for _, v := range values {
		if len(v) >= 6 && v != Redacted {
			text = strings.ReplaceAll(text, v, Redacted)
		}
	}
	return []byte(text), nil
}

// unredact returns n with each mark replaced by what old has in its place. A
// mark where old has nothing is an error: it must not become data.
func unredact(n, old *jsonc.Node, path []string) (*jsonc.Node, error) {
	switch n.Kind {
	case jsonc.String:
		if n.Text == Redacted && old != nil && !(old.Kind == jsonc.String && strings.Contains(old.Text, Redacted)) {
			return old, nil
		}
		if strings.Contains(n.Text, Redacted) {
			return nil, fault.New(fault.Invalid, "config.Unredact", `Sentinel value "`+Redacted+`" in key `+dotted(path...)+" is not valid as real data")
		}
	case jsonc.Array:
		out := *n
		out.Items = slices.Clone(n.Items)
		for i, v := range n.Items {
			now, err := unredact(v, counterpart(n, old, i), child(path, itoa(i)))
			if err != nil {
				return nil, err
			}
			out.Items[i] = now
		}
		return &out, nil
	case jsonc.Object:
		out := *n
		out.Members = slices.Clone(n.Unique())
		was := old.Index()
		for i, m := range out.Members {
			if strings.Contains(m.Key, Redacted) {
				return nil, fault.New(fault.Invalid, "config.Unredact", "a redaction mark is no key")
			}
			now, err := unredact(m.Value, was[m.Key], child(path, m.Key))
			if err != nil {
				return nil, err
			}
			out.Members[i].Value = now
		}
		return &out, nil
	}
	return n, nil
}

// counterpart returns the element of old that element i of n was: the one with
// the same id, else the one at the same place in a list of the same length, so
// that a secret never moves to another element.
func counterpart(n, old *jsonc.Node, i int) *jsonc.Node {
	if old == nil || old.Kind != jsonc.Array {
		return nil
	}
	for _, key := range []string{"id", "name"} {
		if want := str(n.Items[i].Get(key)); want != "" {
			for _, o := range old.Items {
				if str(o.Get(key)) == want {
					return o
				}
			}
			return nil
		}
	}
	if len(n.Items) != len(old.Items) {
		return nil
	}
	return old.Items[i]
}
