package legacy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// logins is what the package needs of package auth.
type logins interface {
	Login(ctx context.Context, req auth.LoginRequest) (*auth.Login, error)
	Authenticate(ctx context.Context, id string) (*model.User, error)
	FromJava(ctx context.Context, cookie string) (*model.User, error)
	Logout(ctx context.Context, id string) error
}

// Config describes a Server. Ops and Auth are required.
type Config struct {
	Ops  *ops.Service
	Auth logins
	// Default is the dialect of requests that do not tell theirs. Default A.
	Default Dialect
	// Location is the zone of dates in requests and of log rows. Default
	// time.Local.
	Location *time.Location
	// Lang is the language of messages. The default is simplified Chinese.
	Lang i18n.Lang
	// Pages serves the pages of the console: it is asked for every page path of
	// Java's, after the check of the login. Nil answers 404.
	Pages http.Handler
	// Health reports whether the admin is able to work, for the path at which
	// probes ask a Java admin. Nil is always.
	Health func(ctx context.Context) error
	// Proxies are the reverse proxies whose headers are believed.
	Proxies httpx.Proxies
	Logger  *slog.Logger // nil discards
}

// Server answers the Java console's JSON endpoints. It owns no goroutine and is
// safe for concurrent use.
type Server struct {
	cfg    Config
	log    *slog.Logger
	byPath map[string]endpoint
}

// New returns a Server.
func New(cfg Config) (*Server, error) {
	if cfg.Ops == nil || cfg.Auth == nil {
		return nil, errors.New("legacy: Ops and Auth are required")
	}
	cfg.Default = cmp.Or(cfg.Default, A)
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	if cfg.Pages == nil {
		cfg.Pages = http.NotFoundHandler()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: cfg.Logger, byPath: map[string]endpoint{}}
	for _, e := range s.endpoints() {
		s.byPath[e.path] = e
	}
	return s, nil
}

// Table returns the routes, to be mounted with httpx.Mount.
func (s *Server) Table() httpx.Table {
	t := httpx.Table{
		Name:        "legacy",
		Guard:       s.guard,
		WrongMethod: s.wrongMethod,
		Render:      s.render,
		Logger:      s.log,
	}
	for _, e := range s.endpoints() {
		t.Routes = append(t.Routes, httpx.Route{
			Path:       e.path,
			Methods:    e.methods(),
			Permission: e.permission,
			Changes:    e.kind == change,
			Handler:    s.serve(e),
		})
	}
	return t
}

// call is one request on its way.
type call struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	form    url.Values
	dialect Dialect
	user    *model.User // nil when nobody is logged in
	session string      // the session id of user; "" for the cookie of a Java node
	who     ops.Principal
}

// action handles a call. Its error is answered by call.answer.
type action func(c *call) error

// maxForm bounds what is read of a form: code of a job may have 4 MiB, and
// grows when it is percent-encoded.
const maxForm = 16 << 20

// begin reads the parameters and finds the dialect.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (*call, error) {
	c := &call{s: s, w: w, r: r}
	err := httpx.ParseForm(w, r, maxForm)
	c.form = r.Form
	c.dialect = detect(r, c.form, s.cfg.Default)
	return c, err
}

// callKey is under which the guard leaves its call for the handler behind it.
type callKey struct{}

// serve is the handler of an endpoint.
func (s *Server) serve(e endpoint) httpx.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx := r.Context()
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			var err error
			if c, err = s.begin(w, r); err != nil {
				return err
			}
		}
		return c.answer(ctx, e.do(c))
	}
}

// guard lets those pass who may use the route: users who are logged in, and
// administrators where it says so.
func (s *Server) guard(route httpx.Route) httpx.Handler {
	e := s.byPath[route.Path]
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.begin(w, r)
		if err != nil {
			return err
		}
		if err := c.authenticate(r.Context()); err != nil {
			return err
		}
		if c.user == nil {
			return c.notLoggedIn(e)
		}
		if route.Permission == httpx.Admin && !c.user.Admin {
			return c.notAdmin(e)
		}
		c.r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
		return route.Handler(w, c.r)
	}
}

// notLoggedIn answers a call of nobody: to the login page, or since 3.2.0, for
// JSON, an envelope.
func (c *call) notLoggedIn(e endpoint) error {
	if c.dialect == A || e.kind == page {
		return c.redirect(c.dialect.loginPage())
	}
	return c.exception(http.StatusOK, ssoException+"not login for path:"+httpx.Path(c.r))
}

// notAdmin answers a user who is no administrator.
func (c *call) notAdmin(e endpoint) error {
	if e.kind == page {
		return c.errorPage(http.StatusForbidden, c.s.cfg.Lang.Text(i18n.SystemPermissionLimit))
	}
	if c.dialect == A {
		return c.exception(http.StatusOK, runtimeException+c.s.cfg.Lang.Text(i18n.SystemPermissionLimit))
	}
	return c.exception(http.StatusOK, ssoException+"permission limit, current login-user does not have role:ADMIN")
}

// The class names with which Java's messages begin where it throws. Scripts
// look for what follows, some for the whole.
const (
	runtimeException = "java.lang.RuntimeException: "
	ssoException     = "com.xxl.sso.core.exception.XxlSsoException: "
)

// answerOps answers a refusal of package ops; what else is wrong stays in the
// log.
func (c *call) answerOps(ctx context.Context, err error) error {
	var refusal *ops.Error
	if errors.As(err, &refusal) {
		msg := refusal.Text(c.s.cfg.Lang)
		switch {
		case refusal.Thrown:
			return c.exception(http.StatusOK, runtimeException+msg)
		case msg == "":
			return c.fail(null)
		default:
			return c.fail(str(msg))
		}
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return err // nobody reads the answer
	}
	c.s.log.ErrorContext(ctx, "console request failed",
		slog.String("path", c.r.URL.Path), slog.Any("err", err))
	return c.exception(http.StatusOK, runtimeException+"internal error, see the log of the admin")
}

// wrongMethod answers a method that a route does not take. Login and logout
// are as Java's: in dialect A somebody without a login is sent to the login
// page.
func (s *Server) wrongMethod(route httpx.Route) httpx.Handler {
	e := s.byPath[route.Path]
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.begin(w, r)
		if err != nil {
			return err
		}
		if err := c.authenticate(r.Context()); err != nil {
			return err
		}
		if c.user == nil && (e.kind == page || c.dialect == A) {
			return c.redirect(c.dialect.loginPage())
		}
		msg := "method " + r.Method + " is not taken here: send " + w.Header().Get("Allow")
		if e.kind == change && e.permission != httpx.Anonymous {
			return c.exception(http.StatusMethodNotAllowed, msg)
		}
		return c.errorPage(http.StatusMethodNotAllowed, msg)
	}
}

// render answers what happens before the dialect is known, or instead of an
// answer.
func (s *Server) render(w http.ResponseWriter, r *http.Request, err error) {
	e := httpx.AsError(err)
	c := &call{s: s, w: w, r: r, dialect: detect(r, url.Values{}, s.cfg.Default)}
	if err := c.errorPage(e.Code(), e.Text()); err != nil {
		httpx.RenderJSON(w, r, e)
	}
}

// health answers as Spring's actuator does.
func (c *call) health() error {
	type state struct {
		Status string `json:"status"`
	}
	status, v := http.StatusOK, state{"UP"}
	if c.s.cfg.Health != nil {
		if err := c.s.cfg.Health(c.r.Context()); err != nil {
			status, v = http.StatusServiceUnavailable, state{"DOWN"}
		}
	}
	body, err := httpx.EncodeJSON(v)
	if err != nil {
		return err
	}
	httpx.WriteBody(c.w, status, "application/vnd.spring-boot.actuator.v3+json", body)
	return nil
}

// onlyOne is what a call about several ids is told.
func (s *Server) onlyOne() string {
	l := s.cfg.Lang
	return l.Text(i18n.SystemPleaseChoose) + l.Text(i18n.SystemOne) + l.Text(i18n.SystemData)
}
