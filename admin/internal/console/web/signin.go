package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// Why one is led to the login page.
const (
	WhyEnded  = "ended"  // the login has ended
	WhyUndone = "undone" // and something was sent without one, which was not done
)

// SigninFor is the login page from which one comes back to r. It says when a login
// has ended.
func SigninFor(r *http.Request) string {
	next, why := httpx.Path(r), ""
	if r.URL.RawQuery != "" {
		next += "?" + r.URL.RawQuery
	}
	if next == "/" {
		next = ""
	}
	if cookie, err := r.Cookie(SessionCookie); err == nil && cookie.Value != "" {
		why = WhyEnded
	}
	return "/signin" + Query("next", next, "why", why)
}

// signinUndone is the login page for who has sent something without a login: it
// says that it was not done, and leads back to the page that sent it. action is
// the pattern of what was sent.
func (c *Call) signinUndone(action string) string {
	if action == "/signout" {
		return "/signin"
	}
	next := c.Local(c.Str("back"), "")
	if u, err := url.Parse(c.R.Referer()); next == "" && err == nil && u.Host == c.R.Host {
		next = c.Local(u.RequestURI(), "")
		// The page that asked whether one is sure cannot be opened by its address.
		if here := httpx.Path(c.R); next == here && !c.Has(action) {
			next = path.Dir(here)
		}
	}
	return "/signin" + Query("next", next, "why", WhyUndone)
}

// Nowhere answers what does not exist: with a page where a browser asks.
func (c *Call) Nowhere(context.Context) error {
	if !strings.Contains(c.R.Header.Get("Accept"), "text/html") {
		http.NotFound(c.W, c.R)
		return nil
	}
	return httpx.NotFound("")
}

// Throttled reports whether a password was not looked at, and how long to wait.
func Throttled(err error) (time.Duration, bool) {
	var throttled *auth.ThrottledError
	if errors.As(err, &throttled) {
		return throttled.Wait, true
	}
	return 5 * time.Second, errors.Is(err, auth.ErrBusy)
}
