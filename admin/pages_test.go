package admin

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// TestPages: while there is no console, its addresses say so, and where the
// interfaces are.
func TestPages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path   string
		lang   i18n.Lang
		status int
		says   string
	}{
		{"/", i18n.En, http.StatusOK, "no console pages yet"},
		{"/toLogin", i18n.En, http.StatusOK, "no console pages yet"},
		{"/auth/login", i18n.ZhCN, http.StatusOK, "还没有控制台页面"},
		{"/jobinfo", i18n.ZhTC, http.StatusNotImplemented, "还没有控制台页面"},
		{"/joblog", i18n.En, http.StatusNotImplemented, "no console pages yet"},
	}
	for _, tt := range tests {
		for _, prefix := range httpx.Prefixes() {
			s := &system{lang: tt.lang}
			rec := httptest.NewRecorder()
			httpx.WithPrefix(prefix, http.HandlerFunc(s.pages)).ServeHTTP(rec,
				httptest.NewRequestWithContext(t.Context(), http.MethodGet, prefix+tt.path, nil))
			assert.Equal(t, tt.status, rec.Code, tt.path)
			assert.Contains(t, rec.Body.String(), tt.says)
			assert.Contains(t, rec.Body.String(), "<code>"+prefix+"/api/callback")
			assert.Contains(t, rec.Body.String(), `href="`+prefix+`/healthz"`)
			assert.NotContains(t, rec.Body.String(), "{")
		}
	}
}
