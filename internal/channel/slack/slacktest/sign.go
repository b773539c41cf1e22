package slacktest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sign is Slack's signature of a body at a time.
func Sign(secret string, at time.Time, body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(m, "v0:"+strconv.FormatInt(at.Unix(), 10)+":"+body)
	return "v0=" + hex.EncodeToString(m.Sum(nil))
}

// Request is a delivery over HTTP, signed as Slack does.
func (s *Server) Request(ctx context.Context, url, contentType, body string) *http.Request {
	now := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("X-Slack-Signature", Sign(s.SigningSecret, now, body))
	return r
}
