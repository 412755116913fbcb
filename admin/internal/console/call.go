package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// The cookies. The session is in the cookie of Java's console since 3.2.0, so
// that a login here holds for its JSON endpoints too, and the other way round.
const (
	sessionCookie = "xxl_job_login_token"
	olderCookie   = "XXL_JOB_LOGIN_IDENTITY"
	langCookie    = "xxljob_lang"
	themeCookie   = "xxljob_theme"
	flashCookie   = "xxljob_flash"
)

// maxForm bounds what is read of a form: code of a job may have 4 MiB, and
// grows when it is percent-encoded.
const maxForm = 16 << 20

// callKey is under which the guard leaves its call for the handler behind it.
type callKey struct{}

// call is one request on its way.
type call struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	lang    i18n.Lang
	theme   string      // light, dark or "" for that of the system
	user    *model.User // nil when nobody is logged in
	session string      // the session id of user, or of once
	who     ops.Principal
	once    *model.User // who has shown the printed password of a new database, and may do the setup alone
}

// begin reads the parameters and finds out who asks.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (*call, error) {
	c := &call{s: s, w: w, r: r, lang: s.language(r), theme: theme(r)}
	if err := httpx.ParseForm(w, r, maxForm); err != nil {
		return nil, err
	}
	for _, name := range []string{sessionCookie, olderCookie} {
		cookie, err := r.Cookie(name)
		if err != nil || cookie.Value == "" {
			continue
		}
		u, err := s.cfg.Auth.Authenticate(r.Context(), cookie.Value)
		if errors.Is(err, auth.ErrSetup) {
			if c.once, err = s.cfg.Auth.SetupUser(r.Context(), cookie.Value); err == nil {
				c.session = cookie.Value
				break
			}
		}
		if errors.Is(err, auth.ErrNoSession) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.user, c.session, c.who = u, cookie.Value, ops.UserPrincipal(u)
		break
	}
	return c, nil
}

// language is that of the cookie, or else the first of ours that the browser
// names, or else the server's.
func (s *Server) language(r *http.Request) i18n.Lang {
	if cookie, err := r.Cookie(langCookie); err == nil && cookie.Value != "" {
		if l, err := i18n.Parse(cookie.Value); err == nil {
			return l
		}
	}
	for item := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(item), ";")
		if name == "" {
			continue
		}
		if strings.HasPrefix(name, "en-") {
			name = "en"
		}
		if l, err := i18n.Parse(name); err == nil {
			return l
		}
	}
	return s.cfg.Lang
}

func theme(r *http.Request) string {
	cookie, err := r.Cookie(themeCookie)
	if err == nil && (cookie.Value == "light" || cookie.Value == "dark") {
		return cookie.Value
	}
	return ""
}

// t returns a text of the console with {0}, {1} … replaced.
func (c *call) t(key string, args ...any) string { return c.lang.Console(key, args...) }

// str returns a parameter without the blanks around it.
func (c *call) str(name string) string { return strings.TrimSpace(c.r.Form.Get(name)) }

// id32 returns a number of 32 bits in the path, or 0.
func (c *call) id32(name string) int32 {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

// num returns a parameter as a number from 0 on, or def.
func (c *call) num(name string, def int) int {
	n, err := strconv.Atoi(c.str(name))
	if err != nil || n < 0 {
		return def
	}
	return n
}

// now is the present in the zone of the pages.
func (c *call) now() time.Time { return c.s.cfg.Now().In(c.s.cfg.Location) }

// csrf is the token that every form of the session carries: nobody who does not
// know the session's id can make it.
func (c *call) csrf() string {
	if c.session == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(c.session))
	mac.Write([]byte("console form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (c *call) tokenMatches() bool {
	given := c.r.PostForm.Get("csrf")
	if given == "" {
		given = c.r.Header.Get("X-CSRF-Token")
	}
	want := c.csrf()
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// redirect sends the browser to a path of ours, to be read with GET.
func (c *call) redirect(path string) error {
	http.Redirect(c.w, c.r, httpx.Prefix(c.r)+path, http.StatusSeeOther)
	return nil
}

// local returns path when it is one of ours behind the context path, and else
// def: a link cannot lead away from here.
func (c *call) local(path, def string) string {
	path = strings.TrimPrefix(path, httpx.Prefix(c.r))
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return def
	}
	return path
}

// cookie sets a cookie that scripts do not see. A negative age deletes it, 0 is
// until the browser ends.
func (c *call) cookie(name, value string, age time.Duration) {
	cookie := &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.s.cfg.Proxies.Secure(c.r), MaxAge: int(age.Seconds()),
	}
	http.SetCookie(c.w, cookie)
}

// flash is a message that the next page shows once.
type flash struct {
	Bad  bool   `json:"b,omitempty"`
	Text string `json:"t"`
	Undo string `json:"u,omitempty"` // the path of an action that takes it back
}

// maxFlash bounds the text of a message in a cookie.
const maxFlash = 600

// done says what was done, and sends the browser on.
func (c *call) done(path, text string) error { return c.say(path, flash{Text: text}) }

// refuse says why nothing was done, and sends the browser on. What is no
// refusal of package ops is returned as it is.
func (c *call) refuse(path string, err error) error {
	text, ok := c.why(err)
	if !ok {
		return err
	}
	return c.say(path, flash{Bad: true, Text: text})
}

func (c *call) say(path string, f flash) error {
	if len(f.Text) > maxFlash {
		f.Text = strings.ToValidUTF8(f.Text[:maxFlash], "") + "…"
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	c.cookie(flashCookie, base64.RawURLEncoding.EncodeToString(raw), time.Minute)
	return c.redirect(path)
}

// takeFlash returns the message and forgets it.
func (c *call) takeFlash() *flash {
	cookie, err := c.r.Cookie(flashCookie)
	if err != nil || cookie.Value == "" {
		return nil
	}
	c.cookie(flashCookie, "", -time.Second)
	raw, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	var f flash
	if json.Unmarshal(raw, &f) != nil || f.Text == "" {
		return nil
	}
	return &f
}

// why returns the words of a refusal in the language of the page; ok is false
// for a fault of the admin.
func (c *call) why(err error) (text string, ok bool) {
	var refusal *ops.Error
	if !errors.As(err, &refusal) {
		return "", false
	}
	text = refusal.Words(c.lang)
	switch {
	case refusal.Own != "":
		text = c.t(refusal.Own, refusal.OwnArgs...)
	case lacksRole(refusal): // Java's words are for Java's interface
		text = c.t("error.403.role", c.who.Name)
	case text == "":
		text = refusal.Detail
	case refusal.Detail != "" && c.lang == i18n.En:
		text += ": " + refusal.Detail
	}
	return text, true
}

// lacksRole reports whether it is refused because the account may not do it.
func lacksRole(e *ops.Error) bool {
	return e.Kind == ops.Forbidden && len(e.Parts) > 0 && e.Parts[0].Key == i18n.SystemPermissionLimit
}

// signinFor is the login page from which one comes back to r. It says when a login
// has ended.
func signinFor(r *http.Request) string {
	next, why := httpx.Path(r), ""
	if r.URL.RawQuery != "" {
		next += "?" + r.URL.RawQuery
	}
	if next == "/" {
		next = ""
	}
	if cookie, err := r.Cookie(sessionCookie); err == nil && cookie.Value != "" {
		why = whyEnded
	}
	return "/signin" + query("next", next, "why", why)
}

// signinUndone is the login page for who has sent something without a login: it
// says that it was not done, and leads back to the page that sent it. action is
// the pattern of what was sent.
func (c *call) signinUndone(action string) string {
	if action == "/signout" {
		return "/signin"
	}
	next := c.local(c.str("back"), "")
	if u, err := url.Parse(c.r.Referer()); next == "" && err == nil && u.Host == c.r.Host {
		next = c.local(u.RequestURI(), "")
		// The page that asked whether one is sure cannot be opened by its address.
		if here := httpx.Path(c.r); next == here && !c.s.has(action) {
			next = path.Dir(here)
		}
	}
	return "/signin" + query("next", next, "why", whyUndone)
}

// status is how the node is, asked with a limit by Config.Cluster.
func (c *call) status(ctx context.Context) Cluster { return c.s.cfg.Cluster(ctx) }
