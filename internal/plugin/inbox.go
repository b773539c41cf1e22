package plugin

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	idMax      = 512
	textMax    = 1 << 20
	attachMax  = 32
	inlineMax  = 1 << 20
	stateMax   = 64 << 10
	waitingMax = 64 // requests of the program that wait for their turn
)

// inbox does what the program asks for, one thing after the other, so that
// messages are stored in the order in which they came.
type inbox struct {
	a     *account
	recv  channel.Receiver
	queue chan func(context.Context)
	fatal chan error // why the account can't go on

	mu    sync.Mutex
	ready bool
	early func() // the last status that came before the program was ready
}

func newInbox(a *account, recv channel.Receiver) *inbox {
	return &inbox{a: a, recv: recv, queue: make(chan func(context.Context), waitingMax), fatal: make(chan error, 1)}
}

func (in *inbox) run(ctx context.Context) {
	for {
		select {
		case f := <-in.queue:
			f(ctx)
		case <-ctx.Done():
			return // what waits isn't answered, so it isn't stored
		}
	}
}

// handle takes one request or notification.
func (in *inbox) handle(p *process, f frame) {
	var do func(context.Context) error
	var got any = struct{}{}
	switch f.Method {
	case "channel.receive":
		do = func(ctx context.Context) error { return in.receive(ctx, f.Params) }
	case "state.get":
		do = func(ctx context.Context) (err error) { got, err = in.get(ctx, f.Params); return err }
	case "state.set":
		do = func(ctx context.Context) error { return in.set(ctx, f.Params) }
	case "channel.status":
		do = func(context.Context) error { return in.status(f.Params) }
	case "channel.alive":
		do = in.alive
	case "channel.login.step":
		do = func(context.Context) error { return in.step(f.Params) }
	default:
		if len(f.ID) == 0 {
			return // a notification of a later version
		}
		do = func(context.Context) error {
			return fault.New(fault.Invalid, "plugin", "there is no method "+text.Preview(f.Method, 60))
		}
	}
	work := func(ctx context.Context) {
		err := do(ctx)
		if ctx.Err() != nil && err != nil {
			return // stopping: unanswered is not stored
		}
		p.conn.answer(f, got, err)
	}
	select {
	case in.queue <- work:
	default:
		go p.conn.answer(f, nil, fault.New(fault.RateLimited, "plugin", "too much waits; ask again"))
	}
}

func (in *inbox) receive(ctx context.Context, raw json.RawMessage) error {
	m, err := in.a.inbound(raw)
	if err != nil {
		in.a.log.WarnContext(ctx, "the plugin handed over a message that isn't one", "err", err)
		return err
	}
	if err := channel.Guard(func() error { return in.recv(ctx, m) }); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Op: "channel.receive", Hint: "not stored yet; hand it over again", Err: err}
	}
	return nil
}

// inbound reads a message of the program. It can say nothing about places other
// than its own account's, and nothing that only our own faces may say.
func (a *account) inbound(raw json.RawMessage) (msg.Inbound, error) {
	const op = "channel.receive"
	var m msg.Inbound
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, &fault.Error{Kind: fault.Invalid, Op: op, Hint: "the message can't be read", Err: err}
	}
	m.Client, m.Agent, m.Then, m.Before = nil, "", nil, nil
	m.At.Channel, m.At.Account = a.about.ID, a.env.Account
	m.Text = strings.ToValidUTF8(m.Text, "\uFFFD")
	short := func(s string) bool { return len(s) <= idMax && !strings.ContainsAny(s, "\x00\r\n") }
	switch {
	case m.ID == "" || m.From.ID == "" && !m.Notice || m.At.Peer == "":
		return m, fault.New(fault.Invalid, op, "id, from.id and at.peer must be there")
	case !short(string(m.ID)) || !short(string(m.From.ID)) || !short(string(m.At.Peer)) || !short(string(m.At.Thread)) || !short(string(m.ReplyTo)):
		return m, fault.New(fault.Invalid, op, "an id is too long or has line ends in it")
	case m.At.Kind != msg.Direct && m.At.Kind != msg.Group && m.At.Kind != msg.Channel:
		return m, fault.New(fault.Invalid, op, "at.kind must be direct, group or channel")
	case len(m.Text) > textMax || len(m.Attachments) > attachMax:
		return m, fault.New(fault.Invalid, op, "the message is too large")
	}
	for i := range m.Attachments {
		at := &m.Attachments[i]
		if len(at.Data) > inlineMax {
			return m, fault.New(fault.Invalid, op, "an attachment's data is too large: hand out a ref")
		}
		// A ref without the channel's prefix would be a path of ours.
		if at.Ref != "" && !strings.HasPrefix(at.Ref, string(a.about.ID)+":") {
			return m, fault.New(fault.Invalid, op, "an attachment's ref must begin with "+string(a.about.ID)+":")
		}
	}
	m.From.Name, m.From.Username = text.Preview(m.From.Name, 200), text.Preview(m.From.Username, 200)
	m.Room.Alias = text.Preview(m.Room.Alias, 300)
	m.Room.Name, m.Room.Topic = text.Preview(m.Room.Name, 200), text.Preview(m.Room.Topic, 500)
	if m.At.Kind == msg.Direct {
		m.Mentioned = true
	}
	if m.Received.IsZero() || m.Received.After(time.Now().Add(time.Hour)) {
		m.Received = time.Now()
	}
	return m, nil
}

type stateParams struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (in *inbox) state(raw json.RawMessage) (stateParams, error) {
	var s stateParams
	if err := json.Unmarshal(raw, &s); err != nil || s.Key == "" || len(s.Key) > idMax || len(s.Value) > stateMax {
		return s, fault.New(fault.Invalid, "plugin.state", "key is missing, or key or value is too long")
	}
	return s, nil
}

func (in *inbox) get(ctx context.Context, raw json.RawMessage) (any, error) {
	s, err := in.state(raw)
	if err != nil || in.a.env.State == nil {
		return stateParams{}, err
	}
	s.Value, err = in.a.env.State(ctx, "plugin/"+s.Key)
	return s, err
}

func (in *inbox) set(ctx context.Context, raw json.RawMessage) error {
	s, err := in.state(raw)
	if err != nil || in.a.env.SetState == nil {
		return err
	}
	return in.a.env.SetState(ctx, "plugin/"+s.Key, s.Value)
}

func (in *inbox) status(raw json.RawMessage) error {
	var s struct {
		Connected bool       `json:"connected"`
		Error     *wireError `json:"error"`
		Fatal     bool       `json:"fatal"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return fault.Wrap(fault.Invalid, "channel.status", err)
	}
	if s.Connected {
		in.tell(func() { in.a.status(nil) })
		return nil
	}
	if s.Error == nil {
		s.Error = &wireError{Message: "the connection was lost", Data: errorData{Kind: "unavailable"}}
	}
	err := s.Error.fault("channel.status")
	in.tell(func() { in.a.status(err) })
	if s.Fatal {
		select {
		case in.fatal <- err:
		default:
		}
	}
	return nil
}

// tell tells a status, though not before messages can be sent.
func (in *inbox) tell(f func()) {
	in.mu.Lock()
	ready := in.ready
	if !ready {
		in.early = f
	}
	in.mu.Unlock()
	if ready {
		f()
	}
}

// open is called when the program is ready.
func (in *inbox) open() {
	in.mu.Lock()
	in.ready = true
	f := in.early
	in.mu.Unlock()
	if f != nil {
		f()
	}
}

func (in *inbox) step(raw json.RawMessage) error {
	var s wireStep
	if err := json.Unmarshal(raw, &s); err != nil {
		return fault.Wrap(fault.Invalid, "channel.login.step", err)
	}
	in.a.mu.Lock()
	defer in.a.mu.Unlock()
	if in.a.steps != nil {
		select {
		case in.a.steps <- s.step():
		default:
		}
	}
	return nil
}

// alive passes a sign of life on.
func (in *inbox) alive(context.Context) error {
	if in.a.env.Alive != nil {
		in.a.env.Alive()
	}
	return nil
}
