package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// signinPage is the login page.
type signinPage struct {
	Name    string
	Next    string
	Problem string
	Why     string // one is led here: ended, undone, or "" for no reason that is told
	Setup   bool   // the admin waits to be set up
}

// whySignin is the reason that the login page tells.
func (c *call) whySignin() string {
	if why := c.Str("why"); why == web.WhyEnded || why == web.WhyUndone {
		return why
	}
	return ""
}

// signin shows the login page, and sends on who is logged in.
func (c *call) signin(ctx context.Context) error {
	next := c.Local(c.Str("next"), "/")
	switch {
	case c.User != nil:
		return c.Redirect(next)
	case c.Once != nil:
		return c.Redirect("/setup")
	}
	state, err := c.Cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	first := state.Phase == auth.SetupPassword
	if first && state.Alone {
		return c.Redirect("/setup")
	}
	p := signinPage{Next: next, Setup: first, Why: c.whySignin()}
	return c.Render(ctx, "signin", web.Head{Title: c.T("signin.title")}, p)
}

// doSignin checks a password and begins a session. A foreign page cannot post
// here, see httpx.Protect.
func (c *call) doSignin(ctx context.Context) error {
	p := signinPage{Name: c.Str("name"), Next: c.Local(c.Str("next"), "/"), Why: c.whySignin()}
	password := c.R.PostForm.Get("password")
	if p.Name == "" || password == "" {
		return c.signinAgain(ctx, http.StatusUnprocessableEntity, p, c.T("signin.empty"))
	}
	remember := c.Str("remember") != ""
	login, err := c.Cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: p.Name, Password: password, Remember: remember, Source: c.Cfg.Proxies.ClientIP(c.R),
		Setup: true,
		Agent: c.R.UserAgent(),
	})
	if wait, ok := web.Throttled(err); ok {
		seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
		c.W.Header().Set("Retry-After", seconds)
		return c.signinAgain(ctx, http.StatusTooManyRequests, p, c.T("signin.wait", seconds))
	}
	if errors.Is(err, auth.ErrBadLogin) {
		return c.signinAgain(ctx, http.StatusUnauthorized, p, c.T("signin.wrong"))
	}
	if err != nil {
		return err
	}
	if c.Session != "" {
		if err := c.Cfg.Auth.Logout(ctx, c.Session); err != nil {
			c.Cfg.Logger.WarnContext(ctx, "previous session not ended")
		}
	}
	var age time.Duration
	if remember {
		age = login.Expires.Sub(c.Cfg.Now())
	}
	c.Cookie(web.SessionCookie, login.ID, age)
	c.Cookie(web.OlderCookie, "", -time.Second)
	if login.Setup {
		return c.Redirect("/setup")
	}
	return c.Redirect(p.Next)
}

func (c *call) signinAgain(ctx context.Context, status int, p signinPage, problem string) error {
	p.Problem = problem
	return c.RenderStatus(ctx, status, "signin", web.Head{Title: c.T("signin.title")}, p)
}

// signout ends the session.
func (c *call) signout(ctx context.Context) error {
	for _, name := range []string{web.SessionCookie, web.OlderCookie} {
		cookie, err := c.R.Cookie(name)
		if err != nil {
			continue
		}
		if err := c.Cfg.Auth.Logout(ctx, cookie.Value); err != nil {
			return err
		}
		c.Cookie(name, "", -time.Second)
	}
	return c.Redirect("/signin")
}

// prefsAge is how long language and theme are kept.
const prefsAge = 365 * 24 * time.Hour

// keepLang keeps a language, if it is one of ours.
func (c *call) keepLang(lang string) {
	for _, l := range web.LangNames {
		if l.Code == lang {
			c.Cookie(web.LangCookie, lang, prefsAge)
		}
	}
}

// prefs keeps language and theme in cookies for a year.
func (c *call) prefs(context.Context) error {
	c.keepLang(c.Str("lang"))
	switch theme := c.Str("theme"); theme {
	case "light", "dark":
		c.Cookie(web.ThemeCookie, theme, prefsAge)
	case "system":
		c.Cookie(web.ThemeCookie, "", -time.Second)
	}
	return c.Redirect(c.Local(c.Str("back"), "/"))
}

// statusAnswer is what the foot line asks for.
type statusAnswer struct {
	MsOfDay int64    `json:"ms_of_day"` // in the zone of the pages
	NowMs   int64    `json:"now_ms"`
	Faults  []string `json:"faults"`
	Node    string   `json:"node"` // in words
	Free    string   `json:"free"` // shards that no node has, in words; "" for none
}

// statusJSON answers the foot line of open pages.
func (c *call) statusJSON(ctx context.Context) error {
	now := c.Now()
	_, seconds := now.Zone()
	cl := c.Status(ctx)
	foot := c.FootOf(cl)
	a := statusAnswer{
		MsOfDay: (now.UnixMilli() + int64(seconds)*1000) % 86_400_000, NowMs: now.UnixMilli(),
		Faults: cl.Faults, Node: foot.Node, Free: foot.Free,
	}
	if a.Faults == nil {
		a.Faults = []string{}
	}
	httpx.WriteJSON(c.W, http.StatusOK, a)
	return nil
}
