package ops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestAttempts(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Date(2026, 5, 1, 12, 0, s, 0, time.UTC) }
	row := func(id int64, left int32, begin, end int, code int32, shard string) *model.Log {
		l := &model.Log{ID: id, RetriesLeft: left, TriggerTime: at(begin), TriggerCode: 200, HandleCode: code}
		if end > 0 {
			l.HandleTime = at(end)
		}
		if shard != "" {
			l.ShardingParam = model.T(shard)
		}
		return l
	}
	near := []*model.Log{
		row(1, 2, 0, 3, 500, ""),    // first attempt
		row(2, 2, 1, 4, 200, ""),    // another run of the job
		row(3, 1, 3, 5, 500, ""),    // second attempt
		row(4, 1, 3, 5, 500, "0/2"), // of a shard
		row(5, 0, 5, 0, 0, ""),      // third, running
		row(6, 2, 50, 0, 0, ""),
	}
	ids := func(list []*model.Log) []int64 {
		var out []int64
		for _, l := range list {
			out = append(out, l.ID)
		}
		return out
	}
	for _, i := range []int{0, 2, 4} {
		assert.Equal(t, []int64{1, 3, 5}, ids(attempts(near, near[i])))
	}
	assert.Equal(t, []int64{2}, ids(attempts(near, near[1])))
	assert.Equal(t, []int64{4}, ids(attempts(near, near[3])))
	assert.Equal(t, []int64{9}, ids(attempts(near, &model.Log{ID: 9})), "a row that is gone stands alone")

	// A trigger that nobody took has no result of a handler.
	refused := &model.Log{ID: 1, RetriesLeft: 1, TriggerTime: at(0), TriggerCode: 500}
	retry := row(2, 0, 1, 2, 200, "")
	assert.True(t, retries(refused, retry))
	retry.Param = model.T("other")
	assert.False(t, retries(refused, retry), "run by hand with another parameter")
	assert.False(t, retries(row(1, 1, 0, 1, 500, ""), row(2, 0, 40, 0, 0, "")), "too late")
	assert.False(t, retries(row(1, 1, 0, 1, 200, ""), row(2, 0, 1, 0, 0, "")), "success is not retried")
}

func TestSameBroadcast(t *testing.T) {
	t.Parallel()
	row := func(param string) *model.Log { return &model.Log{ShardingParam: model.T(param)} }
	got := sameBroadcast([]*model.Log{row("2/3"), row("0/2"), row("x"), row("0/3"), row("1/3")}, row("1/3"))
	var params []string
	for _, l := range got {
		params = append(params, l.ShardingParam.S)
	}
	assert.Equal(t, []string{"0/3", "1/3", "2/3"}, params)
}
