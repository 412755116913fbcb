package console_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestRefusalsAreNoErrors: what is refused is no fault of the admin's, and does
// not stand in its log as one.
func TestRefusalsAreNoErrors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := consoletest.New(t, func(cfg *console.Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	v := w.As(w.Admin)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	for path, want := range map[string]int{
		"/jobs/999": http.StatusNotFound, "/runs/999": http.StatusNotFound, "/no/such/page": http.StatusNotFound,
		"/runs?group=x": http.StatusOK, "/executors/999": http.StatusNotFound,
	} {
		assert.Equal(t, want, v.Get(path).Code, path)
	}
	assert.Empty(t, log.String())
	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	id := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")
	assert.Equal(t, http.StatusBadGateway, v.Get(consoletest.RunPath(id)+"/log").Code)
	assert.Contains(t, log.String(), "level=WARN")
	assert.NotContains(t, log.String(), "level=ERROR")
}

// TestForbiddenSaysWho: who may not do something reads a sentence of ours in the own
// language, not the text that the Java admin's interface has for it.
func TestForbiddenSaysWho(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.Group("orders", "Orders", "http://10.0.0.1:9999/")
	j := w.Job(w.Group("stock", "Stock", "http://10.0.0.2:9999/"), "settle")
	user := w.As(w.User("silver1", false, "999"))
	for _, path := range []string{consoletest.PathOf(j), consoletest.PathOf(j) + "/edit"} {
		rec := user.Get(path)
		assert.Equal(t, http.StatusForbidden, rec.Code, path)
		for _, javas := range []string{"Permission limit", "权限不足", "username="} {
			assert.NotContains(t, rec.Body.String(), javas, path)
		}
	}
	for code, want := range map[string]string{
		"en":    "The role of the account silver1 does not allow this.",
		"zh-CN": "帐号 silver1 的角色不允许这项操作。",
		"zh-TW": "帳號 silver1 的角色不允許這項操作。",
	} {
		user.Header = map[string]string{"Accept-Language": code}
		assert.Contains(t, user.Get(consoletest.PathOf(j)).Body.String(), want)
	}
}
