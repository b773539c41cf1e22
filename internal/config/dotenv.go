package config

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// maxDotenv bounds a .env file.
const maxDotenv = 1 << 20

// environment answers look-ups. What the process has always wins; then come
// .env of the working directory, .env of the state directory, and the env
// block of the file. The process environment itself is never changed.
type environment struct {
	process func(string) string
	layers  []map[string]string
}

// Get returns the value of name, or "". An empty value counts as none.
func (e *environment) Get(name string) string {
	if v := e.process(name); v != "" {
		return v
	}
	for _, l := range e.layers {
		if v := l[name]; v != "" {
			return v
		}
	}
	return ""
}

// names lists what the layers add to the process environment.
func (e *environment) added() map[string]string {
	out := map[string]string{}
	for i := len(e.layers) - 1; i >= 0; i-- {
		for k, v := range e.layers[i] {
			out[k] = v
		}
	}
	for k := range out {
		if e.process(k) != "" {
			delete(out, k)
		}
	}
	return out
}

// readDotenv reads <dir>/.env. A missing file is empty.
func readDotenv(dir string) (map[string]string, error) {
	path := filepath.Join(dir, ".env")
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "config.dotenv", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "config.dotenv", path+" is no regular file; remove it")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxDotenv+1))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "config.dotenv", err)
	}
	if len(raw) > maxDotenv {
		return nil, fault.New(fault.Invalid, "config.dotenv", path+" is larger than 1 MiB; shorten it")
	}
	return ParseDotenv(string(raw)), nil
}

// ParseDotenv reads KEY=value lines: an optional "export", quotes ' " ` that may
// span lines, \n and \r in double quotes, and # comments. What is no such line is skipped.
// Names that change what a host runs are dropped.
func ParseDotenv(text string) map[string]string {
	out := map[string]string{}
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF")
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		if !ok || strings.HasPrefix(name, "#") || !plainName(name) {
			continue
		}
		value = strings.TrimSpace(value)
		if value != "" && strings.ContainsRune("'\"`", rune(value[0])) {
			value, text = quoted(value, text)
		} else if i := strings.Index(value, "#"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		if !hostile(name) {
			out[name] = value
		}
	}
	return out
}

// quoted reads a value that starts with a quote and may go on in rest.
func quoted(value, rest string) (string, string) {
	quote := value[:1]
	body := value[1:]
	end := strings.Index(body, quote)
	if end < 0 {
		more := strings.Index(rest, quote)
		if more < 0 { // no closing quote: the line as it stands
			return value, rest
		}
		body += "\n" + rest[:more]
		rest = rest[more+1:]
		if _, after, ok := strings.Cut(rest, "\n"); ok {
			rest = after
		} else {
			rest = ""
		}
	} else {
		body = body[:end]
	}
	if quote == `"` {
		body = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(body)
	}
	return body, rest
}

func plainName(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '.' || c == '-'):
		default:
			return false
		}
	}
	return s != ""
}

//nolint:gochecknoglobals // compiled on first use
var hostileNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(PATH|HOME|SHELL|IFS|ENV|BASH_ENV|ZDOTDIR|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|NODE_OPTIONS|NODE_PATH` +
		`|PYTHON(PATH|HOME|STARTUP)|PERL5?(OPT|LIB)|PERL5DB|RUBY(OPT|LIB)|GIT_(SSH|SSH_COMMAND|EXEC_PATH|CONFIG.*|PROXY_COMMAND|ASKPASS|EDITOR|PAGER)` +
		`|_?JAVA_(TOOL_)?OPTIONS|LUA_INIT|VIMINIT|HOSTALIASES|GCONV_PATH|EDITOR|PAGER|(LD|DYLD)_.*|BASH_FUNC_.*)$`)
})

// hostile reports names that could alter what this host executes; they are
// taken from the real environment only.
func hostile(name string) bool { return hostileNames().MatchString(strings.ToUpper(name)) }
