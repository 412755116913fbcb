package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// setupPage is the page of the first start: first the form for the password,
// then, until an executor is there, how to connect one, and then a first job.
type setupPage struct {
	// Of the first step.
	Name      string // of the administrator
	Printed   bool   // the printed password is asked for: nobody has shown it yet
	Lang      string
	Langs     []web.Option
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
	state, err := c.Cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	switch {
	case state.Phase == auth.SetupPassword:
		return c.askPassword(ctx, http.StatusOK, &setupPage{Name: state.Name, Lang: c.langCode()})
	case state.Phase != auth.SetupExecutor:
		return c.setupClosed()
	case c.User == nil:
		return c.Redirect(web.SigninFor(c.R))
	case !c.User.Admin:
		return &httpx.Error{Status: http.StatusForbidden, Msg: c.T("error.admin")}
	}
	p := &setupPage{}
	if err := c.firstJobForm(ctx, &p.firstJob); err != nil {
		return err
	}
	if c.Str("part") != "" {
		return c.Part("setup", "setupwait", p)
	}
	return c.askExecutor(ctx, http.StatusOK, p)
}

// setupClosed says that there is nothing to set up any more.
func (c *call) setupClosed() error {
	return &httpx.Error{Status: http.StatusGone, Msg: c.T("setup.closed")}
}

func (c *call) langCode() string {
	for _, l := range web.LangNames {
		if l.Lang == c.Lang {
			return l.Code
		}
	}
	return ""
}

// askPassword shows the first step.
func (c *call) askPassword(ctx context.Context, status int, p *setupPage) error {
	p.Printed = c.Once == nil
	for _, l := range web.LangNames {
		p.Langs = append(p.Langs, web.Option{Value: l.Code, Text: l.Name})
		if l.Lang == c.Cfg.Lang {
			p.StoreLang = l.Name
		}
	}
	p.OwnZones, p.Zones = c.Cfg.Ops.OwnZones(), parts.CommonZones()
	p.HereZone = say.ZoneName(c.Cfg.Location, c.Now())
	return c.RenderStatus(ctx, status, "setup", web.Head{Title: c.T("setup.title"), Script: "setup.js"}, p)
}

// choosePassword replaces the printed password, and logs the administrator in
// with the new one. The printed password, or a session that began with it, says
// who asks; a foreign page cannot post here, see httpx.Protect.
func (c *call) choosePassword(ctx context.Context) error {
	state, err := c.Cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	switch {
	case state.Phase == auth.SetupExecutor:
		return c.Redirect("/setup")
	case state.Phase != auth.SetupPassword:
		return c.setupClosed()
	case c.Once != nil && !c.TokenMatches():
		return &httpx.Error{Status: http.StatusForbidden, Msg: c.T("error.csrf")}
	}
	p := &setupPage{Name: state.Name, Lang: c.Str("lang"), Zone: c.Str("zone"), Problems: map[string]string{}}
	next := c.R.PostForm.Get("password")
	if next != c.R.PostForm.Get("again") {
		p.Problems["again"] = c.T("account.differ")
	}
	if _, ok := c.Zone(p.Zone); !ok {
		p.Problems["zone"] = c.T("edit.zone.bad", p.Zone)
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
	who := ops.UserPrincipal(c.Once)
	if err := c.Cfg.Ops.ChooseFirstPassword(ctx, who, next); err != nil {
		return c.passwordRefused(ctx, p, err)
	}
	c.setUp(ctx, who, p)
	login, err := c.Cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: state.Name, Password: next, Source: c.Cfg.Proxies.ClientIP(c.R),
	})
	if err != nil { // it is chosen, and can be signed in with in a moment
		c.Cookie(web.SessionCookie, "", -time.Second)
		return c.Done("/signin", c.T("account.changed"))
	}
	c.Cookie(web.SessionCookie, login.ID, 0)
	return c.Redirect("/setup")
}

// showPrinted checks the printed password that was posted, unless the session
// has begun with it. The status is another one than 200 where it was refused;
// then p says why.
func (c *call) showPrinted(ctx context.Context, p *setupPage) (status int, err error) {
	if c.Once != nil {
		return http.StatusOK, nil
	}
	login, err := c.Cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: p.Name, Password: c.R.PostForm.Get("printed"), Source: c.Cfg.Proxies.ClientIP(c.R), Setup: true,
	})
	if wait, ok := web.Throttled(err); ok {
		p.Problems["printed"] = c.T("signin.wait", int(math.Ceil(wait.Seconds())))
		return http.StatusTooManyRequests, nil
	}
	if errors.Is(err, auth.ErrBadLogin) || err == nil && !login.Setup {
		p.Problems["printed"] = c.T("setup.printed.wrong")
		return http.StatusUnauthorized, nil
	}
	if err != nil {
		return http.StatusInternalServerError, err
	}
	c.Once, c.Session = login.User, login.ID
	c.Cookie(web.SessionCookie, login.ID, 0)
	c.Cookie(web.OlderCookie, "", -time.Second)
	return http.StatusOK, nil
}

// passwordRefused shows the first step again, with what is wrong.
func (c *call) passwordRefused(ctx context.Context, p *setupPage, err error) error {
	wait, ok := web.Throttled(err)
	switch {
	case ok:
		p.General = c.T("signin.wait", int(math.Ceil(wait.Seconds())))
		return c.askPassword(ctx, http.StatusTooManyRequests, p)
	case errors.Is(err, auth.ErrNoSetup): // somebody was first
		return c.setupClosed()
	case errors.Is(err, auth.ErrPasswordLength):
		p.Problems["password"] = c.T("setup.password.length")
	case errors.Is(err, auth.ErrPasswordName):
		p.Problems["password"] = c.T("setup.password.name")
	case errors.Is(err, auth.ErrPasswordSame):
		p.Problems["password"] = c.T("setup.password.same")
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
	if zone == say.ZoneName(c.Cfg.Location, c.Now()) {
		zone = ""
	}
	if zone == "" {
		return
	}
	if err := c.Cfg.Ops.SetNewJobZone(ctx, who, zone); err != nil {
		c.Cfg.Logger.WarnContext(ctx, "zone of new jobs not kept")
	}
}

// askExecutor shows how to connect an executor, and whether one is there.
func (c *call) askExecutor(ctx context.Context, status int, p *setupPage) error {
	p.Address, p.Token = c.address(), c.Cfg.Setup.Token
	p.Go, p.Java = programs(p.Address, p.Token)
	p.Shell = "go run ./examples/basic -admin " + shellQuote(p.Address) + " -token " + shellQuote(p.Token)
	h := web.Head{Title: c.T("setup.title"), Script: "setup.js"}
	if len(p.Apps) == 0 {
		h.Reload = reloadEvery
	}
	return c.RenderStatus(ctx, status, "setup", h, p)
}

// reloadEvery is after how many seconds a page that waits loads itself again
// where scripts do not.
const reloadEvery = 5

// shellQuote is a word of a shell's command line.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// finishSetup closes the setup without a first job.
func (c *call) finishSetup(ctx context.Context) error {
	switch err := c.Cfg.Ops.FinishSetup(ctx, c.Who); {
	case errors.Is(err, auth.ErrNoSetup):
		return c.setupClosed()
	case err != nil:
		return err
	}
	return c.Done("/", c.T("setup.done"))
}
