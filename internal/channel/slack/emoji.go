package slack

import (
	"strings"
)

// emojiName tells the form of an emoji's name in Slack.
func emojiName(s string) bool {
	const most = 100
	return s != "" && len(s) <= most && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r >= 'A' && r <= 'Z' || strings.ContainsRune("<>@,;\"", r)
	}) < 0
}

// shortcode is the name of an emoji: of a character that has one, and of
// ":eyes:" and "eyes". It is "" for what Slack can't know.
func shortcode(s string) string {
	s = strings.TrimSpace(s)
	if n := names(strings.TrimSuffix(s, "\uFE0F")); n != "" {
		return n
	}
	s = strings.ToLower(strings.Trim(s, ":"))
	for _, r := range s {
		if r > 0x2000 && r < 0x3000 || r > 0x1f000 {
			return "" // a character we have no name for
		}
	}
	if !emojiName(s) {
		return ""
	}
	return s
}

// names are Slack's names of the characters that agents and people react with.
func names(char string) string {
	switch char {
	case "👀":
		return "eyes"
	case "👍":
		return "+1"
	case "👎":
		return "-1"
	case "✅":
		return "white_check_mark"
	case "✔":
		return "heavy_check_mark"
	case "❌":
		return "x"
	case "❤":
		return "heart"
	case "🎉":
		return "tada"
	case "🔥":
		return "fire"
	case "🚀":
		return "rocket"
	case "🙏":
		return "pray"
	case "👏":
		return "clap"
	case "😂":
		return "joy"
	case "🤣":
		return "rolling_on_the_floor_laughing"
	case "😀":
		return "grinning"
	case "😄":
		return "smile"
	case "🙂":
		return "slightly_smiling_face"
	case "😉":
		return "wink"
	case "😊":
		return "blush"
	case "😍":
		return "heart_eyes"
	case "😎":
		return "sunglasses"
	case "😢":
		return "cry"
	case "😭":
		return "sob"
	case "😡":
		return "rage"
	case "😮":
		return "open_mouth"
	case "😱":
		return "scream"
	case "😅":
		return "sweat_smile"
	case "🤔":
		return "thinking_face"
	case "🤷":
		return "shrug"
	case "🤝":
		return "handshake"
	case "🙌":
		return "raised_hands"
	case "👌":
		return "ok_hand"
	case "💪":
		return "muscle"
	case "👋":
		return "wave"
	case "🤖":
		return "robot_face"
	case "🦞":
		return "lobster"
	case "💯":
		return "100"
	case "⭐":
		return "star"
	case "✨":
		return "sparkles"
	case "💡":
		return "bulb"
	case "⚠":
		return "warning"
	case "❗":
		return "exclamation"
	case "❓":
		return "question"
	case "⏳":
		return "hourglass_flowing_sand"
	case "⌛":
		return "hourglass"
	case "⏰":
		return "alarm_clock"
	case "🛑":
		return "octagonal_sign"
	case "🚫":
		return "no_entry_sign"
	case "⛔":
		return "no_entry"
	case "📌":
		return "pushpin"
	case "📎":
		return "paperclip"
	case "📝":
		return "memo"
	case "🔧":
		return "wrench"
	case "⚙":
		return "gear"
	case "🔍":
		return "mag"
	case "🐛":
		return "bug"
	case "🧠":
		return "brain"
	case "💬":
		return "speech_balloon"
	case "☕":
		return "coffee"
	case "💀":
		return "skull"
	case "👨‍💻":
		return "male-technologist"
	case "👩‍💻":
		return "female-technologist"
	case "🥱":
		return "yawning_face"
	case "😨":
		return "fearful"
	case "⚡":
		return "zap"
	case "🌐":
		return "globe_with_meridians"
	}
	return ""
}
