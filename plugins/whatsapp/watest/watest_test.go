package watest_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"

	"github.com/openclaw-go/openclaw/plugins/whatsapp/watest"
)

var network *watest.Server

func TestMain(m *testing.M) {
	network = watest.New()
	whatsmeow.WACertPubKey = network.Root()
	code := m.Run()
	network.Close()
	os.Exit(code)
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Two real clients link, write to each other, directly and in a group, with
// media, across a broken connection.
func TestNetwork(t *testing.T) {
	t.Parallel()
	a, b := network.Link(t, network.Account("+15550000001")), network.Link(t, network.Account("+15550000002"))
	a.Say(b.PN, "hello there")
	until(t, "a text", func() bool { return len(b.Texts("hello there")) == 1 })
	b.Say(a.LID, "and back")
	until(t, "an answer", func() bool { return len(a.Texts("and back")) == 1 })

	g := network.Group("Tea", a.Account, b.Account)
	a.Mention(g.JID, b.Account, "in the group")
	until(t, "a group message", func() bool { return len(b.Texts("in the group")) == 1 })

	a.SendFile(b.PN, []byte("picture"), "image/png", "", "look")
	until(t, "a picture", func() bool { return len(b.Texts("look")) == 1 })
	data, err := b.Client.Download(context.Background(), b.Texts("look")[0].Message.GetImageMessage())
	if err != nil || !bytes.Equal(data, []byte("picture")) {
		t.Errorf("Download = %q, %v", data, err)
	}

	b.Client.Disconnect()
	until(t, "b is gone", func() bool { return network.Online(b.Account) == 0 })
	a.Say(b.PN, "while you were away")
	if n := network.Pending(b.Account); n == 0 {
		t.Error("nothing waits for b")
	}
	if err := b.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	until(t, "what waited", func() bool { return len(b.Texts("while you were away")) == 1 })
	until(t, "it is confirmed", func() bool { return network.Pending(b.Account) == 0 })
}
