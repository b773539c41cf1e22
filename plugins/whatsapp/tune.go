//go:build !watest

package main

import "go.mau.fi/whatsmeow"

// tune leaves the client as it is: WhatsApp is the only network.
func tune(*whatsmeow.Client) {}
