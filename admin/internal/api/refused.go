package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	warnEvery   = time.Minute // at least, between two lines of the log on wrong tokens
	maxToldName = 64          // bytes of a stranger's app name in the log
)

// refusals tells the operator of calls with a wrong token: the executor that makes
// them is told so, and nobody else would know. It is safe for concurrent use.
type refusals struct {
	mu    sync.Mutex
	last  time.Time // of the line in the log
	since int       // calls after it
}

// count counts a call and returns how many there were since the last line, if it
// is time for the next one; else 0.
func (f *refusals) count(now time.Time) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since++
	if !f.last.IsZero() && now.Sub(f.last) < warnEvery {
		return 0
	}
	n := f.since
	f.last, f.since = now, 0
	return n
}

// wrongToken reports whether a call was refused because of its token.
func wrongToken(answer wire.Response) bool {
	switch answer.Msg.String {
	case wire.TextTokenWrong, wire.TextTokenEmpty, wire.TextTokenInvalid:
		return answer.Code == wire.CodeFail
	}
	return false
}

// refused puts a call with a wrong token in the log, the first one and then at most
// one a minute. What a stranger wrote is cut.
func (a *API) refused(ctx context.Context, r *http.Request) {
	n := a.refusals.count(time.Now())
	if n == 0 {
		return
	}
	app := r.Header.Get(wire.HeaderAppName)
	app = strings.ToValidUTF8(app[:min(len(app), maxToldName)], "?")
	a.cfg.Logger.WarnContext(ctx, "calls with a wrong access token refused: compare it with the admin's",
		slog.Int("calls", n), slog.Any("client", a.cfg.Client(r)), slog.String("app_name", app))
}

// peer is the address that a request comes from, the zero Addr where it has none.
func peer(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap()
}
