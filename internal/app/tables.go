package app

import (
	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/telegram"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/anthropic"
	"github.com/openclaw-go/openclaw/internal/provider/azure"
	"github.com/openclaw-go/openclaw/internal/provider/bedrock"
	"github.com/openclaw-go/openclaw/internal/provider/codex"
	"github.com/openclaw-go/openclaw/internal/provider/copilot"
	"github.com/openclaw-go/openclaw/internal/provider/demo"
	"github.com/openclaw-go/openclaw/internal/provider/google"
	"github.com/openclaw-go/openclaw/internal/provider/ollama"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

// Channels lists the networks in this binary. Adding one is its folder and its
// line here.
func Channels() []channel.Kind {
	return []channel.Kind{
		discord.Kind(),
		irc.Kind(),
		matrix.Kind(),
		signal.Kind(),
		slack.Kind(),
		telegram.Kind(),
	}
}

// Engines lists the context engines of this binary; legacy is the first.
func Engines(legacy *compaction.Legacy) []engine.Engine { return []engine.Engine{legacy} }

// Providers lists the wire formats of models in this binary.
func Providers() []provider.Kind {
	return []provider.Kind{
		anthropic.Kind(),
		azure.Kind(responses.Kind()),
		bedrock.Kind(),
		codex.Kind(responses.Kind()),
		copilot.Kind(openai.Kind(), responses.Kind(), anthropic.Kind()),
		demo.Kind(),
		google.Kind(),
		google.Vertex(),
		ollama.Kind(),
		openai.Kind(),
		responses.Kind(),
	}
}
