// Package jobpages is the pages of jobs: the list and what is done with several of
// them, a job with its tabs, its code, import and export, and what was deleted and
// can be brought back, executors too. The editor is package jobedit.
package jobpages

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
	r.Page("/jobs", httpx.LoggedIn, (*call).jobs)
	r.Action("/jobs/bulk", httpx.Viewer, (*call).bulk)
	r.Action("/jobs/views", httpx.LoggedIn, (*call).saveView)
	r.Page("/jobs/export", httpx.LoggedIn, (*call).exportJobs)
	r.Page("/jobs/import", httpx.Editor, (*call).importJobs)
	r.Action("/jobs/import", httpx.Editor, (*call).doImport)
	r.Page("/jobs/{id}", httpx.Viewer, (*call).job)
	r.Action("/jobs/{id}/start", httpx.Operator, (*call).startJob)
	r.Action("/jobs/{id}/stop", httpx.Operator, (*call).stopJob)
	r.Action("/jobs/{id}/run", httpx.Operator, (*call).runJob)
	r.Action("/jobs/{id}/delete", httpx.Editor, (*call).deleteJob)
	r.Page("/jobs/{id}/code", httpx.Viewer, (*call).code)
	r.Action("/jobs/{id}/code", httpx.Editor, (*call).saveCode)
	r.Action("/jobs/{id}/code/restore", httpx.Editor, (*call).restoreCode)
	r.Page("/jobs/{id}/code/file", httpx.Viewer, (*call).codeFile)
	r.Page("/jobs/deleted", httpx.LoggedIn, (*call).deletedJobs)
	r.Page("/jobs/{id}/delete", httpx.Editor, (*call).askDelete)
	r.Action("/jobs/{id}/restore", httpx.Editor, (*call).restoreJob)
	r.Page("/executors/deleted", httpx.Admin, (*call).deletedExecutors)
	r.Page("/executors/{id}/history", httpx.Viewer, (*call).executorHistory)
	r.Action("/executors/{id}/restore", httpx.Admin, (*call).restoreExecutor)
	r.Action("/changes/undo", httpx.Operator, (*call).undo)
}
