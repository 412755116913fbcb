package console

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// playedAlarms are two channels, of which one is broken.
type playedAlarms struct {
	tested []string
	trying *ops.ChannelTry // of the broken one
}

func (p *playedAlarms) Channels() []ops.AlarmChannel {
	return []ops.AlarmChannel{{Name: "ding", Type: "dingtalk"}, {
		Name: evil, Type: "webhook", Trying: p.trying, Queued: 3,
	}}
}

func (p *playedAlarms) Test(_ context.Context, channel string) error {
	p.tested = append(p.tested, channel)
	if channel != "ding" {
		return errors.New("answered HTTP 500 " + evil)
	}
	return nil
}

func (p *playedAlarms) MutesChanged(context.Context) error { return nil }

// alarming is a world with channels.
func alarming(t *testing.T) (*world, *playedAlarms) {
	t.Helper()
	played := &playedAlarms{}
	return newWorld(t, func(c *Config) {
		c.Ops = withAlarms(t, c, played)
	}), played
}

func TestAlarmsRender(t *testing.T) {
	t.Parallel()
	w, _ := alarming(t)
	v := w.as(w.admin)
	page := v.text("/alarms")
	for _, text := range []string{"Nothing is wrong", "Nothing is muted", "None yet", "nothing sent yet"} {
		assert.Contains(t, page, text)
	}
	group := w.group("golden", evil, "")
	j := w.job(group, evil)
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	empty := w.group("empty", "Only once", "")
	require.NoError(t, w.db.RaiseAlarms(t.Context(), []model.AlarmRecord{{
		AlarmKey: model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: empty},
		GroupID:  empty, Last: noon, Count: 1,
	}}))
	assert.Equal(t, 1, strings.Count(v.text("/alarms"), ">Executor group Only once<"))
	assert.NotContains(t, v.text("/alarms"), ">Only once</span>", "the name is said already")
	list := []model.AlarmRecord{{AlarmKey: key, GroupID: group, Last: noon, Count: 3, Muted: 1, LogID: 7, Message: evil}}
	for i := range 220 {
		list = append(list, model.AlarmRecord{
			AlarmKey: model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: int32(1000 + i)},
			GroupID:  group, Last: noon, Count: 1, Muted: 1,
		})
	}
	require.NoError(t, w.db.RaiseAlarms(t.Context(), list))
	require.NoError(t, w.db.SaveDelivery(t.Context(), key, model.AlarmDelivery{Channel: evil, At: noon, Error: evil}))
	open, err := w.db.Alarms(t.Context(), model.AlarmFilter{Limit: 60})
	require.NoError(t, err)
	for _, r := range open {
		_, err := w.db.EndAlarm(t.Context(), r.ID, noon.Add(time.Hour))
		require.NoError(t, err)
	}
	require.NoError(t, w.db.SetMute(t.Context(), model.Mute{
		Kind: model.ChangeJob, ObjectID: j.ID, Until: noon.Add(time.Hour), User: evil, Reason: evil,
	}))
	require.NoError(t, w.db.SetAlarmRule(t.Context(), &model.AlarmRule{
		AlarmKey: model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: j.ID}, Limit: time.Minute,
		User: evil, Created: noon,
	}))
	for _, lang := range langNames {
		v.cookies[langCookie] = lang.code
		for _, target := range []string{"/alarms", "/alarms?job=" + strconv.Itoa(int(j.ID)), "/alarms?before=" +
			strconv.FormatInt(open[20].ID, 10)} {
			rec := v.get(target)
			require.Equal(t, http.StatusOK, rec.Code, target)
			body := rec.Body.String()
			for _, bad := range []string{"<script>", "<img src=x", "ZgotmplZ"} {
				assert.NotContains(t, body, bad, target)
			}
			assert.NotRegexp(t, `\b(alarms|runs|nav)\.[a-z]+\.?[a-z]*<`, body, "a key that has no text")
		}
	}
	v.cookies[langCookie] = "en"
	page = v.text("/alarms")
	assert.Contains(t, page, "/alarms?before=")
	assert.Contains(t, page, ">1 min</td>")
}

func TestAlarmActions(t *testing.T) {
	t.Parallel()
	w, played := alarming(t)
	group := w.group("golden", "gold", "")
	j := w.job(group, "settle")
	v := w.as(w.admin)
	id := strconv.Itoa(int(group))
	follow := func(rec *httptest.ResponseRecorder) string {
		t.Helper()
		require.Equal(t, http.StatusSeeOther, rec.Code)
		return v.text(rec.Header().Get("Location"))
	}
	page := follow(v.post("/alarms/mute", url.Values{"group": {id}, "minutes": {"15"}, "reason": {"deploy"}}))
	assert.Contains(t, page, "Muted until 2026-11-21 12:15:00 UTC")
	assert.Contains(t, page, "Executor group gold")
	const muted = "Executor group gold: alarms are muted until 2026-11-21 12:15:00 UTC"
	assert.Contains(t, v.text("/"), muted)
	assert.Contains(t, v.text(executorPath(group)), muted)
	assert.NotContains(t, v.text(executorPath(w.group("silver", "silver", ""))), muted)
	assert.Contains(t, follow(v.post("/alarms/unmute", url.Values{"group": {id}})), "Nothing is muted")
	assert.NotContains(t, v.text("/")+v.text(executorPath(group)), "are muted until")
	page = follow(v.post("/alarms/mute", url.Values{"job": {strconv.Itoa(int(j.ID))}, "until": {"2026-11-21T13:30"}}))
	assert.Contains(t, page, "Muted until 2026-11-21 13:30:00 UTC")
	for _, form := range []url.Values{
		{"group": {id}},
		{"minutes": {"5"}},
		{"group": {id}, "until": {"x"}},
		{"job": {"x"}, "minutes": {"5"}},
		{"group": {id}, "minutes": {"999999"}},
		{"job": {"999"}, "minutes": {"5"}},
	} {
		assert.Contains(t, follow(v.post("/alarms/mute", form)), "toast-bad", form)
	}

	rule := url.Values{"group": {id}, "what": {"nobody"}, "limit": {"60"}}
	assert.Contains(t, follow(v.post("/alarms/rules", rule)), "The rule is set")
	assert.Contains(t, follow(v.post("/alarms/rules/delete", rule)), "The rule is deleted")
	for _, form := range []url.Values{
		{"group": {id}, "what": {"failed"}, "limit": {"60"}},
		{"group": {id}, "what": {"late"}, "limit": {"0"}},
		{"job": {strconv.Itoa(int(j.ID))}, "what": {"nobody"}, "limit": {"60"}},
		{"what": {"late"}, "limit": {"60"}},
	} {
		assert.Contains(t, follow(v.post("/alarms/rules", form)), "toast-bad", form)
	}

	assert.Contains(t, follow(v.post("/alarms/test", url.Values{"channel": {"ding"}})), "A test went out through “ding”")
	assert.Contains(t, follow(v.post("/alarms/test", url.Values{"channel": {"ding"}})), "less than 10 s ago")
	assert.Contains(t, follow(v.post("/alarms/test", url.Values{"channel": {evil}})), "answered HTTP 500")
	assert.Contains(t, follow(v.post("/alarms/test", url.Values{"channel": {"none"}})), "no alarm channel")
	assert.Equal(t, []string{"ding", evil}, played.tested)

	other := w.as(w.user("silver1", false, "999"))
	assert.Equal(t, http.StatusForbidden, other.post("/alarms/test", url.Values{"channel": {"ding"}}).Code)
	v = other
	assert.Contains(t, follow(other.post("/alarms/mute", url.Values{"group": {id}, "minutes": {"5"}})), "toast-bad")
	assert.NotContains(t, other.text("/alarms"), "settle", "nothing of foreign groups")
}

// withAlarms is the service of the world with channels.
func withAlarms(t *testing.T, c *Config, played *playedAlarms) *ops.Service {
	t.Helper()
	db, ok := c.History.(ops.Store)
	require.True(t, ok)
	passwords, ok := c.Auth.(ops.Passwords)
	require.True(t, ok)
	stand := &parts{}
	service, err := ops.New(ops.Config{
		Store: db, Scheduler: stand, Dispatcher: stand, Executors: stand, Registry: stand, Completion: stand,
		Passwords: passwords, Location: time.UTC, Lang: i18n.En, Now: func() time.Time { return noon }, Alarms: played,
	})
	require.NoError(t, err)
	return service
}
