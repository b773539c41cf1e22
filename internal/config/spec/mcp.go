package spec

import "github.com/openclaw-go/openclaw/internal/base/settings"

// MCP is mcp: the servers whose tools agents may use.
type MCP struct {
	SessionIdleTTLMs settings.Natural     `json:"sessionIdleTtlMs"`
	Servers          map[string]MCPServer `json:"servers"`
}

// MCPServer is mcp.servers.<name>: a program to start, or an address.
type MCPServer struct {
	Enabled             bool              `json:"enabled"`
	Command             string            `json:"command"`
	Args                []string          `json:"args"`
	Env                 map[string]string `json:"env"`
	CWD                 string            `json:"cwd"`
	WorkingDirectory    string            `json:"workingDirectory"`
	URL                 string            `json:"url"`
	Transport           string            `json:"transport" schema:"values=stdio|sse|streamable-http"`
	Headers             map[string]string `json:"headers"`
	ConnectionTimeoutMs settings.Natural  `json:"connectionTimeoutMs"`
	RequestTimeoutMs    settings.Natural  `json:"requestTimeoutMs"`
}
