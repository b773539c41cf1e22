package control

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
)

//go:embed export.html
var exportPage string

// exported is what the page shows.
type exported struct {
	Key      id.SessionKey
	Session  id.Session
	Model    string
	At       string
	System   string
	Messages []exportedMessage
	Left     int // messages that are left out
}

type exportedMessage struct {
	Who, When, Kind, Text string
}

// The bounds of an export.
const (
	mostExported  = 20_000    // messages
	mostExportedB = 64 << 10  // bytes of one
	mostPage      = 256 << 20 // bytes of the page, about
)

// cmdExport writes the conversation to an HTML file in the agent's workspace.
func (c *Control) cmdExport(ctx context.Context, env command.Env, args string) (string, error) {
	s, ok, err := c.Sessions.Get(ctx, env.Session)
	if err != nil || !ok {
		return "📄 There is no conversation to export yet.", err
	}
	entries, err := c.Sessions.Entries(ctx, s, 0)
	if err != nil {
		return "", err
	}
	now := c.Now()
	page := exported{Key: env.Session, Session: s.ID, Model: c.modelOf(s).String(), At: now.Format(time.DateTime)}
	if c.Prompt != nil && env.Owner {
		p, err := c.Prompt(ctx, env.Session, env.Owner)
		if err != nil {
			return "", err
		}
		page.System = p.Text
	}
	size := 0
	for _, e := range entries {
		ms := shownEntry(e)
		if len(page.Messages) >= mostExported || size > mostPage {
			page.Left += len(ms)
			continue
		}
		for _, m := range ms {
			size += len(m.Text)
		}
		page.Messages = append(page.Messages, ms...)
	}
	name := cmp.Or(args, "openclaw-session-"+text.Cut(string(s.ID), 8)+"-"+now.Format("2006-01-02T15-04-05")+".html")
	dir := c.Config().Workspace(env.Agent)
	if err := writePage(dir, name, page); err != nil {
		return "", err
	}
	return "📄 Exported " + count(int64(len(page.Messages))) + " messages to " + filepath.Join(dir, name) + ".", nil
}

// writePage writes the page under dir, never over a file that is there.
func writePage(dir, name string, page exported) (err error) {
	if !strings.EqualFold(filepath.Ext(name), ".html") {
		return fault.New(fault.Invalid, "command.export", "The file must be called something.html; it is written in the workspace.")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, "command.export", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "command.export", err)
	}
	defer root.Close()
	if at := filepath.Dir(name); at != "." {
		if err := root.MkdirAll(at, 0o700); err != nil {
			return fault.New(fault.Invalid, "command.export", "The file must be in the workspace.")
		}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "command.export", text.Ellipsis(name, 100)+" is there already; choose another name.")
	case err != nil:
		return fault.New(fault.Invalid, "command.export", "The file must be in the workspace.")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	page.write(w)
	return w.Flush()
}

// write writes the page: export.html with its four places filled in. It is no
// template, since those keep every method of the program.
func (p exported) write(w io.Writer) {
	e := html.EscapeString
	key := e(string(p.Key))
	system, left := "", ""
	if p.System != "" {
		system = "<details><summary>System prompt</summary><pre>" + e(p.System) + "</pre></details>"
	}
	if p.Left > 0 {
		left = "<p>" + count(int64(p.Left)) + " later messages are left out; the transcript file has them.</p>"
	}
	top, bottom, _ := strings.Cut(exportPage, "{{messages}}")
	fill := strings.NewReplacer("{{key}}", key, "{{about}}", key+" · "+e(string(p.Session))+"<br>"+e(p.Model)+" · exported "+e(p.At), "{{system}}", system, "{{left}}", left)
	_, _ = fill.WriteString(w, top) // the writer keeps the first error
	for _, m := range p.Messages {
		_, _ = io.WriteString(w, `<article class="`+m.Kind+`"><h2>`+e(m.Who)+" · "+e(m.When)+"</h2><pre>"+e(m.Text)+"</pre></article>\n")
	}
	_, _ = fill.WriteString(w, bottom)
}

// shownEntry is an entry of the transcript as people read it.
func shownEntry(e session.Entry) (out []exportedMessage) {
	when := e.Timestamp
	if e.Message == nil {
		if e.Type == "compaction" {
			var s string
			_ = json.Unmarshal(e.Fields["summary"], &s)
			return []exportedMessage{{"Summary of the messages above", when, "summary", text.Ellipsis(s, mostExportedB)}}
		}
		return nil
	}
	m := e.Message
	who, kind := "Person", "user"
	switch m.Role {
	case llm.Assistant:
		who, kind = "Agent", "assistant"
	case llm.ToolRole:
		who, kind = "Result of "+m.ToolName, "tool"
	}
	add := func(who, kind, s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, exportedMessage{who, when, kind, text.Ellipsis(text.Valid(s), mostExportedB)})
		}
	}
	for _, b := range m.Content {
		switch {
		case b.Type == llm.ThinkingBlock:
			add("Thoughts", "thinking", b.Text)
		case b.Type == llm.ImageBlock:
			add(who, kind, "(a picture, "+b.MIME+", "+text.Size(int64(len(b.Data)))+")")
		case b.Call != nil:
			add("Call of "+b.Call.Name, "call", string(b.Call.Args))
		default:
			add(who, kind, b.Text)
		}
	}
	if m.Error != "" {
		add("Failed", "tool", m.Error)
	}
	return out
}
