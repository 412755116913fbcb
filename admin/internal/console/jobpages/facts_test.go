package jobpages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestSettingsLead: the tab of settings leads from tags to their jobs, and names child
// jobs where the visitor may see them.
func TestSettingsLead(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	mine, theirs := w.Group("mine", "Mine", ""), w.Group("theirs", "Theirs", "")
	child, hidden := w.Job(mine, "child <b>雪"), w.Job(theirs, "not for everybody")
	j := w.Job(mine, "parent", func(j *model.Job) { j.Children = model.T(fmt.Sprintf("%d,%d,999", child.ID, hidden.ID)) })
	require.NoError(t, w.DB.SetTags(t.Context(), j.ID, []string{"a & b", "money"}))
	page := w.As(w.Member("viewer", model.RoleViewer, mine)).Get(consoletest.PathOf(j) + "?tab=settings").Body.String()
	for _, want := range []string{
		`<a href="/jobs?tag=a&#43;%26&#43;b"><bdi>a &amp; b</bdi></a>, <a href="/jobs?tag=money"><bdi>money</bdi></a>`,
		fmt.Sprintf(`<a href="/jobs/%d"><bdi>child &lt;b&gt;雪 (%d)</bdi></a>, %d (not there, or not for you), 999 (not there`,
			child.ID, child.ID, hidden.ID),
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "not for everybody")
}

// TestReasonInTheLastRuns: the job's page says in words why a run was not sent, as the
// run's own page does.
func TestReasonInTheLastRuns(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("mine", "Mine", ""), "settle")
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerManual, TriggerMs: consoletest.Noon.UnixMilli(), ShardTotal: 1,
	}
	require.NoError(t, w.DB.CreateRuns(t.Context(), []*model.Run{r}))
	require.NoError(t, w.Parts.Results(t.Context(), []*model.Outcome{{LogID: r.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeFail, Msg: "Executor Address：address route fail.<br>Trigger Msg：error, Address Router Fail.",
		AtMs: consoletest.Noon.UnixMilli(),
	}}}))
	v := w.As(w.Admin)
	for _, path := range []string{consoletest.PathOf(j), "/runs"} {
		page := v.Text(path)
		assert.Contains(t, page, "The route strategy chose none of the executors that are registered.", path)
		assert.NotContains(t, page, "Router Fail", path)
	}
}
