package media

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
)

// sniffed is how many bytes tell the type.
const sniffed = 3072

// Sniff tells the type of a file by its first bytes, and the ending that such
// files have. What the sender called it counts only among kinds of text and
// documents that begin alike.
func Sniff(head []byte, name string) (mimeType, ext string) {
	t, _, err := mime.ParseMediaType(http.DetectContentType(head))
	if err != nil {
		t = "application/octet-stream"
	}
	claimed := strings.ToLower(path.Ext(name))
	switch {
	case bytes.HasPrefix(head, []byte("OggS")):
		t = "audio/ogg"
	case len(head) > 12 && string(head[4:8]) == "ftyp":
		t = boxed(string(head[8:12]))
	case bytes.HasPrefix(head, []byte("fLaC")):
		t = "audio/flac"
	case bytes.HasPrefix(head, []byte("#!AMR")):
		t = "audio/amr"
	case len(head) > 2 && head[0] == 0xff && head[1]&0xf6 == 0xf0:
		t = "audio/aac"
	case len(head) > 2 && head[0] == 0xff && head[1]&0xe0 == 0xe0 && t == "application/octet-stream":
		t = "audio/mpeg"
	case t == "application/zip":
		if d, ok := documents()[claimed]; ok {
			return d, claimed
		}
	case strings.HasPrefix(t, "text/"):
		if d, ok := texts()[claimed]; ok {
			return d, claimed
		}
	}
	if e, ok := endings()[t]; ok {
		return t, e
	}
	return t, ".bin"
}

// boxed is the type of a file in the ISO base format by its brand.
func boxed(brand string) string {
	switch {
	case strings.HasPrefix(brand, "M4A"):
		return "audio/mp4"
	case brand == "heic" || brand == "heix" || brand == "mif1" || brand == "heim":
		return "image/heic"
	case brand == "avif":
		return "image/avif"
	case strings.HasPrefix(brand, "qt"):
		return "video/quicktime"
	}
	return "video/mp4"
}

func endings() map[string]string {
	return map[string]string{
		"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp",
		"image/heic": ".heic", "image/avif": ".avif", "image/x-icon": ".ico", "image/svg+xml": ".svg",
		"audio/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/mp4": ".m4a", "audio/flac": ".flac", "audio/aac": ".aac",
		"audio/amr": ".amr", "audio/wave": ".wav", "audio/aiff": ".aiff", "audio/midi": ".mid",
		"video/mp4": ".mp4", "video/quicktime": ".mov", "video/webm": ".webm", "video/avi": ".avi",
		"application/pdf": ".pdf", "application/zip": ".zip", "application/x-gzip": ".gz",
		"application/x-rar-compressed": ".rar", "text/plain": ".txt", "text/html": ".html", "text/xml": ".xml",
	}
}

// documents begin as an archive does.
func documents() map[string]string {
	const office = "application/vnd.openxmlformats-officedocument."
	return map[string]string{
		".docx": office + "wordprocessingml.document", ".xlsx": office + "spreadsheetml.sheet", ".pptx": office + "presentationml.presentation",
		".odt": "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet", ".epub": "application/epub+zip",
	}
}

// texts are kinds of plain text.
func texts() map[string]string {
	return map[string]string{
		".md": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".json": "application/json", ".yaml": "application/yaml",
		".yml": "application/yaml", ".xml": "text/xml", ".svg": "image/svg+xml", ".log": "text/plain", ".txt": "text/plain", ".html": "text/html",
		".ics": "text/calendar", ".vcf": "text/vcard", ".go": "text/plain", ".py": "text/plain", ".js": "text/javascript", ".ts": "text/plain",
		".sh": "text/plain", ".toml": "text/plain", ".css": "text/css",
	}
}

// size is a number of bytes for people.
func size(n int64) string {
	const mega = 1 << 20
	if n < mega {
		return fmt.Sprintf("%d KB", max(n>>10, 1))
	}
	return fmt.Sprintf("%d MB", n/mega)
}
