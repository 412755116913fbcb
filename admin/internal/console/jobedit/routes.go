// Package jobedit is the editor of jobs, with the preview of a schedule and the
// choice of child jobs.
package jobedit

import (
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// call is a request for one of these pages.
type call struct{ parts.Call }

// Register registers them.
func Register(s *web.Server) {
	r := web.On(s, func(c *web.Call) *call { return &call{parts.Of(c)} })
	r.Page("/jobs/new", httpx.Editor, (*call).newJob)
	r.Action("/jobs/new", httpx.Editor, (*call).createJob)
	r.Page("/jobs/preview", httpx.LoggedIn, (*call).preview)
	r.Page("/jobs/children", httpx.Editor, (*call).children)
	r.Page("/jobs/{id}/edit", httpx.Editor, (*call).editJob)
	r.Action("/jobs/{id}/edit", httpx.Editor, (*call).saveJob)
}
