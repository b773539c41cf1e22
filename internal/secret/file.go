package secret

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// fromFile reads a secret out of a file: a member of its JSON by pointer, or
// the whole of a single-value file.
func (r *Resolver) fromFile(ctx context.Context, p Provider, ref Ref) (String, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(pick(int64(p.TimeoutMs), defaultTimeoutMs, maxTimeoutMs))*time.Millisecond)
	defer cancel()
	path, limit := r.abs(p.Path), pick(p.MaxBytes, defaultBytes, maxBytes)
	type result struct {
		raw []byte
		err error
	}
	done := make(chan result, 1) // buffered: a read that hangs must not hold its goroutine once it ends
	go func() {
		raw, err := readFile(path, limit)
		done <- result{raw, err}
	}()
	var raw []byte
	select {
	case <-ctx.Done():
		return "", fail(fault.Timeout, ref, "reading the secret file took too long")
	case res := <-done:
		if res.err != nil {
			return "", fail(fault.Unavailable, ref, "the secret file can't be read: "+res.err.Error())
		}
		raw = res.raw
	}
	if p.Mode == "singleValue" {
		if ref.ID != "value" {
			return "", fail(fault.Invalid, ref, `a singleValue file has one id: "value"`)
		}
		return String(strings.TrimRight(string(raw), "\r\n")), nil
	}
	return fromPointer(raw, ref)
}

func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, plain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if bad := exposed(info, 0o066); bad != "" {
		return nil, errors.New(bad + "; run: chmod 600 on it, as the user that runs openclaw")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, plain(err)
	}
	if int64(len(raw)) > limit {
		return nil, errors.New("it is larger than maxBytes")
	}
	return raw, nil
}

func plain(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied")
	}
	return errors.New("read error")
}

func fromPointer(raw []byte, ref Ref) (String, error) {
	if ref.ID == "value" {
		return "", fail(fault.Invalid, ref, `id "value" needs mode "singleValue"; name a JSON pointer such as "/key"`)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", fail(fault.Invalid, ref, "the secret file isn't JSON") // its error would quote the file
	}
	for _, step := range strings.Split(ref.ID[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		m, ok := v.(map[string]any)
		if !ok {
			return "", fail(fault.NotFound, ref, "the secret file holds nothing at "+ref.ID)
		}
		if v, ok = m[step]; !ok {
			return "", fail(fault.NotFound, ref, "the secret file holds nothing at "+ref.ID)
		}
	}
	s, ok := v.(string)
	if !ok {
		return "", fail(fault.Invalid, ref, "the secret file holds no string at "+ref.ID)
	}
	return String(s), nil
}
