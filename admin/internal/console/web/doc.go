// Package web is what the pages of the console are made with: the call of a
// request, routes and who may use them, forms and what is said of them, lists, and
// rendering.
//
// # How a page is made
//
// A package of pages has a type that embeds [Call]. A page is a method of it that
// is registered with [Routes], a struct with what it shows, and a template in
// templates/ that defines "content":
//
//	r := web.On(s, func(c *web.Call) *call { return &call{c} })
//	r.Page("/jobs", httpx.LoggedIn, (*call).jobs)                  // GET
//	r.Action("/jobs/{id}/start", httpx.Operator, (*call).startJob) // POST, token checked
//
//	func (c *call) jobs(ctx context.Context) error {
//		...
//		return c.Render(ctx, "jobs", web.Head{Title: c.T("jobs.title"), Section: "jobs"}, jobsPage{...})
//	}
//
// A template finds its struct as .P and what every page knows (user, token,
// language, time) beside it; T, path, asset, icon, ago, stamp, took and the
// components in templates/parts.html serve every template. It is rendered into
// memory, so a fault is a clean error page and never half a page.
//
// Everything that changes something is a form that is posted, with the token of
// the session in the field csrf. Then the browser is sent to a page that shows
// what was done ([Call.Done], [Call.Refuse]).
package web
