// Package executorpages is the pages of executors: the list, an executor with its
// tokens and members, and an address.
package executorpages

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
	r.Page("/executors", httpx.LoggedIn, (*call).executors)
	r.Page("/executors/new", httpx.Admin, (*call).newExecutor)
	r.Action("/executors/new", httpx.Admin, (*call).createExecutor)
	r.Page("/executors/{id}", httpx.Viewer, (*call).executor)
	r.Action("/executors/{id}/probe", httpx.Operator, (*call).probeExecutor)
	r.Page("/executors/{id}/address", httpx.Viewer, (*call).executorAddress)
	r.Action("/executors/{id}/address/probe", httpx.Operator, (*call).probeAddress)
	r.Page("/executors/{id}/edit", httpx.GroupAdmin, (*call).editExecutor)
	r.Action("/executors/{id}/edit", httpx.GroupAdmin, (*call).saveExecutor)
	r.Action("/executors/{id}/members", httpx.GroupAdmin, (*call).setMember)
	r.Action("/executors/{id}/members/remove", httpx.GroupAdmin, (*call).removeMember)
	r.Action("/executors/{id}/delete", httpx.Admin, (*call).deleteExecutor)
	r.Action("/executors/{id}/token", httpx.GroupAdmin, (*call).rotateToken)
	r.Action("/executors/{id}/token/clear", httpx.GroupAdmin, (*call).clearToken)
	r.Action("/executors/{id}/token/end", httpx.GroupAdmin, (*call).endOldToken)
}
