package spec

// Channels is channels. Each network adds its own section; one that nobody
// here knows is let in.
type Channels struct {
	_ struct{} `schema:"open"`
}
