package console

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/alarmpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/executorpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobedit"
	"github.com/xxljob-go/xxljob/admin/internal/console/jobpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/runpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/settingspages"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// call is a request for a page of this package.
type call struct{ parts.Call }

func of(c *web.Call) *call { return &call{parts.Of(c)} }

// register registers every page and action.
func register(s *web.Server) {
	r := web.On(s, of)
	r.Page(web.AnyPath, httpx.Anonymous, (*call).Nowhere)
	r.Page("/signin", httpx.Anonymous, (*call).signin)
	r.Action("/signin", httpx.Anonymous, (*call).doSignin)
	r.Action("/signout", httpx.LoggedIn, (*call).signout)
	r.Action("/prefs", httpx.Anonymous, (*call).prefs)
	r.Page("/status", httpx.LoggedIn, (*call).statusJSON)
	r.Page("/search", httpx.LoggedIn, (*call).search)
	s.Link("/", "/help") // another interface owns the addresses, see oldPage
	registerSetup(s)
	jobedit.Register(s)
	jobpages.Register(s)
	runpages.Register(s)
	alarmpages.Register(s)
	executorpages.Register(s)
	settingspages.Register(s)
}

// registerSetup registers what is about the first start. Who may use the page
// depends on how far the setup is; after it the page says that it is closed.
func registerSetup(s *web.Server) {
	r := web.On(s, of)
	r.Page("/setup", httpx.Anonymous, (*call).setup)
	r.Action("/setup", httpx.Anonymous, (*call).choosePassword)
	r.Action("/setup/job", httpx.Admin, (*call).firstJob)
	r.Action("/setup/finish", httpx.Admin, (*call).finishSetup)
}

// oldPage leads from an address of the Java console to the page that took its
// place, with the filters of the address. Its start and login pages are
// answered where they stand.
func (c *call) oldPage(ctx context.Context) error {
	path := httpx.Path(c.R)
	switch path {
	case "/toLogin", "/auth/login":
		return c.signin(ctx)
	case "/help":
		if c.User != nil {
			return c.help(ctx)
		}
	case "/dashboard":
		return c.Redirect("/")
	case "/errorpage":
		return httpx.NotFound("")
	}
	if c.User == nil && c.Once != nil {
		return c.Redirect("/setup")
	}
	if c.User == nil { // the interface that owns the address has asked for a login
		return c.Redirect(web.SigninFor(c.R))
	}
	if path == "/" {
		return c.overview(ctx)
	}
	to, ok := c.newPage(path)
	if !ok {
		return httpx.NotFound("")
	}
	return c.Redirect(to)
}

// newPage is the address of the page that took the place of one of Java's.
func (c *call) newPage(path string) (string, bool) {
	switch path {
	case "/jobinfo":
		state := map[string]string{"0": "stopped", "1": "started"}[c.Str("triggerStatus")]
		return "/jobs" + web.Query("group", c.Positive("jobGroup"), "state", state, "name", c.Str("jobDesc"),
			"handler", c.Str("executorHandler"), "author", c.Str("author")), c.Has("/jobs")
	case "/joblog":
		from, to, _ := strings.Cut(c.Str("filterTime"), " - ")
		result := map[string]string{"1": "ok", "2": "failed", "3": "running"}[c.Str("logStatus")]
		return "/runs" + web.Query("result", result, "group", c.Positive("jobGroup"), "job", c.Positive("jobId"),
			"from", inputTime(from), "to", inputTime(to)), c.Has("/runs")
	case "/joblog/logDetailPage":
		return "/runs/" + url.PathEscape(c.Str("id")), c.Has("/runs/{id}")
	case "/jobcode":
		return "/jobs/" + url.PathEscape(c.Str("jobId")) + "/code", c.Has("/jobs/{id}/code")
	case "/jobgroup":
		return "/executors", c.Has("/executors")
	case "/user":
		return "/settings/users", c.Has("/settings/users")
	}
	return "", false
}

// inputTime turns a time as Java's console writes it into one of our fields; "" is
// none.
func inputTime(text string) string {
	t, err := time.Parse(time.DateTime, strings.TrimSpace(text))
	if err != nil {
		return ""
	}
	return t.Format(web.InputTime)
}
