//go:build dendrite

package matrixtest

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
)

const shared = "registration-secret"

// Dendrite starts a homeserver and returns its address.
func Dendrite(t testing.TB) string {
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

// Register makes a user and returns its access token.
func Register(t testing.TB, base, user string) string {
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
	body, _ := json.Marshal(map[string]any{"nonce": n.Nonce, "username": user, "password": "password", "admin": false, "mac": hex.EncodeToString(mac.Sum(nil))})
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
