package channel

import (
	"context"
	"fmt"
	"io"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Read returns the bytes of an outbound attachment, inline or where Ref says. A
// file of more than most bytes is [fault.Invalid]; key names the setting that
// says so, and op who asks.
func (e *Env) Read(ctx context.Context, a msg.Attachment, most int64, op, key string) ([]byte, error) {
	data := a.Data
	if len(data) == 0 {
		if e.Open == nil {
			return nil, fault.New(fault.Invalid, op, "files can't be sent here")
		}
		f, err := e.Open(ctx, a)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if data, err = io.ReadAll(io.LimitReader(f, most+1)); err != nil {
			return nil, fault.Wrap(fault.Unavailable, op, err)
		}
	}
	if int64(len(data)) > most {
		return nil, TooLarge(op, most, key)
	}
	return data, nil
}

// TooLarge refuses a file of more than most bytes; key names the setting that
// says so, or is "".
func TooLarge(op string, most int64, key string) error {
	if key != "" {
		key = " (" + key + ")"
	}
	return fault.New(fault.Invalid, op, fmt.Sprintf("the file is too large: the limit is %d MB%s", max(most>>20, 1), key))
}

// Bounded reads rc and fails with large once more than most bytes came,
// whatever the server declared.
func Bounded(rc io.ReadCloser, most int64, large error) io.ReadCloser {
	return &bounded{rc: rc, left: most, large: large}
}

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

// Canceling reads rc; closing it calls cancel too, which ends the request that
// it is the body of.
func Canceling(rc io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	return &canceling{ReadCloser: rc, cancel: cancel}
}

type canceling struct {
	io.ReadCloser

	cancel context.CancelFunc
}

func (c *canceling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}
