package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
)

type step struct {
	QR   string `json:"qr,omitempty"`
	Text string `json:"text,omitempty"`
	Done bool   `json:"done,omitempty"`
}

// link begins to link the device: the first code is the answer, newer ones and
// the end follow as steps.
func (d *device) link(ctx context.Context) (any, error) {
	if d.c.Store.ID != nil {
		return step{Text: "WhatsApp is linked already", Done: true}, nil
	}
	d.cancelLogin()
	d.c.Disconnect()
	if err := d.fresh(ctx); err != nil { // the phone may have unlinked the device before
		return nil, err
	}
	base := ctx // the connection outlives the login
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	d.mu.Lock()
	d.login = cancel
	d.mu.Unlock()
	codes, err := d.c.GetQRChannel(ctx)
	if err == nil {
		err = d.c.ConnectContext(base)
	}
	if err != nil {
		cancel()
		return nil, fail("unavailable", "can't reach WhatsApp to link: "+err.Error())
	}
	select {
	case item, ok := <-codes:
		if s := stepOf(item); ok && s.QR != "" {
			go d.follow(codes, cancel)
			return s, nil
		}
		cancel()
		return nil, fail("unavailable", "WhatsApp gave no code; try again")
	case <-ctx.Done():
		return nil, fail("timeout", "WhatsApp gave no code; try again")
	}
}

func (d *device) follow(codes <-chan whatsmeow.QRChannelItem, cancel context.CancelFunc) {
	defer cancel()
	for item := range codes {
		d.host.tell("channel.login.step", stepOf(item))
	}
}

func stepOf(item whatsmeow.QRChannelItem) step {
	switch item.Event {
	case "code":
		return step{QR: item.Code}
	case "success":
		return step{Text: "Linked.", Done: true}
	case "timeout":
		return step{Text: "Nobody scanned the code in time; try again."}
	}
	return step{Text: "WhatsApp didn't link the device (" + item.Event + "); try again."}
}

func (d *device) cancelLogin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.login != nil {
		d.login()
		d.login = nil
	}
}

// fetch downloads what a message described.
func (d *device) fetch(ctx context.Context, p params) (any, error) {
	var r ref
	enc, ok := strings.CutPrefix(p.Ref, refPrefix)
	b, err := base64.RawURLEncoding.DecodeString(enc)
	if !ok || err != nil || json.Unmarshal(b, &r) != nil {
		return nil, fail("invalid", "the attachment's ref can't be read")
	}
	data, err := d.c.DownloadMediaWithPath(ctx, r.Path, r.Enc, r.Sum, r.Key, r.Type, "", false)
	if err != nil {
		return nil, err
	}
	if p.Limit > 0 && int64(len(data)) > p.Limit {
		return nil, fail("invalid", "the attachment is too large")
	}
	f, err := os.CreateTemp(d.files, "in-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	return map[string]any{"file": f.Name()[strings.LastIndexByte(f.Name(), os.PathSeparator)+1:]}, nil
}
