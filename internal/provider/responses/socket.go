package responses

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// beta is what the service wants to hear before it opens a socket.
const beta = "responses_websockets=2026-02-06"

// maxMessage bounds one message of the service.
const maxMessage = 32 << 20

// overSocket returns a client that sends a request over a WebSocket and gives
// its messages back as an event stream, so that one reader serves both.
func overSocket(c *http.Client) *http.Client {
	return &http.Client{Transport: socket{c}, CheckRedirect: c.CheckRedirect}
}

type socket struct{ client *http.Client }

// RoundTrip opens a socket at the request's address and asks there. An answer
// that is no socket comes back as it is.
func (s socket) RoundTrip(r *http.Request) (*http.Response, error) {
	defer func() { _ = r.Body.Close() }() // it is in memory
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	header := r.Header.Clone()
	header.Del("Accept")
	header.Del("Content-Type")
	header.Add("Openai-Beta", beta)
	conn, res, err := websocket.Dial(r.Context(), r.URL.String(), &websocket.DialOptions{HTTPClient: s.client, HTTPHeader: header})
	if err != nil {
		if res != nil && res.StatusCode != http.StatusSwitchingProtocols {
			if res.StatusCode < 300 {
				res.StatusCode = http.StatusUpgradeRequired // a service without sockets
			}
			return res, nil
		}
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	frame := append([]byte(`{"type":"response.create",`), body[1:]...)
	if err := conn.Write(r.Context(), websocket.MessageText, frame); err != nil {
		_ = conn.CloseNow() // it is broken
		return nil, err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: &messages{ctx: r.Context(), conn: conn},
	}, nil
}

// messages is the stream of a socket's messages.
type messages struct {
	ctx  context.Context //nolint:containedctx // io.Reader has no place for the request's
	conn *websocket.Conn
	rest bytes.Buffer
}

func (m *messages) Read(p []byte) (int, error) {
	for m.rest.Len() == 0 {
		_, data, err := m.conn.Read(m.ctx)
		if err != nil {
			if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
				return 0, io.EOF
			}
			return 0, err
		}
		m.rest.Reset()
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			m.rest.WriteString("data: ")
			m.rest.Write(line)
			m.rest.WriteByte('\n')
		}
		m.rest.WriteByte('\n')
	}
	return m.rest.Read(p)
}

// Close says good-bye without waiting for an answer.
func (m *messages) Close() error { return m.conn.CloseNow() }
