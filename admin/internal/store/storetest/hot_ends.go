package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// hotEnds is what is kept of the end of a run beside Java's columns.
func hotEnds(t *testing.T, f *fixture) {
	t.Run("times", func(t *testing.T) { hotEndTimes(t, f) })
	t.Run("kinds", func(t *testing.T) { hotEndKinds(t, f) })
	t.Run("gaps", func(t *testing.T) { hotEndGaps(t, f) })
	t.Run("imported", func(t *testing.T) { hotEndsImported(t, f) })
	t.Run("deleted", func(t *testing.T) { hotEndsDeleted(t, f) })
}

// taken is the answer to a trigger with the text that says when it came.
func taken(id int64, at time.Time) *model.Outcome {
	out := accepted(id)
	sent := model.Sending{At: at, Answer: 40 * time.Millisecond, Late: -1}
	out.Trigger.Msg = "type：manual<br><br><span>" + model.SendingBehind + "Sent：" + sent.String() + "<br>address：x"
	out.Trigger.AtMs = at.Add(40 * time.Millisecond).UnixMilli()
	return out
}

func hotEndTimes(t *testing.T, f *fixture) {
	at, ms := base.Add(250*time.Millisecond), base.UnixMilli()
	runs := f.create(t, 8)
	ids := make([]int64, len(runs))
	for i, r := range runs {
		ids[i] = r.LogID
	}
	both := taken(ids[0], at)
	both.Handle = result(0, 200, "both").Handle
	faster := taken(ids[1], base.Add(5*time.Second)) // its result overtook the answer
	faster.Handle = result(0, 200, "fast").Handle
	lateAnswer := taken(ids[4], base.Add(30*time.Second)) // which the run's own row keeps
	lateAnswer.Trigger.Msg = "taken"
	f.finish(t, both, faster, taken(ids[2], at), accepted(ids[3]), lateAnswer)
	end := func(id int64) *model.Outcome {
		out := result(id, 200, "later")
		out.Handle.AtMs = ms + 60_123
		return out
	}
	f.finish(t, end(ids[2]), end(ids[3]), end(ids[4]), end(ids[5]))
	slower := taken(ids[5], base.Add(59*time.Second)) // its answer comes after its result
	f.finish(t, slower)
	settled := accepted(ids[7]) // found out after its result
	settled.Trigger.AtMs = ms + 90_000
	f.finish(t, end(ids[6]), taken(ids[6], base.Add(60_100*time.Millisecond)), end(ids[7]), settled) // at once
	for i, want := range []model.End{
		{SentMs: ms + 290, EndedMs: ms + 3000, Kind: model.EndOK},
		{SentMs: ms + 3000, EndedMs: ms + 3000, Kind: model.EndOK},
		{SentMs: ms + 290, EndedMs: ms + 60_123, Kind: model.EndOK},
		{EndedMs: ms + 60_123, Kind: model.EndOK},
		{SentMs: ms + 30_040, EndedMs: ms + 60_123, Kind: model.EndOK},
		{SentMs: ms + 59_000, EndedMs: ms + 60_123, Kind: model.EndOK},
		{SentMs: ms + 60_100, EndedMs: ms + 60_123, Kind: model.EndOK},
		{EndedMs: ms + 60_123, Kind: model.EndOK},
	} {
		assert.Equal(t, want, f.log(t, ids[i]).End, i)
	}
	recent, err := f.RecentRuns(t.Context(), []int32{runs[0].JobID}, 1)
	require.NoError(t, err)
	assert.Equal(t, f.log(t, ids[0]).End, recent[runs[0].JobID][0].End)
	for _, tt := range []struct {
		name   string
		filter model.RunFilter
		want   []int64
	}{
		{"longer", model.RunFilter{MinTook: 59_834 * time.Millisecond}, []int64{ids[7], ids[3]}},
		{"just as long", model.RunFilter{MinTook: 59_833 * time.Millisecond}, []int64{ids[7], ids[3], ids[2]}},
		{"shorter", model.RunFilter{MaxTook: 2709 * time.Millisecond}, []int64{ids[6], ids[5], ids[1]}},
		{"at most", model.RunFilter{MaxTook: 2710 * time.Millisecond}, []int64{ids[6], ids[5], ids[1], ids[0]}},
	} {
		assert.Equal(t, tt.want, f.runIDs(t, tt.filter), tt.name)
	}
	f.wipe(t)
}

// runIDs lists the runs that match, all of them on one page.
func (f *fixture) runIDs(t *testing.T, filter model.RunFilter) []int64 {
	t.Helper()
	ids := f.pageIDs(t, filter)
	n, more, err := f.CountRuns(t.Context(), filter)
	require.NoError(t, err)
	assert.False(t, more)
	assert.Len(t, ids, n)
	return ids
}

// pageIDs lists the runs of a page.
func (f *fixture) pageIDs(t *testing.T, filter model.RunFilter) (ids []int64) {
	t.Helper()
	page, err := f.Runs(t.Context(), filter)
	require.NoError(t, err)
	for _, l := range page.Runs {
		ids = append(ids, l.ID)
	}
	return ids
}

func hotEndKinds(t *testing.T, f *fixture) {
	runs := f.create(t, 11)
	ids := make([]int64, len(runs))
	var outs []*model.Outcome
	said := make(map[int64]model.EndKind)
	for i, give := range []struct {
		out  *model.Outcome
		said model.EndKind
	}{
		{result(0, 200, "fine"), model.EndOK},
		{result(0, 500, "bad"), model.EndFailed},
		{result(0, 502, "slow"), model.EndTimeout},
		{result(0, 500, "stop"), model.EndKilled},
		{refusal(0), model.EndSkipped},
		{result(0, 500, "gone"), model.EndLost},
		{refusal(0), model.EndUnsent},
		{refusal(0), model.EndOpen},                // whoever decides says nothing
		{result(0, 502, "slow"), model.EndOpen},    // likewise
		{result(0, 500, "again"), model.EndKilled}, // for another job
		{result(0, 500, "covered"), model.EndReplaced},
	} {
		ids[i], give.out.LogID = runs[i].LogID, runs[i].LogID
		outs = append(outs, give.out)
		said[ids[i]] = give.said
	}
	_, err := f.Finish(t.Context(), outs, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			e.Kind = said[e.Outcome.LogID]
		}
		return nil
	})
	require.NoError(t, err)
	f.exec(t, "DELETE FROM xxljob_log_end WHERE log_id = ?", ids[8]) // as if a Java admin had ended it
	for _, tt := range []struct {
		result model.RunResult
		want   []int
	}{
		{model.RunOK, []int{0}},
		{model.RunFailed, []int{8, 7, 6, 5, 2, 1}},
		{model.RunTimeout, []int{2}},
		{model.RunKilled, []int{9, 3}},
		{model.RunSkipped, []int{4}},
		{model.RunReplaced, []int{10}},
		{model.RunLost, []int{5}},
		{model.RunUnsent, []int{7, 6}},
	} {
		var want []int64
		for _, i := range tt.want {
			want = append(want, ids[i])
		}
		assert.Equal(t, want, f.runIDs(t, model.RunFilter{Result: tt.result}), tt.result)
		assert.Equal(t, want, f.runIDs(t, model.RunFilter{
			Result: tt.result, GroupID: 7, From: base.Add(-time.Hour), To: base.Add(time.Hour),
		}), tt.result)
	}
	assert.Equal(t, []int64{ids[3]}, f.runIDs(t, model.RunFilter{Result: model.RunKilled, JobID: runs[3].JobID}))
	first, err := f.Runs(t.Context(), model.RunFilter{Result: model.RunKilled, Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, []int64{ids[3]}, f.pageIDs(t, model.RunFilter{Result: model.RunKilled, Before: first.Next}))
	assert.Equal(t, model.EndTimeout, f.log(t, ids[8]).Kind(), "by its code")

	// The first result wins, and a late one of a run that was given up says more.
	late := result(ids[6], 200, "ran all the same")
	f.finish(t, result(ids[3], 200, "finished"), late)
	assert.Equal(t, model.EndKilled, f.log(t, ids[3]).Kind())
	assert.Equal(t, model.End{EndedMs: late.Handle.AtMs, Kind: model.EndOK}, f.log(t, ids[6]).End)
	f.wipe(t)
}

// hotEndGaps: instants that passed while nobody planned were skipped.
func hotEndGaps(t *testing.T, f *fixture) {
	j := f.addJobs(t, 1, base)[0]
	gap := func() *model.Log {
		return &model.Log{
			GroupID: 7, JobID: j.ID, TriggerTime: base, TriggerCode: model.CodeFail, AlarmStatus: model.AlarmNone,
		}
	}
	err := f.Missed(t.Context(), j.ID, false, base.UnixMilli(), func(*model.Job) store.PlanResult {
		return store.PlanResult{
			Gaps:     []*model.Log{gap(), gap(), gap()},
			Advances: []store.Advance{{JobID: j.ID, LastMs: base.UnixMilli(), NextMs: base.UnixMilli() + 10_000}},
		}
	})
	require.NoError(t, err)
	assert.Len(t, f.runIDs(t, model.RunFilter{JobID: j.ID, Result: model.RunSkipped}), 3)
	assert.Empty(t, f.runIDs(t, model.RunFilter{JobID: j.ID, Result: model.RunFailed}))
	f.wipe(t)
}

// hotEndsImported: what another database of ours knows of an end comes along.
func hotEndsImported(t *testing.T, f *fixture) {
	want := model.End{
		PlannedMs: base.UnixMilli(), SentMs: base.UnixMilli() + 3, EndedMs: base.UnixMilli() + 1003,
		Kind: model.EndKilled,
	}
	row := model.Log{
		ID: 1_000_001, GroupID: 7, JobID: 100, TriggerTime: base, TriggerCode: 200, HandleCode: 500,
		HandleTime: base.Add(time.Second), End: want,
	}
	java := row
	java.ID, java.End = 1_000_002, model.End{}
	_, err := f.ImportLogs(t.Context(), []*model.Log{&row, &java}, "test.ends", "1")
	require.NoError(t, err)
	list, _, _, err := f.LogsAfter(t.Context(), row.ID-1, base, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, want, list[0].End)
	assert.Zero(t, list[1].End)
	f.wipe(t)
}

// hotEndsDeleted: what is kept of a run goes with its log row.
func hotEndsDeleted(t *testing.T, f *fixture) {
	ends := func() int64 { return f.number(t, "SELECT COUNT(*) FROM xxljob_log_end") }
	f.exec(t, "DELETE FROM xxljob_log_end")
	runs := f.create(t, 4)
	f.finish(t, result(runs[0].LogID, 200, ""), result(runs[1].LogID, 500, ""), result(runs[2].LogID, 200, ""))
	assert.EqualValues(t, 3, ends())
	n, err := f.DeleteLogs(t.Context(), model.LogClear{JobID: runs[0].JobID}, 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.EqualValues(t, 2, ends())
	n, err = f.TidyEnds(t.Context(), 10)
	require.NoError(t, err)
	assert.Zero(t, n)
	f.exec(t, "DELETE FROM xxl_job_log WHERE id <= ?", runs[1].LogID) // a Java admin does
	n, err = f.TidyEnds(t.Context(), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.EqualValues(t, 1, ends())
	// A database that gives an id out again overwrites what was left of it.
	f.exec(t, "INSERT INTO xxljob_log_end (log_id, sent_ms, ended_ms, kind) VALUES (?, 1, 2, 4)", runs[3].LogID)
	assert.Equal(t, model.EndOpen, f.log(t, runs[3].LogID).Kind())
	f.finish(t, result(runs[3].LogID, 200, ""))
	assert.Equal(t, model.EndOK, f.log(t, runs[3].LogID).End.Kind)
	f.wipe(t)
}
