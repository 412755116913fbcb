package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scrape returns the lines of an answer, without comments.
func scrape(t *testing.T, m *Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	body, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	values := make(map[string]string)
	for line := range strings.SplitSeq(string(body), "\n") {
		if at := strings.LastIndexByte(line, ' '); at > 0 && !strings.HasPrefix(line, "#") {
			values[line[:at]] = line[at+1:]
		}
	}
	return values
}

func TestObservers(t *testing.T) {
	t.Parallel()
	m := New("1.2.3")
	m.Fired(model.TriggerCron, 30*time.Millisecond)
	m.Fired(model.TriggerCron, -time.Millisecond)
	m.Fired(model.TriggerManual, 0)
	m.Fired("SOMETHING", time.Hour)
	m.Planned(7, 12*time.Millisecond)
	m.Planned(0, time.Second)
	m.Misfired(3)
	m.Suppressed(2)
	m.Ended(200, model.EndOK)
	m.Ended(502, model.EndTimeout)
	m.Ended(500, model.EndFailed)
	m.Ended(500, model.EndKilled)
	m.Ended(0, model.EndOpen)
	m.Voided(ResultLate)
	m.Voided(ResultRepeated)
	m.Voided(ResultRepeated)
	m.Voided("something")
	m.Stored(100, 4*time.Millisecond)
	m.Callback(50)
	m.Refused()
	m.StoreOp("plan", time.Millisecond, nil)
	m.StoreOp("plan", time.Millisecond, errors.New("gone"))
	m.Alarm("ops", "sent")
	m.Alarm("ops\xff", "dropped")
	got := scrape(t, m)
	for series, want := range map[string]string{
		`xxljob_build_info{version="1.2.3"}`:                          "1",
		`xxljob_fires_total{type="CRON"}`:                             "2",
		`xxljob_fires_total{type="MANUAL"}`:                           "1",
		`xxljob_fires_total{type="RETRY"}`:                            "0",
		`xxljob_fires_total{type="other"}`:                            "1",
		`xxljob_fire_lateness_seconds_count{type="CRON"}`:             "2",
		`xxljob_fire_lateness_seconds_bucket{type="CRON",le="0.025"}`: "1",
		`xxljob_fire_lateness_seconds_bucket{type="CRON",le="0.05"}`:  "2",
		`xxljob_runs_planned_total`:                                   "7",
		`xxljob_plan_seconds_count`:                                   "1",
		`xxljob_misfires_total`:                                       "3",
		`xxljob_duplicates_suppressed_total`:                          "2",
		`xxljob_runs_ended_total{kind="success",result="success"}`:    "1",
		`xxljob_runs_ended_total{kind="timeout",result="timeout"}`:    "1",
		`xxljob_runs_ended_total{kind="failed",result="failed"}`:      "2",
		`xxljob_runs_ended_total{kind="killed",result="failed"}`:      "1",
		`xxljob_runs_ended_total{kind="replaced",result="failed"}`:    "0",
		`xxljob_results_void_total{reason="late"}`:                    "1",
		`xxljob_results_void_total{reason="repeated"}`:                "2",
		`xxljob_results_void_total{reason="unknown"}`:                 "0",
		`xxljob_completion_batch_rows_sum`:                            "100",
		`xxljob_completion_batch_seconds_count`:                       "1",
		`xxljob_wrong_tokens_total`:                                   "1",
		`xxljob_callback_items_sum`:                                   "50",
		`xxljob_store_seconds_count{op="plan"}`:                       "2",
		`xxljob_store_errors_total{op="plan"}`:                        "1",
		`xxljob_alarms_total{channel="ops",result="sent"}`:            "1",
		`xxljob_alarms_total{channel="ops?",result="dropped"}`:        "1",
	} {
		assert.Equal(t, want, got[series], series)
	}
	assert.Contains(t, got, "go_goroutines")
	assert.NotContains(t, got, `xxljob_fire_lateness_seconds_count{type="MANUAL"}`)
	assert.NotContains(t, got, `xxljob_results_void_total{reason="something"}`)
}

func TestSources(t *testing.T) {
	t.Parallel()
	m := New("")
	last := time.Date(2026, 11, 21, 8, 0, 0, 500e6, time.UTC)
	m.Watch(Sources{
		OpenRuns: func(context.Context) (int64, error) { return 42, nil },
		Lanes: func() []Lane {
			return []Lane{
				{Address: "http://10.0.0.1:9999/", Depth: 3, InFlight: 2, Conns: 4},
				{Address: "http://user:secr3t@10.0.0.2:9999/?token=secr3t", Dead: true},
				{Address: "http://10.0.0.2:9999/", Depth: 1},
				{Address: "user:secr3t@host"},
				{Address: "bad\xff\"\nname"},
				{Address: "other", Depth: 9},
			}
		},
		Loops:    func() []Loop { return []Loop{{Name: "scheduler", Last: last, Late: true}} },
		Restarts: func() int { return 2 },
		Shards:   func() (int, int) { return 8, 16 },
		Waiting:  func() map[string]int { return map[string]int{"results": 5} },
		Deleted:  func() map[string]int64 { return map[string]int64{"xxl_job_log": 1000} },

		InsecureTokens: func() int { return 3 },
		Unknown:        func() int { return 4 },
	})
	got := scrape(t, m)
	for series, want := range map[string]string{
		`xxljob_runs_open`: "42",
		`xxljob_lane_depth{address="http://10.0.0.1:9999/"}`:       "3",
		`xxljob_lane_in_flight{address="http://10.0.0.1:9999/"}`:   "2",
		`xxljob_lane_connections{address="http://10.0.0.1:9999/"}`: "4",
		`xxljob_lane_depth{address="http://10.0.0.2:9999/"}`:       "1",
		`xxljob_lane_dead{address="http://10.0.0.2:9999/"}`:        "0",
		`xxljob_lane_depth{address="(other)"}`:                     "9",
		`xxljob_lanes`:                                             "5",
		`xxljob_loop_last_tick_seconds{loop="scheduler"}`:          "1.7952480005e+09",
		`xxljob_loop_late{loop="scheduler"}`:                       "1",
		`xxljob_loop_restarts_total`:                               "2",
		`xxljob_lease_shards_owned`:                                "8",
		`xxljob_lease_shards`:                                      "16",
		`xxljob_insecure_tokens`:                                   "3",
		`xxljob_unknown_apps`:                                      "4",
		`xxljob_queue_depth{queue="results"}`:                      "5",
		`xxljob_retention_deleted_total{table="xxl_job_log"}`:      "1000",
	} {
		assert.Equal(t, want, got[series], series)
	}
	for series := range got {
		assert.NotContains(t, series, "secr3t")
	}
}

func TestWithoutSources(t *testing.T) {
	t.Parallel()
	m := New("")
	m.Watch(Sources{})
	assert.NotContains(t, scrape(t, m), "xxljob_runs_open")
}

func TestAPanicOfASourceCostsItsSeriesOnly(t *testing.T) {
	t.Parallel()
	m := New("")
	m.Watch(Sources{
		OpenRuns: func(context.Context) (int64, error) { return 42, nil },
		Lanes:    func() []Lane { panic("boom") },
	})
	got := scrape(t, m)
	assert.Equal(t, "42", got["xxljob_runs_open"])
	assert.Contains(t, got, "xxljob_misfires_total")
}

func TestTheNumberOfSeriesIsBounded(t *testing.T) {
	t.Parallel()
	m := New("")
	m.Watch(Sources{Lanes: func() []Lane {
		var lanes []Lane
		for i := range 5000 {
			lanes = append(lanes, Lane{Address: fmt.Sprintf("http://10.0.%d.%d:9999/", i/250, i%250), Depth: i, InFlight: 1, Conns: 1})
		}
		return lanes
	}})
	for i := range 500 {
		m.StoreOp(fmt.Sprintf("op %d", i), time.Millisecond, nil)
	}
	got := scrape(t, m)
	lanes, ops := 0, 0
	for series := range got {
		if strings.HasPrefix(series, "xxljob_lane_depth") {
			lanes++
		}
		if strings.HasPrefix(series, "xxljob_store_seconds_count") {
			ops++
		}
	}
	assert.Equal(t, 201, lanes)
	assert.Equal(t, 65, ops)
	assert.Equal(t, "5000", got["xxljob_lanes"])
	assert.Equal(t, "4999", got[`xxljob_lane_depth{address="http://10.0.19.249:9999/"}`])
	assert.Equal(t, "4800", got[`xxljob_lane_in_flight{address="other"}`])
	assert.Equal(t, "436", got[`xxljob_store_seconds_count{op="other"}`])
}

func TestOpenRunsAreCountedRarelyAndNotForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, locked := 0, false
		s := &sources{Sources: Sources{OpenRuns: func(ctx context.Context) (int64, error) {
			calls++
			if locked {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return int64(calls), nil
		}}}
		m := New("")
		m.registry.MustRegister(s)
		for range 5 {
			assert.Equal(t, "1", scrape(t, m)["xxljob_runs_open"])
		}
		<-time.After(5 * time.Second)
		assert.Equal(t, "2", scrape(t, m)["xxljob_runs_open"])

		locked = true // as by a backup
		<-time.After(5 * time.Second)
		begin := time.Now()
		got := scrape(t, m)
		assert.NotContains(t, got, "xxljob_runs_open")
		assert.Contains(t, got, "xxljob_misfires_total")
		assert.Equal(t, 2*time.Second, time.Since(begin))
	})
}

func TestScrapesAndObserversAtOnce(t *testing.T) {
	t.Parallel()
	m := New("")
	m.Watch(Sources{OpenRuns: func(context.Context) (int64, error) { return 1, nil }})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				m.Fired(model.TriggerCron, time.Millisecond)
				m.StoreOp(fmt.Sprint(i), time.Millisecond, nil)
			}
		})
	}
	wg.Go(func() { scrape(t, m) })
	wg.Wait()
	assert.Equal(t, "400", scrape(t, m)[`xxljob_fires_total{type="CRON"}`])
}

func FuzzAddressLabel(f *testing.F) {
	f.Add("http://u:p@host:1/x?y#z")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, address string) {
		m := New("")
		m.Watch(Sources{Lanes: func() []Lane { return []Lane{{Address: address}, {Address: "http://x/"}} }})
		families, err := m.registry.Gather()
		require.NoError(t, err)
		assert.NotEmpty(t, families)
	})
}

func BenchmarkFired(b *testing.B) {
	m := New("")
	b.ReportAllocs()
	for b.Loop() {
		m.Fired(model.TriggerCron, time.Millisecond)
	}
}
