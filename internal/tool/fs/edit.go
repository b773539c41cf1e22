package fs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

type editArgs struct {
	Path      *string `json:"path,omitempty" doc:"File to edit; relative to the workspace, absolute, or starting with ~/"`
	OldText   *string `json:"oldText,omitempty" doc:"Text to replace, exactly as it stands in the file; it must occur once"`
	NewText   *string `json:"newText,omitempty" doc:"Text to put in its place"`
	FilePath  *string `json:"file_path,omitempty" doc:"The same as path"`
	OldString *string `json:"old_string,omitempty" doc:"The same as oldText"`
	NewString *string `json:"new_string,omitempty" doc:"The same as newText"`
}

func (t *tools) edit(_ context.Context, call tool.Call, a editArgs) (tool.Result, error) {
	raw, _ := either(a.Path, a.FilePath)
	from, ok := either(a.OldText, a.OldString)
	if !ok || from == "" {
		return tool.Errorf("oldText is required: the exact text to replace. To make a new file use write"), nil
	}
	to, ok := either(a.NewText, a.NewString)
	if !ok {
		return tool.Errorf("newText is required; an empty string deletes oldText"), nil
	}
	if from == to {
		return tool.Errorf("oldText and newText are the same; nothing to do"), nil
	}
	p, err := t.at(call.Scope, raw, writing)
	if err != nil {
		return failed(raw, err)
	}
	defer p.close()
	line, err := p.edit(from, to, t.private(call.Scope, p.abs))
	if err != nil {
		return failed(raw, err)
	}
	return tool.Result{
		Content: []llm.Block{llm.Text(fmt.Sprintf("Edited %s: replaced %d lines by %d at line %d", raw, lineCount(from), lineCount(to), line))},
		Meta:    "edit " + raw,
	}, nil
}

// edit replaces from, which must occur once, and returns its line.
func (p *place) edit(from, to string, private bool) (line int, err error) {
	f, fi, err := p.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if fi.Size() > wholeBytes {
		return 0, refuse("%s is %s; files up to %s can be edited. Use exec (sed) instead", p.show, text.Size(fi.Size()), text.Size(wholeBytes))
	}
	b, err := io.ReadAll(io.LimitReader(f, wholeBytes+1))
	if err != nil {
		return 0, err
	}
	enc := sniff(b)
	if !enc.wide() && text.Binary(b) {
		return 0, refuse("%s is %s and can't be edited as text", p.show, text.Describe(b, fi.Size()))
	}
	old := enc.decode(b)
	from, to = lineEnds(old, from, to)
	at := strings.Index(old, from)
	if at < 0 {
		return 0, refuse("oldText was not found in %s. %s", p.show, nearest(old, from))
	}
	if n := strings.Count(old, from); n > 1 || strings.Contains(old[at+1:], from) {
		return 0, refuse("oldText occurs more than once in %s (lines %s). Add lines around it until it is unique", p.show, linesOf(old, from))
	}
	out, err := enc.encode(old[:at] + to + old[at+len(from):])
	if err != nil {
		return 0, err
	}
	if _, err := p.replace(out, private); err != nil {
		return 0, err
	}
	return 1 + strings.Count(old[:at], "\n"), nil
}

// lineEnds writes from and to with the file's line ends when the model used
// others: models see and write \n.
func lineEnds(old, from, to string) (string, string) {
	if strings.Contains(old, from) || !strings.Contains(old, "\r\n") {
		return from, to
	}
	crlf := func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
	}
	if strings.Contains(old, crlf(from)) {
		return crlf(from), crlf(to)
	}
	return from, to
}

// linesOf lists the first lines at which s occurs.
func linesOf(old, s string) string {
	var b strings.Builder
	line, n := 1, 0
	for {
		i := strings.Index(old, s)
		if i < 0 {
			return b.String()
		}
		line += strings.Count(old[:i], "\n")
		if n == 10 {
			return b.String() + ", …"
		}
		if n > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
		n++
		if old[i] == '\n' {
			line++
		}
		old = old[i+1:]
	}
}

// nearest says why from may not have been found: a place where it differs in
// white space only, or where its first line stands.
func nearest(old, from string) string {
	want := squeezed(from)
	lines := strings.Split(old, "\n")
	for i := range lines {
		if len(want) == 0 || i+len(want) > len(lines) {
			break
		}
		same := true
		for j, w := range want {
			if strings.Join(strings.Fields(lines[i+j]), " ") != w {
				same = false
				break
			}
		}
		if same {
			return fmt.Sprintf("Line %d differs from it in white space only; read the file there and copy it exactly", i+1)
		}
	}
	if len(want) > 1 && want[0] != "" {
		for i, l := range lines {
			if strings.Join(strings.Fields(l), " ") == want[0] {
				return fmt.Sprintf("Its first line stands at line %d, but what follows differs; read the file there and copy it exactly", i+1)
			}
		}
	}
	return "Read the file and copy the text exactly, white space included"
}

func squeezed(s string) []string {
	var out []string
	for l := range strings.SplitSeq(strings.Trim(s, "\r\n"), "\n") {
		out = append(out, strings.Join(strings.Fields(l), " "))
	}
	return out
}
