package reply

import (
	"strings"
)

// mediaMark begins a line that names a file or an address to show.
const mediaMark = "MEDIA:"

// mostMedia bounds the files of one answer.
const mostMedia = 20

func isMedia(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), mediaMark) }

// Media takes the lines that name files and addresses to show out of s, except
// those in code.
func Media(s string) (rest string, refs []string) {
	if !strings.Contains(s, mediaMark) {
		return s, nil
	}
	var keep []string
	fence := ""
	for line := range strings.SplitSeq(s, "\n") {
		switch mark := fenceMark(line); {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && closes(line, fence):
			fence = ""
		case fence == "" && isMedia(line) && len(refs) < mostMedia:
			if ref := unquoted(strings.TrimLeft(line, " \t")[len(mediaMark):]); ref != "" {
				refs = append(refs, ref)
				continue
			}
		}
		keep = append(keep, line)
	}
	return strings.TrimSpace(strings.Join(keep, "\n")), refs
}

// unquoted is a path or an address without what models put around it.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{"`", `"`, "'"} {
		if len(s) > 1 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			s = strings.TrimSpace(s[1 : len(s)-1])
		}
	}
	if strings.ContainsAny(s, "\x00") || len(s) > 4096 {
		return ""
	}
	return strings.TrimPrefix(s, "file://")
}

// drafted is s without media lines and without the beginning of one at its end.
func drafted(s string) string {
	i := strings.LastIndexByte(s, '\n') + 1
	if last := strings.TrimLeft(s[i:], " \t"); last != "" && (strings.HasPrefix(mediaMark, last) || isMedia(last)) {
		s = s[:i]
	}
	s, _ = Media(s)
	return strings.TrimSpace(s)
}
