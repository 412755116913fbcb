// Package runpages is the pages of runs: the list, a run with its way, and its log
// as it is written.
package runpages

import (
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// call is a request for one of these pages.
type call struct {
	parts.Call
	clocks *runClocks
}

// Register registers them.
func Register(s *web.Server) {
	clocks := &runClocks{}
	r := web.On(s, func(c *web.Call) *call { return &call{parts.Of(c), clocks} })
	r.Page("/runs", httpx.LoggedIn, (*call).runs)
	r.Action("/runs/bulk", httpx.Operator, (*call).bulkRuns)
	r.Page("/runs/{id}", httpx.Viewer, (*call).run)
	r.Action("/runs/{id}/kill", httpx.Operator, (*call).killRun)
	r.Action("/runs/{id}/retry", httpx.Operator, (*call).retryRun)
	r.Page("/runs/{id}/log", httpx.Viewer, (*call).runLog)
	r.Page("/runs/{id}/log/stream", httpx.Viewer, (*call).streamLog)
}
