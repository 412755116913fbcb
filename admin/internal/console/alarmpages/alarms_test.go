package alarmpages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestAlarmsRender(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	v := w.As(w.Admin)
	page := v.Text("/alarms")
	for _, text := range []string{"Nothing is wrong", "Nothing is muted", "None yet", "nothing sent yet"} {
		assert.Contains(t, page, text)
	}
	group := w.Group("golden", consoletest.Evil, "")
	j := w.Job(group, consoletest.Evil)
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	empty := w.Group("empty", "Only once", "")
	require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{
		AlarmKey: model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: empty},
		GroupID:  empty, Last: consoletest.Noon, Count: 1,
	}}))
	assert.Equal(t, 1, strings.Count(v.Text("/alarms"), ">Executor group Only once<"))
	assert.NotContains(t, v.Text("/alarms"), ">Only once</span>", "the name is said already")
	list := []model.AlarmRecord{{AlarmKey: key, GroupID: group, Last: consoletest.Noon, Count: 3, Muted: 1, LogID: 7, Message: consoletest.Evil}}
	for i := range 220 {
		list = append(list, model.AlarmRecord{
			AlarmKey: model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: int32(1000 + i)},
			GroupID:  group, Last: consoletest.Noon, Count: 1, Muted: 1,
		})
	}
	require.NoError(t, w.DB.RaiseAlarms(t.Context(), list))
	require.NoError(t, w.DB.SaveDelivery(t.Context(), key, model.AlarmDelivery{Channel: consoletest.Evil, At: consoletest.Noon, Error: consoletest.Evil}))
	open, err := w.DB.Alarms(t.Context(), model.AlarmFilter{Limit: 60})
	require.NoError(t, err)
	for _, r := range open {
		_, err := w.DB.EndAlarm(t.Context(), r.ID, consoletest.Noon.Add(time.Hour))
		require.NoError(t, err)
	}
	require.NoError(t, w.DB.SetMute(t.Context(), model.Mute{
		Kind: model.ChangeJob, ObjectID: j.ID, Until: consoletest.Noon.Add(time.Hour), User: consoletest.Evil, Reason: consoletest.Evil,
	}))
	require.NoError(t, w.DB.SetAlarmRule(t.Context(), &model.AlarmRule{
		AlarmKey: model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: j.ID}, Limit: time.Minute,
		User: consoletest.Evil, Created: consoletest.Noon,
	}))
	for _, lang := range web.LangNames {
		v.Cookies[web.LangCookie] = lang.Code
		for _, target := range []string{"/alarms", "/alarms?job=" + strconv.Itoa(int(j.ID)), "/alarms?before=" +
			strconv.FormatInt(open[20].ID, 10)} {
			rec := v.Get(target)
			require.Equal(t, http.StatusOK, rec.Code, target)
			body := rec.Body.String()
			for _, bad := range []string{"<script>", "<img src=x", "ZgotmplZ"} {
				assert.NotContains(t, body, bad, target)
			}
			assert.NotRegexp(t, `\b(alarms|runs|nav)\.[a-z]+\.?[a-z]*<`, body, "a key that has no text")
		}
	}
	v.Cookies[web.LangCookie] = "en"
	page = v.Text("/alarms")
	assert.Contains(t, page, "/alarms?before=")
	assert.Contains(t, page, ">1 min</td>")
}

func TestAlarmActions(t *testing.T) {
	t.Parallel()
	w, played := consoletest.Alarming(t)
	group := w.Group("golden", "gold", "")
	j := w.Job(group, "settle")
	v := w.As(w.Admin)
	id := strconv.Itoa(int(group))
	follow := func(rec *httptest.ResponseRecorder) string {
		t.Helper()
		require.Equal(t, http.StatusSeeOther, rec.Code)
		return v.Text(rec.Header().Get("Location"))
	}
	page := follow(v.Post("/alarms/mute", url.Values{"group": {id}, "minutes": {"15"}, "reason": {"deploy"}}))
	assert.Contains(t, page, "Muted until 2026-11-21 12:15:00 UTC")
	assert.Contains(t, page, "Executor group gold")
	const muted = "Executor group gold: alarms are muted until 2026-11-21 12:15:00 UTC"
	assert.Contains(t, v.Text("/"), muted)
	assert.Contains(t, v.Text(parts.ExecutorPath(group)), muted)
	assert.NotContains(t, v.Text(parts.ExecutorPath(w.Group("silver", "silver", ""))), muted)
	assert.Contains(t, follow(v.Post("/alarms/unmute", url.Values{"group": {id}})), "Nothing is muted")
	assert.NotContains(t, v.Text("/")+v.Text(parts.ExecutorPath(group)), "are muted until")
	page = follow(v.Post("/alarms/mute", url.Values{"job": {strconv.Itoa(int(j.ID))}, "until": {"2026-11-21T13:30"}}))
	assert.Contains(t, page, "Muted until 2026-11-21 13:30:00 UTC")
	for _, form := range []url.Values{
		{"group": {id}},
		{"minutes": {"5"}},
		{"group": {id}, "until": {"x"}},
		{"job": {"x"}, "minutes": {"5"}},
		{"group": {id}, "minutes": {"999999"}},
		{"job": {"999"}, "minutes": {"5"}},
	} {
		assert.Contains(t, follow(v.Post("/alarms/mute", form)), "toast-bad", form)
	}

	rule := url.Values{"group": {id}, "what": {"nobody"}, "limit": {"60"}}
	assert.Contains(t, follow(v.Post("/alarms/rules", rule)), "The rule is set")
	assert.Contains(t, follow(v.Post("/alarms/rules/delete", rule)), "The rule is deleted")
	for _, form := range []url.Values{
		{"group": {id}, "what": {"failed"}, "limit": {"60"}},
		{"group": {id}, "what": {"late"}, "limit": {"0"}},
		{"job": {strconv.Itoa(int(j.ID))}, "what": {"nobody"}, "limit": {"60"}},
		{"what": {"late"}, "limit": {"60"}},
	} {
		assert.Contains(t, follow(v.Post("/alarms/rules", form)), "toast-bad", form)
	}

	assert.Contains(t, follow(v.Post("/alarms/test", url.Values{"channel": {"ding"}})), "A test went out through “ding”")
	assert.Contains(t, follow(v.Post("/alarms/test", url.Values{"channel": {"ding"}})), "less than 10 s ago")
	assert.Contains(t, follow(v.Post("/alarms/test", url.Values{"channel": {consoletest.Evil}})), "answered HTTP 500")
	assert.Contains(t, follow(v.Post("/alarms/test", url.Values{"channel": {"none"}})), "no alarm channel")
	assert.Equal(t, []string{"ding", consoletest.Evil}, played.Tested)

	other := w.As(w.User("silver1", false, "999"))
	assert.Equal(t, http.StatusForbidden, other.Post("/alarms/test", url.Values{"channel": {"ding"}}).Code)
	v = other
	assert.Contains(t, follow(other.Post("/alarms/mute", url.Values{"group": {id}, "minutes": {"5"}})), "toast-bad")
	assert.NotContains(t, other.Text("/alarms"), "settle", "nothing of foreign groups")
}
