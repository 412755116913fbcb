// Package alarmpages is the page of alarms: those that are open and that were, mute
// windows, rules and channels.
package alarmpages

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
	r.Page("/alarms", httpx.LoggedIn, (*call).alarms)
	r.Action("/alarms/test", httpx.Admin, (*call).testAlarm)
	r.Action("/alarms/ack", httpx.Operator, (*call).ack)
	r.Action("/alarms/unack", httpx.Operator, (*call).unack)
	r.Action("/alarms/mute", httpx.Operator, (*call).mute)
	r.Action("/alarms/unmute", httpx.Operator, (*call).unmute)
	r.Action("/alarms/rules", httpx.Editor, (*call).setRule)
	r.Action("/alarms/rules/delete", httpx.Editor, (*call).deleteRule)
}
