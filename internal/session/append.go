package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Append adds messages to the transcript of s, one write each, in order. A
// message whose Key is already in the transcript is left out, as is a result
// for a call that has one.
func (b *Book) Append(_ context.Context, s Session, ms ...llm.Message) error {
	return b.write(s, func(t *transcript, now time.Time) error {
		for _, m := range ms {
			if err := t.append(m, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// write does f with the transcript of s, ready to take lines and locked.
func (b *Book) write(s Session, f func(t *transcript, now time.Time) error) error {
	t, err := b.transcript(s)
	if err != nil {
		return err
	}
	defer b.release(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := b.Now()
	if err := t.ready(now); err != nil {
		return err
	}
	return f(t, now)
}

// append adds m after what must stand before it.
func (t *transcript) append(m llm.Message, now time.Time) error {
	if _, twice := t.keys[m.Key]; twice && m.Key != "" {
		return nil
	}
	if m.Role == llm.ToolRole && !t.view.wants(m) {
		return nil
	}
	if m.Role != llm.ToolRole {
		for _, missing := range t.view.missing(now.UnixMilli()) {
			if err := t.message(missing, now); err != nil {
				return err
			}
		}
	}
	err := t.message(m, now)
	t.running = t.view.open > 0
	return err
}

// AppendCustom adds a custom entry (customType, data).
func (b *Book) AppendCustom(_ context.Context, s Session, customType string, data any) error {
	raw, err := marshal(data)
	if err != nil {
		return err
	}
	return b.write(s, func(t *transcript, now time.Time) error { return t.custom(customType, raw, now) })
}

func (t *transcript) custom(customType string, data json.RawMessage, now time.Time) error {
	return t.write(t.customLine(customType, data, now))
}

func (t *transcript) customLine(customType string, data json.RawMessage, now time.Time) (line []byte, next string) {
	next = t.newID()
	b := []byte(`{"type":"custom"`)
	b = member(b, "customType", customType)
	b = append(append(b, `,"data":`...), data...)
	b = member(b, "id", next)
	b = parent(b, t.leaf)
	b = member(b, "timestamp", iso(now))
	return append(b, "}\n"...), next
}

// SetModel notes in the transcript which model and thinking level answer next,
// when they differ from what it says last (model_change,
// thinking_level_change, custom model-snapshot), with one write.
func (b *Book) SetModel(_ context.Context, s Session, m llm.Model, thinking string) error {
	if thinking == "" {
		thinking = "off"
	}
	return b.write(s, func(t *transcript, now time.Time) error { return t.setModel(m, thinking, now) })
}

func (t *transcript) setModel(m llm.Model, thinking string, now time.Time) error {
	was := t.leaf
	var lines []byte
	add := func(line []byte, next string) {
		lines = append(lines, line...)
		t.leaf = next // what comes next hangs on it
	}
	if t.provider != m.Provider || t.model != m.ID {
		line, next := t.begin("model_change", now)
		line = member(member(line, "provider", m.Provider), "modelId", m.ID)
		add(append(line, "}\n"...), next)
	}
	if t.thinking != thinking {
		line, next := t.begin("thinking_level_change", now)
		add(append(member(line, "thinkingLevel", thinking), "}\n"...), next)
	}
	snapshot := m.Provider + "/" + m.API + "/" + m.ID
	if t.snapshot != snapshot {
		data, err := marshal(struct {
			Timestamp int64  `json:"timestamp"`
			Provider  string `json:"provider"`
			API       string `json:"modelApi"`
			ID        string `json:"modelId"`
		}{now.UnixMilli(), m.Provider, m.API, m.ID})
		if err != nil {
			t.leaf = was
			return err
		}
		add(t.customLine("model-snapshot", data, now))
	}
	if len(lines) == 0 {
		return nil
	}
	if err := t.write(lines, t.leaf); err != nil {
		t.leaf = was
		return err
	}
	t.provider, t.model, t.thinking, t.snapshot = m.Provider, m.ID, thinking, snapshot
	return nil
}
