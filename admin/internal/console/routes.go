package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// register registers every page and action.
func (s *Server) register() {
	s.routes = append(s.routes, httpx.Route{
		Path: "/static/{file}", Methods: []string{http.MethodGet}, Permission: httpx.Anonymous, Handler: s.assets.Serve,
	})
	s.page(anyPath, httpx.Anonymous, (*call).nowhere)
	s.page("/signin", httpx.Anonymous, (*call).signin)
	s.action("/signin", httpx.Anonymous, (*call).doSignin)
	s.action("/signout", httpx.LoggedIn, (*call).signout)
	s.action("/prefs", httpx.Anonymous, (*call).prefs)
	s.page("/status", httpx.LoggedIn, (*call).statusJSON)
	s.page("/search", httpx.LoggedIn, (*call).search)
	s.pages["/"], s.pages["/help"] = true, true // another interface owns the addresses, see oldPage
	s.registerSetup()
	s.registerJobs()
	s.registerRuns()
	s.registerAlarms()
	s.registerExecutors()
	s.registerSettings()
}

// registerJobs registers what is about jobs.
func (s *Server) registerJobs() {
	s.page("/jobs", httpx.LoggedIn, (*call).jobs)
	s.action("/jobs/bulk", httpx.Viewer, (*call).bulk)
	s.action("/jobs/views", httpx.LoggedIn, (*call).saveView)
	s.page("/jobs/export", httpx.LoggedIn, (*call).exportJobs)
	s.page("/jobs/import", httpx.Editor, (*call).importJobs)
	s.action("/jobs/import", httpx.Editor, (*call).doImport)
	s.page("/jobs/new", httpx.Editor, (*call).newJob)
	s.action("/jobs/new", httpx.Editor, (*call).createJob)
	s.page("/jobs/preview", httpx.LoggedIn, (*call).preview)
	s.page("/jobs/children", httpx.Editor, (*call).children)
	s.page("/jobs/{id}/edit", httpx.Editor, (*call).editJob)
	s.action("/jobs/{id}/edit", httpx.Editor, (*call).saveJob)
	s.page("/jobs/{id}", httpx.Viewer, (*call).job)
	s.action("/jobs/{id}/start", httpx.Operator, (*call).startJob)
	s.action("/jobs/{id}/stop", httpx.Operator, (*call).stopJob)
	s.action("/jobs/{id}/run", httpx.Operator, (*call).runJob)
	s.action("/jobs/{id}/delete", httpx.Editor, (*call).deleteJob)
	s.registerCode()
	s.registerDeleted()
	s.action("/changes/undo", httpx.Operator, (*call).undo)
}

// oldPage leads from an address of the Java console to the page that took its
// place, with the filters of the address. Its start and login pages are
// answered where they stand.
func (c *call) oldPage(ctx context.Context) error {
	path := httpx.Path(c.r)
	switch path {
	case "/toLogin", "/auth/login":
		return c.signin(ctx)
	case "/help":
		if c.user != nil {
			return c.help(ctx)
		}
	case "/dashboard":
		return c.redirect("/")
	case "/errorpage":
		return httpx.NotFound("")
	}
	if c.user == nil && c.once != nil {
		return c.redirect("/setup")
	}
	if c.user == nil { // the interface that owns the address has asked for a login
		return c.redirect(signinFor(c.r))
	}
	if path == "/" {
		return c.overview(ctx)
	}
	to, ok := c.newPage(path)
	if !ok {
		return httpx.NotFound("")
	}
	return c.redirect(to)
}

// newPage is the address of the page that took the place of one of Java's.
func (c *call) newPage(path string) (string, bool) {
	switch path {
	case "/jobinfo":
		return "/jobs" + query("group", c.positive("jobGroup"), "name", c.str("jobDesc"),
			"handler", c.str("executorHandler"), "author", c.str("author")), c.s.has("/jobs")
	case "/joblog":
		return "/runs" + query("group", c.positive("jobGroup"), "job", c.positive("jobId")), c.s.has("/runs")
	case "/joblog/logDetailPage":
		return "/runs/" + url.PathEscape(c.str("id")), c.s.has("/runs/{id}")
	case "/jobcode":
		return "/jobs/" + url.PathEscape(c.str("jobId")) + "/code", c.s.has("/jobs/{id}/code")
	case "/jobgroup":
		return "/executors", c.s.has("/executors")
	case "/user":
		return "/settings/users", c.s.has("/settings/users")
	}
	return "", false
}

// positive returns a parameter that is a positive number, and else "": Java's
// pages say 0 and -1 for everything.
func (c *call) positive(name string) string {
	n, err := strconv.ParseInt(c.str(name), 10, 64)
	if err != nil || n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
