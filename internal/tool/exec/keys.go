package exec

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// keyCodes are what a terminal sends for named keys.
//
//nolint:gochecknoglobals // read-only
var keyCodes = map[string]string{
	"enter": "\r", "return": "\r", "cr": "\r", "tab": "\t", "btab": "\x1b[Z", "s-tab": "\x1b[Z", "escape": "\x1b", "esc": "\x1b", "space": " ",
	"bspace": "\x7f", "backspace": "\x7f", "delete": "\x1b[3~", "dc": "\x1b[3~", "insert": "\x1b[2~", "ic": "\x1b[2~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pageup": "\x1b[5~", "pgup": "\x1b[5~", "ppage": "\x1b[5~", "pagedown": "\x1b[6~", "pgdn": "\x1b[6~", "npage": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// keyBytes returns what typing key sends: a named key, C-x for control, M-x
// for alt, or a single character.
func keyBytes(key string) (string, error) {
	k := strings.ToLower(strings.TrimSpace(key))
	if code, ok := keyCodes[k]; ok {
		return code, nil
	}
	for _, p := range []string{"c-", "ctrl-", "ctrl+", "^"} {
		if rest, ok := strings.CutPrefix(k, p); ok && len(rest) == 1 {
			switch c := rest[0]; {
			case 'a' <= c && c <= 'z':
				return string(rune(c - 'a' + 1)), nil
			case c == '[', c == '\\', c == ']', c == '^', c == '_':
				return string(rune(c - '@')), nil
			case c == '@', c == ' ':
				return "\x00", nil
			}
		}
	}
	for _, p := range []string{"m-", "alt-", "alt+"} {
		if rest, ok := strings.CutPrefix(k, p); ok && rest != "" {
			code, err := keyBytes(key[len(key)-len(rest):])
			return "\x1b" + code, err
		}
	}
	if utf8.RuneCountInString(key) == 1 {
		return key, nil
	}
	return "", fmt.Errorf("key %q is unknown; use names such as Enter, Tab, Escape, Up, C-c, M-x, F1, or literal for text", key)
}

// typed joins the arguments of send-keys.
func typed(keys, hexes []string, literal string) (string, error) {
	var b strings.Builder
	b.WriteString(literal)
	for _, k := range keys {
		code, err := keyBytes(k)
		if err != nil {
			return "", err
		}
		b.WriteString(code)
	}
	for _, h := range hexes {
		raw, err := hex.DecodeString(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(h)), "0x"))
		if err != nil {
			return "", fmt.Errorf("hex %q is not a byte such as 1b", h)
		}
		b.Write(raw)
	}
	return b.String(), nil
}
