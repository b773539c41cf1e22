package slack

import (
	"cmp"
	"context"
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

// maxMedia is the configured limit of a file, or otherwise.
func (b *bot) maxMedia(otherwise int64) int64 {
	if mb := b.cfg.MediaMaxMB; mb > 0 {
		return max(int64(mb*(1<<20)), 1)
	}
	return otherwise
}

// sendable divides attachments into those whose bytes can be had, and lines
// that name the others.
func (b *bot) sendable(as []msg.Attachment) (files []msg.Attachment, named []string) {
	for _, f := range as {
		if len(f.Data) > 0 || b.env.Open != nil && f.Ref != "" {
			files = append(files, f)
		} else if name := cmp.Or(f.Name, f.Ref); name != "" {
			named = append(named, "`"+strings.ReplaceAll(name, "`", "'")+"`")
		}
	}
	return files, named
}

func fileName(f msg.Attachment) string {
	name := f.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return cmp.Or(clean(name), "file")
}

// sendFile uploads a file in Slack's three steps and shares it.
func (b *bot) sendFile(ctx context.Context, to destination, f msg.Attachment) error {
	const op = "slack.sendFile"
	data, err := b.bytes(ctx, f)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fault.New(fault.Invalid, op, "the file is empty")
	}
	name := fileName(f)
	var slot struct {
		URL string `json:"upload_url"`
		ID  string `json:"file_id"`
	}
	if err := b.api.call(ctx, "files.getUploadURLExternal", params{"filename": name, "length": strconv.Itoa(len(data))}, &slot); err != nil {
		return err
	}
	u, err := url.Parse(slot.URL)
	if err != nil || !b.trusted(u) {
		return fault.New(fault.Unavailable, op, "Slack named a place for the file that isn't Slack's")
	}
	if err := b.api.upload(ctx, u, data); err != nil {
		return err
	}
	return b.api.call(ctx, "files.completeUploadExternal", params{
		"files": []map[string]string{{"id": slot.ID, "title": name}}, "channel_id": to.conversation, "thread_ts": to.thread,
	}, nil)
}

// bytes reads what is to be sent.
func (b *bot) bytes(ctx context.Context, f msg.Attachment) ([]byte, error) {
	return b.env.Read(ctx, f, b.maxMedia(maxFile), "slack.sendFile", "channels.slack.mediaMaxMb")
}

// Fetch implements [channel.Fetcher]. The address of the bytes comes from Slack
// by the file's id, and only Slack's own are asked, with the token.
func (b *bot) Fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	const op, usual = "slack.Fetch", 20 << 20
	fileID, ok := strings.CutPrefix(at.Ref, scheme)
	if !ok || !idLike(fileID) {
		return nil, fault.New(fault.NotFound, op, "not a file of Slack")
	}
	most := b.maxMedia(usual)
	large := fault.New(fault.Invalid, op, fmt.Sprintf("the file is too large: the limit is %d MB", max(most>>20, 1)))
	if at.Size > most {
		return nil, large
	}
	var ans struct {
		File file `json:"file"`
	}
	if err := b.api.call(ctx, "files.info", params{"file": fileID}, &ans); err != nil {
		return nil, err
	}
	if ans.File.Size > most {
		return nil, large
	}
	u, err := url.Parse(cmp.Or(ans.File.Download, ans.File.URL))
	if err != nil || !b.trusted(u) {
		return nil, fault.New(fault.Forbidden, op, "the file isn't on a server of Slack")
	}
	rc, err := b.download(ctx, u, at.MIME)
	if err != nil {
		return nil, err
	}
	return channel.Bounded(rc, most, large), nil
}

// download opens u, and follows Slack to its other servers. Beyond the first
// host the address itself is the permission.
func (b *bot) download(ctx context.Context, u *url.URL, mime string) (io.ReadCloser, error) {
	const op, hops, patience = "slack.Fetch", 4, 5 * time.Minute
	host := u.Host
	ctx, cancel := context.WithTimeout(ctx, patience)
	for range hops {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
		if err != nil {
			cancel()
			return nil, fault.Wrap(fault.Invalid, op, bare(err))
		}
		if u.Host == host {
			req.Header.Set("Authorization", "Bearer "+b.cfg.BotToken)
		}
		resp, err := b.api.http.Do(req)
		if err != nil {
			cancel()
			return nil, fault.Wrap(fault.Unavailable, op, bare(err))
		}
		switch s := resp.StatusCode; {
		case s == http.StatusOK:
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && !strings.HasPrefix(mime, "text/html") {
				_ = resp.Body.Close()
				cancel()
				return nil, fault.New(fault.Forbidden, op, "Slack asks to log in instead of giving the file: add the scope files:read and install the app again")
			}
			return channel.Canceling(resp.Body, cancel), nil
		case s >= 300 && s < 400:
			next, err := u.Parse(resp.Header.Get("Location"))
			_ = resp.Body.Close()
			if err != nil || !b.trusted(next) {
				cancel()
				return nil, fault.New(fault.Forbidden, op, "the file isn't on a server of Slack")
			}
			u = next
		default:
			_ = resp.Body.Close()
			cancel()
			if s == http.StatusTooManyRequests {
				return nil, limited(op, resp.Header.Get("Retry-After"), &refusal{})
			}
			if s >= http.StatusInternalServerError {
				return nil, fault.New(fault.Unavailable, op, "Slack has a problem: HTTP "+strconv.Itoa(s))
			}
			return nil, fault.New(fault.NotFound, op, "Slack doesn't give the file: HTTP "+strconv.Itoa(s))
		}
	}
	cancel()
	return nil, fault.New(fault.Unavailable, op, "Slack sends us in circles for the file")
}

var _ channel.Fetcher = (*bot)(nil)
