package irc

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ergochat/irc-go/ircmsg"
)

// roster is who is seen in the rooms that we are in. The zero value is ready.
type roster struct {
	mu     sync.Mutex
	rooms  map[string]*seenRoom // by folded name
	barred map[string]string    // rooms that we can't join, and what the server said
}

type seenRoom struct {
	name   string
	people map[string]string // nick by folded nick
}

// The most that is kept of a server that lists without end.
const (
	maxRooms  = 500
	maxPeople = 5000 // of one room
)

// prefixes may stand before a nick in a list of names.
const prefixes = "~&@%+!"

// note takes in what a message says about who is where; me is our nick.
func (r *roster) note(m ircmsg.Message, me string) {
	nick := ""
	if nuh, err := m.NUH(); err == nil {
		nick = nuh.Name
	}
	arg := func(i int) string {
		if i < len(m.Params) {
			return m.Params[i]
		}
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch m.Command {
	case "JOIN":
		room := arg(0)
		if same(nick, me) {
			r.openLocked(room)
		}
		r.addLocked(room, nick)
	case "353":
		for _, n := range strings.Fields(last(m)) {
			n, _, _ = strings.Cut(strings.TrimLeft(n, prefixes), "!")
			r.addLocked(arg(2), n)
		}
	case "PART":
		r.leaveLocked(arg(0), nick, me)
	case "KICK":
		r.leaveLocked(arg(0), arg(1), me)
	case "QUIT":
		for _, x := range r.rooms {
			delete(x.people, fold(nick))
		}
	case "NICK":
		for _, x := range r.rooms {
			if _, there := x.people[fold(nick)]; there {
				delete(x.people, fold(nick))
				x.people[fold(last(m))] = last(m)
			}
		}
	}
}

func (r *roster) openLocked(room string) {
	if r.rooms == nil {
		r.rooms = map[string]*seenRoom{}
	}
	delete(r.barred, fold(room))
	if len(r.rooms) < maxRooms {
		r.rooms[fold(room)] = &seenRoom{name: room, people: map[string]string{}}
	}
}

func (r *roster) addLocked(room, nick string) {
	if x := r.rooms[fold(room)]; x != nil && nick != "" && len(x.people) < maxPeople {
		x.people[fold(nick)] = nick
	}
}

func (r *roster) leaveLocked(room, nick, me string) {
	if same(nick, me) {
		delete(r.rooms, fold(room))
		return
	}
	if x := r.rooms[fold(room)]; x != nil {
		delete(x.people, fold(nick))
	}
}

// bar keeps why a room can't be joined.
func (r *roster) bar(room, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.barred == nil {
		r.barred = map[string]string{}
	}
	if len(r.barred) < maxRooms {
		r.barred[fold(room)] = why
	}
}

// in reports whether we are in a room, and if not why, where that is known.
func (r *roster) in(room string) (there bool, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rooms[fold(room)] != nil, r.barred[fold(room)]
}

// names are the rooms, sorted.
func (r *roster) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, x := range r.rooms {
		out = append(out, x.name)
	}
	slices.Sort(out)
	return out
}

// people are the nicks in a room, or in all of them for "", sorted; ok is false
// for a room that we aren't in.
func (r *roster) people(room string) (nicks []string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]string{}
	for folded, x := range r.rooms {
		if room == "" || folded == fold(room) {
			ok = true
			maps.Copy(all, x.people)
		}
	}
	return slices.Sorted(maps.Values(all)), ok
}
