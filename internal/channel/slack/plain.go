package slack

import (
	"context"
	"strings"
)

// plain turns what Slack sends into text as people read it: <@U1> is @Ann,
// <#C1|general> is #general, <https://x|label> is label (https://x), and
// entities are characters.
func (b *bot) plain(ctx context.Context, me self, s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var out strings.Builder
	const most = 50 // names to ask for
	asked := 0
	for s != "" {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		end := strings.IndexByte(s[i:], '>')
		if end < 0 {
			break
		}
		out.WriteString(unescape(s[:i]))
		body, label, labelled := strings.Cut(s[i+1:i+end], "|")
		s = s[i+end+1:]
		switch {
		case strings.HasPrefix(body, "@"):
			name := body[1:]
			switch {
			case name == me.User && me.Name != "":
				label = me.Name
			case label == "" && asked < most:
				asked++
				label = b.people.user(ctx, name).shown()
			}
			if label = unescape(label); label == "" || label == name {
				out.WriteString("<@" + name + ">")
			} else {
				out.WriteString("@" + clean(label) + " (" + name + ")")
			}
		case strings.HasPrefix(body, "#"):
			if label == "" {
				if r, ok := b.people.room(ctx, body[1:]); ok && asked < most {
					asked++
					label = r.Name
				}
			}
			if label == "" {
				label = body[1:]
			}
			out.WriteString("#" + unescape(label))
		case strings.HasPrefix(body, "!"):
			name, _, _ := strings.Cut(body[1:], "^")
			if labelled && label != "" {
				name = strings.TrimPrefix(label, "@")
				if strings.HasPrefix(body, "!date") {
					out.WriteString(unescape(label))
					continue
				}
			}
			out.WriteString("@" + unescape(name))
		default:
			out.WriteString(link(unescape(body), unescape(label)))
		}
	}
	return out.String() + unescape(s)
}

// link is how a link reads. Slack makes links of what people type as one, so
// that the label is often the address.
func link(url, label string) string {
	bare := strings.TrimPrefix(url, "mailto:")
	for _, p := range []string{"https://", "http://"} {
		bare = strings.TrimPrefix(bare, p)
	}
	switch strings.TrimSuffix(label, "/") {
	case "", url, strings.TrimSuffix(url, "/"):
		return strings.TrimPrefix(url, "mailto:")
	case strings.TrimSuffix(bare, "/"):
		return label
	}
	return label + " (" + url + ")"
}

func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}
