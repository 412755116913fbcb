//go:build browser

package browsertest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// journal is what the browsers of all tests have opened and done.
var journal = newLedger()

// ledger notes for every route of the console how often a browser got a page
// from it, or had its action done.
type ledger struct {
	routes []httpx.Route
	mux    *http.ServeMux // of the routes, to find the one of a request

	mu    sync.Mutex
	done  map[string]int // by method and pattern
	files map[string]int // of these, answered with a file to be kept
}

func newLedger() *ledger {
	server, err := console.New(console.Config{
		Ops: new(ops.Service), Auth: auth.New(auth.Config{}), History: new(store.Store), CodeEditing: true,
	})
	if err != nil {
		panic(err)
	}
	l := &ledger{
		routes: server.Table().Routes, mux: http.NewServeMux(), done: map[string]int{}, files: map[string]int{},
	}
	for _, path := range []string{"/", "/help"} { // these two stand at addresses of the Java console
		l.routes = append(l.routes, httpx.Route{Path: path, Methods: []string{http.MethodGet}})
	}
	for _, route := range l.routes {
		path := route.Path
		if path == "/" {
			path = "/{$}"
		}
		for _, method := range route.Methods {
			l.mux.Handle(method+" "+path, http.NotFoundHandler())
		}
	}
	return l
}

// find returns the method and pattern of the route of a request, or "".
func (l *ledger) find(method string, u *url.URL) string {
	_, pattern := l.mux.Handler(&http.Request{Method: method, URL: u, Host: u.Host})
	return strings.TrimSuffix(pattern, "{$}")
}

// count is how often a route was done.
func (l *ledger) count(key string) (done, files int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done[key], l.files[key]
}

// missing are the routes that were not done.
func (l *ledger) missing() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	for _, route := range l.routes {
		for _, method := range route.Methods {
			if key := method + " " + route.Path; l.done[key] == 0 {
				list = append(list, key)
			}
		}
	}
	slices.Sort(list)
	return list
}

// watch notes the requests of browsers on their way to next.
func (l *ledger) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Mode") == "" { // an executor
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(&watched{ResponseWriter: w, note: func(status int, h http.Header) { l.note(r, status, h) }}, r)
	})
}

func (l *ledger) note(r *http.Request, status int, h http.Header) {
	key := l.find(r.Method, &url.URL{Path: r.URL.Path})
	switch {
	case key == "" || strings.HasSuffix(key, "{anything...}") != (status == http.StatusNotFound):
		return
	case status >= http.StatusBadRequest && status != http.StatusNotFound:
		return
	case r.Method == http.MethodPost && refused(h):
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done[key]++
	if strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
		l.files[key]++
	}
}

// refused reports whether an answer carries the message that nothing was done.
func refused(h http.Header) bool {
	for _, c := range (&http.Response{Header: h}).Cookies() {
		raw, err := base64.RawURLEncoding.DecodeString(c.Value)
		var message struct {
			Bad bool `json:"b"`
		}
		if c.Name == "xxljob_flash" && err == nil && json.Unmarshal(raw, &message) == nil && message.Bad {
			return true
		}
	}
	return false
}

// watched tells the status of an answer when it begins.
type watched struct {
	http.ResponseWriter
	note func(status int, h http.Header)
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	w.tell(status)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watched) Write(b []byte) (int, error) {
	w.tell(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush what is behind.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) tell(status int) {
	if w.note != nil {
		w.note(status, w.Header())
		w.note = nil
	}
}
