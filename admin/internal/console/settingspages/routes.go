// Package settingspages is the pages of the settings: the own account, users,
// sessions, API keys, how long data is kept, the audit log, the nodes, and about.
package settingspages

import (
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// call is a request for one of these pages.
type call struct{ *web.Call }

// Register registers them.
func Register(s *web.Server) {
	r := web.On(s, func(c *web.Call) *call { return &call{c} })
	r.Page("/settings", httpx.LoggedIn, (*call).account)
	r.Action("/settings/password", httpx.LoggedIn, (*call).changePassword)
	r.Page("/settings/users", httpx.Admin, (*call).users)
	r.Page("/settings/users/new", httpx.Admin, (*call).newUser)
	r.Action("/settings/users/new", httpx.Admin, (*call).createUser)
	r.Page("/settings/users/{id}", httpx.Admin, (*call).editUser)
	r.Action("/settings/users/{id}", httpx.Admin, (*call).saveUser)
	r.Action("/settings/users/{id}/delete", httpx.Admin, (*call).deleteUser)
	r.Page("/settings/audit", httpx.Admin, (*call).audit)
	r.Page("/settings/audit.csv", httpx.Admin, (*call).auditCSV)
	r.Page("/settings/keys", httpx.Admin, (*call).keys)
	r.Action("/settings/keys", httpx.Admin, (*call).createKey)
	r.Action("/settings/keys/{id}/revoke", httpx.Admin, (*call).revokeKey)
	r.Page("/settings/sessions", httpx.LoggedIn, (*call).sessions)
	r.Action("/settings/sessions/{id}/end", httpx.LoggedIn, (*call).endSession)
	r.Action("/settings/sessions/others", httpx.LoggedIn, (*call).endOthers)
	r.Action("/settings/users/{id}/sessions", httpx.Admin, (*call).endUser)
	r.Page("/settings/retention", httpx.LoggedIn, (*call).retention)
	r.Action("/settings/retention", httpx.Admin, (*call).setRetention)
	r.Action("/settings/clean", httpx.Editor, (*call).clean)
	r.Page("/settings/cluster", httpx.Admin, (*call).cluster)
	r.Page("/settings/about", httpx.LoggedIn, (*call).about)
}
