package gateway

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	bodyTimeout = 30 * time.Second
	drainLimit  = 32 << 20
	drainTime   = 2 * time.Second
)

type httpError struct {
	Error httpErrorBody `json:"error"`
}

type httpErrorBody struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

// WriteError answers with the error shape that OpenAI clients read.
func WriteError(w http.ResponseWriter, status int, kind, message string) {
	WriteJSON(w, status, httpError{httpErrorBody{message, kind}})
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"error":{"message":"internal error","type":"api_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// PostOnly answers 405 to anything but POST.
func PostOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodPost {
		return true
	}
	w.Header().Set("Allow", "POST")
	plain(w, http.StatusMethodNotAllowed, "Method Not Allowed")
	return false
}

// ReadBody returns the body of at most limit bytes. Otherwise it has answered:
// 413 in a way that the client gets to read, 415 for an encoding, 408 for a
// body that doesn't come.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, ok bool) {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		unread(w, r)
		WriteError(w, http.StatusUnsupportedMediaType, "invalid_request_error", "Content-Encoding isn't supported; send the body as it is.")
		return nil, false
	}
	ctl := http.NewResponseController(w)
	if r.ContentLength > limit {
		tooLarge(w, r, ctl, limit)
		return nil, false
	}
	_ = ctl.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := readAll(r, limit)
	var timeout net.Error
	switch {
	case err == nil && int64(len(body)) <= limit:
		_ = ctl.SetReadDeadline(time.Time{}) // otherwise it stands: the server still reads what is left
		return body, true
	case err == nil:
		tooLarge(w, r, ctl, limit)
	case errors.As(err, &timeout) && timeout.Timeout():
		w.Header().Set("Connection", "close")
		WriteError(w, http.StatusRequestTimeout, "invalid_request_error", "The body didn't arrive in time.")
	default:
		WriteError(w, http.StatusBadRequest, "invalid_request_error", "The body couldn't be read.")
	}
	return nil, false
}

func readAll(r *http.Request, limit int64) ([]byte, error) {
	body := make([]byte, 0, max(512, r.ContentLength+1))
	rd := io.LimitReader(r.Body, limit+1)
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := rd.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
}

// boundBody bounds how long the server waits for a body that no handler reads,
// which it does behind every answer.
func boundBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	}
}

// unread has the answer leave at once although the body wasn't read: the
// server would wait for the body first to use the connection again.
func unread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}

// tooLarge answers 413, then reads on for a moment: a client that is still
// sending would otherwise see a reset instead of the answer.
func tooLarge(w http.ResponseWriter, r *http.Request, ctl *http.ResponseController, limit int64) {
	w.Header().Set("Connection", "close")
	WriteError(w, http.StatusRequestEntityTooLarge, "invalid_request_error",
		"The body is larger than the limit of "+strconv.FormatInt(limit, 10)+" bytes.")
	_ = ctl.Flush()
	_ = ctl.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, drainLimit))
}
