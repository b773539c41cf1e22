//go:build official

// Package official_test holds our gateway against OpenClaw itself, as npm has
// it: its command line drives ours, and a state directory goes from its gateway
// to ours and back. The tests need npm and the network, or a directory in
// OPENCLAW_OFFICIAL_DIR where OpenClaw and node are installed already:
//
//	make official
package official_test
