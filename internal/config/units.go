package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads durations of the file: "30m", "1h30m", "90" in unit. The
// units are ms, s, m, h and d.
func ParseDuration(s string, unit time.Duration) (time.Duration, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f < 1e12 {
		return time.Duration(f * float64(unit)), nil
	}
	parts := regexp.MustCompile(`^(\d+(?:\.\d+)?)(ms|s|m|h|d)`)
	var total float64
	for rest := s; rest != ""; {
		m := parts.FindStringSubmatch(rest)
		if m == nil {
			return 0, fmt.Errorf("config: %q is no duration", s)
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		total += n * float64(map[string]time.Duration{
			"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
		}[m[2]])
		rest = rest[len(m[0]):]
	}
	if s == "" || total > float64(1<<62) {
		return 0, fmt.Errorf("config: %q is no duration", s)
	}
	return time.Duration(total), nil
}

// ParseSize reads sizes of the file: "10mb", "500" bytes. The units are b, kb,
// mb, gb and tb, of 1024.
func ParseSize(s string) (int64, error) {
	m := regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*(b|kb?|mb?|gb?|tb?)?$`).FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return 0, fmt.Errorf("config: %q is no size", s)
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	if m[2] != "" {
		for range strings.IndexByte("bkmgt", m[2][0]) {
			n *= 1024
		}
	}
	if n > float64(1<<62) {
		return 0, fmt.Errorf("config: %q is no size", s)
	}
	return int64(n), nil
}
