package fs

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxRules bounds the rules taken from one ignore file.
const maxRules = 2000

// rules are the lines of one .gitignore file.
type rules struct {
	dir  string // of the file, relative to the searched directory; "" is that
	list []rule
}

type rule struct {
	glob    string // matches the path relative to dir
	negate  bool
	dirOnly bool
}

// parseRules reads the content of a .gitignore file that lies in dir.
func parseRules(dir string, b []byte) *rules {
	rs := &rules{dir: dir}
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() && len(rs.list) < maxRules {
		if r, ok := parseRule(sc.Text()); ok {
			rs.list = append(rs.list, r)
		}
	}
	return rs
}

func parseRule(line string) (rule, bool) {
	line = strings.TrimSuffix(line, "\r")
	if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, `\`) {
		line = trimmed
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	line = strings.TrimPrefix(line, `\`) // \# and \!
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, strings.TrimRight(line, "/")
	}
	if line == "" {
		return rule{}, false
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	// Braces mean nothing to git.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if !anchored {
		line = "**/" + line
	}
	r.glob = line
	return r, doublestar.ValidatePattern(line)
}

// ignored reports what the rules of all directories above name say about it;
// the nearest file and its last matching line win.
func ignored(all []*rules, name string, isDir bool) bool {
	for i := len(all) - 1; i >= 0; i-- {
		rs := all[i]
		rel := name
		if rs.dir != "" {
			var ok bool
			if rel, ok = strings.CutPrefix(name, rs.dir+"/"); !ok {
				continue
			}
		}
		for j := len(rs.list) - 1; j >= 0; j-- {
			r := rs.list[j]
			if r.dirOnly && !isDir {
				continue
			}
			if ok, _ := doublestar.Match(r.glob, rel); ok {
				return !r.negate
			}
		}
	}
	return false
}
