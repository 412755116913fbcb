package registry

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Group returns the group as last known. It must not be changed.
func (r *Registry) Group(id int32) (*model.Group, bool) {
	r.look()
	defer r.mu.RUnlock()
	g, ok := r.groups[id]
	return g, ok
}

// ByApp returns the groups of an app name; names are not unique in databases of
// before master. They must not be changed.
func (r *Registry) ByApp(app string) []*model.Group {
	r.look()
	defer r.mu.RUnlock()
	return r.byApp[app]
}

// Groups returns all groups by id.
func (r *Registry) Groups() []*model.Group {
	r.look()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Values(r.groups), func(a, b *model.Group) int { return cmp.Compare(a.ID, b.ID) })
}

// Registered reports whether somebody beats for the address, whatever the app.
// A slash at the end makes no difference.
func (r *Registry) Registered(address string) bool {
	now, address := time.Now(), strings.TrimRight(strings.TrimSpace(address), "/")
	r.mu.RLock()
	defer r.mu.RUnlock()
	for k, at := range r.beats {
		if now.Sub(at) <= Expiry && strings.TrimRight(k.address, "/") == address {
			return true
		}
	}
	return false
}

// Registrations returns the executors of an app that are registered, by address.
func (r *Registry) Registrations(app string) map[string]Registration {
	now := time.Now()
	r.mu.RLock()
	defer r.mu.RUnlock()
	list := make(map[string]Registration, len(r.live[app]))
	for address, at := range r.live[app] {
		if now.Sub(at) <= Expiry {
			reg := r.since[key{groupExecutor, app, address}]
			reg.Last = at
			list[address] = reg
		}
	}
	return list
}

// look locks for reading, after every group shows who came and went: a thousand
// executors that start at once do not make a thousand lists.
func (r *Registry) look() {
	r.mu.RLock()
	if len(r.dirty) == 0 {
		return
	}
	r.mu.RUnlock()
	r.mu.Lock()
	now := time.Now()
	for app := range r.dirty {
		r.readdressLocked(app, now)
	}
	clear(r.dirty)
	r.mu.Unlock()
	r.mu.RLock()
}

// readdressLocked computes the addresses of the automatic groups of an app
// anew, in memory.
func (r *Registry) readdressLocked(app string, now time.Time) {
	list := r.liveLocked(app, now)
	for _, g := range r.byApp[app] {
		if g.Manual || g.AddressList == list {
			continue
		}
		changed := *g
		changed.AddressList = list
		r.putLocked(&changed)
	}
}

// liveLocked is the address list of an app: live, sorted, without repeats; NULL
// when nobody is there.
func (r *Registry) liveLocked(app string, now time.Time) model.Text {
	var addrs []string
	for address, at := range r.live[app] {
		if now.Sub(at) <= Expiry {
			addrs = append(addrs, address)
		}
	}
	if len(addrs) == 0 {
		return model.Text{}
	}
	slices.Sort(addrs)
	return model.T(strings.Join(addrs, ","))
}

func (r *Registry) putLocked(g *model.Group) {
	r.groups[g.ID] = g
	list := slices.Clone(r.byApp[g.AppName])
	at := slices.IndexFunc(list, func(o *model.Group) bool { return o.ID == g.ID })
	if at < 0 {
		list = append(list, g)
	} else {
		list[at] = g
	}
	r.byApp[g.AppName] = list
}
