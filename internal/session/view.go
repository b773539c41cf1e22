package session

import (
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// interrupted is the result of a call whose tool was running when the process
// ended. The model decides what to do; the tool isn't run again by itself.
const interrupted = "Interrupted: the gateway stopped while this tool was running, so its outcome is unknown. " +
	"Check what it did before you run it again."

// view is the history as a model may see it, built message by message, from a
// file or from what is said now. Its rules:
//
//   - every call has exactly one result, right behind its turn, in the order
//     of the calls; a missing one is made up as interrupted;
//   - a real result replaces one that was made up, wherever it stands;
//   - results without a call, second results, empty answers and turns that
//     broke off (error, aborted) are left out.
//
// Slices that were handed out don't change: the view only appends to its list,
// and copies it where it must change the middle.
type view struct {
	msgs  []llm.Message
	bytes int // about what the messages added since loading take

	turn  int    // index in msgs of the last assistant message with calls
	calls []slot // its calls, in order
	open  int    // how many of them have no result
	// madeUp are results in msgs that are waiting for a real one.
	madeUp map[string]int

	// With entries, the ids of the entries that msgs come from are noted beside
	// them; entry is the one that is being added.
	entries *[]string
	entry   string
}

// slot is one call of the current turn; at is the index of its result in msgs,
// 0 when it has none.
type slot struct {
	id, name string
	at       int
}

// whole returns the list for a caller, with a result for every call.
func (v *view) whole(at int64) []llm.Message {
	handed := v.msgs[:len(v.msgs):len(v.msgs)]
	if v.open == 0 {
		return handed
	}
	c := view{msgs: handed, turn: v.turn, calls: slices.Clone(v.calls), open: v.open}
	for _, m := range v.missing(at) {
		c.result(m)
	}
	return c.msgs
}

// add takes the next message.
func (v *view) add(m llm.Message) {
	switch m.Role {
	case llm.ToolRole:
		v.result(m)
		return
	case llm.Assistant:
		if m.Stop == llm.StopError || m.Stop == llm.StopAborted || !says(m) {
			v.close()
			return
		}
	}
	v.close()
	v.push(m)
	if m.Role != llm.Assistant {
		return
	}
	v.calls = v.calls[:0]
	for _, b := range m.Content {
		if b.Call != nil {
			v.calls = append(v.calls, slot{id: b.Call.ID, name: b.Call.Name})
		}
	}
	if len(v.calls) > 0 {
		v.turn, v.open = len(v.msgs)-1, len(v.calls)
	}
}

// says reports whether m has anything in it.
func says(m llm.Message) bool {
	return slices.ContainsFunc(m.Content, func(b llm.Block) bool {
		return b.Call != nil || b.Type == llm.ImageBlock || b.Text != ""
	})
}

// missing returns a made-up result for each open call.
func (v *view) missing(at int64) []llm.Message {
	var ms []llm.Message
	for _, c := range v.calls {
		if c.at == 0 && v.open > 0 {
			ms = append(ms, llm.Message{
				Role: llm.ToolRole, CallID: c.id, ToolName: c.name, IsError: true,
				Content: llm.Content{llm.Text(interrupted)}, Time: at,
			})
		}
	}
	return ms
}

// close makes up what the current turn lacks and ends it.
func (v *view) close() {
	if v.open > 0 {
		for _, m := range v.missing(v.msgs[v.turn].Time) {
			v.result(m)
		}
	}
	v.calls, v.open = v.calls[:0], 0
}

func (v *view) result(m llm.Message) {
	fake := isMadeUp(m)
	for i := range v.calls {
		if c := &v.calls[i]; c.id == m.CallID && c.at == 0 {
			v.place(i, m)
			if fake {
				v.note(m.CallID, c.at)
			}
			return
		}
	}
	at, waiting := v.madeUp[m.CallID]
	if !waiting || fake {
		return
	}
	delete(v.madeUp, m.CallID)
	v.msgs = slices.Clone(v.msgs)
	v.msgs[at] = m
	v.bytes += size(m)
}

// place puts the result of call i behind the results of the calls before it.
func (v *view) place(i int, m llm.Message) {
	at := v.turn + 1
	for _, c := range v.calls[:i] {
		if c.at != 0 {
			at++
		}
	}
	if at == len(v.msgs) {
		v.push(m)
	} else {
		v.msgs = slices.Insert(slices.Clone(v.msgs), at, m)
		if v.entries != nil {
			*v.entries = slices.Insert(*v.entries, at, v.entry)
		}
		v.bytes += size(m)
		for j := range v.calls[i+1:] {
			if c := &v.calls[i+1+j]; c.at != 0 {
				c.at++
			}
		}
		for id, n := range v.madeUp {
			if n >= at {
				v.madeUp[id] = n + 1
			}
		}
	}
	v.calls[i].at = at
	v.open--
}

func (v *view) push(m llm.Message) {
	v.msgs = append(v.msgs, m)
	v.bytes += size(m)
	if v.entries != nil {
		*v.entries = append(*v.entries, v.entry)
	}
}

func (v *view) note(call string, at int) {
	if v.madeUp == nil {
		v.madeUp = map[string]int{}
	}
	v.madeUp[call] = at
}

// isMadeUp reports whether m stands for a result that was never seen: one of
// ours, or of a program that worked on this transcript before.
func isMadeUp(m llm.Message) bool {
	if !m.IsError || len(m.Content) != 1 || len(m.Content[0].Text) > 400 {
		return false
	}
	t := lower(m.Content[0].Text)
	return hasAny(t, "interrupted", "missing tool result", "synthetic error", "no result provided")
}

// size is about what m takes in memory.
func size(m llm.Message) int {
	n := 240
	for _, b := range m.Content {
		n += 96 + len(b.Text) + len(b.Data) + len(b.Signature)
		if b.Call != nil {
			n += 80 + len(b.Call.Args)
		}
	}
	return n
}

// wants reports whether the result m has a place.
func (v *view) wants(m llm.Message) bool {
	for _, c := range v.calls {
		if c.id == m.CallID && c.at == 0 {
			return true
		}
	}
	_, waiting := v.madeUp[m.CallID]
	return waiting && !isMadeUp(m)
}
