package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver
)

// device is one linked device.
type device struct {
	host  *host
	files string
	cfg   struct {
		SelfChat bool  `json:"selfChatMode"`
		Receipts *bool `json:"sendReadReceipts"`
	}
	db    *sql.DB
	store *sqlstore.Container
	c     *whatsmeow.Client // replaced when the phone unlinked it; what its events need is handed to them

	mu    sync.Mutex
	login context.CancelFunc
}

// do is what the gateway asks for.
func (d *device) do(ctx context.Context, method string, raw json.RawMessage) (any, error) {
	var p params
	if err := json.Unmarshal(raw, &p); err != nil && method != "channel.start" {
		return nil, fail("invalid", "the request can't be read")
	}
	if method == "channel.start" {
		return nil, d.start(ctx, raw)
	}
	if d.c == nil {
		return nil, fail("unavailable", "channel.start comes first")
	}
	switch method {
	case "channel.login.start":
		return d.link(ctx)
	case "channel.login.cancel":
		d.cancelLogin()
		return nil, nil
	}
	if !d.c.IsLoggedIn() {
		return nil, fail("unavailable", "WhatsApp isn't connected; if it isn't linked yet: openclaw channels login --channel whatsapp")
	}
	switch method {
	case "channel.send":
		return d.send(ctx, p)
	case "channel.typing":
		return d.with(p, func(to types.JID) error {
			return d.c.SendChatPresence(ctx, to, types.ChatPresenceComposing, types.ChatPresenceMediaText)
		})
	case "channel.react":
		return d.with(p, func(to types.JID) error {
			emoji := p.Emoji
			if p.On != nil && !*p.On {
				emoji = ""
			}
			sender := to
			if to.Server == types.GroupServer {
				return fail("invalid", "in a group WhatsApp wants to know who wrote the message to react to")
			}
			_, err := d.c.SendMessage(ctx, to, d.c.BuildReaction(to, sender, p.Message, emoji))
			return err
		})
	case "channel.edit":
		return d.with(p, func(to types.JID) error {
			_, err := d.c.SendMessage(ctx, to, d.c.BuildEdit(to, p.Message, &waE2E.Message{Conversation: proto.String(p.Text)}))
			return err
		})
	case "channel.delete":
		return d.with(p, func(to types.JID) error {
			_, err := d.c.SendMessage(ctx, to, d.c.BuildRevoke(to, types.EmptyJID, p.Message))
			return err
		})
	case "channel.fetch":
		return d.fetch(ctx, p)
	case "channel.logout":
		return nil, d.c.Logout(ctx)
	case "channel.probe":
		return nil, nil
	}
	return nil, fail("invalid", "there is no method "+method)
}

// params are those of all requests but channel.start.
type params struct {
	ID, Message, Emoji, Text, ReplyTo, Ref string
	On                                     *bool
	Limit                                  int64
	To                                     address
	Poll                                   *struct {
		Question string
		Options  []string
		Multi    bool
	}
	Voice       bool
	Attachments []struct{ File, MIME, Name string }
}

func (d *device) with(p params, f func(types.JID) error) (any, error) {
	to, err := jidOf(p.To.Peer)
	if err != nil {
		return nil, err
	}
	return nil, f(to)
}

func (d *device) start(ctx context.Context, raw json.RawMessage) error {
	var p struct {
		Config       json.RawMessage
		State, Files string
	}
	if json.Unmarshal(raw, &p) != nil || json.Unmarshal(p.Config, &d.cfg) != nil || p.State == "" {
		return fail("invalid", "channel.start can't be read")
	}
	d.files = p.Files
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.State, "whatsapp.db")+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	d.db = db
	d.store = sqlstore.NewWithDB(db, "sqlite", waLog.Noop)
	if err := d.store.Upgrade(ctx); err != nil {
		return err
	}
	store.DeviceProps.Os = proto.String("OpenClaw")
	if err := d.fresh(ctx); err != nil {
		return err
	}
	if d.c.Store.ID == nil {
		d.down("unauthenticated", "not linked to a phone yet: openclaw channels login --channel whatsapp", false)
		return nil
	}
	go d.connect(ctx, d.c)
	return nil
}

// fresh makes the client of the device that is stored, or of a new one.
func (d *device) fresh(ctx context.Context) error {
	dev, err := d.store.GetFirstDevice(ctx)
	if err != nil {
		return err
	}
	c := whatsmeow.NewClient(dev, waLog.Noop)
	d.host.tune(c)
	c.SynchronousAck, c.UseRetryMessageStore = true, true // confirmed only once it is stored
	c.EnableDecryptedEventBuffer = true                   // each message decrypts once; a kill before it is stored must not cost it
	c.AddEventHandlerWithSuccessStatus(func(e any) bool { return d.event(ctx, c, e) })
	d.c = c
	return nil
}

// connect begins to connect; whatsmeow goes on by itself from then on.
func (d *device) connect(ctx context.Context, c *whatsmeow.Client) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := c.ConnectContext(ctx)
		if err == nil {
			return
		}
		d.down("unavailable", "can't reach WhatsApp", false)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (d *device) down(kind, text string, fatal bool) {
	d.host.tell("channel.status", map[string]any{"connected": false, "error": fail(kind, text), "fatal": fatal})
}

func peopleOf(ctx context.Context, c *whatsmeow.Client) people {
	p := people{self: []types.JID{c.Store.GetJID().ToNonAD(), c.Store.GetLID().ToNonAD()}}
	p.phone = func(lid types.JID) types.JID {
		pn, err := c.Store.LIDs.GetPNForLID(ctx, lid)
		if err != nil {
			return types.EmptyJID
		}
		return pn
	}
	return p
}

// event takes what whatsmeow tells; false leaves a message unconfirmed.
func (d *device) event(ctx context.Context, c *whatsmeow.Client, e any) bool {
	switch e := e.(type) {
	case *events.Message:
		in, ok := parse(e, peopleOf(ctx, c), d.cfg.SelfChat, time.Now())
		return !ok || d.receive(ctx, c, e.Info, in)
	case *events.Connected:
		_ = c.SendPresence(ctx, types.PresenceAvailable)
		d.host.tell("channel.status", map[string]any{"connected": true})
	case *events.Disconnected:
		d.down("unavailable", "the connection to WhatsApp was lost", false)
	case *events.StreamReplaced:
		d.down("unavailable", "another program uses this linked device", true)
	case *events.LoggedOut:
		d.forgotten(ctx)
		d.down("unauthenticated", "the phone unlinked this device: openclaw channels login --channel whatsapp", false)
	case *events.ClientOutdated:
		// WhatsApp refuses old versions of its web client; take the newest number.
		go func() {
			if v, err := whatsmeow.GetLatestVersion(ctx, nil); err == nil {
				store.SetWAVersion(*v)
			}
			d.connect(ctx, c)
		}()
	}
	return true
}

// forgotten waits until the device that the phone unlinked is taken out of the
// store, which whatsmeow does beside telling us: until then it seems linked.
func (d *device) forgotten(ctx context.Context) {
	const most, pause = 10 * time.Second, 20 * time.Millisecond
	for end := time.Now().Add(most); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(pause) {
		if dev, err := d.store.GetFirstDevice(ctx); err == nil && dev.ID == nil {
			return
		}
	}
}

// receive hands a message over until it is stored.
func (d *device) receive(ctx context.Context, c *whatsmeow.Client, info types.MessageInfo, in inbound) bool {
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := d.host.call(ctx, "channel.receive", in)
		if err == nil {
			break
		}
		if f, ok := err.(*failure); ok && f.Data.Kind == "invalid" { //nolint:errorlint // call returns it bare
			return true // it will never be taken
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
	if d.cfg.Receipts == nil || *d.cfg.Receipts {
		_ = c.MarkRead(ctx, []types.MessageID{info.ID}, time.Now(), info.Chat, info.Sender)
	}
	return true
}

// messageID is the same for each try of a message, so WhatsApp shows it once.
func messageID(id, part string) types.MessageID {
	sum := sha256.Sum256([]byte(id + "/" + part))
	return "3EB0" + strings.ToUpper(hex.EncodeToString(sum[:9]))
}

func (d *device) send(ctx context.Context, p params) (any, error) {
	to, err := jidOf(p.To.Peer)
	if err != nil {
		return nil, err
	}
	var parts []*waE2E.Message
	text := p.Text
	for _, a := range p.Attachments {
		m, err := d.upload(ctx, a.File, a.MIME, a.Name, text, p.Voice)
		if err != nil {
			return nil, err
		}
		if m.GetAudioMessage() == nil {
			text = "" // it is the caption
		}
		parts = append(parts, m)
	}
	if p.Poll != nil {
		n := 1
		if p.Poll.Multi {
			n = 0
		}
		parts = append(parts, d.c.BuildPollCreation(p.Poll.Question, p.Poll.Options, n))
	}
	if strings.TrimSpace(text) != "" {
		m := &waE2E.Message{Conversation: proto.String(text)}
		if p.ReplyTo != "" && to.Server != types.GroupServer {
			m = &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(text), ContextInfo: &waE2E.ContextInfo{
				StanzaID: proto.String(p.ReplyTo), Participant: proto.String(to.String()), QuotedMessage: &waE2E.Message{Conversation: proto.String("")},
			}}}
		}
		parts = append(parts, m)
	}
	ids := []string{}
	for i, m := range parts {
		r, err := d.c.SendMessage(ctx, to, m, whatsmeow.SendRequestExtra{ID: messageID(p.ID, string(rune('0'+i)))})
		if err != nil {
			return nil, fail("inDoubt", "WhatsApp didn't confirm the message: "+err.Error())
		}
		ids = append(ids, r.ID)
	}
	return map[string]any{"ids": ids, "at": time.Now()}, nil
}

func (d *device) upload(ctx context.Context, file, mime, name, caption string, voice bool) (*waE2E.Message, error) {
	root, err := os.OpenRoot(d.files)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(file)
	if err != nil {
		return nil, fail("invalid", "the file to send isn't there")
	}
	kind := whatsmeow.MediaDocument
	switch family, _, _ := strings.Cut(mime, "/"); family {
	case "image":
		kind = whatsmeow.MediaImage
	case "video":
		kind = whatsmeow.MediaVideo
	case "audio":
		kind = whatsmeow.MediaAudio
	}
	u, err := d.c.Upload(ctx, data, kind)
	if err != nil {
		return nil, err
	}
	switch kind {
	case whatsmeow.MediaImage:
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: &caption, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}}, nil
	case whatsmeow.MediaVideo:
		return &waE2E.Message{VideoMessage: &waE2E.VideoMessage{Caption: &caption, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}}, nil
	case whatsmeow.MediaAudio:
		return &waE2E.Message{AudioMessage: &waE2E.AudioMessage{PTT: &voice, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}}, nil
	}
	return &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{Caption: &caption, FileName: &name, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}}, nil
}

func (d *device) close() {
	d.cancelLogin()
	if d.c != nil {
		d.c.Disconnect()
	}
	if d.db != nil {
		_ = d.db.Close()
	}
}
