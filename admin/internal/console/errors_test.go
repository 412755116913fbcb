package console

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestRefusalsAreNoErrors: what is refused is no fault of the admin's, and does
// not stand in its log as one.
func TestRefusalsAreNoErrors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, func(cfg *Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	v := w.as(w.admin)
	j := w.job(w.group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	for path, want := range map[string]int{
		"/jobs/999": http.StatusNotFound, "/runs/999": http.StatusNotFound, "/no/such/page": http.StatusNotFound,
		"/runs?group=x": http.StatusOK, "/executors/999": http.StatusNotFound,
	} {
		assert.Equal(t, want, v.get(path).Code, path)
	}
	assert.Empty(t, log.String())
	w.parts.text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	id := w.run(j, noon.Add(-time.Minute), time.Second, 200, "")
	assert.Equal(t, http.StatusBadGateway, v.get(runPath(id)+"/log").Code)
	assert.Contains(t, log.String(), "level=WARN")
	assert.NotContains(t, log.String(), "level=ERROR")
}

// TestForbiddenSaysWho: who may not do something reads a sentence of ours in the own
// language, not the text that the Java admin's interface has for it.
func TestForbiddenSaysWho(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.group("orders", "Orders", "http://10.0.0.1:9999/")
	j := w.job(w.group("stock", "Stock", "http://10.0.0.2:9999/"), "settle")
	user := w.as(w.user("silver1", false, "999"))
	for _, path := range []string{pathOf(j), pathOf(j) + "/edit"} {
		rec := user.get(path)
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
		user.header = map[string]string{"Accept-Language": code}
		assert.Contains(t, user.get(pathOf(j)).Body.String(), want)
	}
}
