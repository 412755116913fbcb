package admin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConsole: the pages stand beside all other interfaces, under both context
// paths, and a login there holds for the JSON endpoints too.
func TestConsole(t *testing.T) {
	t.Parallel()
	a, err := New(Config{
		DB: "sqlite:" + filepath.Join(t.TempDir(), "a.db"), AccessToken: "a-token-of-these-tests",
		AdminPassword: "sesame-open", Language: "en",
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	select {
	case <-a.Ready():
	case err := <-ended:
		require.NoError(t, err)
	}
	send := func(method, target, body string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		r.Header.Set("Accept", "text/html")
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		return w
	}
	for _, prefix := range []string{"", "/xxl-job-admin"} {
		assert.Equal(t, http.StatusOK, send(http.MethodGet, prefix+"/toLogin", "").Code)
		assert.Equal(t, http.StatusOK, send(http.MethodGet, prefix+"/signin", "").Code)
		start := send(http.MethodGet, prefix+"/", "")
		assert.Equal(t, http.StatusFound, start.Code)

		form := url.Values{"name": {"admin"}, "password": {"sesame-open"}}.Encode()
		login := send(http.MethodPost, prefix+"/signin", form)
		assert.Equal(t, http.StatusSeeOther, login.Code)
		cookies := login.Result().Cookies()
		for _, page := range []string{"/", "/jobs", "/jobs/new"} {
			assert.Equal(t, http.StatusOK, send(http.MethodGet, prefix+page, "", cookies...).Code, page)
		}
		old := send(http.MethodGet, prefix+"/jobinfo?jobGroup=1", "", cookies...)
		assert.Equal(t, http.StatusSeeOther, old.Code)
		assert.Equal(t, prefix+"/jobs?group=1", old.Header().Get("Location"))
		assert.Equal(t, http.StatusOK, send(http.MethodGet, prefix+"/jobgroup/pageList", "", cookies...).Code)
		assert.Equal(t, http.StatusNotFound, send(http.MethodPost, prefix+"/no/such/path", "").Code)
	}
}
