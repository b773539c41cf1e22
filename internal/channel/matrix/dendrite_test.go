//go:build dendrite && goolm

package matrix_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
)

const shared = "registration-secret"

// dendrite starts a homeserver and returns its address.
func dendrite(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("dendrite")
	if err != nil {
		t.Fatal("dendrite isn't in PATH: go install github.com/matrix-org/dendrite/cmd/dendrite@v0.13.8")
	}
	keys, err := exec.LookPath("generate-keys")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), keys, "--private-key", filepath.Join(dir, "key.pem")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	config := fmt.Sprintf(`version: 2
global:
  server_name: localhost
  private_key: %[1]s/key.pem
  disable_federation: true
  jetstream: {storage_path: %[1]s, in_memory: true}
  metrics: {enabled: false}
client_api:
  registration_disabled: true
  registration_shared_secret: %[2]s
  rate_limiting: {enabled: false}
app_service_api: {database: {connection_string: "file:%[1]s/appservice.db"}}
federation_api: {database: {connection_string: "file:%[1]s/federation.db"}}
key_server: {database: {connection_string: "file:%[1]s/keys.db"}}
media_api: {base_path: %[1]s/media, database: {connection_string: "file:%[1]s/media.db"}}
mscs: {database: {connection_string: "file:%[1]s/mscs.db"}}
relay_api: {database: {connection_string: "file:%[1]s/relay.db"}}
room_server: {database: {connection_string: "file:%[1]s/rooms.db"}}
sync_api: {search: {enabled: false}, database: {connection_string: "file:%[1]s/sync.db"}}
user_api: {account_database: {connection_string: "file:%[1]s/users.db"}, device_database: {connection_string: "file:%[1]s/devices.db"}}
logging: [{type: file, level: warn, params: {path: %[1]s/logs}}]
`, dir, shared)
	path := filepath.Join(dir, "dendrite.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config", path, "--http-bind-address", addr)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &log, &log, dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	base := "http://" + addr
	for range 600 {
		resp, err := http.Get(base + "/_matrix/client/versions")
		if err == nil {
			_ = resp.Body.Close()
			return base
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Fatalf("dendrite doesn't start:\n%s", log.String())
	return ""
}

// register makes a user and returns its access token.
func register(t *testing.T, base, user string) string {
	t.Helper()
	resp, err := http.Get(base + "/_synapse/admin/v1/register")
	if err != nil {
		t.Fatal(err)
	}
	var n struct{ Nonce string }
	_ = json.NewDecoder(resp.Body).Decode(&n)
	_ = resp.Body.Close()
	mac := hmac.New(sha1.New, []byte(shared))
	mac.Write([]byte(strings.Join([]string{n.Nonce, user, "password", "notadmin"}, "\x00")))
	body, _ := json.Marshal(object{"nonce": n.Nonce, "username": user, "password": "password", "admin": false, "mac": hex.EncodeToString(mac.Sum(nil))})
	resp, err = http.Post(base+"/_synapse/admin/v1/register", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	var got struct {
		Token string `json:"access_token"`
	}
	if json.Unmarshal(raw, &got) != nil || got.Token == "" {
		t.Fatalf("register %s: %s", user, raw)
	}
	return got.Token
}

// account is a channel on the homeserver, as one user.
func account(t *testing.T, base, user string, keys string) (channel.Channel, *memory, <-chan msg.Inbound) {
	t.Helper()
	mem := new(memory)
	env := mem.env()
	env.Dir = keys
	raw := fmt.Sprintf(`{"homeserver":%q,"userId":"@%s:localhost","accessToken":%q,"encryption":true}`, base, user, register(t, base, user))
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
	base := dendrite(t)
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
