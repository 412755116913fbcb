// Package parts is what pages of several packages show: runs, their strips,
// alarms, schedules and what was changed, in words and as rows. It reads what
// they show, and has no routes.
package parts

import "github.com/xxljob-go/xxljob/admin/internal/console/web"

// Call is a request for a page that shows some of it.
type Call struct{ *web.Call }

// Of returns what a request shows.
func Of(c *web.Call) Call { return Call{c} }
