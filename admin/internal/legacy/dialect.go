package legacy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// Dialect is a generation of the Java console's interface.
type Dialect int

// The dialects. The zero value is none.
const (
	A Dialect = iota + 1 // releases up to 3.1.1
	B                    // 3.2.0: paths and paging of A, login and most answers of C
	C                    // 3.3.0 to 3.4.2, with the dates of 3.4.1 and later
)

// String returns the letter.
func (d Dialect) String() string {
	switch d {
	case A:
		return "A"
	case B:
		return "B"
	case C:
		return "C"
	}
	return "none"
}

// The login cookies. Their values are session ids of ours.
const (
	cookieA = "XXL_JOB_LOGIN_IDENTITY"
	cookieC = "xxl_job_login_token"
)

// cookie returns the name of the dialect's login cookie.
func (d Dialect) cookie() string {
	if d == A {
		return cookieA
	}
	return cookieC
}

// loginPage returns the path of the dialect's login page.
func (d Dialect) loginPage() string {
	if d == A {
		return "/toLogin"
	}
	return "/auth/login"
}

// onlyA are the last parts of paths that the releases since 3.3.0 have not.
var onlyA = map[string]bool{
	"/toLogin": true, "/login": true, "/logout": true, "/user/updatePwd": true,
	"/jobinfo/add": true, "/jobinfo/remove": true, "/joblog/getJobsByGroup": true,
	"/jobgroup/save": true, "/jobgroup/remove": true, "/user/add": true, "/user/remove": true,
}

// onlyC are the paths that came with 3.2.0 and 3.3.0.
var onlyC = map[string]bool{
	"/jobinfo/insert": true, "/jobinfo/delete": true, "/jobgroup/insert": true, "/jobgroup/delete": true,
	"/user/insert": true, "/user/delete": true, "/dashboard": true, "/errorpage": true,
}

// detect returns the dialect that a request speaks: its path tells, or the
// names of its paging parameters, or its cookie, or else it is def. A request
// with the cookie of 3.2.0 and later and the names of 3.1.1 comes from 3.2.0.
func detect(r *http.Request, form url.Values, def Dialect) Dialect {
	path := httpx.Path(r)
	if strings.HasPrefix(path, "/auth/") || onlyC[path] {
		return C
	}
	_, errA := r.Cookie(cookieA)
	_, errC := r.Cookie(cookieC)
	hasA, hasC := errA == nil, errC == nil
	older := A
	if hasC && !hasA {
		older = B
	}
	if path == "/toLogin" || path == "/login" || path == "/logout" {
		return A
	}
	if onlyA[path] {
		return older
	}
	switch {
	case form.Has("offset") || form.Has("pagesize") || form.Has("ids[]"):
		return C
	case form.Has("start") || form.Has("length"):
		return older
	case hasA && !hasC:
		return A
	case hasC && !hasA:
		return C
	}
	return def
}
