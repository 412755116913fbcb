package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestAcknowledge: who runs jobs of the group says that an alarm was seen, until
// it is raised again or taken back, and each is on record.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	w, _, mine, foreign := alarming(t)
	ctx := t.Context()
	raise := func(job, group int32) int64 {
		t.Helper()
		key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: job}
		require.NoError(t, w.db.RaiseAlarms(ctx, []model.AlarmRecord{{AlarmKey: key, GroupID: group, Last: noon, Count: 1}}))
		open, err := w.db.Alarms(ctx, model.AlarmFilter{Kind: key.Kind, ObjectID: job})
		require.NoError(t, err)
		return open[0].ID
	}
	id, other := raise(mine, w.gold), raise(foreign, w.silver)

	a, err := w.AckAlarm(ctx, w.mine, id)
	require.NoError(t, err)
	assert.Equal(t, w.mine.Name, a.AckedBy)
	assert.True(t, a.Acked.Equal(w.now()))
	assert.NotEmpty(t, a.Name)
	_, err = w.AckAlarm(ctx, w.mine, other)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.UnackAlarm(ctx, w.mine, other)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	_, err = w.AckAlarm(ctx, w.admin, 1<<40)
	assert.Equal(t, NotFound, asError(t, err).Kind)
	assert.Equal(t, "There is no alarm 1099511627776.", asError(t, err).Words(i18n.En))
	_, err = w.AckAlarm(ctx, w.mine, 1<<40)
	assert.Equal(t, Forbidden, asError(t, err).Kind, "as of one of another group")

	for range 2 {
		a, err = w.UnackAlarm(ctx, w.mine, id)
		require.NoError(t, err)
		assert.True(t, a.Acked.IsZero())
	}
	_, err = w.AckAlarm(ctx, w.mine, id)
	require.NoError(t, err)
	raise(mine, w.gold)
	yes := true
	acked, err := w.Alarms(ctx, w.mine, model.AlarmFilter{Acked: &yes})
	require.NoError(t, err)
	assert.Empty(t, acked, "it was raised again")

	_, err = w.db.EndAlarm(ctx, id, noon)
	require.NoError(t, err)
	_, err = w.AckAlarm(ctx, w.mine, id)
	assert.Equal(t, Conflict, asError(t, err).Kind)

	lines, err := w.Audits(ctx, w.admin, model.AuditFilter{Action: "alarm", Limit: 10})
	require.NoError(t, err)
	var done []string
	for _, l := range lines {
		if l.User == w.mine.Name {
			done = append(done, l.Action+" "+l.Object)
		}
	}
	object := alarmObject(model.ChangeJob, mine)
	assert.Equal(t, []string{"alarm.ack " + object, "alarm.unack " + object, "alarm.ack " + object}, done,
		"taking back what is not there is no change")
}
