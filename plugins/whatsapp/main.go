// Openclaw-whatsapp is the WhatsApp plugin of OpenClaw: one linked device for
// each time that it is started. It is a module and a program of its own because
// the Signal protocol library that it links is under the GPL version 3.
//
// host is the lines to the gateway, device the link to WhatsApp, and message
// what turns one's words into the other's.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := newHost(os.Stdin, os.Stdout, tune).serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
