package legacy

import (
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// kind says what an endpoint is.
type kind int

const (
	read   kind = iota // JSON, by GET or POST
	change             // JSON, by POST only
	page               // HTML
)

// endpoint is a path of the Java console.
type endpoint struct {
	path       string
	kind       kind
	permission httpx.Permission
	do         action
}

func (e endpoint) methods() []string {
	switch e.kind {
	case change:
		return []string{http.MethodPost}
	case page:
		return []string{http.MethodGet}
	}
	return []string{http.MethodGet, http.MethodPost}
}

// endpoints lists the paths of all dialects (admin.md 7.4 to 7.9).
func (s *Server) endpoints() []endpoint {
	const (
		anybody  = httpx.Anonymous
		user     = httpx.LoggedIn
		admin    = httpx.Admin
		viewer   = httpx.Viewer
		operator = httpx.Operator
		editor   = httpx.Editor
	)
	return []endpoint{
		{"/toLogin", page, anybody, (*call).loginPage},
		{"/auth/login", page, anybody, (*call).loginPage},
		{"/errorpage", page, anybody, (*call).pages},
		{"/actuator/health", read, anybody, (*call).health},
		{"/", page, user, (*call).pages},
		{"/dashboard", page, user, (*call).pages},
		{"/help", page, user, (*call).pages},
		{"/jobinfo", page, user, (*call).pages},
		{"/joblog", page, user, (*call).pages},
		{"/joblog/logDetailPage", page, viewer, (*call).pages},
		{"/jobcode", page, viewer, (*call).pages},
		{"/jobgroup", page, admin, (*call).pages},
		{"/user", page, admin, (*call).pages},

		{"/login", change, anybody, (*call).login},
		{"/auth/doLogin", change, anybody, (*call).login},
		{"/logout", change, anybody, (*call).logout},
		{"/auth/logout", change, anybody, (*call).logout},
		{"/user/updatePwd", change, user, (*call).updatePwd},
		{"/auth/updatePwd", change, user, (*call).updatePwd},
		{"/chartInfo", read, user, (*call).chartInfo},

		{"/jobinfo/pageList", read, viewer, (*call).jobList},
		{"/jobinfo/add", change, editor, (*call).jobAdd},
		{"/jobinfo/insert", change, editor, (*call).jobAdd},
		{"/jobinfo/update", change, editor, (*call).jobUpdate},
		{"/jobinfo/remove", change, editor, (*call).jobRemove},
		{"/jobinfo/delete", change, editor, (*call).jobRemove},
		{"/jobinfo/start", change, operator, (*call).jobStart},
		{"/jobinfo/stop", change, operator, (*call).jobStop},
		{"/jobinfo/trigger", change, operator, (*call).jobTrigger},
		{"/jobinfo/nextTriggerTime", read, user, (*call).nextTriggerTime},
		{"/jobcode/save", change, editor, (*call).glueSave},

		{"/joblog/getJobsByGroup", read, viewer, (*call).jobsByGroup},
		{"/joblog/pageList", read, viewer, (*call).logList},
		{"/joblog/logDetailCat", read, viewer, (*call).logDetailCat},
		{"/joblog/logKill", change, operator, (*call).logKill},
		{"/joblog/clearLog", change, editor, (*call).clearLog},

		{"/jobgroup/pageList", read, admin, (*call).groupList},
		{"/jobgroup/save", change, admin, (*call).groupAdd},
		{"/jobgroup/insert", change, admin, (*call).groupAdd},
		{"/jobgroup/update", change, admin, (*call).groupUpdate},
		{"/jobgroup/remove", change, admin, (*call).groupRemove},
		{"/jobgroup/delete", change, admin, (*call).groupRemove},
		{"/jobgroup/loadById", read, viewer, (*call).groupLoad},

		{"/user/pageList", read, admin, (*call).userList},
		{"/user/add", change, admin, (*call).userAdd},
		{"/user/insert", change, admin, (*call).userAdd},
		{"/user/update", change, admin, (*call).userUpdate},
		{"/user/remove", change, admin, (*call).userRemove},
		{"/user/delete", change, admin, (*call).userRemove},
	}
}
