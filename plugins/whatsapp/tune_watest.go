//go:build watest

package main

import (
	"encoding/hex"
	"os"

	"go.mau.fi/whatsmeow"

	"github.com/openclaw-go/openclaw/plugins/whatsapp/watest"
)

// tune connects to the network of a test, which the environment names. A
// program that isn't built for tests can't be led there.
func tune(c *whatsmeow.Client) {
	root, err := hex.DecodeString(os.Getenv("WATEST_ROOT"))
	if err != nil || len(root) != len(whatsmeow.WACertPubKey) {
		panic("WATEST_ROOT isn't a key")
	}
	copy(whatsmeow.WACertPubKey[:], root)
	watest.Tune(c, os.Getenv("WATEST_ADDR"))
}
