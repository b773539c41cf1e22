package recent_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/recent"
)

func TestMap(t *testing.T) {
	t.Parallel()
	var m recent.Map[int]
	if _, ok := m.Get("a"); ok {
		t.Error("an empty map has a value")
	}
	m.Put("a", 1)
	m.Put("a", 2)
	if v, ok := m.Get("a"); v != 2 || !ok {
		t.Errorf("got %d, %v", v, ok)
	}
	if _, ok := m.Younger("a", -time.Second); ok {
		t.Error("a value is younger than nothing")
	}
	if v, ok := m.Take("a"); v != 2 || !ok {
		t.Errorf("took %d, %v", v, ok)
	}
	if _, ok := m.Take("a"); ok {
		t.Error("a value was taken twice")
	}
}

// The newest stays, whatever else comes.
func TestMapIsBounded(t *testing.T) {
	t.Parallel()
	const many = 20_000
	var m recent.Map[int]
	for i := range many {
		m.Put(strconv.Itoa(i), i)
		if v, ok := m.Get(strconv.Itoa(i)); v != i || !ok {
			t.Fatalf("%d is gone at once", i)
		}
	}
	kept := 0
	for i := range many {
		if _, ok := m.Get(strconv.Itoa(i)); ok {
			kept++
		}
	}
	if kept == 0 || kept > 4096 {
		t.Errorf("%d are kept", kept)
	}
}
