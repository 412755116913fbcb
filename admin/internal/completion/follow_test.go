package completion

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestRetry(t *testing.T) {
	noRetry := func(o *model.Outcome) *model.Outcome { o.Handle.NoRetry = true; return o }
	doubt := refusal(1)
	doubt.Trigger.NoRetry = true
	refused := refusal(1)
	tests := []struct {
		name  string
		out   *model.Outcome
		left  int32
		retry bool
	}{
		{"failed", result(1, 500, "no"), 2, true},
		{"timed out", result(1, 502, "no"), 2, true},
		{"refused", &refused, 2, true},
		{"none left", result(1, 500, "no"), 0, false},
		{"a success", result(1, 200, ""), 2, false},
		{"the executor says that it is of no use, or a person ended it", noRetry(result(1, 500, "")), 2, false},
		{"nobody knows whether it runs", &doubt, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open(1)
				run := w.store.runs[1]
				run.RetriesLeft, run.PlannedMs, run.Token, run.Address = tt.left, 5000, 9, "http://old/"
				run.Sharded, run.ShardIndex, run.ShardTotal = true, 2, 3
				require.NoError(t, w.Results(t.Context(), []*model.Outcome{tt.out}))
				e := w.store.ended[1]
				if !tt.retry {
					assert.Empty(t, w.items())
					assert.Empty(t, e.TriggerMsgSuffix)
					return
				}
				require.Len(t, w.items(), 1)
				it := w.items()[0]
				assert.Equal(t, model.TriggerRetry, it.Run.Type)
				assert.Equal(t, model.Cause{Kind: model.CauseRetry, Parent: 1}, it.Run.Cause)
				assert.Equal(t, tt.left-1, it.Run.RetriesLeft)
				assert.Equal(t, "p", it.Run.Param.S)
				assert.Equal(t, "h", it.Run.Handler.S)
				assert.Equal(t, "2/3", it.Run.ShardingParam().S, "of the same shard")
				assert.Equal(t, "http://assigned/", it.Run.Address)
				assert.Zero(t, it.Run.PlannedMs)
				assert.Zero(t, it.Run.Token)
				assert.Equal(t, 3*time.Second, time.Until(it.Due))
				assert.Equal(t, it.Due.Truncate(time.Second).UnixMilli(), it.Run.TriggerMs, "waiting is no part of what it took")
				assert.NotSame(t, run, it.Run)
				assert.Contains(t, e.TriggerMsgSuffix, "<<<<<<<<<<< </span><br>")
			})
		})
	}
}

func TestAlarmStatus(t *testing.T) {
	for _, alarms := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, func(c *Config) { c.Alarms = alarms })
			w.open(1, 2, 3)
			w.store.runs[3].JobID = 77 // its job is gone
			w.store.runs[3].RetriesLeft = 5
			require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(1, 500, ""), result(2, 200, ""), result(3, 500, "")}))
			want := model.AlarmNone
			if alarms {
				want = model.AlarmLocked
			}
			assert.Equal(t, want, w.store.ended[1].AlarmStatus)
			assert.Equal(t, model.AlarmDefault, w.store.ended[2].AlarmStatus)
			assert.Equal(t, model.AlarmNone, w.store.ended[3].AlarmStatus)
			assert.Empty(t, w.items(), "a job that is gone is not retried")
		})
	}
}

func TestChildren(t *testing.T) {
	job := func(id int32, children string) *model.Job {
		return &model.Job{ID: id, Children: model.T(children), Param: model.T("of the child")}
	}
	tests := []struct {
		name    string
		jobs    []*model.Job
		started []int32
		lines   []string
	}{
		{"several", []*model.Job{job(1, "2, 3"), job(2, ""), job(3, "")}, []int32{2, 3}, []string{"1/2. [2]", "2/2. [3]"}},
		{"missing", []*model.Job{job(1, "2,3"), job(3, "")}, []int32{3}, []string{"1/2. [2]", "2/2. [3]"}},
		{"itself", []*model.Job{job(1, "1")}, nil, []string{"1/1. [1]"}},
		{"a cycle of two", []*model.Job{job(1, "2"), job(2, "1")}, nil, []string{"1/1. [2]"}},
		{"a cycle of four", []*model.Job{job(1, "2,5"), job(2, "3"), job(3, "4"), job(4, "9,1"), job(5, "")}, []int32{5}, []string{"1/2. [2]"}},
		{"a cycle below", []*model.Job{job(1, "2"), job(2, "3"), job(3, "2")}, []int32{2}, nil},
		{"bad ids", []*model.Job{job(1, `2,x<b>"&,-3,99999999999,,`), job(2, "")}, []int32{2}, []string{"2/6. [xb]", "[-3]", "[99999999999]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open(7)
				for _, j := range tt.jobs {
					w.store.jobs[j.ID] = j
				}
				require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(7, 200, "done")}))
				var started []int32
				for _, it := range w.items() {
					started = append(started, it.Run.JobID)
					assert.Equal(t, model.TriggerParent, it.Run.Type)
					assert.Equal(t, model.Cause{Kind: model.CauseChild, Parent: 7}, it.Run.Cause)
					assert.Equal(t, "of the child", it.Run.Param.S, "nothing of the parent is handed on")
					assert.Equal(t, it.Job.ID, it.Run.JobID)
					assert.False(t, it.Due.After(time.Now()))
				}
				assert.Equal(t, tt.started, started)
				msg := w.store.ended[7].HandleMsg.S
				assert.True(t, strings.HasPrefix(msg, "done<br><br><span"))
				for _, line := range tt.lines {
					assert.Contains(t, msg, line)
				}
				assert.NotContains(t, msg, "<b>")
			})
		})
	}
	t.Run("a cycle that is too long to walk", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.open(7)
			for id := int32(1); id <= 2*maxWalk; id++ {
				w.store.jobs[id] = job(id, strconv.Itoa(int(id%(2*maxWalk))+1))
			}
			require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(7, 200, "")}))
			assert.Empty(t, w.items())
			assert.Contains(t, w.store.ended[7].HandleMsg.S, "1/1. [2] not triggered: more than 1,000 jobs follow it")
		})
	})
	t.Run("only after a success", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.open(7)
			w.store.jobs[1], w.store.jobs[2] = job(1, "2"), job(2, "")
			require.NoError(t, w.Results(t.Context(), []*model.Outcome{result(7, 500, "no")}))
			assert.Empty(t, w.items())
			assert.Equal(t, "no", w.store.ended[7].HandleMsg.S)
		})
	})
}

func TestMessageIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open(1, 2, 3)
		w.store.jobs[1].Children = model.T(strings.Repeat("5,", 2000))
		w.store.jobs[5] = &model.Job{ID: 5}
		w.store.runs[2].JobID, w.store.runs[3].JobID = 6, 6
		require.NoError(t, w.Results(t.Context(), []*model.Outcome{
			result(1, 200, strings.Repeat("😀", 20_000)), result(2, 500, strings.Repeat("字", 20_000)),
			{LogID: 3, Handle: &model.HandleResult{Code: 200}},
		}))
		for id := int64(1); id <= 2; id++ {
			assert.LessOrEqual(t, len(utf16.Encode([]rune(w.store.ended[id].HandleMsg.S))), maxMessage)
		}
		assert.False(t, w.store.ended[3].HandleMsg.Valid, "NULL stays NULL")
	})
}

// The row of a Java admin, which has no run of ours: its own columns say how to
// go on.
func TestRowOfAJavaAdmin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open()
		w.store.logs[5] = &model.Log{
			ID: 5, JobID: 1, GroupID: 1, RetriesLeft: 1, ShardingParam: model.T("1/4"), Param: model.T("java"),
			HandleMsg: model.T("before"), TriggerTime: time.Now(), TriggerCode: 200,
		}
		w.store.logs[6] = &model.Log{ID: 6, JobID: 1, ShardingParam: model.T("nonsense"), RetriesLeft: 1}
		w.store.logs[8] = &model.Log{ID: 8, JobID: 1, TriggerTime: time.Now(), RetriesLeft: 1}
		require.NoError(t, w.Results(t.Context(),
			[]*model.Outcome{result(5, 500, "after"), result(6, 500, ""), result(8, 500, "")}))
		assert.Equal(t, model.AlarmDefault, w.store.ended[8].AlarmStatus, "its Java admin has not stored its trigger yet")
		assert.Equal(t, "before<br>after", w.store.ended[5].HandleMsg.S)
		require.Len(t, w.items(), 2)
		assert.Equal(t, "1/4", w.items()[0].Run.ShardingParam().S)
		assert.Equal(t, "java", w.items()[0].Run.Param.S)
		assert.Equal(t, int32(1), w.items()[1].Run.ShardTotal)
	})
}
