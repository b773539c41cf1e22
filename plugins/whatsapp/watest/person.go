package watest

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver
)

// Person is somebody with a real client.
type Person struct {
	*Account
	Client *whatsmeow.Client
	t      testing.TB

	mu   sync.Mutex
	got  []Shown
	acts []*events.Receipt
}

// Shown is a message that a person's client shows.
type Shown struct {
	ID, Text string
	From     types.JID
	Chat     types.JID
	Message  *waE2E.Message
	Copies   int // how many came under this id
}

// Tune has a client find the network at addr, and no other.
func Tune(c *whatsmeow.Client, addr string) {
	h := &http.Client{Transport: &http.Transport{DialTLSContext: DialTLS(addr)}}
	c.SetMediaHTTPClient(h)
	c.SetWebsocketHTTPClient(h)
	c.SetPreLoginHTTPClient(h)
}

// Link makes a person's client and links it to the account.
// [whatsmeow.WACertPubKey] must be the server's root already.
func (s *Server) Link(t testing.TB, a *Account) *Person {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "person.db")+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	c := sqlstore.NewWithDB(db, "sqlite", waLog.Noop)
	if err := c.Upgrade(ctx); err != nil {
		t.Fatal(err)
	}
	p := &Person{Account: a, Client: whatsmeow.NewClient(c.NewDevice(), waLog.Noop), t: t}
	Tune(p.Client, s.Addr)
	p.Client.AddEventHandler(p.event)
	t.Cleanup(func() {
		p.Client.Disconnect()
		cancel()
		_ = db.Close()
	})
	codes, err := p.Client.GetQRChannel(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Client.ConnectContext(ctx); err != nil {
		t.Fatal(err)
	}
	for item := range codes {
		if item.Event == whatsmeow.QRChannelEventCode {
			if err := s.Scan(a, item.Code); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if item != whatsmeow.QRChannelSuccess {
			t.Fatalf("linking %s: %s %v", a.Number(), item.Event, item.Error)
		}
	}
	for deadline := time.Now().Add(time.Minute); !p.Client.WaitForConnection(time.Second); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) { // between linking and the first login it is offline on purpose
			t.Fatalf("%s doesn't connect", a.Number())
		}
	}
	for deadline := time.Now().Add(time.Minute); !s.Ready(a); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s doesn't upload its keys", a.Number())
		}
	}
	return p
}

func (p *Person) event(e any) {
	switch e := e.(type) {
	case *events.Receipt:
		p.mu.Lock()
		p.acts = append(p.acts, e)
		p.mu.Unlock()
	case *events.Message:
		if e.Message.GetSenderKeyDistributionMessage() != nil && proto.Size(e.Message) == proto.Size(&waE2E.Message{SenderKeyDistributionMessage: e.Message.SenderKeyDistributionMessage, MessageContextInfo: e.Message.MessageContextInfo}) {
			return // the key of a group, which precedes what is said
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for i := range p.got {
			if p.got[i].ID == e.Info.ID {
				p.got[i].Copies++
				return
			}
		}
		m := e.Message
		text := m.GetConversation() + m.GetExtendedTextMessage().GetText() + m.GetImageMessage().GetCaption() + m.GetDocumentMessage().GetCaption() + m.GetVideoMessage().GetCaption()
		p.got = append(p.got, Shown{ID: e.Info.ID, Text: text, From: e.Info.Sender, Chat: e.Info.Chat, Message: e.RawMessage, Copies: 1})
	}
}

// Send sends any message and returns its id.
func (p *Person) Send(to types.JID, m *waE2E.Message) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := p.Client.SendMessage(ctx, to, m)
	if err != nil {
		p.t.Fatalf("%s can't send: %v", p.Number(), err)
	}
	return r.ID
}

// Say sends a text and returns its id.
func (p *Person) Say(to types.JID, text string) string {
	p.t.Helper()
	return p.Send(to, &waE2E.Message{Conversation: proto.String(text)})
}

// Mention sends a text that mentions somebody.
func (p *Person) Mention(to types.JID, who *Account, text string) string {
	p.t.Helper()
	return p.Send(to, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
		Text: proto.String(fmt.Sprintf("@%s %s", who.LID.User, text)), ContextInfo: &waE2E.ContextInfo{MentionedJID: []string{who.LID.String()}},
	}})
}

// SendFile uploads an image or document and sends it.
func (p *Person) SendFile(to types.JID, data []byte, mime, name, caption string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kind := whatsmeow.MediaDocument
	if strings.HasPrefix(mime, "image/") {
		kind = whatsmeow.MediaImage
	}
	u, err := p.Client.Upload(ctx, data, kind)
	if err != nil {
		p.t.Fatal(err)
	}
	if kind == whatsmeow.MediaImage {
		return p.Send(to, &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: &caption, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}})
	}
	return p.Send(to, &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{FileName: &name, Caption: &caption, Mimetype: &mime, URL: &u.URL, DirectPath: &u.DirectPath, MediaKey: u.MediaKey, FileEncSHA256: u.FileEncSHA256, FileSHA256: u.FileSHA256, FileLength: &u.FileLength}})
}

// Got returns what the person's client shows of messages that match.
func (p *Person) Got(match func(Shown) bool) (out []Shown) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.got {
		if match(m) {
			out = append(out, m)
		}
	}
	return out
}

// Texts returns the messages with word in their text.
func (p *Person) Texts(word string) []Shown {
	return p.Got(func(s Shown) bool { return strings.Contains(s.Text, word) })
}

// Receipts counts the receipts of a kind that came for a message.
func (p *Person) Receipts(kind types.ReceiptType, id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, r := range p.acts {
		for _, x := range r.MessageIDs {
			if r.Type == kind && x == id {
				n++
			}
		}
	}
	return n
}
