package consoletest

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// At stores a run that was sent to an address and ended with a code; 0 is open.
func (w *World) At(j *model.Job, address string, code int32, msg string) int64 {
	w.T.Helper()
	return w.RunAt(j, address, Noon.Add(-time.Minute), time.Second, code, msg)
}

// Shards stores the runs of a broadcast, of which each of the bad ones has failed.
func (w *World) Shards(j *model.Job, total int32, bad ...int32) (ids []int64) {
	w.T.Helper()
	at := Noon.Add(-time.Minute)
	for i := range total {
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(),
			TriggerMs: at.UnixMilli(), Sharded: true, ShardIndex: i, ShardTotal: total,
			Handler: j.Handler, Address: fmt.Sprintf("http://10.0.0.%d:9999/", i+1),
		}
		require.NoError(w.T, w.DB.CreateRuns(w.T.Context(), []*model.Run{r}))
		code, msg := model.CodeSuccess, ""
		for _, b := range bad {
			if b == i {
				code, msg = model.CodeFail, "boom at "+Evil
			}
		}
		require.NoError(w.T, w.Parts.Results(w.T.Context(), []*model.Outcome{{
			LogID: r.LogID,
			Trigger: &model.TriggerResult{
				Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli(),
			},
			Handle: &model.HandleResult{
				Code: code, Msg: model.T(msg), AtMs: at.Add(3 * time.Second).UnixMilli(), NoRetry: true,
			},
		}}))
		ids = append(ids, r.LogID)
	}
	return ids
}

// SentText is a trigger_msg of ours.
func SentText(s model.Sending, outcome string) string {
	return `Trigger Type：CRON<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br><br>` +
		"Sent, answered after, late by：" + s.String() + "<br>Executor Address：http://10.0.0.1:9999/<br>" +
		"Param：&lt;br&gt;<br>Trigger Msg：" + outcome
}

// Sent stores a run whose trigger was answered with a code.
func (w *World) Sent(j *model.Job, text string, code int32) int64 {
	w.T.Helper()
	at := Noon.Add(-time.Minute)
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
		ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://10.0.0.1:9999/",
	}
	require.NoError(w.T, w.DB.CreateRuns(w.T.Context(), []*model.Run{r}))
	require.NoError(w.T, w.Parts.Results(w.T.Context(), []*model.Outcome{{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: code, Msg: text, Address: r.Address, AtMs: at.UnixMilli(),
	}}}))
	return r.LogID
}

// Ended ends a run with a code.
func (w *World) Ended(id int64, code int32) {
	w.T.Helper()
	require.NoError(w.T, w.Parts.Results(w.T.Context(), []*model.Outcome{{LogID: id, Handle: &model.HandleResult{
		Code: code, AtMs: Noon.UnixMilli(), NoRetry: true,
	}}}))
}
