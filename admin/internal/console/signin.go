package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
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

// Why one is led to the login page.
const (
	whyEnded  = "ended"  // the login has ended
	whyUndone = "undone" // and something was sent without one, which was not done
)

// whySignin is the reason that the login page tells.
func (c *call) whySignin() string {
	if why := c.str("why"); why == whyEnded || why == whyUndone {
		return why
	}
	return ""
}

// signin shows the login page, and sends on who is logged in.
func (c *call) signin(ctx context.Context) error {
	next := c.local(c.str("next"), "/")
	switch {
	case c.user != nil:
		return c.redirect(next)
	case c.once != nil:
		return c.redirect("/setup")
	}
	state, err := c.s.cfg.Auth.Setup(ctx)
	if err != nil {
		return err
	}
	first := state.Phase == auth.SetupPassword
	if first && state.Alone {
		return c.redirect("/setup")
	}
	p := signinPage{Next: next, Setup: first, Why: c.whySignin()}
	return c.render(ctx, "signin", head{Title: c.t("signin.title")}, p)
}

// doSignin checks a password and begins a session. A foreign page cannot post
// here, see httpx.Protect.
func (c *call) doSignin(ctx context.Context) error {
	p := signinPage{Name: c.str("name"), Next: c.local(c.str("next"), "/"), Why: c.whySignin()}
	password := c.r.PostForm.Get("password")
	if p.Name == "" || password == "" {
		return c.signinAgain(ctx, http.StatusUnprocessableEntity, p, c.t("signin.empty"))
	}
	remember := c.str("remember") != ""
	login, err := c.s.cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: p.Name, Password: password, Remember: remember, Source: c.s.cfg.Proxies.ClientIP(c.r),
		Setup: true,
		Agent: c.r.UserAgent(),
	})
	if wait, ok := later(err); ok {
		seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
		c.w.Header().Set("Retry-After", seconds)
		return c.signinAgain(ctx, http.StatusTooManyRequests, p, c.t("signin.wait", seconds))
	}
	if errors.Is(err, auth.ErrBadLogin) {
		return c.signinAgain(ctx, http.StatusUnauthorized, p, c.t("signin.wrong"))
	}
	if err != nil {
		return err
	}
	if c.session != "" {
		if err := c.s.cfg.Auth.Logout(ctx, c.session); err != nil {
			c.s.log.WarnContext(ctx, "previous session not ended")
		}
	}
	var age time.Duration
	if remember {
		age = login.Expires.Sub(c.s.cfg.Now())
	}
	c.cookie(sessionCookie, login.ID, age)
	c.cookie(olderCookie, "", -time.Second)
	if login.Setup {
		return c.redirect("/setup")
	}
	return c.redirect(p.Next)
}

// later reports whether a password was not looked at, and how long to wait.
func later(err error) (time.Duration, bool) {
	var throttled *auth.ThrottledError
	if errors.As(err, &throttled) {
		return throttled.Wait, true
	}
	return 5 * time.Second, errors.Is(err, auth.ErrBusy)
}

func (c *call) signinAgain(ctx context.Context, status int, p signinPage, problem string) error {
	p.Problem = problem
	return c.renderStatus(ctx, status, "signin", head{Title: c.t("signin.title")}, p)
}

// signout ends the session.
func (c *call) signout(ctx context.Context) error {
	for _, name := range []string{sessionCookie, olderCookie} {
		cookie, err := c.r.Cookie(name)
		if err != nil {
			continue
		}
		if err := c.s.cfg.Auth.Logout(ctx, cookie.Value); err != nil {
			return err
		}
		c.cookie(name, "", -time.Second)
	}
	return c.redirect("/signin")
}

// prefsAge is how long language and theme are kept.
const prefsAge = 365 * 24 * time.Hour

// keepLang keeps a language, if it is one of ours.
func (c *call) keepLang(lang string) {
	for _, l := range langNames {
		if l.code == lang {
			c.cookie(langCookie, lang, prefsAge)
		}
	}
}

// prefs keeps language and theme in cookies for a year.
func (c *call) prefs(context.Context) error {
	c.keepLang(c.str("lang"))
	switch theme := c.str("theme"); theme {
	case "light", "dark":
		c.cookie(themeCookie, theme, prefsAge)
	case "system":
		c.cookie(themeCookie, "", -time.Second)
	}
	return c.redirect(c.local(c.str("back"), "/"))
}

// statusAnswer is what the foot line asks for.
type statusAnswer struct {
	MsOfDay int64    `json:"ms_of_day"` // in the zone of the pages
	NowMs   int64    `json:"now_ms"`
	Faults  []string `json:"faults"`
}

// statusJSON answers the foot line of open pages.
func (c *call) statusJSON(ctx context.Context) error {
	now := c.now()
	_, seconds := now.Zone()
	a := statusAnswer{
		MsOfDay: (now.UnixMilli() + int64(seconds)*1000) % 86_400_000, NowMs: now.UnixMilli(),
		Faults: c.status(ctx).Faults,
	}
	if a.Faults == nil {
		a.Faults = []string{}
	}
	httpx.WriteJSON(c.w, http.StatusOK, a)
	return nil
}

// query makes a query string out of names and values; empty values are left
// out.
func query(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}
