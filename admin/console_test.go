package admin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
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

// TestFootNodes: who lives is told apart from who vanished; this node is never said
// to have vanished, as it answers.
func TestFootNodes(t *testing.T) {
	t.Parallel()
	const now = 1_000_000
	view := lease.View{NowMs: now, Nodes: []lease.Node{
		{Name: "d", SeenMs: now - 10_001}, {Name: "c", SeenMs: 1}, {Name: "b", SeenMs: now}, {Name: "a", SeenMs: 1},
	}}
	var c console.Cluster
	footNodes(&c, clusterOf("a", view, 10*time.Second, 0).Nodes)
	assert.Equal(t, []string{"c", "d"}, c.Silent)
	require.Len(t, c.Nodes, 1)
	assert.Equal(t, "b", c.Nodes[0].Name)
}
