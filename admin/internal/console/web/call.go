package web

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
	SessionCookie = "xxl_job_login_token"
	OlderCookie   = "XXL_JOB_LOGIN_IDENTITY"
	LangCookie    = "xxljob_lang"
	ThemeCookie   = "xxljob_theme"
	FlashCookie   = "xxljob_flash"
)

// maxForm bounds what is read of a form: code of a job may have 4 MiB, and
// grows when it is percent-encoded.
const maxForm = 16 << 20

// callKey is under which the guard leaves its call for the handler behind it.
type callKey struct{}

// Call is one request on its way. Every package of pages has a type of its own
// that embeds it.
type Call struct {
	s       *Server
	pages   map[string]bool // paths of pages that are there
	Cfg     *Config
	Streams *httpx.Places[int32] // the live logs that each user reads
	W       http.ResponseWriter
	R       *http.Request
	Lang    i18n.Lang
	theme   string      // light, dark or "" for that of the system
	User    *model.User // nil when nobody is logged in
	Session string      // the session id of User, or of Once
	Who     ops.Principal
	Once    *model.User // who has shown the printed password of a new database, and may do the setup alone
}

// call is a request of nobody.
func (s *Server) call(w http.ResponseWriter, r *http.Request) *Call {
	return &Call{
		s: s, pages: s.pages, Cfg: &s.cfg, Streams: &s.Streams, W: w, R: r, Lang: s.language(r), theme: theme(r),
	}
}

// begin reads the parameters and finds out who asks.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (*Call, error) {
	c := s.call(w, r)
	if err := httpx.ParseForm(w, r, maxForm); err != nil {
		return nil, err
	}
	for _, name := range []string{SessionCookie, OlderCookie} {
		cookie, err := r.Cookie(name)
		if err != nil || cookie.Value == "" {
			continue
		}
		u, err := s.cfg.Auth.Authenticate(r.Context(), cookie.Value)
		if errors.Is(err, auth.ErrSetup) {
			if c.Once, err = s.cfg.Auth.SetupUser(r.Context(), cookie.Value); err == nil {
				c.Session = cookie.Value
				break
			}
		}
		if errors.Is(err, auth.ErrNoSession) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.User, c.Session, c.Who = u, cookie.Value, ops.UserPrincipal(u)
		break
	}
	return c, nil
}

// language is that of the cookie, or else the first of ours that the browser
// names, or else the server's.
func (s *Server) language(r *http.Request) i18n.Lang {
	if cookie, err := r.Cookie(LangCookie); err == nil && cookie.Value != "" {
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
	cookie, err := r.Cookie(ThemeCookie)
	if err == nil && (cookie.Value == "light" || cookie.Value == "dark") {
		return cookie.Value
	}
	return ""
}

// T returns a text of the console with {0}, {1} … replaced.
func (c *Call) T(key string, args ...any) string { return c.Lang.Console(key, args...) }

// Str returns a parameter without the blanks around it.
func (c *Call) Str(name string) string { return strings.TrimSpace(c.R.Form.Get(name)) }

// ID32 returns a number of 32 bits in the path, or 0.
func (c *Call) ID32(name string) int32 {
	n, err := strconv.ParseInt(c.R.PathValue(name), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

// Num returns a parameter as a number from 0 on, or def.
func (c *Call) Num(name string, def int) int {
	n, err := strconv.Atoi(c.Str(name))
	if err != nil || n < 0 {
		return def
	}
	return n
}

// Has reports whether a page is there to be linked.
func (c *Call) Has(pattern string) bool { return c.pages[pattern] }

// Now is the present in the zone of the pages.
func (c *Call) Now() time.Time { return c.Cfg.Now().In(c.Cfg.Location) }

// csrf is the token that every form of the session carries: nobody who does not
// know the session's id can make it.
func (c *Call) csrf() string { return CSRFOf(c.Session) }

// CSRFOf is the token of a session; "" for none.
func CSRFOf(session string) string {
	if session == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("console form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// TokenMatches reports whether a form carries the token of the session.
func (c *Call) TokenMatches() bool {
	given := c.R.PostForm.Get("csrf")
	if given == "" {
		given = c.R.Header.Get("X-CSRF-Token")
	}
	want := c.csrf()
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// Redirect sends the browser to a path of ours, to be read with GET.
func (c *Call) Redirect(path string) error {
	http.Redirect(c.W, c.R, httpx.Prefix(c.R)+path, http.StatusSeeOther)
	return nil
}

// Local returns path when it is one of ours behind the context path, and else
// def: a link cannot lead away from here.
func (c *Call) Local(path, def string) string {
	path = strings.TrimPrefix(path, httpx.Prefix(c.R))
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return def
	}
	return path
}

// Cookie sets a cookie that scripts do not see. A negative age deletes it, 0 is
// until the browser ends.
func (c *Call) Cookie(name, value string, age time.Duration) {
	cookie := &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.Cfg.Proxies.Secure(c.R), MaxAge: int(age.Seconds()),
	}
	http.SetCookie(c.W, cookie)
}

// Flash is a message that the next page shows once.
type Flash struct {
	Bad  bool   `json:"b,omitempty"`
	Text string `json:"t"`
	Undo string `json:"u,omitempty"` // the path of an action that takes it back
}

// maxFlash bounds the text of a message in a cookie.
const maxFlash = 600

// Done says what was done, and sends the browser on.
func (c *Call) Done(path, text string) error { return c.Say(path, Flash{Text: text}) }

// Refuse says why nothing was done, and sends the browser on. What is no
// refusal of package ops is returned as it is.
func (c *Call) Refuse(path string, err error) error {
	text, ok := c.Why(err)
	if !ok {
		return err
	}
	return c.Say(path, Flash{Bad: true, Text: text})
}

// Say sends the browser on with a message.
func (c *Call) Say(path string, f Flash) error {
	if len(f.Text) > maxFlash {
		f.Text = strings.ToValidUTF8(f.Text[:maxFlash], "") + "…"
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	c.Cookie(FlashCookie, base64.RawURLEncoding.EncodeToString(raw), time.Minute)
	return c.Redirect(path)
}

// takeFlash returns the message and forgets it.
func (c *Call) takeFlash() *Flash {
	cookie, err := c.R.Cookie(FlashCookie)
	if err != nil || cookie.Value == "" {
		return nil
	}
	c.Cookie(FlashCookie, "", -time.Second)
	raw, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	var f Flash
	if json.Unmarshal(raw, &f) != nil || f.Text == "" {
		return nil
	}
	return &f
}

// Why returns the words of a refusal in the language of the page; ok is false
// for a fault of the admin.
func (c *Call) Why(err error) (text string, ok bool) {
	var refusal *ops.Error
	if !errors.As(err, &refusal) {
		return "", false
	}
	text = refusal.Words(c.Lang)
	switch {
	case text == "":
		text = refusal.Detail
	case refusal.Own == "" && refusal.Detail != "" && c.Lang == i18n.En:
		text += ": " + refusal.Detail
	}
	return text, true
}

// Status is how the node is, asked with a limit by Config.Cluster.
func (c *Call) Status(ctx context.Context) Cluster { return c.Cfg.Cluster(ctx) }

// Foot is what the foot line says in words, of the node and of shards that nobody
// has; "" is nothing to say.
type Foot struct{ Node, Free string }

// FootOf puts in words how the node is. Where it is not well, it does not know how
// the other nodes are.
func (c *Call) FootOf(cl Cluster) (f Foot) {
	switch {
	case cl.Node == "":
		return f
	case cl.Orphans > 0:
		f.Free = c.T("foot.free", cl.Orphans)
		fallthrough
	case len(cl.Nodes) == 0 || len(cl.Faults) > 0:
		f.Node = c.T("foot.node", cl.Node, cl.Held, cl.Total)
	default:
		f.Node = c.T("foot.held", cl.Node, cl.Held, cl.Total)
	}
	return f
}

// ID64 returns a number in the path, or 0.
func (c *Call) ID64(name string) int64 {
	n, err := strconv.ParseInt(c.R.PathValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
