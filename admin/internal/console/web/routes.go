package web

import (
	"context"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// Routes registers pages and actions whose handlers are methods of a C: what a
// package of pages makes of a call.
type Routes[C any] struct {
	s  *Server
	of func(*Call) C
}

// On returns what registers routes of a server.
func On[C any](s *Server, of func(*Call) C) Routes[C] { return Routes[C]{s, of} }

// Page registers a page, which is read with GET.
func (r Routes[C]) Page(pattern string, need httpx.Permission, h func(C, context.Context) error) {
	r.s.pages[pattern] = true
	r.add(httpx.Route{Path: pattern, Methods: []string{http.MethodGet}, Permission: need}, h)
}

// Action registers what changes something: it is posted as a form, and refused
// without the token of the session.
func (r Routes[C]) Action(pattern string, need httpx.Permission, h func(C, context.Context) error) {
	r.add(httpx.Route{Path: pattern, Methods: []string{http.MethodPost}, Permission: need, Changes: true}, h)
}

func (r Routes[C]) add(route httpx.Route, h func(C, context.Context) error) {
	route.Handler = r.s.serve(func(ctx context.Context, c *Call) error { return h(r.of(c), ctx) })
	r.s.routes = append(r.s.routes, route)
}

// Link says that pages are there to be linked that another interface owns, see
// Open.
func (s *Server) Link(patterns ...string) {
	for _, pattern := range patterns {
		s.pages[pattern] = true
	}
}
