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
