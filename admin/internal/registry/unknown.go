package registry

import (
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// unknownAddresses is how many addresses of an app name are named.
const unknownAddresses = 5

// Unknown returns the executors that are registered under app names that no group
// has, by app name and at most that many names, and how many names there are:
// whoever has the token can register any.
func (r *Registry) Unknown(most int) (list []model.UnknownApp, names int) {
	now := time.Now()
	r.mu.RLock()
	defer r.mu.RUnlock()
	var apps []string
	for app := range r.live {
		if len(r.byApp[app]) == 0 {
			apps = append(apps, app)
		}
	}
	slices.Sort(apps)
	for _, app := range apps {
		u := r.unknownLocked(app, now, len(list) < most)
		if u.Count == 0 {
			continue
		}
		if names++; len(list) < most {
			list = append(list, u)
		}
	}
	return list, names
}

// unknownLocked counts the executors of an app that are there; named says that
// some of them are to be in it.
func (r *Registry) unknownLocked(app string, now time.Time, named bool) model.UnknownApp {
	u := model.UnknownApp{AppName: app}
	for address, at := range r.live[app] {
		if now.Sub(at) > Expiry {
			continue
		}
		u.Count++
		if at.After(u.LastBeat) {
			u.LastBeat = at
		}
		if reg := r.since[key{groupExecutor, app, address}]; u.Since.IsZero() || reg.Since.Before(u.Since) {
			u.Since, u.Before = reg.Since, reg.Before
		}
		if named {
			u.Addresses = append(u.Addresses, address)
		}
	}
	slices.Sort(u.Addresses)
	u.Addresses = u.Addresses[:min(len(u.Addresses), unknownAddresses)]
	return u
}
