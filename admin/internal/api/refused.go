package api

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	warnEvery   = time.Minute // at least, between two lines of the log on wrong tokens
	maxToldName = 64          // bytes of a stranger's app name
	maxToldAddr = 255         // of the address that it announces

	// What is kept of strangers: so many, of one client so many, so long after the last
	// call.
	maxRefused    = 100
	maxOfClient   = 10
	refusedLasts  = time.Hour
	registryCall  = "registry"
	registryLeave = "registryRemove"
)

// Refusals are the calls with a wrong token, which the executor that makes them is
// told of and nobody else would know: for pages and the log. What strangers wrote is
// cut, and bounded in number; the tokens themselves are not kept. The zero value is
// ready, and safe for concurrent use.
type Refusals struct {
	mu    sync.Mutex
	last  time.Time // of the line in the log
	since int       // calls after it
	seen  map[stranger]*model.Refused
}

// stranger is who comes with a wrong token, as far as it says so.
type stranger struct{ client, app, address string }

// count counts a call and returns how many there were since the last line of the
// log, if it is time for the next one; else 0.
func (f *Refusals) count(who stranger, call string, now time.Time) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noteLocked(who, call, now)
	f.since++
	if !f.last.IsZero() && now.Sub(f.last) < warnEvery {
		return 0
	}
	n := f.since
	f.last, f.since = now, 0
	return n
}

// noteLocked puts a call on record, in the place of the stranger that came least
// often where there are too many.
func (f *Refusals) noteLocked(who stranger, call string, now time.Time) {
	if r := f.seen[who]; r != nil && now.Sub(r.Last) < refusedLasts {
		r.Count, r.Last, r.Call = r.Count+1, now, call
		return
	}
	f.forgetLocked(now)
	delete(f.seen, who)
	var least, leastHere *stranger
	here := 0
	for key := range f.seen {
		if least = f.lesserLocked(least, &key); key.client == who.client {
			leastHere = f.lesserLocked(leastHere, &key)
			here++
		}
	}
	switch {
	case here >= maxOfClient:
		delete(f.seen, *leastHere)
	case len(f.seen) >= maxRefused:
		delete(f.seen, *least)
	}
	if f.seen == nil {
		f.seen = make(map[stranger]*model.Refused)
	}
	f.seen[who] = &model.Refused{
		Client: who.client, AppName: who.app, Address: who.address, Call: call, Count: 1, First: now, Last: now,
	}
}

// lesserLocked is the one of two that came less often, and of such the one that came
// longer ago.
func (f *Refusals) lesserLocked(a, b *stranger) *stranger {
	if a == nil {
		return b
	}
	x, y := f.seen[*a], f.seen[*b]
	if cmp.Or(cmp.Compare(y.Count, x.Count), y.Last.Compare(x.Last)) < 0 {
		return b
	}
	return a
}

func (f *Refusals) forgetLocked(now time.Time) {
	maps.DeleteFunc(f.seen, func(_ stranger, r *model.Refused) bool { return now.Sub(r.Last) >= refusedLasts })
}

// settled forgets who came with a wrong token and has registered with the right one
// now, and what the same client has said without a name.
func (f *Refusals) settled(who stranger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.seen, func(key stranger, _ *model.Refused) bool {
		return key.client == who.client && (key.app == "" || key.app == who.app) &&
			(key.address == "" || key.address == who.address)
	})
}

// List returns who came with a wrong token within the last hour, and with the right
// one not since; who came last is first. There are at most 100.
func (f *Refusals) List() []model.Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgetLocked(time.Now())
	list := make([]model.Refused, 0, len(f.seen))
	for _, r := range f.seen {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b model.Refused) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Client, b.Client), cmp.Compare(a.AppName, b.AppName),
			cmp.Compare(a.Address, b.Address))
	})
	return list
}

// wrongToken reports whether a call was refused because of its token.
func wrongToken(answer wire.Response) bool {
	switch answer.Msg.String {
	case wire.TextTokenWrong, wire.TextTokenEmpty, wire.TextTokenInvalid:
		return answer.Code == wire.CodeFail
	}
	return false
}

// refused puts a call with a wrong token on record, and in the log the first one and
// then at most one a minute.
func (a *API) refused(ctx context.Context, who stranger, call string) {
	n := a.cfg.Refusals.count(who, call, time.Now())
	if n == 0 {
		return
	}
	a.cfg.Logger.WarnContext(ctx, "calls with a wrong access token refused: compare it with the admin's",
		slog.Int("calls", n), slog.String("client", who.client), slog.String("app_name", who.app),
		slog.String("addr", who.address))
}

// stranger is who makes the call, by what it says itself: the header of master's
// generation, or what it registers.
func (c *call) stranger(r *http.Request) stranger {
	client := c.api.cfg.Client(r)
	who := stranger{client: client.String(), app: told(r.Header.Get(wire.HeaderAppName), maxToldName)}
	if !client.IsValid() {
		who.client = ""
	}
	if app := told(c.said.Key.String, maxToldName); app != "" {
		who.app = app
	}
	who.address = told(c.said.Value.String, maxToldAddr)
	return who
}

// told is what a stranger wrote, cut to so many bytes.
func told(text string, most int) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[:min(len(text), most)], "?")
}

// peer is the address that a request comes from, the zero Addr where it has none.
func peer(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap()
}
