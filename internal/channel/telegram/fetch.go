package telegram

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Fetch implements [channel.Fetcher].
func (b *bot) Fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	a, err := b.api()
	if err != nil {
		return nil, err
	}
	fileID, ok := strings.CutPrefix(at.Ref, scheme)
	if !ok || fileID == "" {
		return nil, fault.New(fault.NotFound, "telegram.Fetch", "not a file of Telegram")
	}
	most := int64(20 << 20) // what the Bot API gives
	if mb := b.cfg.MediaMaxMB; mb > 0 && a.root == officialRoot {
		most = min(most, int64(mb*(1<<20)))
	} else if mb > 0 {
		most = int64(mb * (1 << 20)) // a server of one's own gives more
	}
	large := fault.New(fault.Invalid, "telegram.Fetch", fmt.Sprintf("the file is too large: the limit is %d MB", max(most>>20, 1)))
	if at.Size > most {
		return nil, large
	}
	var f file
	if err := a.call(ctx, "getFile", map[string]any{"file_id": fileID}, &f, 0); err != nil {
		return nil, err
	}
	if f.Size > most {
		return nil, large
	}
	rc, err := a.file(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	return &bounded{rc: rc, left: most, large: large}, nil
}

// bounded fails once more than left bytes came, whatever the server declared.
type bounded struct {
	rc    io.ReadCloser
	left  int64
	large error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.large
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.rc.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return max(n-1, 0), b.large
	}
	return n, err
}

func (b *bounded) Close() error { return b.rc.Close() }
