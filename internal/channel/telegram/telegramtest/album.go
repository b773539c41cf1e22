package telegramtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// album checks the media of sendMediaGroup, which are uploaded beside it, and
// returns the captions that people see.
func album(p map[string]any) (text, bad string) {
	const least, most = 2, 10
	raw, _ := p["media"].(string)
	var list []any
	if json.Unmarshal([]byte(raw), &list) != nil {
		return "", "can't parse media JSON object"
	}
	p["media"] = list
	if len(list) < least || len(list) > most {
		return "", fmt.Sprintf("media group must include %d-%d items, not %d", least, most, len(list))
	}
	if p["reply_markup"] != nil {
		return "", "reply markup is not allowed here"
	}
	first := ""
	var captions []string
	for i, x := range list {
		m, _ := x.(map[string]any)
		kind, _ := m["type"].(string)
		group := kind
		switch kind {
		case "photo", "video":
			group = "seen"
		case "audio", "document":
		default:
			return "", "type " + kind + " can't stand in a media group"
		}
		if i == 0 {
			first = group
		}
		if group != first {
			return "", "wrong type of the media: " + kind + " can't be mixed with the others"
		}
		ref, _ := m["media"].(string)
		field, attached := strings.CutPrefix(ref, "attach://")
		size, uploaded := p["size:"+field].(float64)
		switch {
		case !attached || !uploaded:
			return "", "wrong file identifier/HTTP URL specified"
		case size == 0:
			return "", "file must be non-empty"
		case size > maxFile, kind == "photo" && size > maxPhoto:
			return "", "file is too big"
		}
		said, bad := shown(m, "caption", maxCaption)
		if bad != "" {
			return "", bad
		}
		if said != "" {
			captions = append(captions, said)
		}
	}
	return strings.Join(captions, "\n"), ""
}
