package reply

import (
	"context"
	"path"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// End says how a run ended.
type End struct {
	Usage   llm.Usage
	Session id.SessionKey
	// Instead replaces what isn't shown yet of the answer (an error, a notice);
	// nil leaves it.
	Instead *Text
	// Keep says that a preview stays as it is when nothing replaces it: somebody
	// stopped the run.
	Keep bool
}

// Finish ends c and returns what is still to be sent. The caller stores it
// together with the end of the run, and calls Done then.
func (c *Composer) Finish(ctx context.Context, e End) []msg.Outbound {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.Show != nil {
		if m := c.Show.Stop(); m != "" {
			c.edit = m
		}
	}
	for _, s := range c.sent {
		c.book.said(s)
	}
	text, spans := c.book.rest(0)
	if e.Instead != nil {
		text, spans = e.Instead.Text, nil
		if e.Keep && text == "" {
			c.edit = ""
			if c.Show != nil {
				c.Show.Abandon(ctx, true)
			}
		}
	} else if line := usage(c.Settings.Usage, e.Usage, string(e.Session)); line != "" && (text != "" || c.began) {
		text = strings.TrimLeft(text+"\n"+line, "\n")
	}
	outs := c.streamed(ctx, c.outs(ctx, text, spans))
	c.pace(outs)
	return outs
}

// Close ends c without an end of the run: the process stops, and another one
// goes on. A preview stays for it.
func (c *Composer) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.Show != nil {
		c.Show.Stop()
		c.Show.Abandon(c.ctx, false) // it has no name by which it could be found
	}
}

// Done notes that what Finish returned is stored.
func (c *Composer) Done(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown(ctx)
}

// outs makes the messages that show text.
func (c *Composer) outs(ctx context.Context, text string, spans []msg.Span) []msg.Outbound {
	text, refs := Media(text)
	var files []msg.Attachment
	for _, ref := range refs {
		a, err := c.attach(ctx, ref)
		if err != nil {
			text = strings.TrimLeft(text+"\n\n⚠️ "+path.Base(ref)+" can't be sent: "+err.Error(), "\n")
			continue
		}
		files = append(files, a)
	}
	var parts []string
	if text != "" {
		parts = c.Split(c.prefixed(text))
	}
	var outs []msg.Outbound
	add := func(o msg.Outbound) {
		o.To, o.Run, o.Session, o.ID = c.Template.To, c.Template.Run, c.Template.Session, c.name(c.n)
		c.n++
		outs = append(outs, o)
	}
	for i, p := range parts {
		o := msg.Outbound{Text: p}
		if len(parts) > 1 {
			o.Part, o.Parts = i+1, len(parts)
		}
		add(o)
	}
	if len(parts) == 0 && c.edit != "" {
		add(msg.Outbound{}) // takes the preview back
	}
	for _, album := range albums(files, c.Album) {
		add(msg.Outbound{Attachments: album})
	}
	for i := range outs {
		outs[i].ReplyTo = c.replyTo(i == 0, spans)
	}
	if len(outs) > 0 {
		outs[0].Edit, outs[0].Spans = c.edit, spans
	}
	return outs
}

// albums divides files into messages of at most n, which can be held in memory.
func albums(files []msg.Attachment, n int) (out [][]msg.Attachment) {
	const most = 50 << 20 // bytes of several
	var size int64
	for _, f := range files {
		last := len(out) - 1
		if size += f.Size; last < 0 || len(out[last]) >= n || size > most {
			out, size = append(out, []msg.Attachment{f}), f.Size
			continue
		}
		out[last] = append(out[last], f)
	}
	return out
}

func (c *Composer) attach(ctx context.Context, ref string) (msg.Attachment, error) {
	if c.Attach == nil {
		return msg.Attachment{}, errNoMedia
	}
	return c.Attach(ctx, ref)
}

type noMedia struct{}

func (noMedia) Error() string { return "files can't be sent here" }

var errNoMedia = noMedia{}

// prefixed puts the prefix before text.
func (c *Composer) prefixed(text string) string {
	p := Filled(c.Settings.Prefix, c.Settings.Identity, c.model, c.thinking)
	if p == "" || strings.HasPrefix(text, p) {
		return text
	}
	return p + " " + text
}

// replyTo is the message that one of the messages made of spans answers.
func (c *Composer) replyTo(first bool, spans []msg.Span) id.Message {
	tag := c.tag
	for _, s := range spans {
		if s.Turn < c.book.over && s.From == 0 && s.To > 0 {
			if a := c.book.turns[s.Turn].answer; a.ReplyTo != "" || a.Current {
				tag = a
			}
		}
	}
	switch {
	case first && tag.ReplyTo != "":
		return tag.ReplyTo
	case first && tag.Current:
		return c.Template.ReplyTo
	case c.Settings.ReplyTo == "all", c.Settings.ReplyTo == "first" && first && !c.began:
		return c.Template.ReplyTo
	}
	return ""
}

// preview has what isn't shown yet shown.
func (c *Composer) preview() {
	const most = 16 << 10 // more than any network takes in one message
	upTo := -1
	if c.Settings.Preview == "block" && len(c.book.turns) > c.book.over {
		t := c.book.current()
		t.cut(c.Settings.Draft)
		upTo = t.ready
	}
	text := c.book.pending(upTo, most)
	if len(text) >= most {
		if c.full {
			return // it is all there is room for
		}
		c.full = true
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	text = drafted(text)
	switch {
	case c.Settings.Preview == "progress":
		text = "⏳ Working on it …"
		if c.doing != "" {
			text += "\n" + c.doing
		}
	case text == "" && c.Settings.Reasoning == "stream" && c.thoughts.Len() > 0:
		text = reasoned(c.thoughts.String())
	}
	if text != "" {
		c.Show.Show(c.ctx, c.prefixed(text), c.replyTo(true, nil))
	}
}
