// Package message has the tool by which an agent acts on messaging networks:
// it sends, reacts, edits and reads, as far as the networks that are connected
// can.
package message

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Sender does what the tool is asked for. Args are the arguments of the call;
// the answer is for JSON. Errors carry a hint that may be shown.
type Sender func(ctx context.Context, c tool.Call, args json.RawMessage) (any, error)

//go:embed message.md
var description string

// args describes the arguments; [Sender] reads them.
type args struct {
	Action     string     `json:"action" schema:"enum=send|reply|broadcast|poll|react|edit|delete|pin|unpin|list-pins|read|search|thread-create|thread-reply|channel-list" doc:"What to do; each network can do a part of it"`
	Channel    string     `json:"channel,omitempty" doc:"Network: telegram, discord, ...; the one you are on when left out"`
	AccountID  string     `json:"accountId,omitempty" doc:"Account of yours on it"`
	Target     string     `json:"target,omitempty" doc:"Person or room; this conversation when left out"`
	Targets    []string   `json:"targets,omitempty" doc:"broadcast: persons or rooms"`
	ThreadID   string     `json:"threadId,omitempty" doc:"Thread or topic in the target"`
	Message    string     `json:"message,omitempty" doc:"Text, in Markdown"`
	Media      string     `json:"media,omitempty" doc:"File of the workspace, or https address, to send along"`
	ReplyTo    string     `json:"replyTo,omitempty" doc:"Id of the message to answer"`
	MessageID  string     `json:"messageId,omitempty" doc:"Id of the message to act on; the one you answer when left out"`
	Emoji      string     `json:"emoji,omitempty" doc:"react: the emoji"`
	Remove     bool       `json:"remove,omitempty" doc:"react: take it back"`
	Silent     bool       `json:"silent,omitempty" doc:"Without a sound, where that can be"`
	Buttons    [][]button `json:"buttons,omitempty" doc:"Rows of buttons under the text, where the network has them"`
	Question   string     `json:"pollQuestion,omitempty" doc:"poll: the question"`
	Options    []string   `json:"pollOption,omitempty" doc:"poll: two to twelve answers"`
	Multi      bool       `json:"pollMulti,omitempty" doc:"poll: several answers may be chosen"`
	Hours      int        `json:"pollDurationHours,omitempty" doc:"poll: how long it is open"`
	ThreadName string     `json:"threadName,omitempty" doc:"thread-create: its name"`
	Query      string     `json:"query,omitempty" doc:"search: the words"`
	Limit      int        `json:"limit,omitempty" doc:"read and search: how many messages; 20"`
	Before     string     `json:"before,omitempty" doc:"read: only older than this message id"`
	After      string     `json:"after,omitempty" doc:"read: only newer than this message id"`
	Around     string     `json:"around,omitempty" doc:"read: around this message id"`
	DryRun     bool       `json:"dryRun,omitempty" doc:"Only check whether it could be done"`
}

type button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data,omitempty" doc:"What comes back when it is pressed"`
	URL   string `json:"url,omitempty"`
	Style string `json:"style,omitempty" schema:"enum=primary|secondary|success|danger"`
}

// New returns the tool.
func New(send Sender) tool.Tool {
	return face{tool.New("message", strings.TrimSpace(description), func(ctx context.Context, c tool.Call, _ args) (tool.Result, error) {
		got, err := send(ctx, c, c.Args)
		if err != nil {
			return tool.Errorf("%s", fault.Hint(err)), nil
		}
		raw, err := json.Marshal(got)
		if err != nil {
			return tool.Result{}, err
		}
		return tool.Result{Content: []llm.Block{llm.Text(string(raw))}}, nil
	})}
}

type face struct{ tool.Tool }

var _ tool.Grouped = face{}

func (face) Group() string { return "messaging" }
