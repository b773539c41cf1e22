package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// maxMedia is how large a file may be, in and out.
func (b *bot) maxMedia() int64 {
	return max(int64(cmp.Or(b.cfg.MediaMaxMB, usualMB)*(1<<20)), 1)
}

// uploads reads the attachments whose bytes can be had; lines name the others.
func (b *bot) uploads(ctx context.Context, out msg.Outbound) (files []upload, named []string, err error) {
	const most = 50
	for _, f := range out.Attachments[:min(len(out.Attachments), most)] {
		if len(f.Data) == 0 && (b.env.Open == nil || f.Ref == "") {
			if name := cmp.Or(f.Name, f.Ref); name != "" {
				named = append(named, "`"+strings.ReplaceAll(clean(name), "`", "'")+"`")
			}
			continue
		}
		data, err := b.bytes(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		mime := clean(f.MIME)
		if !strings.Contains(mime, "/") {
			mime = "application/octet-stream"
		}
		files = append(files, upload{name: fileName(f), mime: mime, data: data})
	}
	return files, named, nil
}

func fileName(f msg.Attachment) string {
	name := f.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return cmp.Or(clean(name), "file")
}

// bytes reads what is to be sent.
func (b *bot) bytes(ctx context.Context, f msg.Attachment) ([]byte, error) {
	return b.env.Read(ctx, f, b.maxMedia(), "discord.Send", "channels.discord.mediaMaxMb")
}

// grouped divides files among messages: at most ten in one, and no more bytes
// than one file may have.
func grouped(files []upload, most int64) (out [][]upload) {
	const each = 10
	var sum int64
	for _, f := range files {
		n := len(out) - 1
		if n < 0 || len(out[n]) == each || sum+int64(len(f.data)) > most {
			out, sum = append(out, nil), 0
			n++
		}
		out[n] = append(out[n], f)
		sum += int64(len(f.data))
	}
	return out
}

// voiceNote makes f a voice note, a message of its own, if it is one: Discord
// plays Opus in Ogg, and wants to be told how long it is.
func voiceNote(f upload, posts *[]post) bool {
	length := oggLength(f.data)
	if length <= 0 {
		return false
	}
	f.name, f.mime = "voice-message.ogg", "audio/ogg"
	*posts = append(*posts, post{files: []upload{f}, body: map[string]any{
		"flags": flagVoice,
		"attachments": []map[string]any{{
			"id": 0, "filename": f.name, "duration_secs": length.Seconds(), "waveform": waveform(f.data, length),
		}},
	}})
	return true
}

// oggLength is the length of Opus in Ogg: its last page counts samples, 48000 a
// second. 0 is another format.
func oggLength(data []byte) time.Duration {
	const head, rate = 27, 48000
	if !bytes.HasPrefix(data, []byte("OggS")) || !bytes.Contains(data[:min(len(data), 256)], []byte("OpusHead")) {
		return 0
	}
	i := bytes.LastIndex(data, []byte("OggS"))
	if i < 0 || len(data)-i < head {
		return 0
	}
	n := binary.LittleEndian.Uint64(data[i+6:])
	if n == 0 || n > rate*60*60*24 {
		return 0
	}
	return time.Duration(n) * time.Second / rate
}

// waveform is what Discord draws: here how many bytes each moment took, which
// follows how much is said.
func waveform(data []byte, length time.Duration) string {
	const most = 256
	n := min(max(int(length/(100*time.Millisecond)), 1), most)
	bars := make([]byte, n)
	for i := range bars {
		part := data[i*len(data)/n : (i+1)*len(data)/n]
		sum := 0
		for _, c := range part {
			sum += int(c ^ 0x80)
		}
		if len(part) > 0 {
			bars[i] = byte(sum / len(part)) //nolint:gosec // a mean of bytes
		}
	}
	return base64.StdEncoding.EncodeToString(bars)
}

// Fetch implements [channel.Fetcher]. Addresses of attachments are signed and
// end after a day, so an old one is asked for again; only Discord's own servers
// are asked, and never with the token.
func (b *bot) Fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	const op = "discord.Fetch"
	ref, ok := strings.CutPrefix(at.Ref, scheme)
	parts := strings.Split(ref, "/")
	if !ok || len(parts) != 3 || !snowflake(parts[0]) || !snowflake(parts[1]) || !snowflake(parts[2]) {
		return nil, fault.New(fault.NotFound, op, "not a file of Discord")
	}
	most := b.maxMedia()
	large := fault.New(fault.Invalid, op, fmt.Sprintf("the file is too large: the limit is %d MB (channels.discord.mediaMaxMb)", max(most>>20, 1)))
	if at.Size > most {
		return nil, large
	}
	if address, ok := b.files.Younger(at.Ref, time.Hour); ok {
		if rc, err := b.download(ctx, address); err == nil || fault.KindOf(err) != fault.NotFound {
			return bound(rc, err, most, large)
		}
	}
	var m message
	if err := b.api.get(ctx, "/channels/"+parts[0]+"/messages/"+parts[1], nil, &m); err != nil {
		return nil, err
	}
	list := m.Attachments
	for _, s := range m.Snapshots {
		list = append(list, s.Message.Attachments...)
	}
	for _, a := range list {
		if a.ID != parts[2] {
			continue
		}
		if a.Size > most {
			return nil, large
		}
		rc, err := b.download(ctx, a.URL)
		return bound(rc, err, most, large)
	}
	return nil, fault.New(fault.NotFound, op, "the message no longer has that file")
}

func bound(rc io.ReadCloser, err error, most int64, large error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return channel.Bounded(rc, most, large), nil
}

// fileURL tells addresses of Discord's file servers, or of the server that
// apiRoot names.
func (b *bot) fileURL(u *url.URL) bool {
	if u.User != nil {
		return false
	}
	if b.cfg.APIRoot != officialRoot && strings.EqualFold(u.Host, b.api.root.Host) && u.Scheme == b.api.root.Scheme {
		return true
	}
	host := strings.ToLower(u.Host) // with its port: none
	return u.Scheme == "https" && (host == "cdn.discordapp.com" || host == "media.discordapp.net")
}

func (b *bot) download(ctx context.Context, address string) (io.ReadCloser, error) {
	const op, patience = "discord.Fetch", 5 * time.Minute
	u, err := url.Parse(address)
	if err != nil || !b.fileURL(u) {
		return nil, fault.New(fault.Forbidden, op, "the file isn't on a server of Discord")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		cancel()
		return nil, fault.Wrap(fault.Invalid, op, bare(err))
	}
	resp, err := b.api.http.Do(req)
	if err != nil {
		cancel()
		return nil, fault.Wrap(fault.Unavailable, op, bare(err))
	}
	if resp.StatusCode == http.StatusOK {
		return channel.Canceling(resp.Body, cancel), nil
	}
	_ = resp.Body.Close()
	cancel()
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests, s >= http.StatusInternalServerError:
		return nil, fault.New(fault.Unavailable, op, "Discord has a problem: HTTP "+strconv.Itoa(s))
	case s >= 300 && s < 400:
		return nil, fault.New(fault.Forbidden, op, "the file isn't on a server of Discord")
	default:
		return nil, fault.New(fault.NotFound, op, "Discord doesn't give the file: HTTP "+strconv.Itoa(s))
	}
}
