package picture

import (
	"bytes"
	"encoding/binary"
)

// orientation reads which way up a JPEG is: 1 for upright, and for one that
// doesn't say.
func orientation(data []byte) int {
	turn := 1
	segments(data, func(marker byte, part []byte) bool {
		if marker != 0xe1 || !bytes.HasPrefix(part, []byte("Exif\x00\x00")) {
			return true
		}
		turn = tag(part[6:])
		return false
	})
	return turn
}

// progressive tells whether a JPEG comes in several scans.
func progressive(data []byte) (yes bool) {
	segments(data, func(marker byte, _ []byte) bool {
		yes = marker == 0xc2
		return !yes
	})
	return yes
}

// segments calls f for each segment of a JPEG before its pixels, until it has
// enough.
func segments(data []byte, f func(marker byte, part []byte) bool) {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker := data[at+1]
		if marker == 0xff { // filling
			at++
			continue
		}
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || n < 2 || at+2+n > len(data) { // the pixels begin
			return
		}
		if !f(marker, data[at+4:at+2+n]) {
			return
		}
		at += 2 + n
	}
}

// tag finds the orientation among the tags of a TIFF head.
func tag(tiff []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	switch {
	case len(tiff) < 8:
		return 1
	case string(tiff[:4]) == "II*\x00":
		order = binary.LittleEndian
	case string(tiff[:4]) != "MM\x00*":
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		const orientationTag, short = 0x0112, 3
		if order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == short {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
