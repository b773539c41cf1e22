package gateway

import (
	"net"
	"sync"
)

// cork holds back what is written while it is on, so that many small frames
// leave in one system call. It is off until [cork.hold].
type cork struct {
	net.Conn

	mu   sync.Mutex
	on   bool
	held []byte
}

// corkSize bounds what is held, in bytes; more goes out at once.
const corkSize = 32 << 10

func (c *cork) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return c.Conn.Write(p)
	}
	if len(c.held)+len(p) > corkSize {
		if err := c.flushLocked(); err != nil {
			return 0, err
		}
		if len(p) > corkSize {
			return c.Conn.Write(p)
		}
	}
	c.held = append(c.held, p...)
	return len(p), nil
}

// hold begins to hold back.
func (c *cork) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = true
}

// release writes what was held and ends holding back.
func (c *cork) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = false
	return c.flushLocked()
}

func (c *cork) flushLocked() error {
	if len(c.held) == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.held)
	c.held = c.held[:0]
	return err
}
