package parts

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// recent makes the last runs of a job: each is a kind of end and how many
// retries the run had left.
func recent(list ...[2]int) (runs []model.Recent) {
	at := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	for i, it := range list {
		r := model.Recent{
			ID: int64(i + 1), TriggerTime: at, TriggerCode: 200, HandleCode: 500, HandleTime: at.Add(time.Second),
			RetriesLeft: int32(it[1]), End: model.End{
				SentMs: at.UnixMilli() + 10, EndedMs: at.UnixMilli() + 350, Kind: model.EndKind(it[0]),
			},
		}
		switch r.End.Kind {
		case model.EndOK:
			r.HandleCode = 200
		case model.EndUnsent, model.EndSkipped:
			r.TriggerCode, r.HandleCode = 500, 0
		case model.EndOpen:
			r.HandleCode, r.HandleTime = 0, time.Time{}
		case model.EndFailed, model.EndTimeout, model.EndKilled, model.EndLost:
		}
		runs = append(runs, r)
	}
	return runs
}

// A run and its retries are one, and what nobody has to look at is none.
func TestSuccessRate(t *testing.T) {
	t.Parallel()
	const ok, failed, killed, skipped = int(model.EndOK), int(model.EndFailed), int(model.EndKilled), int(model.EndSkipped)
	tests := []struct {
		name string
		give []model.Recent
		want Figures
	}{
		{name: "none", want: Figures{Rate: "–"}},
		{name: "good", give: recent([2]int{ok, 2}, [2]int{ok, 2}), want: Figures{Runs: 2, Ended: 2, Rate: "100 %"}},
		{
			name: "the second retry helped", give: recent([2]int{failed, 2}, [2]int{failed, 1}, [2]int{ok, 0}),
			want: Figures{Runs: 3, Ended: 1, Retries: 2, Rate: "100 %"},
		},
		{
			name: "no retry helped", give: recent([2]int{failed, 1}, [2]int{failed, 0}, [2]int{ok, 1}),
			want: Figures{Runs: 3, Ended: 2, Failed: 1, Retries: 1, Rate: "50 %"},
		},
		{
			name: "its retry runs", give: recent([2]int{failed, 1}, [2]int{0, 0}),
			want: Figures{Runs: 2, Retries: 1, Rate: "–"},
		},
		{
			name: "killed and skipped", give: recent([2]int{ok, 1}, [2]int{killed, 1}, [2]int{skipped, 1}),
			want: Figures{Runs: 3, Ended: 1, Rate: "100 %"},
		},
		{
			name: "another run came before the retry", give: recent([2]int{failed, 1}, [2]int{ok, 1}, [2]int{ok, 0}),
			want: Figures{Runs: 3, Ended: 2, Retries: 1, Rate: "100 %"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := SumRuns(tt.give)
			got.P50, got.P95, got.Any = 0, 0, false
			assert.Equal(t, tt.want, got)
		})
	}
	assert.Equal(t, 340*time.Millisecond, SumRuns(tests[1].give).P50)
}

// Each way to end has its own word, and no other's shape but for faults.
func TestWaysToEnd(t *testing.T) {
	t.Parallel()
	c := Of(&web.Call{Lang: i18n.En, Cfg: &web.Config{Location: time.UTC, Now: time.Now}})
	var words []string
	for _, r := range recent(
		[2]int{1}, [2]int{2}, [2]int{3}, [2]int{4}, [2]int{5}, [2]int{6}, [2]int{7}, [2]int{8}, [2]int{0},
	) {
		how := c.StateOf(r)
		words = append(words, how.Kind+" "+how.Text)
		assert.NotEmpty(t, classes[how.Kind], how)
	}
	assert.Equal(t, []string{
		"ok succeeded", "bad failed", "bad timed out", "kill killed", "skip skipped", "lost lost", "bad not started",
		"skip replaced by a later run", "run running",
	}, words)
	assert.Equal(t, "wait waiting", c.StateOf(model.Recent{}).Kind+" "+c.StateOf(model.Recent{}).Text)
}

func TestLasted(t *testing.T) {
	t.Parallel()
	c := Of(&web.Call{Lang: i18n.En, Cfg: &web.Config{Location: time.UTC, Now: time.Now}})
	run := recent([2]int{1})[0]
	for took, want := range map[int64]string{
		0: "< 1 ms", 340: "340 ms", 1240: "1.24 s", 1000: "1 s", 185_000: "3 min 5 s",
	} {
		run.End.EndedMs = run.End.SentMs + took
		assert.Equal(t, want, c.Lasted(run))
	}
	run.End = model.End{} // of a Java admin
	assert.Equal(t, "1 s", c.Lasted(run))
}

// A fault is seen in the strip of a list, however short it was.
func TestFaultsStandOut(t *testing.T) {
	t.Parallel()
	for class, want := range map[chart.Class]bool{
		chart.Failed: true, chart.Lost: true, chart.OK: false, chart.Killed: false, chart.Skipped: false,
	} {
		s := chart.Strip{Runs: []chart.StripRun{{Took: time.Millisecond, Class: class}, {Took: time.Hour, Class: chart.OK}}}
		assert.Equal(t, want, strings.Contains(string(s.HTML()), "chart-fault"), class)
	}
}

// A run that was not started took no time: a short mark, and no scale where there are no others.
func TestStripOfRunsThatWereNotStarted(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	c := Of(&web.Call{Lang: i18n.En, R: r, Cfg: &web.Config{Location: time.UTC, Now: time.Now}})
	drawn, unit := c.Strip(1, recent([2]int{int(model.EndUnsent)}, [2]int{int(model.EndUnsent)}))
	assert.Empty(t, unit)
	assert.NotContains(t, string(drawn), "chart-fault")
	assert.Contains(t, string(drawn), "not started · – · ")
	_, tallest := c.ShortStrip(1, recent([2]int{int(model.EndUnsent)}))
	assert.Empty(t, tallest)
	_, tallest = c.ShortStrip(1, recent([2]int{int(model.EndUnsent)}, [2]int{int(model.EndOK)}))
	assert.NotEmpty(t, tallest)
}
