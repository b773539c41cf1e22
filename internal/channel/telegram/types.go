package telegram

import (
	"cmp"
	"encoding/json"
	"unicode/utf16"
)

// update is one update, as far as we read it.
type update struct {
	ID         int64     `json:"update_id"`
	Message    *message  `json:"message"`
	Edited     *message  `json:"edited_message"`
	Post       *message  `json:"channel_post"`
	EditedPost *message  `json:"edited_channel_post"`
	Callback   *callback `json:"callback_query"`
	Reaction   *reaction `json:"message_reaction"`
}

// written is the new message of an update, or nil.
func (u update) written() *message { return cmp.Or(u.Message, u.Post) }

// edited is the message that an update changes, or nil.
func (u update) edited() *message { return cmp.Or(u.Edited, u.EditedPost) }

type user struct {
	ID        int64  `json:"id"`
	Bot       bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
	ReadsAll  bool   `json:"can_read_all_group_messages"` // of getMe: privacy mode is off
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
	EditDate   int64    `json:"edit_date"`
	Chat       chat     `json:"chat"`
	From       *user    `json:"from"`
	SenderChat *chat    `json:"sender_chat"`
	ReplyTo    *message `json:"reply_to_message"`
	Cited      *cited   `json:"quote"`
	Origin     *origin  `json:"forward_origin"`
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
	Venue     *venue    `json:"venue"`
	Contact   *contact  `json:"contact"`
	Poll      *poll     `json:"poll"`
	Dice      *dice     `json:"dice"`

	TopicCreated *topic `json:"forum_topic_created"`
	TopicEdited  *topic `json:"forum_topic_edited"`

	MigrateTo int64 `json:"migrate_to_chat_id"`
}

// origin is where a forwarded message comes from.
type origin struct {
	User   *user  `json:"sender_user"`
	Hidden string `json:"sender_user_name"`
	Sender *chat  `json:"sender_chat"`
	Chat   *chat  `json:"chat"`
}

// cited is the part of a message that an answer quotes.
type cited struct {
	Text string `json:"text"`
}

// topic is the name of a forum's topic, when it is made or changed.
type topic struct {
	Name string `json:"name"`
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
	ID       string `json:"file_id"`
	Size     int64  `json:"file_size"`
	Emoji    string `json:"emoji"`
	Set      string `json:"set_name"`
	Animated bool   `json:"is_animated"`
	Video    bool   `json:"is_video"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type venue struct {
	Title   string `json:"title"`
	Address string `json:"address"`
}

type contact struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Phone     string `json:"phone_number"`
}

type poll struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
}

type dice struct {
	Emoji string `json:"emoji"`
	Value int    `json:"value"`
}

// callback is a button that was pressed.
type callback struct {
	ID      string   `json:"id"`
	From    user     `json:"from"`
	Message *message `json:"message"`
	Data    string   `json:"data"`
}

// reaction is a change of one person's reactions to a message.
type reaction struct {
	Chat    chat   `json:"chat"`
	Message int64  `json:"message_id"`
	User    *user  `json:"user"`
	Actor   *chat  `json:"actor_chat"`
	Date    int64  `json:"date"`
	Old     []mark `json:"old_reaction"`
	New     []mark `json:"new_reaction"`
}

type mark struct {
	Type   string `json:"type"` // emoji, custom_emoji, paid
	Emoji  string `json:"emoji"`
	Custom string `json:"custom_emoji_id"`
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
