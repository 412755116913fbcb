package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// hotCauses is what is kept of where a run comes from.
func hotCauses(t *testing.T, f *fixture) {
	t.Run("kept", func(t *testing.T) { hotCausesKept(t, f) })
	t.Run("deleted", func(t *testing.T) { hotCausesDeleted(t, f) })
}

// caused reads log rows with their causes.
func (f *fixture) caused(t *testing.T, ids ...int64) []*model.Log {
	t.Helper()
	var rows []*model.Log
	for _, id := range ids {
		rows = append(rows, f.log(t, id))
	}
	require.NoError(t, f.SetCauses(t.Context(), rows))
	return rows
}

func hotCausesKept(t *testing.T, f *fixture) {
	first := manual(1)
	first[0].Cause = model.Cause{Kind: model.CauseManual, Who: "ann " + strings.Repeat("é", 300)}
	require.NoError(t, f.CreateRuns(t.Context(), first))
	id := first[0].LogID
	retry, child := manual(1)[0], manual(1)[0]
	retry.Type, retry.Cause = model.TriggerRetry, model.Cause{Kind: model.CauseRetry, Parent: id}
	child.Type, child.Cause = model.TriggerParent, model.Cause{Kind: model.CauseChild, Parent: id}
	follow := func(ends []*store.Ending, _ store.Loader) error {
		ends[0].NewRuns = []*model.Run{retry, child}
		return nil
	}
	_, err := f.Finish(t.Context(), []*model.Outcome{result(id, 500, "no")}, follow)
	require.NoError(t, err)
	plain := f.create(t, 1)[0] // nobody says where it comes from: its type does
	rows := f.caused(t, id, retry.LogID, child.LogID, plain.LogID)
	assert.Equal(t, model.CauseManual, rows[0].Cause.Kind)
	assert.Regexp(t, "^ann é+", rows[0].Cause.Who)
	assert.Len(t, []rune(rows[0].Cause.Who), 255)
	assert.Equal(t, []model.Follow{
		{ID: retry.LogID, Kind: model.CauseRetry}, {ID: child.LogID, Kind: model.CauseChild},
	}, rows[0].Followed)
	assert.Equal(t, model.Cause{Kind: model.CauseRetry, Parent: id}, rows[1].Cause)
	assert.Equal(t, model.Cause{Kind: model.CauseChild, Parent: id}, rows[2].Cause)
	assert.Equal(t, model.Cause{Kind: model.CauseManual}, rows[3].Cause)
	assert.Empty(t, rows[3].Followed)
	f.finish(t, result(plain.LogID, 200, ""))
	assert.Zero(t, f.caused(t, plain.LogID)[0].Cause, "as of a run of a Java admin")

	list, err := f.Followed(t.Context(), id, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, []int64{retry.LogID, child.LogID}, []int64{list[0].ID, list[1].ID})
	assert.Equal(t, model.CauseChild, list[1].Cause.Kind)
	list, err = f.Followed(t.Context(), id, 1)
	require.NoError(t, err)
	assert.Len(t, list, 1)
	require.NoError(t, f.SetCauses(t.Context(), nil))

	// A planned run has a cause without a row, also one whose id was given out before.
	planned := manual(1)
	planned[0].Type, planned[0].PlannedMs = model.TriggerCron, base.UnixMilli()
	require.NoError(t, f.CreateRuns(t.Context(), planned))
	assert.Equal(t, model.CauseSchedule, f.caused(t, planned[0].LogID)[0].Cause.Kind)
	f.finish(t, result(planned[0].LogID, 200, ""))
	assert.EqualValues(t, 3, f.number(t, "SELECT COUNT(*) FROM xxljob_log_cause"), "fires of schedules cost nothing")
	f.exec(t, "INSERT INTO xxljob_log_cause (log_id, cause) VALUES (?, 4)", planned[0].LogID)
	assert.Equal(t, model.CauseSchedule, f.caused(t, planned[0].LogID)[0].Cause.Kind)
	f.wipe(t)
}

// hotCausesDeleted: what is kept of where a run came from goes with its log row.
func hotCausesDeleted(t *testing.T, f *fixture) {
	runs := manual(3)
	for _, r := range runs {
		r.Cause.Kind = model.CauseAPI
	}
	require.NoError(t, f.CreateRuns(t.Context(), runs))
	f.finish(t, result(runs[0].LogID, 200, ""), result(runs[1].LogID, 200, ""))
	_, err := f.DeleteLogs(t.Context(), model.LogClear{Before: base.Add(time.Hour), JobID: runs[0].JobID}, 1)
	require.NoError(t, err)
	left := func() int64 { return f.number(t, "SELECT COUNT(*) FROM xxljob_log_cause") }
	assert.EqualValues(t, 2, left())
	f.exec(t, "DELETE FROM xxl_job_log WHERE id <= ?", runs[1].LogID) // a Java admin does
	n, err := f.TidyEnds(t.Context(), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.EqualValues(t, 1, left())
	f.wipe(t)
}
