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
		anybody = httpx.Anonymous
		user    = httpx.LoggedIn
		admin   = httpx.Admin
		object  = httpx.PerObject
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
		{"/joblog/logDetailPage", page, object, (*call).pages},
		{"/jobcode", page, object, (*call).pages},
		{"/jobgroup", page, admin, (*call).pages},
		{"/user", page, admin, (*call).pages},

		{"/login", change, anybody, (*call).login},
		{"/auth/doLogin", change, anybody, (*call).login},
		{"/logout", change, anybody, (*call).logout},
		{"/auth/logout", change, anybody, (*call).logout},
		{"/user/updatePwd", change, user, (*call).updatePwd},
		{"/auth/updatePwd", change, user, (*call).updatePwd},
		{"/chartInfo", read, user, (*call).chartInfo},

		{"/jobinfo/pageList", read, object, (*call).jobList},
		{"/jobinfo/add", change, object, (*call).jobAdd},
		{"/jobinfo/insert", change, object, (*call).jobAdd},
		{"/jobinfo/update", change, object, (*call).jobUpdate},
		{"/jobinfo/remove", change, object, (*call).jobRemove},
		{"/jobinfo/delete", change, object, (*call).jobRemove},
		{"/jobinfo/start", change, object, (*call).jobStart},
		{"/jobinfo/stop", change, object, (*call).jobStop},
		{"/jobinfo/trigger", change, object, (*call).jobTrigger},
		{"/jobinfo/nextTriggerTime", read, user, (*call).nextTriggerTime},
		{"/jobcode/save", change, object, (*call).glueSave},

		{"/joblog/getJobsByGroup", read, object, (*call).jobsByGroup},
		{"/joblog/pageList", read, object, (*call).logList},
		{"/joblog/logDetailCat", read, object, (*call).logDetailCat},
		{"/joblog/logKill", change, object, (*call).logKill},
		{"/joblog/clearLog", change, object, (*call).clearLog},

		{"/jobgroup/pageList", read, admin, (*call).groupList},
		{"/jobgroup/save", change, admin, (*call).groupAdd},
		{"/jobgroup/insert", change, admin, (*call).groupAdd},
		{"/jobgroup/update", change, admin, (*call).groupUpdate},
		{"/jobgroup/remove", change, admin, (*call).groupRemove},
		{"/jobgroup/delete", change, admin, (*call).groupRemove},
		{"/jobgroup/loadById", read, object, (*call).groupLoad},

		{"/user/pageList", read, admin, (*call).userList},
		{"/user/add", change, admin, (*call).userAdd},
		{"/user/insert", change, admin, (*call).userAdd},
		{"/user/update", change, admin, (*call).userUpdate},
		{"/user/remove", change, admin, (*call).userRemove},
		{"/user/delete", change, admin, (*call).userRemove},
	}
}
