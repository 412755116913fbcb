//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// mode is how the admin stand-in answers calls.
type mode int

const (
	up         mode = iota // success
	down                   // nobody listens
	hanging                // takes the request and never answers
	halfClosed             // closes in the middle of the answer
	dripping               // answers a byte at a time, slower than the caller waits
	status500
	redirect // to a page that would answer 200
	garbage  // HTTP 200 with something that is no JSON
	wrongJSON
	noBody
	refusing // HTTP 200, code 500
	modes
)

func (m mode) String() string {
	return [...]string{
		"up", "down", "hanging", "half-closed", "dripping", "status 500", "redirect", "garbage", "wrong JSON",
		"no body", "refusing",
	}[m]
}

// delivery is one result that reached the admin.
type delivery struct {
	item  wire.CallbackItem
	acked bool // the admin answered success
}

// admin is a stand-in for an admin: it takes registrations and results, in
// whatever mode it is in, and keeps every result that it could read.
type admin struct {
	addr     string
	maxBody  atomic.Int64 // larger posts of results are answered 413; 0: no limit
	refuseID atomic.Int64 // posts with the result of this trigger are refused; 0: none
	posts    atomic.Int64 // of results, in any mode
	tooLarge atomic.Int64 // posts answered 413
	beats    atomic.Int64 // answered with success

	life    sync.Mutex // serialises set
	server  *http.Server
	mu      sync.Mutex
	mode    mode
	changed chan struct{} // closed at every change of mode
	largest int64         // bytes of the largest post of results
	results map[int64][]delivery
	acked   int       // triggers with an acknowledged result
	removed int       // calls of registryRemove
	ackedAt time.Time // when the last one was acknowledged for the first time
}

// newAdmin returns a stand-in that answers with success until the end of the
// test.
func newAdmin(t *testing.T) *admin {
	t.Helper()
	a := &admin{
		addr: fmt.Sprintf("127.0.0.1:%d", freePort(t)), mode: down,
		changed: make(chan struct{}), results: make(map[int64][]delivery),
	}
	a.set(t, up)
	t.Cleanup(func() { a.set(t, down) })
	return a
}

// url returns the address for Config.AdminAddrs.
func (a *admin) url() string { return "http://" + a.addr + "/xxl-job-admin" }

// set changes the mode. Calls that hang are cut off.
func (a *admin) set(t *testing.T, m mode) {
	t.Helper()
	a.life.Lock()
	defer a.life.Unlock()
	a.mu.Lock()
	a.mode = m
	close(a.changed)
	a.changed = make(chan struct{})
	a.mu.Unlock()
	switch {
	case m == down && a.server != nil:
		require.NoError(t, a.server.Close())
		a.server = nil
	case m != down && a.server == nil:
		ln, err := net.Listen("tcp", a.addr) //nolint:noctx // answers at once
		require.NoError(t, err)
		a.server = &http.Server{Handler: a, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute}
		go serve(a.server, ln)
	}
}

func serve(s *http.Server, ln net.Listener) {
	if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		panic(err)
	}
}

// ServeHTTP answers one call.
func (a *admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a.mu.Lock()
	m, changed := a.mode, a.changed
	a.mu.Unlock()
	var items []wire.CallbackItem
	path := bytes.TrimPrefix([]byte(r.URL.Path), []byte("/xxl-job-admin"))
	switch string(path) {
	case wire.PathCallback:
		a.posts.Add(1)
		a.noteSize(int64(len(body)))
		if limit := a.maxBody.Load(); limit > 0 && int64(len(body)) > limit {
			a.tooLarge.Add(1)
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if items, err = wire.DecodeCallbacks(body); err != nil {
			panic(fmt.Sprintf("results that cannot be read: %v: %s", err, body))
		}
		refused := a.refuseID.Load()
		if refused != 0 && slices.ContainsFunc(items, func(c wire.CallbackItem) bool { return c.LogID == refused }) {
			m = refusing
		}
	case wire.PathRegistry, wire.PathRegistryRemove:
		if m == up {
			a.registered(string(path))
		}
	default:
		http.NotFound(w, r) // where a redirect leads
		return
	}
	if m != up {
		a.took(items, false)
		misbehave(w, r, m, changed)
		return
	}
	// Noted before it is answered, or the next call could come first.
	a.took(items, true)
	answer(w, wire.Response{Code: wire.CodeSuccess})
}

func answer(w http.ResponseWriter, res wire.Response) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(wire.AppendAdminResponse(nil, res)) // the executor may be gone
}

// misbehave answers as m says.
func misbehave(w http.ResponseWriter, r *http.Request, m mode, changed <-chan struct{}) {
	switch m {
	case hanging, down:
		select {
		case <-changed:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	case halfClosed:
		raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"code\":200,", 0, nil)
	case dripping:
		raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"code\":200,\"msg\":null", 250*time.Millisecond, changed)
	case status500:
		http.Error(w, "internal error", http.StatusInternalServerError)
	case redirect:
		http.Redirect(w, r, "/toLogin", http.StatusFound)
	case garbage:
		_, _ = w.Write([]byte("<html><body>200 OK</body></html>"))
	case wrongJSON:
		_, _ = w.Write([]byte(`{"status":"ok","result":[1,2,3]}`))
	case noBody:
		w.WriteHeader(http.StatusOK)
	default:
		answer(w, wire.Response{Code: wire.CodeFail, Msg: wire.Str("no")})
	}
}

// raw writes text to the connection, a byte at a time with a pause between if
// there is one, and closes it.
func raw(w http.ResponseWriter, text string, pause time.Duration, changed <-chan struct{}) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if pause == 0 {
		_, _ = io.WriteString(conn, text)
		return
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-changed:
			return
		}
	}
}

func (a *admin) noteSize(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.largest = max(a.largest, n)
}

func (a *admin) registered(path string) {
	if path == wire.PathRegistry {
		a.beats.Add(1)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removed++
}

// took notes results.
func (a *admin) took(items []wire.CallbackItem, acked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, item := range items {
		before := a.results[item.LogID]
		if acked && !slices.ContainsFunc(before, func(d delivery) bool { return d.acked }) {
			a.acked++
			a.ackedAt = time.Now()
		}
		a.results[item.LogID] = append(before, delivery{item: item, acked: acked})
	}
}

// ackedCount returns the number of triggers with an acknowledged result.
func (a *admin) ackedCount() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.acked
}

// last returns when the last trigger's result was acknowledged for the first time.
func (a *admin) last() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ackedAt
}

// largestPost returns the size of the largest post of results.
func (a *admin) largestPost() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.largest
}

// result returns the acknowledged result of a trigger.
func (a *admin) result(logID int64) (wire.CallbackItem, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.results[logID] {
		if d.acked {
			return d.item, true
		}
	}
	return wire.CallbackItem{}, false
}

// waitResult blocks until a result of the trigger was acknowledged.
func (a *admin) waitResult(t *testing.T, logID int64, limit time.Duration) wire.CallbackItem {
	t.Helper()
	var item wire.CallbackItem
	waitFor(t, limit, fmt.Sprintf("result of trigger %d", logID), func() (ok bool) {
		item, ok = a.result(logID)
		return ok
	})
	return item
}

// deliveries returns all that was received.
func (a *admin) deliveries() []delivery {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []delivery
	for _, of := range a.results {
		all = append(all, of...)
	}
	return all
}
