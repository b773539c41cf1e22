// Package e2e tests the gateway, the plugin and a WhatsApp network together:
// each a process or a server of its own, as people run them. It is a module of
// its own so that the program and its plugin need nothing of each other.
package e2e
