package console

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/frame"
	"github.com/xxljob-go/xxljob/admin/internal/forecast"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
)

// logins is what the package needs of package auth.
type logins interface {
	Login(ctx context.Context, req auth.LoginRequest) (*auth.Login, error)
	Authenticate(ctx context.Context, id string) (*model.User, error)
	Logout(ctx context.Context, id string) error
	Setup(ctx context.Context) (auth.Setup, error)
	SetupUser(ctx context.Context, id string) (*model.User, error)
}

// Cluster is what the foot line says of this node.
type Cluster struct {
	Node   string
	Held   int      // shards that this node schedules
	Total  int      // all shards
	Faults []string // what is wrong here, in words; empty when all is well

	Nodes    []ClusterNode // the live ones, by name
	Orphans  int           // shards whose lease has ended and that nobody has taken
	JavaSeen time.Time     // when a run that a Java node made was last seen; zero is never, by this node
}

// ClusterNode is a node of the admin that is alive.
type ClusterNode struct {
	Name   string
	Seen   time.Time // its last renewal
	Shards int       // that it holds
	Me     bool
}

// Config describes a Server. Ops, Auth and History are required.
type Config struct {
	Ops  *ops.Service
	Auth logins
	// History knows the last runs of jobs.
	History history
	// Cluster says how this node is. Nil says nothing.
	Cluster func(ctx context.Context) Cluster
	// Executors tells of executors' addresses.
	Executors Executors
	// Pulse is what this node did within the last hour. Nil says nothing.
	Pulse *pulse.Pulse
	// Forecast returns the coming hour of some groups; ok is false while it is not
	// known. Nil says nothing.
	Forecast func(ctx context.Context, see func(group int32) bool) (hour *forecast.Hour, ok bool)
	// Links makes addresses of pages for those who are elsewhere. Default: there are
	// none.
	Links link.Base
	// Setup is what the setup of a new database shows.
	Setup Setup
	// Location is the zone of all times on the pages. Default time.Local.
	Location *time.Location
	// Lang is the language of visitors whose browser names none of ours. The
	// default is simplified Chinese.
	Lang i18n.Lang
	// CodeEditing shows the editor of script jobs.
	CodeEditing bool
	// Version is that of the program.
	Version string
	// Proxies are the reverse proxies whose headers are believed.
	Proxies httpx.Proxies
	// Stopping ends streams. Nil never does.
	Stopping <-chan struct{}
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now
}

// Server answers with the pages of the console. It owns no goroutine and is
// safe for concurrent use.
type Server struct {
	cfg       Config
	log       *slog.Logger
	routes    []httpx.Route
	pages     map[string]bool // paths that answer GET, for what is linked
	templates *frame.Templates
	assets    frame.Assets
	streams   httpx.Places[int32]
	clocks    runClocks
}

// New returns a Server. A template that cannot be read is an error.
func New(cfg Config) (*Server, error) {
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
	s := &Server{cfg: cfg, log: cfg.Logger, pages: map[string]bool{}, streams: httpx.Places[int32]{Max: streamsPerUser}}
	if err := s.readFiles(); err != nil {
		return nil, err
	}
	s.register()
	return s, nil
}

// handler answers a request that has passed the check of its route.
type handler func(c *call, ctx context.Context) error

// page registers a page, which is read with GET.
func (s *Server) page(pattern string, need httpx.Permission, h handler) {
	s.pages[pattern] = true
	s.routes = append(s.routes, httpx.Route{
		Path: pattern, Methods: []string{http.MethodGet}, Permission: need, Handler: s.serve(h),
	})
}

// action registers what changes something: it is posted as a form, and refused
// without the token of the session.
func (s *Server) action(pattern string, need httpx.Permission, h handler) {
	s.routes = append(s.routes, httpx.Route{
		Path: pattern, Methods: []string{http.MethodPost}, Permission: need, Changes: true, Handler: s.serve(h),
	})
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
func (s *Server) serve(h handler) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, ok := r.Context().Value(callKey{}).(*call)
		if !ok {
			var err error
			if c, err = s.begin(w, r); err != nil {
				return err
			}
		}
		return withStatus(h(c, r.Context()))
	}
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
		case c.user == nil && c.once != nil:
			return c.redirect("/setup")
		case c.user == nil && route.Changes:
			return c.redirect(c.signinUndone(route.Path))
		case c.user == nil:
			return c.redirect(signinFor(r))
		case route.Permission == httpx.Admin && !c.user.Admin:
			return &httpx.Error{Status: http.StatusForbidden, Msg: c.t("error.admin")}
		case route.Permission.Role() > model.RoleViewer && !c.who.CanAnywhere(route.Permission.Role()):
			return c.lacks(route.Permission.Role())
		case route.Changes && !c.tokenMatches():
			return &httpx.Error{Status: http.StatusForbidden, Msg: c.t("error.csrf")}
		}
		c.r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
		return route.Handler(w, c.r)
	}
}

// wrongMethod answers a method that a page does not take.
func (s *Server) wrongMethod(route httpx.Route) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if route.Path == anyPath {
			w.Header().Del("Allow")
			http.NotFound(w, r)
			return nil
		}
		return &httpx.Error{Status: http.StatusMethodNotAllowed, Msg: "method " + r.Method + " is not taken here"}
	}
}

// Pages returns the handler for the addresses of the Java console's pages,
// which another interface owns: it checks who asks, and leads to the new pages.
func (s *Server) Pages() http.Handler {
	return httpx.Adapt(func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.begin(w, r)
		if err != nil {
			return err
		}
		return withStatus(c.oldPage(r.Context()))
	}, s.renderError, s.log)
}
