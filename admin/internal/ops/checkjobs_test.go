package ops

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestCheckJobs: all that a change would be refused for is told at once, as the
// change tells the first of it, and nothing is changed.
func TestCheckJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.create(bean(w.gold)), w.create(bean(w.gold))
	sh := w.create(bean(w.gold, shell))
	foreign := w.create(bean(w.silver))
	draft := func(change ...func(*model.Job)) Draft { return Draft{Job: bean(w.gold, change...)} }
	tests := []struct {
		name string
		d    Draft
		want []string
	}{
		{"nothing", draft(), nil},
		{"all at once", draft(func(j *model.Job) {
			j.Name, j.ScheduleType, j.ScheduleConf = " ", model.ScheduleCron, model.T("x")
			j.TimeZone, j.Route, j.Children = "Mars", "X", model.T("7x,999")
		}), []string{
			"please input Job description", "Cronillegal", "Time zoneillegal", "Route Strategyillegal",
			"Child Job ID(7x)illegal", "Child Job ID(999)Permission limit",
		}},
		{"of others", draft(withID(foreign)), []string{"ExecutorPermission limit"}},
		{"a child of others", draft(withID(a), func(j *model.Job) { j.Children = model.T(id32(foreign)) }), []string{
			"Child Job ID(" + id32(foreign) + ")Permission limit",
		}},
		{"gone", draft(withID(1 << 30)), []string{"ExecutorPermission limit"}},
		{"its code", draft(func(j *model.Job) { j.GlueType = "GLUE_SHELL" }), []string{"Editing code is not allowed"}},
		{"new code", Draft{Job: bean(w.gold, withID(sh)), NewCode: true}, []string{"Editing code is not allowed"}},
		{"code of a handler", Draft{Job: bean(w.gold, withID(a)), NewCode: true}, []string{
			"GLUE Type" + i18n.En.Text(i18n.JobinfoGlueGluetypeInvalid),
		}},
		{"tags", Draft{Job: bean(w.gold), Tags: []string{"a,b"}}, []string{"Tagsillegal"}},
		{"more children than fit", draft(func(j *model.Job) { j.Children = model.T(strings.Repeat("x,", 200)) }), []string{
			"Child Job ID Length limit[0-255]",
		}},
		{"nothing to start", draft(func(j *model.Job) { j.Running = true }), []string{
			i18n.En.Text(i18n.ScheduleTypeNoneLimitStart),
		}},
		{"over", draft(func(j *model.Job) {
			j.ScheduleType, j.ScheduleConf, j.Running = model.ScheduleCron, model.T("0 0 3 * * ? 2020"), true
		}), []string{i18n.En.Text(i18n.ScheduleType) + i18n.En.Text(i18n.SystemInvalid)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := w.CheckJobs(ctx, w.mine, []Draft{tt.d})
			require.NoError(t, err)
			var texts []string
			for _, e := range found[0] {
				texts = append(texts, e.Text(i18n.En))
			}
			assert.Equal(t, tt.want, texts)
		})
	}

	child := func(id, of int32) Draft {
		return draft(withID(id), func(j *model.Job) { j.Children = model.T(id32(of)) })
	}
	found, err := w.CheckJobs(ctx, w.mine, []Draft{child(a, b), child(b, a)})
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 1}, [2]int{len(found[0]), len(found[1])}, "together they make a circle")
	require.NoError(t, w.UpdateJob(ctx, w.mine, child(a, b).Job))
	found, err = w.CheckJobs(ctx, w.mine, []Draft{draft(withID(a)), child(b, a)})
	require.NoError(t, err)
	assert.Empty(t, found[1], "the other one loses its child")
	assert.Equal(t, id32(b), w.load(a).Children.S, "nothing is changed")
}

// countedReads counts the questions for jobs.
type countedReads struct {
	Store
	n int
}

// JobsByID implements Store.
func (c *countedReads) JobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	c.n++
	return c.Store.JobsByID(ctx, ids)
}

// TestCheckJobsReadsOnce: drafts that lead to the same jobs do not have them read
// again and again.
func TestCheckJobsReadsOnce(t *testing.T) {
	t.Parallel()
	reads := &countedReads{}
	w := newWorld(t, func(cfg *Config) { reads.Store, cfg.Store = cfg.Store, reads })
	const chain, drafts = 12, 10
	last := w.create(bean(w.gold))
	for range chain - 1 {
		last = w.create(bean(w.gold, children(last)))
	}
	list := make([]Draft, drafts)
	for i := range list {
		list[i] = Draft{Job: bean(w.gold, withID(w.create(bean(w.gold))), children(last))}
	}
	reads.n = 0
	found, err := w.CheckJobs(t.Context(), w.mine, list)
	require.NoError(t, err)
	assert.Empty(t, slices.Concat(found...))
	assert.LessOrEqual(t, reads.n, 1+drafts+chain, "the jobs, the children of each, and the way behind them once")
}
