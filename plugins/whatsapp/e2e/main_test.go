package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"

	"github.com/openclaw-go/openclaw/plugins/whatsapp/watest"
	"github.com/openclaw-go/openclaw/test/harness"
)

type object = map[string]any

const within = time.Minute

var (
	network *watest.Server //nolint:gochecknoglobals // whatsmeow has one root key a process
	plugin  string         //nolint:gochecknoglobals // built once
	numbers = make(chan int, 1)
)

// TestMain builds the program and the plugin, the latter for the test network.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("8") // they wait for other processes most of the time
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "openclaw-e2e-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	plugin = filepath.Join(dir, "whatsapp")
	bin := filepath.Join(dir, "openclaw")
	for _, args := range [][]string{
		{"-C", "../../..", "build", "-tags", "goolm", "-o", bin, "./cmd/openclaw"},
		{"-C", "..", "build", "-tags", "watest", "-o", filepath.Join(plugin, "openclaw-whatsapp"), "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("go %v: %v\n%s", args, err, out))
		}
	}
	manifest, err := os.ReadFile("../openclaw.plugin.json")
	if err == nil {
		err = os.WriteFile(filepath.Join(plugin, "openclaw.plugin.json"), manifest, 0o600)
	}
	if err == nil {
		err = os.Setenv("OPENCLAW_TEST_BINARY", bin)
	}
	if err != nil {
		panic(err)
	}
	network = watest.New()
	defer network.Close()
	whatsmeow.WACertPubKey = network.Root()
	numbers <- 15550000000
	return harness.Main(m)
}

// account is a new phone number.
func account() *watest.Account {
	n := <-numbers
	numbers <- n + 1
	return network.Account("+" + strconv.Itoa(n))
}

// house is a gateway whose WhatsApp account is bot, and a person it listens to.
type house struct {
	*harness.Gateway
	t      *testing.T
	model  *harness.Model
	bot    *watest.Account
	person *watest.Person
}

// newHouse makes one; the gateway isn't started.
func newHouse(t *testing.T, section object) *house {
	t.Helper()
	h := &house{t: t, model: harness.NewModel(t), bot: account(), person: network.Link(t, account())}
	whatsapp := object{"dmPolicy": "allowlist", "allowFrom": []any{h.person.Number()}}
	for k, v := range section {
		whatsapp[k] = v
	}
	h.Gateway = harness.New(t, h.model.URL, object{
		"channels": object{"whatsapp": whatsapp},
		"plugins":  object{"load": object{"paths": []any{plugin}}},
		"messages": object{"queue": object{"mode": "followup", "debounceMs": 0}},
	})
	h.Env = append(h.Env, "WATEST_ROOT="+network.RootHex(), "WATEST_ADDR="+network.Addr)
	return h
}

// cli runs a command of the program.
func (h *house) cli(args ...string) (code int, out string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 2*within)
	defer cancel()
	b, err := h.Command(ctx, args...).CombinedOutput()
	if ee, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as it comes from os/exec
		return ee.ExitCode(), string(b)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return 0, string(b)
}

// call calls a method of the gateway.
func (h *house) call(method string, params any) object {
	h.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		h.t.Fatal(err)
	}
	code, out := h.cli("gateway", "call", method, "--json", "--timeout", "60000", "--params", string(raw))
	var r object
	if i := strings.IndexByte(out, '{'); code != 0 || i < 0 || json.Unmarshal([]byte(out[i:]), &r) != nil {
		h.t.Fatalf("%s: %d %s", method, code, out)
	}
	return r
}

// linked starts the gateway and links its device as a client does.
func (h *house) linked() *house {
	h.t.Helper()
	h.Start()
	var r object
	harness.Until(h.t, within, "a code", func() bool {
		r = h.call("web.login.start", object{"timeoutMs": 30000})
		return r["qrText"] != nil
	})
	if !strings.HasPrefix(fmt.Sprint(r["qrDataUrl"]), "data:image/png;base64,") {
		h.t.Errorf("the picture of the code is %v", r["qrDataUrl"])
	}
	if err := network.Scan(h.bot, fmt.Sprint(r["qrText"])); err != nil {
		h.t.Fatal(err)
	}
	if r = h.call("web.login.wait", object{"timeoutMs": 60000}); r["connected"] != true {
		h.t.Fatalf("web.login.wait: %v", r)
	}
	h.online()
	return h
}

// up starts the gateway again and waits until it is connected.
func (h *house) up() {
	h.t.Helper()
	h.Start()
	h.online()
}

func (h *house) online() {
	h.t.Helper()
	h.until("the device is online", func() bool { return network.Online(h.bot) == 1 && network.Ready(h.bot) })
}

func (h *house) until(what string, ok func() bool) {
	h.t.Helper()
	harness.Until(h.t, 2*within, what, ok)
}

// answered waits until the person was shown word, and fails if it was more
// than once.
func (h *house) answered(word string) watest.Shown {
	h.t.Helper()
	h.until(word+" is answered", func() bool { return len(h.person.Texts(word)) > 0 })
	return h.once(word)
}

func (h *house) once(word string) watest.Shown {
	h.t.Helper()
	all := h.person.Texts(word)
	if len(all) != 1 {
		h.t.Fatalf("%q was shown %d times: %v", word, len(all), all)
	}
	return all[0]
}

// say sends a text of the person to the bot.
func (h *house) say(text string) string {
	h.t.Helper()
	return h.person.Say(h.bot.PN, text)
}

// killPlugin kills the plugin's process as kill -9 does.
func (h *house) killPlugin() {
	h.t.Helper()
	killed := 0
	for _, dir := range must(filepath.Glob("/proc/[0-9]*")) {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.HasPrefix(line, []byte(filepath.Join(plugin, "openclaw-whatsapp"))) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		// pid (name) state parent
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if f[1] != strconv.Itoa(h.PID()) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed != 1 {
		h.t.Fatalf("%d plugins of the gateway were killed", killed)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
