package admin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/metrics"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// TestSuccessRateAndMetric: what the overview counts is what the metric says, by
// the kinds that docs/operations.md names.
func TestSuccessRateAndMetric(t *testing.T) {
	t.Parallel()
	s := &system{metrics: metrics.New("x"), pulse: pulse.New(nil)}
	for kind, times := range map[model.EndKind]int{
		model.EndOK: 40, model.EndFailed: 2, model.EndTimeout: 3, model.EndKilled: 5, model.EndSkipped: 7,
		model.EndLost: 11, model.EndUnsent: 13, model.EndReplaced: 17,
	} {
		code := model.CodeFail
		switch kind {
		case model.EndOK:
			code = model.CodeSuccess
		case model.EndTimeout:
			code = model.CodeTimeout
		}
		for range times {
			s.ended(&store.Ending{Kind: kind, Outcome: &model.Outcome{Handle: &model.HandleResult{Code: code}}})
		}
	}
	rec := httptest.NewRecorder()
	s.metrics.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(rec.Body)
	require.NoError(t, err)
	sum := func(label string) (n int64) {
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(line, "xxljob_runs_ended_total{") && strings.Contains(line, label) {
				v, err := strconv.ParseInt(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 10, 64)
				require.NoError(t, err)
				n += v
			}
		}
		return n
	}
	var m pulse.Minute
	for _, one := range s.pulse.Last(2) {
		m.OK, m.Failed, m.Timeout, m.Lost = m.OK+one.OK, m.Failed+one.Failed, m.Timeout+one.Timeout, m.Lost+one.Lost
	}
	assert.Equal(t, sum(`kind="success"`), m.OK)
	assert.Equal(t, sum(`kind="failed"`)+sum(`kind="unsent"`), m.Failed)
	assert.Equal(t, sum(`kind="timeout"`), m.Timeout)
	assert.Equal(t, sum(`kind="lost"`), m.Lost)
	assert.Equal(t, []int64{40, 3, 55}, []int64{sum(`result="success"`), sum(`result="timeout"`), sum(`result="failed"`)},
		"the totals by result are as before")
}
