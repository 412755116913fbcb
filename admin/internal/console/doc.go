// Package console is what people look at: pages rendered on the server with
// html/template, one style sheet, and small modules of our own that make them
// live. Reading and the main actions work without JavaScript.
//
// # How a page is made
//
// A page is a handler that is registered with [Server.page], a struct with what
// it shows, and a template in templates/ that defines "content":
//
//	s.page("/jobs", httpx.LoggedIn, (*call).jobs)   // GET
//	s.action("/jobs/{id}/start", httpx.Operator, (*call).startJob) // POST, token checked
//
//	func (c *call) jobs(ctx context.Context) error {
//		...
//		return c.render(ctx, "jobs", head{Title: c.t("jobs.title"), Section: "jobs"}, jobsPage{...})
//	}
//
// A template finds its struct as .P and what every page knows (user, token,
// language, time) beside it; T, path, asset, icon, ago, stamp, took and the
// components in templates/parts.html serve every template. It is rendered into
// memory, so a fault is a clean error page and never half a page. Package frame
// reads templates/ and static/, package loghtml shows logs.
//
// Everything that changes something is a form that is posted, with the token of
// the session in the field csrf. Then the browser is sent to a page that shows
// what was done (call.done, call.refuse).
//
// # Languages
//
// Texts are in package i18n, files console_*.go, in three languages side by
// side. The page offers all of them; the choice, like that of the theme, is
// kept in a cookie.
package console
