package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// tableLife is how long the tokens of the groups are believed before they are
// read from the registry again.
const tableLife = time.Second

// caller is who a request comes from.
type caller struct {
	app string // as the request names it; "" if it does not
	// groups are those that it was recognised for by their own token; nil for a
	// caller with the common token.
	groups map[int32]string // group id to app name
	all    *tokens
}

// mayRegister reports whether the caller may register or remove executors of an
// app.
func (c *caller) mayRegister(app string) bool {
	if c.groups == nil {
		return !c.all.isClosed(app)
	}
	for _, own := range c.groups {
		if own == app {
			return true
		}
	}
	return false
}

// mayAll reports whether no run is foreign to the caller.
func (c *caller) mayAll() bool { return c.groups == nil && len(c.all.closed) == 0 }

// owns reports whether runs of the group are the caller's.
func (c *caller) owns(group int32) bool {
	if c.groups == nil {
		return !c.all.closed[group]
	}
	_, own := c.groups[group]
	return own
}

// jobGroups are the groups whose jobs the caller may manage: those of the app
// that it names, and of these only the ones for which its token is the right
// one.
func (c *caller) jobGroups() []int32 {
	var ids []int32
	for _, g := range c.all.byApp[c.app] {
		if c.owns(g.ID) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// authenticate finds out who calls, and returns the text of the refusal if the
// token is wrong. Requests of master's generation, known by the header that
// names the app or by the call, are refused with master's texts.
func (c *call) authenticate(token, app string) (refused string) {
	t := c.api.tokens.now()
	job := c.api.isJobCall(c.name)
	wrong := wire.TextTokenWrong
	if app != "" || job {
		wrong = wire.TextTokenInvalid
		switch {
		case strings.TrimSpace(app) == "" && job, app != "" && strings.TrimSpace(app) == "",
			strings.TrimSpace(token) == "" && !c.api.tokens.open:
			return wire.TextTokenEmpty
		}
	}
	c.caller = caller{app: app, all: t}
	if own := t.byToken[hash(token)]; token != "" && own != nil {
		c.caller.groups = narrow(own, app)
	}
	if c.caller.groups == nil && (!c.api.tokens.isGlobal(token) || t.isClosed(app)) {
		return wrong
	}
	if c.name == declareCall && c.caller.groups == nil && len(t.byApp[app]) == 0 {
		return noGroup // only our executor asks this, and its token is right
	}
	if job && len(c.caller.jobGroups()) == 0 {
		return wire.TextTokenInvalid
	}
	return ""
}

// narrow returns those of groups that are of the app; all if none is named.
func narrow(groups []*model.Group, app string) map[int32]string {
	var own map[int32]string
	for _, g := range groups {
		if app == "" || g.AppName == app {
			if own == nil {
				own = make(map[int32]string, len(groups))
			}
			own[g.ID] = g.AppName
		}
	}
	return own
}

// hash keeps comparisons from telling how much of a token is right, and how
// long it is.
func hash(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// tokens are the groups by what a request is judged by. It is not changed once
// it is made.
type tokens struct {
	made       time.Time
	byToken    map[[sha256.Size]byte][]*model.Group
	byApp      map[string][]*model.Group
	ids        map[int32]bool
	closed     map[int32]bool  // groups with a token of their own
	closedApps map[string]bool // apps with such a group, in lower case
}

// isClosed reports whether the app, or one that a database could take for it,
// has a token of its own: MySQL's usual collation ignores case, accents and
// control characters.
func (t *tokens) isClosed(app string) bool {
	if len(t.closedApps) == 0 {
		return false
	}
	odd := strings.ContainsFunc(app, func(r rune) bool { return r < ' ' || r > '~' })
	return t.closedApps[strings.ToLower(app)] || odd && t.byApp[app] == nil
}

// has reports whether there is such a group.
func (t *tokens) has(group int32) bool { return t.ids[group] }

// tokenTable keeps tokens up to date. It is safe for concurrent use.
type tokenTable struct {
	global [sha256.Size]byte
	open   bool // there is no common token: none is needed
	groups func() []*model.Group

	mu   sync.Mutex
	last *tokens
}

// isGlobal reports, in constant time, whether token is the common one, or none
// is needed.
func (t *tokenTable) isGlobal(token string) bool {
	h := hash(token)
	return t.open || subtle.ConstantTimeCompare(t.global[:], h[:]) == 1
}

// now returns the tokens as they were at most tableLife ago.
func (t *tokenTable) now() *tokens {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && time.Since(t.last.made) < tableLife {
		return t.last
	}
	next := &tokens{
		made: time.Now(), byToken: map[[sha256.Size]byte][]*model.Group{}, byApp: map[string][]*model.Group{},
		ids: map[int32]bool{}, closed: map[int32]bool{}, closedApps: map[string]bool{},
	}
	for _, g := range t.groups() {
		next.byApp[g.AppName] = append(next.byApp[g.AppName], g)
		next.ids[g.ID] = true
		old, counts := g.OldAt(next.made)
		for _, token := range []string{g.AccessToken, old} {
			if token != "" {
				h := hash(token)
				next.byToken[h] = append(next.byToken[h], g)
			}
		}
		if g.AccessToken != "" && (!counts || old != "") { // else the common one counts too
			next.closed[g.ID], next.closedApps[strings.ToLower(g.AppName)] = true, true
		}
	}
	t.last = next
	return next
}
