package alarmpages_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestEndedAlarms: the list is narrowed by executor, kind and time, page by page,
// and shows nothing of what the visitor may not see.
func TestEndedAlarms(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "")
	jobs := map[int32]string{gold: "gild", silver: "plate"}
	add := func(group int32, what model.AlarmWhat, id int32, at time.Time) {
		key := model.AlarmKey{What: what, Kind: model.ChangeJob, ObjectID: id}
		require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{
			AlarmKey: key, GroupID: group, Last: at, Count: 1, Message: jobs[group] + " " + string(what) + " " + at.Format("15h"),
		}}))
		open, err := w.DB.Alarms(t.Context(), model.AlarmFilter{Limit: 1})
		require.NoError(t, err)
		_, err = w.DB.EndAlarm(t.Context(), open[0].ID, at.Add(30*time.Minute))
		require.NoError(t, err)
	}
	for i := range int32(60) {
		add(gold, model.AlarmOnLong, 1000+i, consoletest.Noon.Add(-24*time.Hour))
	}
	add(gold, model.AlarmOnFailure, 1, consoletest.Noon.Add(-3*time.Hour))
	add(gold, model.AlarmOnLate, 1, consoletest.Noon.Add(-2*time.Hour))
	add(silver, model.AlarmOnFailure, 2, consoletest.Noon.Add(-time.Hour))
	v := w.As(w.Admin)
	of := "&of=" + strconv.Itoa(int(gold))
	all := []string{"gild failed 09h", "gild late 10h", "plate failed 11h"}
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"", all},
		{of, all[:2]},
		{"&what=failed", []string{all[0], all[2]}},
		{of + "&what=failed", all[:1]},
		{"&from=2026-11-21T09:31", all[1:]},
		{"&to=2026-11-21T10:30", all[:2]},
		{"&from=2026-11-21T09:31&to=2026-11-21T10:30", all[1:2]},
		{"&of=999", nil},
		{"&of=x", nil},
	} {
		page := v.Text("/alarms?part=recent" + tt.query)
		for _, text := range all {
			if len(tt.want) > 0 && text == tt.want[0] {
				assert.Contains(t, page, text, tt.query)
				tt.want = tt.want[1:]
				continue
			}
			assert.NotContains(t, page, text, tt.query)
		}
	}
	page := v.Text("/alarms?what=long" + of)
	assert.Contains(t, page, `<option value="long" selected>`)
	assert.Contains(t, page, `data-renew="/alarms?of=`+strconv.Itoa(int(gold))+`&part=recent&what=long"`)
	assert.Regexp(t, `href="/alarms\?before=\d+&of=\d+&what=long#ended"`, page)
	assert.Contains(t, v.Text("/alarms?what=nobody"), "No alarm that has ended is like this.")
	assert.Contains(t, v.Text("/alarms?from=soon"), `role="alert"`)
	assert.Equal(t, http.StatusOK, v.Get("/alarms?what=%27--&from=%00&before=x").Code)

	vera := w.As(w.Member("vera", model.RoleViewer, silver))
	assert.Contains(t, vera.Text("/alarms?part=recent"), "plate failed")
	assert.NotContains(t, vera.Text("/alarms?part=recent"+of), "gild")
	assert.NotContains(t, vera.Text("/alarms"), ">gold (golden)<", "no name of a foreign executor")
}
