package telegram

import (
	"encoding/json"
	"unicode/utf16"
)

// update is one update, as far as we read it.
type update struct {
	ID      int64    `json:"update_id"`
	Message *message `json:"message"`
	Edited  *message `json:"edited_message"`
}

type user struct {
	ID        int64  `json:"id"`
	Bot       bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
}

type chat struct {
	ID       int64  `json:"id"`
	Type     string `json:"type"` // private, group, supergroup, channel
	Title    string `json:"title"`
	Username string `json:"username"`
	Forum    bool   `json:"is_forum"`
}

type message struct {
	ID         int64    `json:"message_id"`
	Thread     int64    `json:"message_thread_id"`
	Topic      bool     `json:"is_topic_message"`
	Date       int64    `json:"date"`
	Chat       chat     `json:"chat"`
	From       *user    `json:"from"`
	SenderChat *chat    `json:"sender_chat"`
	ReplyTo    *message `json:"reply_to_message"`
	Group      string   `json:"media_group_id"`

	Text            string   `json:"text"`
	Entities        []entity `json:"entities"`
	Caption         string   `json:"caption"`
	CaptionEntities []entity `json:"caption_entities"`

	Photo     []file    `json:"photo"`
	Document  *file     `json:"document"`
	Audio     *file     `json:"audio"`
	Voice     *file     `json:"voice"`
	Video     *file     `json:"video"`
	VideoNote *file     `json:"video_note"`
	Animation *file     `json:"animation"`
	Sticker   *sticker  `json:"sticker"`
	Location  *location `json:"location"`
	Contact   *contact  `json:"contact"`

	MigrateTo int64 `json:"migrate_to_chat_id"`
}

type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"` // UTF-16 units
	Length int    `json:"length"`
	User   *user  `json:"user"`
}

type file struct {
	ID   string `json:"file_id"`
	Size int64  `json:"file_size"`
	Name string `json:"file_name"`
	MIME string `json:"mime_type"`
	Path string `json:"file_path"` // of getFile
}

type sticker struct {
	Emoji string `json:"emoji"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type contact struct {
	FirstName string `json:"first_name"`
	Phone     string `json:"phone_number"`
}

// slice is the text of an entity.
func (e entity) slice(text []uint16) string {
	if e.Offset < 0 || e.Length <= 0 || e.Offset > len(text) || e.Length > len(text)-e.Offset {
		return ""
	}
	return string(utf16.Decode(text[e.Offset : e.Offset+e.Length]))
}

// parseUpdate reads one update. id is set even when the rest can't be read.
func parseUpdate(raw json.RawMessage) (u update, id int64, err error) {
	if err := json.Unmarshal(raw, &u); err == nil {
		return u, u.ID, nil
	}
	var only struct {
		ID int64 `json:"update_id"`
	}
	err = json.Unmarshal(raw, &u)
	_ = json.Unmarshal(raw, &only)
	return update{ID: only.ID}, only.ID, err
}
