package telegram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// described is said with what has no bytes to fetch put into words.
func described(m *message, said string) string {
	add := func(what string, more ...string) {
		const most = 300
		words := what
		for _, w := range more {
			if w = strings.TrimSpace(text.Valid(w)); w != "" {
				words += " " + text.Ellipsis(w, most)
			}
		}
		said = strings.TrimSpace(said + "\n[" + words + "]")
	}
	if s := m.Sticker; s != nil {
		add("sticker", s.Emoji)
	}
	switch v, l := m.Venue, m.Location; {
	case v != nil && l != nil:
		add(fmt.Sprintf("location %.5f, %.5f:", l.Latitude, l.Longitude), v.Title, v.Address)
	case l != nil:
		add(fmt.Sprintf("location %.5f, %.5f", l.Latitude, l.Longitude))
	}
	if c := m.Contact; c != nil {
		add("contact", c.FirstName, c.LastName, c.Phone)
	}
	if d := m.Dice; d != nil {
		add("dice", d.Emoji, fmt.Sprint(d.Value))
	}
	if p := m.Poll; p != nil {
		add("poll", p.Question)
		const most = 12
		for i, o := range p.Options[:min(len(p.Options), most)] {
			said += fmt.Sprintf("\n%d. %s", i+1, text.Ellipsis(text.Valid(o.Text), 200))
		}
	}
	return said
}

// forwarded puts before said whose words they are.
func forwarded(m *message, said string) string {
	o := m.Origin
	if o == nil || said == "" {
		return said
	}
	const most = 100
	who := o.Hidden
	for _, c := range []*chat{o.Sender, o.Chat} {
		if c != nil {
			who = cmp.Or(c.Title, c.Username)
		}
	}
	if o.User != nil {
		who = cmp.Or(strings.TrimSpace(o.User.FirstName+" "+o.User.LastName), o.User.Username)
	}
	// Names are chosen by strangers, who would end the bracket.
	who = strings.NewReplacer("[", "(", "]", ")").Replace(printable(who))
	return "[forwarded from " + cmp.Or(text.Ellipsis(strings.TrimSpace(who), most), "somebody") + "]\n" + said
}

// scheme begins the Ref of an attachment that is still at Telegram.
const scheme = "telegram:"

func attachments(m *message) []msg.Attachment {
	var out []msg.Attachment
	add := func(f *file, mime, name string) {
		if f == nil || f.ID == "" {
			return
		}
		out = append(out, msg.Attachment{
			MIME: text.Valid(cmp.Or(f.MIME, mime)), Name: text.Valid(cmp.Or(f.Name, name)), Size: f.Size, Ref: scheme + text.Valid(f.ID),
		})
	}
	if n := len(m.Photo); n > 0 {
		add(&m.Photo[n-1], "image/jpeg", "photo.jpg") // the largest is the last
	}
	if m.Animation == nil { // which is there as a document as well
		add(m.Document, "application/octet-stream", "file")
	}
	add(m.Audio, "audio/mpeg", "audio.mp3")
	add(m.Voice, "audio/ogg", "voice.ogg")
	add(m.Video, "video/mp4", "video.mp4")
	add(m.VideoNote, "video/mp4", "note.mp4")
	add(m.Animation, "video/mp4", "animation.mp4")
	// Those that move are of formats that nothing here can show.
	if s := m.Sticker; s != nil && !s.Animated && !s.Video {
		add(&file{ID: s.ID, Size: s.Size}, "image/webp", "sticker.webp")
	}
	return out
}

// named is a word for each file, for those who can't see it.
func named(files []msg.Attachment) string {
	var words []string
	for _, f := range files {
		kind, _, _ := strings.Cut(f.MIME, "/")
		if kind == "application" || kind == "text" {
			kind = "file " + f.Name
		}
		words = append(words, "["+kind+"]")
	}
	return strings.Join(words, " ")
}
