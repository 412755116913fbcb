package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/frame"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Server answers with the pages of the console. It owns no goroutine and is
// safe for concurrent use.
type Server struct {
	cfg       Config
	log       *slog.Logger
	routes    []httpx.Route
	pages     map[string]bool // paths that answer GET, for what is linked
	Templates *frame.Templates
	Assets    frame.Assets
	Streams   httpx.Places[int32] // the live logs that each user reads
}

// New returns a Server without pages, but for the files of the folder static. A
// template that cannot be read is an error.
func New(cfg Config, files fs.FS) (*Server, error) {
	if cfg.Ops == nil || cfg.Auth == nil || cfg.History == nil {
		return nil, errors.New("console: Ops, Auth and History are required")
	}
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Cluster == nil {
		cfg.Cluster = func(context.Context) Cluster { return Cluster{} }
	}
	s := &Server{cfg: cfg, log: cfg.Logger, pages: map[string]bool{}, Streams: httpx.Places[int32]{Max: StreamsPerUser}}
	if err := s.readFiles(files); err != nil {
		return nil, err
	}
	s.routes = append(s.routes, httpx.Route{
		Path: "/static/{file}", Methods: []string{http.MethodGet}, Permission: httpx.Anonymous, Handler: s.Assets.Serve,
	})
	return s, nil
}

// readFiles reads the files that pages refer to, in the folder static, and finds
// their templates, in templates.
func (s *Server) readFiles(files fs.FS) error {
	static, err := fs.Sub(files, "static")
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	templates, err := fs.Sub(files, "templates")
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	own := map[string][]byte{"chart.css": []byte(chart.Stylesheet)}
	if s.Assets, err = frame.ReadAssets(static, own); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	if s.Templates, err = frame.NewTemplates(templates, s.funcs); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	return nil
}

// has reports whether a page is there to be linked.
func (s *Server) has(pattern string) bool { return s.pages[pattern] }

// Table returns the routes, to be mounted with httpx.Mount.
func (s *Server) Table() httpx.Table {
	return httpx.Table{
		Name: "console", Routes: s.routes, Guard: s.guard, WrongMethod: s.wrongMethod, Render: s.renderError,
		Logger: s.log,
	}
}

// serve runs a handler with its call.
func (s *Server) serve(h func(ctx context.Context, c *Call) error) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, ok := r.Context().Value(callKey{}).(*Call)
		if !ok {
			var err error
			if c, err = s.begin(w, r); err != nil {
				return err
			}
		}
		return withStatus(h(r.Context(), c))
	}
}

// Open returns a handler for addresses that another interface owns: nobody but h
// checks who asks.
func (s *Server) Open(h func(ctx context.Context, c *Call) error) http.Handler {
	return httpx.Adapt(s.serve(h), s.renderError, s.log)
}

// guard lets those pass who may use a route. Who is not logged in is sent to
// the login page and comes back from there.
func (s *Server) guard(route httpx.Route) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.begin(w, r)
		if err != nil {
			return err
		}
		switch {
		case c.User == nil && c.Once != nil:
			return c.Redirect("/setup")
		case c.User == nil && route.Changes:
			return c.Redirect(c.signinUndone(route.Path))
		case c.User == nil:
			return c.Redirect(SigninFor(r))
		case route.Permission == httpx.Admin && !c.User.Admin:
			return &httpx.Error{Status: http.StatusForbidden, Msg: c.T("error.admin")}
		case route.Permission.Role() > model.RoleViewer && !c.Who.CanAnywhere(route.Permission.Role()):
			return c.lacks(route.Permission.Role())
		case route.Changes && !c.TokenMatches():
			return &httpx.Error{Status: http.StatusForbidden, Msg: c.T("error.csrf")}
		}
		c.R = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
		return route.Handler(w, c.R)
	}
}

// wrongMethod answers a method that a page does not take.
func (s *Server) wrongMethod(route httpx.Route) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if route.Path == AnyPath {
			w.Header().Del("Allow")
			http.NotFound(w, r)
			return nil
		}
		return &httpx.Error{Status: http.StatusMethodNotAllowed, Msg: "method " + r.Method + " is not taken here"}
	}
}
