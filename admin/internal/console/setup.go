package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Setup is what the setup of a new database shows.
type Setup struct {
	// Token is the common token of executors; "" where there is none.
	Token string
	// Apps returns the executors that are there, whether they have a group or
	// not. Nil: nobody is ever there.
	Apps func(ctx context.Context) ([]App, error)
}

// App is an executor that has registered.
type App struct{ Name, Address string }

// registerSetup registers what is about the first start. Who may use the page
// depends on how far the setup is; after it the page says that it is closed.
func (s *Server) registerSetup() {
	s.page("/setup", httpx.Anonymous, (*call).setup)
	s.action("/setup", httpx.Anonymous, (*call).choosePassword)
	s.action("/setup/job", httpx.Admin, (*call).firstJob)
	s.action("/setup/finish", httpx.Admin, (*call).finishSetup)
}

// setupPage is the page of the first start: first the form for the password,
// then, until an executor is there, how to connect one, and then a first job.
type setupPage struct {
	// Of the first step.
	Name      string // of the administrator
	Printed   bool   // the printed password is asked for: nobody has shown it yet
	Lang      string
	Langs     []option
	Zone      string
	Zones     []string
	OwnZones  bool
	HereZone  string
	StoreLang string // the language of what is stored with runs
	Problems  map[string]string
	General   string

	// Of what follows.
	Address  string
	Token    string
	Shell    string // a command line for a checkout of this project
	Go, Java string
	firstJob
}

// setup shows how far the setup is.
func (c *call) setup(ctx context.Context) error {
	state, err := c.s.cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	switch {
	case state.Phase == auth.SetupPassword:
		return c.askPassword(ctx, http.StatusOK, &setupPage{Name: state.Name, Lang: c.langCode()})
	case state.Phase != auth.SetupExecutor:
		return c.setupClosed()
	case c.user == nil:
		return c.redirect(signinFor(c.r))
	case !c.user.Admin:
		return &httpx.Error{Status: http.StatusForbidden, Msg: c.t("error.admin")}
	}
	p := &setupPage{}
	if err := c.firstJobForm(ctx, &p.firstJob); err != nil {
		return err
	}
	if c.str("part") != "" {
		return c.part("setup", "setupwait", p)
	}
	return c.askExecutor(ctx, http.StatusOK, p)
}

// setupClosed says that there is nothing to set up any more.
func (c *call) setupClosed() error {
	return &httpx.Error{Status: http.StatusGone, Msg: c.t("setup.closed")}
}

func (c *call) langCode() string {
	for _, l := range langNames {
		if l.lang == c.lang {
			return l.code
		}
	}
	return ""
}

// askPassword shows the first step.
func (c *call) askPassword(ctx context.Context, status int, p *setupPage) error {
	p.Printed = c.once == nil
	for _, l := range langNames {
		p.Langs = append(p.Langs, option{l.code, l.name})
		if l.lang == c.s.cfg.Lang {
			p.StoreLang = l.name
		}
	}
	p.OwnZones, p.Zones = c.s.cfg.Ops.OwnZones(), commonZones()
	p.HereZone = say.ZoneName(c.s.cfg.Location, c.now())
	return c.renderStatus(ctx, status, "setup", head{Title: c.t("setup.title"), Script: "setup.js"}, p)
}

// choosePassword replaces the printed password, and logs the administrator in
// with the new one. The printed password, or a session that began with it, says
// who asks; a foreign page cannot post here, see httpx.Protect.
func (c *call) choosePassword(ctx context.Context) error {
	state, err := c.s.cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	switch {
	case state.Phase == auth.SetupExecutor:
		return c.redirect("/setup")
	case state.Phase != auth.SetupPassword:
		return c.setupClosed()
	case c.once != nil && !c.tokenMatches():
		return &httpx.Error{Status: http.StatusForbidden, Msg: c.t("error.csrf")}
	}
	p := &setupPage{Name: state.Name, Lang: c.str("lang"), Zone: c.str("zone"), Problems: map[string]string{}}
	next := c.r.PostForm.Get("password")
	if next != c.r.PostForm.Get("again") {
		p.Problems["again"] = c.t("account.differ")
	}
	if _, ok := c.zone(p.Zone); !ok {
		p.Problems["zone"] = c.t("edit.zone.bad", p.Zone)
	}
	status, err := c.showPrinted(ctx, p)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return c.askPassword(ctx, status, p)
	}
	if len(p.Problems) > 0 {
		return c.askPassword(ctx, http.StatusUnprocessableEntity, p)
	}
	who := ops.UserPrincipal(c.once)
	if err := c.s.cfg.Ops.ChooseFirstPassword(ctx, who, next); err != nil {
		return c.passwordRefused(ctx, p, err)
	}
	c.setUp(ctx, who, p)
	login, err := c.s.cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: state.Name, Password: next, Source: c.s.cfg.Proxies.ClientIP(c.r),
	})
	if err != nil { // it is chosen, and can be signed in with in a moment
		c.cookie(sessionCookie, "", -time.Second)
		return c.done("/signin", c.t("account.changed"))
	}
	c.cookie(sessionCookie, login.ID, 0)
	return c.redirect("/setup")
}

// showPrinted checks the printed password that was posted, unless the session
// has begun with it. The status is another one than 200 where it was refused;
// then p says why.
func (c *call) showPrinted(ctx context.Context, p *setupPage) (status int, err error) {
	if c.once != nil {
		return http.StatusOK, nil
	}
	login, err := c.s.cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: p.Name, Password: c.r.PostForm.Get("printed"), Source: c.s.cfg.Proxies.ClientIP(c.r), Setup: true,
	})
	if wait, ok := later(err); ok {
		p.Problems["printed"] = c.t("signin.wait", int(math.Ceil(wait.Seconds())))
		return http.StatusTooManyRequests, nil
	}
	if errors.Is(err, auth.ErrBadLogin) || err == nil && !login.Setup {
		p.Problems["printed"] = c.t("setup.printed.wrong")
		return http.StatusUnauthorized, nil
	}
	if err != nil {
		return http.StatusInternalServerError, err
	}
	c.once, c.session = login.User, login.ID
	c.cookie(sessionCookie, login.ID, 0)
	c.cookie(olderCookie, "", -time.Second)
	return http.StatusOK, nil
}

// passwordRefused shows the first step again, with what is wrong.
func (c *call) passwordRefused(ctx context.Context, p *setupPage, err error) error {
	wait, ok := later(err)
	switch {
	case ok:
		p.General = c.t("signin.wait", int(math.Ceil(wait.Seconds())))
		return c.askPassword(ctx, http.StatusTooManyRequests, p)
	case errors.Is(err, auth.ErrNoSetup): // somebody was first
		return c.setupClosed()
	case errors.Is(err, auth.ErrPasswordLength):
		p.Problems["password"] = c.t("setup.password.length")
	case errors.Is(err, auth.ErrPasswordName):
		p.Problems["password"] = c.t("setup.password.name")
	case errors.Is(err, auth.ErrPasswordSame):
		p.Problems["password"] = c.t("setup.password.same")
	default:
		return err
	}
	return c.askPassword(ctx, http.StatusUnprocessableEntity, p)
}

// setUp keeps language and zone. The password is chosen already, so a fault of
// these two is only reported.
func (c *call) setUp(ctx context.Context, who ops.Principal, p *setupPage) {
	c.keepLang(p.Lang)
	zone := p.Zone
	if zone == say.ZoneName(c.s.cfg.Location, c.now()) {
		zone = ""
	}
	if zone == "" {
		return
	}
	if err := c.s.cfg.Ops.SetNewJobZone(ctx, who, zone); err != nil {
		c.s.log.WarnContext(ctx, "zone of new jobs not kept")
	}
}

// askExecutor shows how to connect an executor, and whether one is there.
func (c *call) askExecutor(ctx context.Context, status int, p *setupPage) error {
	p.Address, p.Token = c.address(), c.s.cfg.Setup.Token
	p.Go, p.Java = programs(p.Address, p.Token)
	p.Shell = "go run ./examples/basic -admin " + shellQuote(p.Address) + " -token " + shellQuote(p.Token)
	h := head{Title: c.t("setup.title"), Script: "setup.js"}
	if len(p.Apps) == 0 {
		h.Reload = reloadEvery
	}
	return c.renderStatus(ctx, status, "setup", h, p)
}

// reloadEvery is after how many seconds a page that waits loads itself again
// where scripts do not.
const reloadEvery = 5

// shellQuote is a word of a shell's command line.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// finishSetup closes the setup without a first job.
func (c *call) finishSetup(ctx context.Context) error {
	switch err := c.s.cfg.Ops.FinishSetup(ctx, c.who); {
	case errors.Is(err, auth.ErrNoSetup):
		return c.setupClosed()
	case err != nil:
		return err
	}
	return c.done("/", c.t("setup.done"))
}
