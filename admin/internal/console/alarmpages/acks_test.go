package alarmpages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestAcknowledgedAlarm: an operator says that an alarm was seen, on the page of
// alarms and on that of the job, and takes it back.
func TestAcknowledgedAlarm(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	group := w.Group("golden", "gold", "")
	j := w.Job(group, "settle")
	raise := func() {
		require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{
			AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID},
			GroupID:  group, Last: consoletest.Noon, Count: 1,
		}}))
	}
	raise()
	open, err := w.DB.Alarms(t.Context(), model.AlarmFilter{})
	require.NoError(t, err)
	form := url.Values{"id": {strconv.FormatInt(open[0].ID, 10)}}
	v := w.As(w.Member("otto", model.RoleOperator, group))
	does := func(path, said string) {
		t.Helper()
		rec := v.Post(path, form)
		require.Equal(t, http.StatusSeeOther, rec.Code)
		assert.Contains(t, v.Text(rec.Header().Get("Location")), said)
	}
	tab := "/jobs/" + strconv.Itoa(int(j.ID)) + "?tab=alarms"
	for _, page := range []string{"/alarms", tab} {
		assert.Contains(t, v.Text(page), `action="/alarms/ack"`)
		form.Set("back", page)
		does("/alarms/ack", "Acknowledged until it is raised again")
		text := v.Text(page)
		assert.Contains(t, text, "○</span> acknowledged")
		assert.Contains(t, text, "by otto")
		assert.NotContains(t, text, `action="/alarms/ack"`)
		does("/alarms/unack", "Not acknowledged any more")
		assert.Contains(t, v.Text(page), `action="/alarms/ack"`)
	}
	does("/alarms/ack", "Acknowledged until it is raised again")
	raise()
	assert.Contains(t, v.Text("/alarms"), `action="/alarms/ack"`, "it failed again")

	looks := w.As(w.Member("vera", model.RoleViewer, group)).Text("/alarms")
	assert.Contains(t, looks, "settle")
	assert.NotContains(t, looks, "/ack")
	form.Set("id", "999")
	form.Set("back", "/alarms")
	does("/alarms/ack", "toast-bad")
	_, err = w.DB.EndAlarm(t.Context(), open[0].ID, consoletest.Noon)
	require.NoError(t, err)
	form.Set("id", strconv.FormatInt(open[0].ID, 10))
	does("/alarms/ack", "The alarm has ended")
	assert.False(t, strings.Contains(v.Text("/alarms"), `action="/alarms/ack"`))
}
