package metrics

import (
	"net/url"
	"strings"
	"sync"
)

// maxLabel bounds the value of a label, in bytes.
const maxLabel = 200

// label makes a text fit for the value of a label.
func label(text string) string {
	if len(text) > maxLabel {
		text = text[:maxLabel]
	}
	return strings.ToValidUTF8(text, "?")
}

// addressLabel does that for an executor's address, and leaves out a user and a
// password, a query and a fragment. An address that is "other" would be taken
// for the sum of the rest.
func addressLabel(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		address = u.String()
	} else if strings.Contains(address, "@") {
		address = "(not an address)"
	}
	if address == otherLane {
		address = "(other)"
	}
	return label(address)
}

// names lets the first so many names pass and calls all further ones "other".
// It is safe for concurrent use.
type names struct {
	max   int
	known sync.Map // of string to nothing
	mu    sync.Mutex
	count int
}

func newNames(most int) *names { return &names{max: most} }

func (n *names) bound(name string) string {
	if _, found := n.known.Load(name); found {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, found := n.known.Load(name); found {
		return name
	}
	if n.count >= n.max || name != label(name) {
		return "other"
	}
	n.count++
	n.known.Store(name, nil)
	return name
}
