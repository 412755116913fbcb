package ops

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// playedAlarms are two channels, of which one is broken.
type playedAlarms struct {
	tested  []string
	changed int
	groups  []int32 // of the broken one; nil is group 1
}

func (p *playedAlarms) Channels() []AlarmChannel {
	groups := p.groups
	if groups == nil {
		groups = []int32{1}
	}
	return []AlarmChannel{{Name: "ding", Type: "dingtalk"}, {
		Name: "broken", Type: "webhook", Groups: groups, Trying: &ChannelTry{Attempt: 2, Attempts: 4, Error: "refused"},
	}}
}

func (p *playedAlarms) Test(_ context.Context, channel string) error {
	p.tested = append(p.tested, channel)
	if channel == "broken" {
		return errors.New("answered HTTP 500")
	}
	return nil
}

func (p *playedAlarms) MutesChanged(context.Context) error {
	p.changed++
	return nil
}

// alarming is a world with channels, and a job of each group.
func alarming(t *testing.T) (w *world, played *playedAlarms, mine, foreign int32) {
	t.Helper()
	played = &playedAlarms{}
	w = newWorld(t, func(c *Config) { c.Alarms = played })
	return w, played, w.create(bean(w.gold)), w.create(bean(w.silver))
}

// TestAlarmsAreSeenByGroup: everybody sees the alarms of their groups, and what a
// service answered is for administrators.
func TestAlarmsAreSeenByGroup(t *testing.T) {
	t.Parallel()
	w, _, mine, foreign := alarming(t)
	ctx := t.Context()
	failed := func(job, group int32) model.AlarmRecord {
		return model.AlarmRecord{
			AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: job}, GroupID: group,
			Last: noon, Count: 2,
		}
	}
	one := failed(mine, w.gold)
	require.NoError(t, w.db.RaiseAlarms(ctx, []model.AlarmRecord{one, failed(foreign, w.silver), failed(9999, w.gold)}))
	require.NoError(t, w.db.SaveDelivery(ctx, one.AlarmKey, model.AlarmDelivery{
		Channel: "broken", At: noon, Error: "answered HTTP 500",
	}))
	all, err := w.Alarms(ctx, w.admin, model.AlarmFilter{Limit: 10})
	require.NoError(t, err)
	assert.Len(t, all, 3)
	list, err := w.Alarms(ctx, w.mine, model.AlarmFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 2)
	names := map[int32]string{}
	for _, a := range list {
		names[a.ObjectID] = a.Name
		assert.Equal(t, "title", a.Group)
		for _, d := range a.Deliveries {
			assert.Equal(t, "…", d.Error, "that there was an error, but not which")
		}
	}
	assert.Equal(t, map[int32]string{mine: "bb job", 9999: ""}, names, "a job that is gone has no name")
	_, err = w.Alarms(ctx, Principal{}, model.AlarmFilter{})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}

// TestChannelsAreKnownToEditors: who is an editor where a channel is for knows its
// name, others that it is there; what happens in it is for who sees every group.
func TestChannelsAreKnownToEditors(t *testing.T) {
	t.Parallel()
	w, played, mine, _ := alarming(t)
	ctx := t.Context()
	played.groups = []int32{w.gold}
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: mine}
	require.NoError(t, w.db.RaiseAlarms(ctx, []model.AlarmRecord{{AlarmKey: key, GroupID: w.gold, Last: noon, Count: 1}}))
	require.NoError(t, w.db.SaveDelivery(ctx, key, model.AlarmDelivery{
		Channel: "broken", At: noon, Error: "answered HTTP 500",
	}))
	in := func(role model.Role, group int32) Principal {
		return Principal{UserID: 8, Name: "somebody", Roles: SameRole(role, group), Source: "login"}
	}
	type seen struct{ name, last, trying string }
	for _, tt := range []struct {
		name string
		who  Principal
		want []seen
		told string // the channel of the alarm's delivery
	}{
		{"a viewer", in(model.RoleViewer, w.gold), []seen{{}, {}}, ""},
		{"an operator", in(model.RoleOperator, w.gold), []seen{{}, {}}, ""},
		{"an editor", in(model.RoleEditor, w.gold), []seen{{name: "ding"}, {name: "broken"}}, "broken"},
		{"an editor elsewhere", in(model.RoleEditor, w.silver), []seen{{name: "ding"}}, "-"},
		{"a viewer elsewhere", in(model.RoleViewer, w.silver), []seen{{}}, "-"},
		{"a key that reads all", Principal{Name: "key:ci", Everywhere: model.RoleViewer, Source: "key"}, []seen{{}, {}}, ""},
		{"a key that edits all", Principal{Name: "key:ci", Everywhere: model.RoleEditor, Source: "key"}, []seen{
			{name: "ding"}, {"broken", "…", "…"},
		}, "broken"},
		{"an administrator", w.admin, []seen{{name: "ding"}, {"broken", "answered HTTP 500", "refused"}}, "broken"},
		{"nobody in particular", Principal{UserID: 9, Name: "new", Source: "login"}, nil, "-"},
	} {
		channels, err := w.AlarmChannels(ctx, tt.who)
		require.NoError(t, err)
		var got []seen
		for _, ch := range channels {
			s := seen{name: ch.Name}
			if ch.Last != nil {
				s.last = ch.Last.Error
			}
			if ch.Trying != nil {
				s.trying = ch.Trying.Error
			}
			assert.Equal(t, ch.Name == "", ch.Type == "", tt.name)
			got = append(got, s)
		}
		assert.Equal(t, tt.want, got, tt.name)
		list, err := w.Alarms(ctx, tt.who, model.AlarmFilter{Limit: 10})
		require.NoError(t, err)
		told := "-"
		for _, a := range list {
			told = a.Deliveries[0].Channel
		}
		assert.Equal(t, tt.told, told, tt.name)
	}
}

func TestAlarmTests(t *testing.T) {
	t.Parallel()
	w, played, _, _ := alarming(t)
	now := noon
	w.now = func() time.Time { return now }
	ctx := t.Context()
	assert.Equal(t, Forbidden, asError(t, w.TestAlarm(ctx, w.mine, "ding")).Kind)
	assert.Equal(t, NotFound, asError(t, w.TestAlarm(ctx, w.admin, "none")).Kind)
	require.NoError(t, w.TestAlarm(ctx, w.admin, "ding"))
	assert.Contains(t, w.lastAudit(), "sent")
	e := asError(t, w.TestAlarm(ctx, w.admin, "broken"))
	assert.Equal(t, Unavailable, e.Kind)
	assert.Equal(t, "answered HTTP 500", e.Detail)
	assert.Contains(t, w.lastAudit(), "failed")
	now = noon.Add(testPause - time.Millisecond)
	assert.Equal(t, Conflict, asError(t, w.TestAlarm(ctx, w.admin, "ding")).Kind)
	now = noon.Add(testPause)
	require.NoError(t, w.TestAlarm(ctx, w.admin, "ding"))
	assert.Equal(t, []string{"ding", "broken", "ding"}, played.tested)
	none := newWorld(t)
	list, err := none.AlarmChannels(ctx, none.admin)
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Equal(t, NotFound, asError(t, none.TestAlarm(ctx, none.admin, "ding")).Kind)
}

func TestAlarmRules(t *testing.T) {
	t.Parallel()
	w, _, mine, foreign := alarming(t)
	ctx := t.Context()
	job := func(id int32, what model.AlarmWhat) model.AlarmKey {
		return model.AlarmKey{What: what, Kind: model.ChangeJob, ObjectID: id}
	}
	group := func(id int32, what model.AlarmWhat) model.AlarmKey {
		return model.AlarmKey{What: what, Kind: model.ChangeGroup, ObjectID: id}
	}
	for _, tt := range []struct {
		name  string
		key   model.AlarmKey
		limit time.Duration
		want  Kind
	}{
		{"a foreign job", job(foreign, model.AlarmOnLate), time.Minute, Forbidden},
		{"a foreign group", group(w.silver, model.AlarmOnLate), time.Minute, Forbidden},
		{"no job", job(9999, model.AlarmOnLate), time.Minute, Forbidden},
		{"a failure", job(mine, model.AlarmOnFailure), time.Minute, Invalid},
		{"nobody, for a job", job(mine, model.AlarmOnNobody), time.Minute, Invalid},
		{"no limit", job(mine, model.AlarmOnLong), 0, Invalid},
		{"too short", job(mine, model.AlarmOnLong), time.Second - 1, Invalid},
		{"too long", job(mine, model.AlarmOnLong), maxRuleLimit + time.Second, Invalid},
		{"a part of a second", job(mine, model.AlarmOnLong), 1500 * time.Millisecond, Invalid},
		{"no kind", model.AlarmKey{What: model.AlarmOnLate, ObjectID: mine}, time.Minute, Invalid},
	} {
		err := w.SetAlarmRule(ctx, w.mine, tt.key, tt.limit)
		assert.Equal(t, tt.want.String(), asError(t, err).Kind.String(), tt.name)
	}
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, job(mine, model.AlarmOnLate), time.Minute))
	require.NoError(t, w.SetAlarmRule(ctx, w.mine, job(mine, model.AlarmOnLate), time.Hour), "in place of the first")
	assert.Contains(t, w.lastAudit(), "late: 1h0m0s")
	require.NoError(t, w.SetAlarmRule(ctx, w.admin, group(w.silver, model.AlarmOnNobody), time.Second))
	list, err := w.AlarmRules(ctx, w.mine)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, time.Hour, list[0].Limit)
	assert.Equal(t, "bb job", list[0].Name)
	assert.Equal(t, "golden1", list[0].User)
	assert.Equal(t, Forbidden, asError(t, w.DeleteAlarmRule(ctx, w.mine, group(w.silver, model.AlarmOnNobody))).Kind)
	require.NoError(t, w.DeleteAlarmRule(ctx, w.mine, job(mine, model.AlarmOnLate)))
	require.NoError(t, w.DeleteAlarmRule(ctx, w.mine, job(mine, model.AlarmOnLate)), "once more is no error")
	require.NoError(t, w.DeleteAlarmRule(ctx, w.admin, job(9999, model.AlarmOnLate)), "of a job that is gone")
}

// TestMutes: a window is set by those who work with the group, replaces the one
// before, counts at once and is gone when it has ended.
func TestMutes(t *testing.T) {
	t.Parallel()
	w, played, mine, foreign := alarming(t)
	now := noon
	w.now = func() time.Time { return now }
	ctx := t.Context()
	mute := func(kind string, id int32, d time.Duration, reason string) error {
		return w.Mute(ctx, w.mine, model.Mute{Kind: kind, ObjectID: id, Until: now.Add(d), Reason: reason})
	}
	assert.Equal(t, Forbidden, asError(t, mute(model.ChangeJob, foreign, time.Minute, "")).Kind)
	assert.Equal(t, Forbidden, asError(t, mute(model.ChangeGroup, w.silver, time.Minute, "")).Kind)
	assert.Equal(t, Invalid, asError(t, mute("user", 1, time.Minute, "")).Kind)
	for _, d := range []time.Duration{0, -time.Minute, maxMute + 1} {
		assert.Equal(t, Invalid, asError(t, mute(model.ChangeGroup, w.gold, d, "")).Kind, d)
	}
	assert.Equal(t, Invalid, asError(t, mute(model.ChangeGroup, w.gold, time.Minute, "a\x00b")).Kind)
	assert.Equal(t, Invalid, asError(t, mute(model.ChangeGroup, w.gold, time.Minute, strings.Repeat("x", 256))).Kind)
	assert.Zero(t, played.changed)

	require.NoError(t, mute(model.ChangeGroup, w.gold, time.Hour, "first"))
	require.NoError(t, mute(model.ChangeGroup, w.gold, 15*time.Minute, " deploy "))
	require.NoError(t, mute(model.ChangeJob, mine, 20*time.Minute, ""))
	assert.Equal(t, 3, played.changed, "it counts at once")
	list, err := w.Mutes(ctx, w.mine)
	require.NoError(t, err)
	require.Len(t, list, 2)
	reasons := map[string]string{}
	for _, m := range list {
		reasons[m.Kind+" "+m.Name] = m.Reason
	}
	assert.Equal(t, map[string]string{"group title": "deploy", "job bb job": ""}, reasons)
	stranger := Principal{UserID: 8, Name: "silver1", Roles: SameRole(model.RoleEditor, w.silver), Source: "login"}
	list, err = w.Mutes(ctx, stranger)
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Equal(t, Forbidden, asError(t, w.Unmute(ctx, stranger, model.ChangeGroup, w.gold)).Kind)

	now = noon.Add(15 * time.Minute)
	list, err = w.Mutes(ctx, w.mine)
	require.NoError(t, err)
	assert.Len(t, list, 1, "the one of the group has ended by itself")
	require.NoError(t, w.Unmute(ctx, w.mine, model.ChangeJob, mine))
	require.NoError(t, w.Unmute(ctx, w.admin, model.ChangeJob, 9999))
	list, err = w.Mutes(ctx, w.admin)
	require.NoError(t, err)
	assert.Empty(t, list)
	_, err = w.Mutes(ctx, Principal{})
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}
