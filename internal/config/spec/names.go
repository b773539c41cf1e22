package spec

import "github.com/openclaw-go/openclaw/internal/base/jsonschema"

// IPv4 is an address such as 127.0.0.1.
type IPv4 string

// JSONSchema gives the pattern that forms check it by.
func (IPv4) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"string(format=ipv4,pattern=^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$)"`)
}

// IPv6 is an address such as ::1.
type IPv6 string

// JSONSchema gives the pattern that forms check it by.
func (IPv6) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"string(format=ipv6,pattern=^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))$)"`)
}

// ProfileName names a profile of the browser.
type ProfileName string

// JSONSchema gives the letters that a name is made of.
func (ProfileName) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"string(pattern=^[a-z0-9-]+$)"`)
}
