package rest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Defaults of Config.
const (
	DefaultRate = 50 // requests a second
	burst       = 2  // times the rate
)

// sessions is what the package needs of package auth. The error for a session
// that does not count is one that NoSession knows.
type sessions interface {
	Authenticate(ctx context.Context, id string) (*model.User, error)
}

// requests keeps what POSTs with an idempotency key were answered.
type requests interface {
	BeginRequest(ctx context.Context, r *model.Request) (*model.Request, error)
	EndRequest(ctx context.Context, r *model.Request) error
	DropRequest(ctx context.Context, owner, key string) error
	ExpireRequests(ctx context.Context, before time.Time) (int, error)
}

// Parts are what the admin tells of itself. All are required.
type Parts struct {
	// Probe asks the executor at an address of the group what harms nobody.
	Probe func(ctx context.Context, address string, group *model.Group) *model.Probe
	// Addresses tells of addresses at which executors of the app are.
	Addresses func(ctx context.Context, appName string, addresses []string) (map[string]model.AddressState, error)
	// Node is the name of this node: what is told of calls is what it has seen.
	Node string
	// Faults names what keeps this node from working; nothing secret.
	Faults func(ctx context.Context) []string
}

// Config describes a Server. Ops, Auth, NoSession, Requests and Parts are
// required.
type Config struct {
	Ops       *ops.Service
	Auth      sessions
	NoSession func(error) bool
	Requests  requests
	Parts     Parts

	// Rate is how many requests a second a key or user has, and twice as many
	// at once. Default 50; below 0 is no limit.
	Rate int
	// Location is the zone of days and of schedules without one. Default
	// time.Local.
	Location *time.Location
	// Lang is the language of callers that name none of ours. The default is
	// simplified Chinese.
	Lang i18n.Lang
	// Stopping ends streams. Nil never does.
	Stopping <-chan struct{}
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now
}

// Server answers /v1. It owns no goroutine beyond a request and is safe for
// concurrent use.
type Server struct {
	cfg     Config
	log     *slog.Logger
	now     func() time.Time
	rates   *rates
	streams httpx.Places[string]
	byRoute map[string]endpoint

	expired  atomic.Int64 // Unix ms of the last expiry of requests
	expiring sync.Mutex
}

// New returns a Server, or an error that says what is missing.
func New(cfg Config) (*Server, error) {
	p := cfg.Parts
	if cfg.Ops == nil || cfg.Auth == nil || cfg.NoSession == nil || cfg.Requests == nil {
		return nil, errors.New("rest: Ops, Auth, NoSession and Requests are required")
	}
	if p.Probe == nil || p.Addresses == nil || p.Faults == nil {
		return nil, errors.New("rest: all Parts are required")
	}
	cfg.Rate = cmp.Or(cfg.Rate, DefaultRate)
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Server{
		cfg: cfg, now: cfg.Now, log: cfg.Logger,
		rates: newRates(cfg.Rate, cfg.Rate*burst), streams: httpx.Places[string]{Max: maxStreams},
		byRoute: map[string]endpoint{},
	}
	for _, e := range endpoints() {
		if v := keyVerb(e.verb); v != "" && !slices.Contains(model.Verbs(), v) && v != anybody {
			return nil, errors.New("rest: " + e.method + " " + e.path + " has no verb")
		}
		s.byRoute[e.method+" "+e.path] = e
	}
	return s, nil
}

// Table returns the routes, to be mounted with httpx.Mount.
func (s *Server) Table() httpx.Table {
	t := httpx.Table{
		Name: "rest", Guard: s.guard, WrongMethod: s.wrongMethod, Render: s.render, Logger: s.log,
	}
	for _, e := range endpoints() {
		route := httpx.Route{
			Path: e.path, Methods: []string{e.method}, Permission: e.permission(),
			Changes: e.method != http.MethodGet, Handler: s.serve(e),
		}
		t.Routes = append(t.Routes, route)
	}
	t.Routes = append(t.Routes, httpx.Route{
		Path: "/v1/", Permission: httpx.Anonymous, Handler: s.unknownPath,
		Methods: []string{
			http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions,
		},
	})
	return t
}

// unknownPath answers for paths that are none.
func (s *Server) unknownPath(w http.ResponseWriter, r *http.Request) error {
	s.write(w, r, problem(kindNotFound, "there is no such path: see /v1/openapi.yaml"))
	return nil
}

// wrongMethod answers OPTIONS, and methods that a path does not take.
func (s *Server) wrongMethod(httpx.Route) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.Method == http.MethodOptions {
			w.Header().Set("Allow", w.Header().Get("Allow")+", OPTIONS")
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		s.write(w, r, problem(kindMethod, "send "+w.Header().Get("Allow")))
		return nil
	}
}

// render answers what is no refusal: a fault of the admin, whose text stays in
// the log.
func (s *Server) render(w http.ResponseWriter, r *http.Request, err error) {
	if e := httpx.AsError(err); e.Code() != http.StatusInternalServerError {
		w.WriteHeader(e.Code()) // the client has gone
		return
	}
	s.write(w, r, problem(kindInternal, "the log of the admin says more"))
}
