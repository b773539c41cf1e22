package openai

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
)

const (
	defaultBody = 20 << 20
	maxMessages = 4096
	maxImages   = 8
	maxKey      = 512
)

// problem is a mistake of the caller, in words for it.
type problem string

func (p problem) Error() string { return string(p) }

const (
	noUserMessage = problem("Missing user message in `messages`.")
	badImage      = problem("Invalid image_url content in `messages`.")
)

// input is what a request says.
type input struct {
	model  string
	stream bool
	usage  bool // in the stream, too
	user   string
	system string
	text   string
	images []msg.Attachment
}

// schema refuses what could be read in two ways; what it doesn't name is for
// other services and ignored.
func schema() *jsonschema.Schema {
	return jsonschema.FromCompact(`{"model?":"any","stream?":"any","stream_options?":"any","user?":"any","messages?":"any"}`)
}

// object reads a JSON object by exact keys: encoding/json would also take
// other cases of a field's name.
type object map[string]json.RawMessage

func (o object) string(key string) string {
	var s string
	if err := json.Unmarshal(o[key], &s); err != nil {
		return ""
	}
	return s
}

func (o object) bool(key string) bool { return string(o[key]) == "true" }

func (o object) object(key string) object {
	var in object
	if err := json.Unmarshal(o[key], &in); err != nil {
		return nil
	}
	return in
}

// parse reads a request. Its errors are for the caller.
func (a *api) parse(body []byte) (input, error) {
	if len(body) == 0 {
		return input{}, noUserMessage
	}
	if err := a.schema.Validate(body); err != nil {
		if e, ok := errors.AsType[*jsonschema.Error](err); ok && e.Syntax {
			return input{}, problem("The body isn't valid JSON.")
		}
		return input{}, problem("Invalid body: " + err.Error())
	}
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return input{}, problem("The body isn't valid JSON.")
	}
	in := input{model: o.string("model"), stream: o.bool("stream"), user: o.string("user"), usage: o.object("stream_options").bool("include_usage")}
	var messages []object
	if err := json.Unmarshal(o["messages"], &messages); err != nil {
		return in, noUserMessage
	}
	if len(messages) > maxMessages {
		return in, problem("Too many `messages`.")
	}
	return in, in.read(messages)
}

// entry is one message of the conversation so far.
type entry struct{ who, text string }

// read splits messages into instructions, what came before and what to answer.
func (in *input) read(messages []object) error {
	var system []string
	var talk []entry
	current := -1
	for _, m := range messages {
		said, images, err := content(m["content"])
		if err != nil {
			return err
		}
		said = strings.TrimSpace(said)
		switch role := m.string("role"); role {
		case "system", "developer":
			if said != "" {
				system = append(system, said)
			}
		case "user", "tool", "function":
			if said == "" && len(images) == 0 {
				continue
			}
			who := "User"
			if role != "user" {
				who = "Tool"
				if name := m.string("name"); name != "" {
					who += ":" + text.Cut(name, 64)
				}
			}
			if role == "user" || current < 0 || talk[current].who == "User" {
				in.images = images
			}
			talk = append(talk, entry{who, said})
			current = len(talk) - 1
		case "assistant":
			if said != "" {
				talk = append(talk, entry{"Assistant", said})
			}
		}
	}
	if current < 0 {
		return noUserMessage
	}
	if talk[current].text == "" {
		talk[current].text = "(an image)"
	}
	in.system = strings.Join(system, "\n\n")
	in.text = prompt(talk[:current], talk[current])
	return nil
}

// prompt puts what came before in front of the message to answer.
func prompt(before []entry, current entry) string {
	if len(before) == 0 {
		return current.text
	}
	var b strings.Builder
	b.WriteString("[Earlier in this conversation, for context]\n")
	for _, e := range before {
		b.WriteString(e.who + ": " + e.text + "\n")
	}
	b.WriteString("\n[Answer this message]\n" + current.who + ": " + current.text)
	return b.String()
}

// content reads a string or a list of parts.
func content(raw json.RawMessage) (text string, images []msg.Attachment, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &text)
		return text, nil, err
	}
	var parts []object
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, problem("Invalid `content` in `messages`.")
	}
	var texts []string
	for _, p := range parts {
		switch p.string("type") {
		case "text", "input_text":
			texts = append(texts, p.string("text"))
		case "image_url":
			url := p.object("image_url").string("url")
			if url == "" {
				url = p.string("image_url")
			}
			image, ok := dataImage(url)
			if !ok || len(images) == maxImages {
				return "", nil, badImage
			}
			images = append(images, image)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// dataImage decodes a data: URL. Other URLs would make us fetch what the caller
// names, so they aren't accepted.
func dataImage(url string) (msg.Attachment, bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return msg.Attachment{}, false
	}
	head, data, ok := strings.Cut(rest, ",")
	mime, encoded := strings.CutSuffix(head, ";base64")
	if !ok || !encoded || !strings.HasPrefix(mime, "image/") || strings.HasPrefix(mime, "image/svg") {
		return msg.Attachment{}, false
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return msg.Attachment{}, false
	}
	if mime, _, _ = strings.Cut(mime, ";"); mime == "image/jpg" {
		mime = "image/jpeg"
	}
	return msg.Attachment{MIME: mime, Size: int64(len(raw)), Data: raw}, true
}

var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// sessionOf names the session of a request: the one that it names, its user's,
// or a new one. api is how sessions of the endpoint are called.
func sessionOf(r *http.Request, in input, api string, c *config.Config) (id.SessionKey, error) {
	agent, _ := agentOf(in.model)
	for _, h := range []string{"X-OpenClaw-Agent-Id", "X-OpenClaw-Agent"} {
		if v := strings.TrimSpace(r.Header.Get(h)); v != "" {
			agent = id.Agent(strings.ToLower(v))
			break
		}
	}
	if agent == "" {
		agent = c.DefaultAgent()
	}
	if !agentName.MatchString(string(agent)) {
		return "", problem("Invalid agent id. An agent id has letters, digits, - and _.")
	}
	if key := strings.TrimSpace(r.Header.Get("X-OpenClaw-Session-Key")); key != "" {
		if len(key) > maxKey || strings.ContainsAny(key, "/\\\x00") || strings.Contains(key, "..") {
			return "", problem("Invalid x-openclaw-session-key.")
		}
		if id.SessionKey(key).Agent() == "" {
			return id.AgentKey(agent, strings.ToLower(key)), nil
		}
		return id.SessionKey(strings.ToLower(key)), nil
	}
	if user := strings.ToLower(strings.TrimSpace(in.user)); user != "" {
		if len(user) > maxKey {
			return "", problem("`user` is too long.")
		}
		return id.AgentKey(agent, api+"-user:"+safe(user)), nil
	}
	return id.AgentKey(agent, api+":"+uuid.NewString()), nil
}

// safe keeps a caller's name from looking like a path.
func safe(s string) string {
	return strings.NewReplacer("/", "_", "\\", "_", "\x00", "_", "..", "__").Replace(s)
}
