package telegram

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
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
	return channel.Bounded(rc, most, large), nil
}
