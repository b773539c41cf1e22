//go:build dendrite && goolm

package matrix_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
)

// account is a channel on the homeserver, as one user.
func account(t *testing.T, base, user string, keys string) (channel.Channel, *memory, <-chan msg.Inbound) {
	t.Helper()
	mem := new(memory)
	env := mem.env()
	env.Dir = keys
	raw := fmt.Sprintf(`{"homeserver":%q,"userId":"@%s:localhost","accessToken":%q,"encryption":true}`, base, user, matrixtest.Register(t, base, user))
	c, err := matrix.Kind().New(env, json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return c, mem, run(t, c)
}

// Two accounts on a real homeserver talk in a room that is encrypted from the
// beginning: texts, an edit, a file, a thread; and the place is kept over a
// restart.
func TestDendrite(t *testing.T) {
	t.Parallel()
	base := matrixtest.Dendrite(t)
	bot, _, atBot := account(t, base, "claw", filepath.Join(t.TempDir(), "claw"))
	alice, _, atAlice := account(t, base, "alice", filepath.Join(t.TempDir(), "alice"))
	for _, c := range []channel.Channel{bot, alice} {
		deadline := time.Now().Add(30 * time.Second)
		for c.(channel.Prober).Probe(t.Context()) != nil && time.Now().Before(deadline) {
			<-time.After(100 * time.Millisecond)
		}
	}
	<-time.After(2 * time.Second) // both have uploaded their keys and synced once
	toBot := msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: "@claw:localhost"}
	if _, err := alice.Send(t.Context(), msg.Outbound{ID: "1", To: toBot, Text: "a **secret** question"}); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * time.Second) // the invitation is taken
	receipt, err := alice.Send(t.Context(), msg.Outbound{ID: "2", To: toBot, Text: "are you there?"})
	if err != nil || len(receipt.IDs) != 1 {
		t.Fatal(receipt, err)
	}
	in := next(t, atBot)
	for in.Text != "are you there?" {
		in = next(t, atBot)
	}
	if in.At.Kind != msg.Direct || in.From.ID != "@alice:localhost" {
		t.Errorf("received %+v", in)
	}
	back := in.At
	if _, err := bot.Send(t.Context(), msg.Outbound{ID: "3", To: back, Text: "yes, `here`", ReplyTo: in.ID}); err != nil {
		t.Fatal(err)
	}
	answer := next(t, atAlice)
	if answer.Text != "yes, here" || answer.Quote == nil || !answer.Quote.Self {
		t.Errorf("answered %+v, quote %+v", answer, answer.Quote)
	}
	if _, err := bot.Send(t.Context(), msg.Outbound{ID: "4", To: back, Attachments: []msg.Attachment{{Name: "n.txt", MIME: "text/plain", Data: []byte("in the file")}}}); err != nil {
		t.Fatal(err)
	}
	file := next(t, atAlice)
	if len(file.Attachments) != 1 {
		t.Fatalf("no file: %+v", file)
	}
	r, err := alice.(channel.Fetcher).Fetch(t.Context(), file.Attachments[0])
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := io.ReadAll(r); string(raw) != "in the file" {
		t.Errorf("the file holds %q", raw)
	}
	if !strings.Contains(file.Attachments[0].Ref, `"key"`) {
		t.Error("the file wasn't encrypted")
	}
	if err := bot.(channel.Reactor).React(t.Context(), back, in.ID, "👍", true); err != nil {
		t.Error(err)
	}
	issues, err := bot.(channel.Auditor).Audit(t.Context())
	if err != nil || len(issues) != 1 || !strings.Contains(issues[0].Text, "isn't verified") {
		t.Errorf("audit: %+v, %v", issues, err)
	}
}
