package legacy

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// authenticate finds out who calls, by the cookie of the dialect first. A
// cookie that belongs to nobody is deleted as the dialect does: since 3.2.0
// always, before only where it could not be read.
func (c *call) authenticate(ctx context.Context) error {
	names := []string{cookieA, cookieC}
	if c.dialect != A {
		names = []string{cookieC, cookieA}
	}
	for _, name := range names {
		cookie, err := c.r.Cookie(name)
		if err != nil || cookie.Value == "" {
			continue
		}
		ok, err := c.recognise(ctx, name, cookie.Value)
		if errors.Is(err, auth.ErrSetup) {
			return nil // it belongs to the page of the setup
		}
		if err != nil || ok {
			return err
		}
		if name == cookieC || !auth.WellFormed(cookie.Value) {
			c.dropCookie(name)
		}
	}
	return nil
}

// recognise looks up one cookie.
func (c *call) recognise(ctx context.Context, name, value string) (bool, error) {
	u, err := c.s.cfg.Auth.Authenticate(ctx, value)
	if err == nil {
		c.session = value
	} else if errors.Is(err, auth.ErrNoSession) && !errors.Is(err, auth.ErrSetup) && name == cookieC {
		u, err = c.s.cfg.Auth.FromJava(ctx, value)
	}
	if errors.Is(err, auth.ErrNoSession) && !errors.Is(err, auth.ErrSetup) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.user, c.who = u, ops.UserPrincipal(u)
	return true, nil
}

// login checks a password and begins a session.
func (c *call) login() error {
	name, password := c.str("userName"), c.str("password")
	lang := c.s.cfg.Lang
	if strings.TrimSpace(name) == "" || strings.TrimSpace(password) == "" {
		return c.fail(str(lang.Text(i18n.LoginParamEmpty)))
	}
	ctx := c.r.Context()
	remember := c.str("ifRemember") == "on"
	login, err := c.s.cfg.Auth.Login(ctx, auth.LoginRequest{
		Name: name, Password: password, Remember: remember, Source: c.s.cfg.Proxies.ClientIP(c.r),
		Agent: c.r.UserAgent(),
	})
	if wait, ok := later(err); ok {
		return c.tryLater(wait)
	}
	if errors.Is(err, auth.ErrBadLogin) {
		return c.fail(str(lang.Text(i18n.LoginParamInvalid)))
	}
	if errors.Is(err, auth.ErrSetup) {
		return c.fail(str(lang.Text(i18n.LoginSetup)))
	}
	if err != nil {
		return err
	}
	c.endPrevious()
	c.setCookie(login, remember)
	return c.ok(nil)
}

// later reports whether a password was not looked at, and how long to wait.
func later(err error) (time.Duration, bool) {
	var throttled *auth.ThrottledError
	if errors.As(err, &throttled) {
		return throttled.Wait, true
	}
	return 5 * time.Second, errors.Is(err, auth.ErrBusy)
}

// tryLater refuses a login for a while; the text names the seconds in every
// language.
func (c *call) tryLater(wait time.Duration) error {
	seconds := strconv.FormatInt(int64(math.Ceil(wait.Seconds())), 10)
	c.w.Header().Set("Retry-After", seconds)
	return c.fail(str(c.s.cfg.Lang.Text(i18n.LoginParamInvalid) + " (429, Retry-After: " + seconds + " s)"))
}

// endPrevious ends the session that the browser had before it logged in.
func (c *call) endPrevious() {
	if cookie, err := c.r.Cookie(c.dialect.cookie()); err == nil {
		if err := c.s.cfg.Auth.Logout(c.r.Context(), cookie.Value); err != nil {
			c.s.log.WarnContext(c.r.Context(), "previous session not ended")
		}
	}
}

// logout ends the session and deletes the cookies, also when there is none.
func (c *call) logout() error {
	own := c.dialect.cookie()
	for _, name := range []string{cookieA, cookieC} {
		cookie, err := c.r.Cookie(name)
		if err == nil {
			if err := c.s.cfg.Auth.Logout(c.r.Context(), cookie.Value); err != nil {
				return err
			}
		}
		if err == nil || name == own {
			c.dropCookie(name)
		}
	}
	return c.ok(nil)
}

// updatePwd changes the password of the caller, which ends all his sessions.
func (c *call) updatePwd() error {
	if err := c.need("oldPassword", "password"); err != nil {
		return err
	}
	err := c.s.cfg.Ops.ChangeOwnPassword(c.r.Context(), c.who, c.str("oldPassword"), c.str("password"))
	if wait, ok := later(err); ok {
		return c.tryLater(wait)
	}
	if err != nil {
		return err
	}
	return c.ok(nil)
}

func (c *call) setCookie(login *auth.Login, remember bool) {
	cookie := &http.Cookie{
		Name: c.dialect.cookie(), Value: login.ID, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: c.s.cfg.Proxies.Secure(c.r),
	}
	if remember {
		cookie.Expires = login.Expires
		cookie.MaxAge = int(time.Until(login.Expires).Seconds())
	}
	http.SetCookie(c.w, cookie)
}

func (c *call) dropCookie(name string) {
	http.SetCookie(c.w, &http.Cookie{
		Name: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.s.cfg.Proxies.Secure(c.r), MaxAge: -1, Expires: time.Unix(10, 0),
	})
}

// pages hands a page over to the console.
func (c *call) pages() error {
	c.s.cfg.Pages.ServeHTTP(c.w, c.r)
	return nil
}

// loginPage hands the login page over, and sends those who are logged in to
// the start page.
func (c *call) loginPage() error {
	if err := c.authenticate(c.r.Context()); err != nil {
		return err
	}
	if c.user != nil {
		return c.redirect("/")
	}
	return c.pages()
}
