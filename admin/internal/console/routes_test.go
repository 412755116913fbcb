package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

func TestOldAddresses(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for old, want := range map[string]string{
		"/jobinfo":                      "/jobs",
		"/jobinfo?jobGroup=3&jobDesc=a": "/jobs?group=3&name=a",
		"/jobinfo?triggerStatus=1&executorHandler=h&author=me":         "/jobs?author=me&handler=h&state=started",
		"/jobinfo?triggerStatus=-1":                                    "/jobs",
		"/joblog?jobId=7&logStatus=2":                                  "/runs?job=7&result=failed",
		"/joblog?logStatus=1":                                          "/runs?result=ok",
		"/joblog?logStatus=-1&filterTime=x":                            "/runs",
		"/joblog?filterTime=2026-11-20+00:00:00+-+2026-11-21+23:59:59": "/runs?from=2026-11-20T00%3A00&to=2026-11-21T23%3A59",
		"/jobinfo?jobGroup=-1":                                         "/jobs",
		"/xxl-job-admin/jobinfo":                                       "/xxl-job-admin/jobs",
		"/dashboard":                                                   "/",
		"/toLogin":                                                     "/",
		"/xxl-job-admin/auth/login?next=":                              "/xxl-job-admin/",
	} {
		assert.Equal(t, want, v.Get(old).Header().Get("Location"), old)
	}
	assert.Equal(t, http.StatusNotFound, v.Get("/errorpage").Code)
	nobody := w.As(nil)
	assert.Contains(t, nobody.Text("/toLogin"), `name="password"`)
	assert.Equal(t, "/signin?next=%2Fjobinfo%3FjobGroup%3D3", nobody.Get("/jobinfo?jobGroup=3").Header().Get("Location"))
}
