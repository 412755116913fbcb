package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAlarmRequests: what selects alarms, rules and windows is in the address, and
// what is set is in the body.
func TestAlarmRequests(t *testing.T) {
	t.Parallel()
	c, a := newClient(t, ok(`{"items":[{"id":1,"run_id":null,"recovered_at":null}],"next_cursor":null}`), ok(`{}`))
	ctx, until := t.Context(), time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	for alarm, err := range c.Alarms(ctx, AlarmFilter{State: AlarmEnded, Kind: KindJob, ObjectID: 7}) {
		require.NoError(t, err)
		assert.Equal(t, &Alarm{ID: 1}, alarm)
	}
	require.NoError(t, c.SetRule(ctx, RuleInput{Kind: KindGroup, ObjectID: 8, What: AlarmNobody, LimitMs: 60_000}))
	require.NoError(t, c.DeleteRule(ctx, KindGroup, 8, AlarmNobody))
	require.NoError(t, c.SetMute(ctx, MuteInput{Kind: KindJob, ObjectID: 7, Until: until, Reason: "deploy"}))
	require.NoError(t, c.DeleteMute(ctx, KindJob, 7))
	require.NoError(t, c.TestAlarm(ctx, "ding"))
	require.NoError(t, drain(c.Logins(ctx, 7)))
	require.NoError(t, c.EndLogin(ctx, "0123456789abcdef"))
	assert.Equal(t, []string{
		"GET /xxl-job-admin/v1/alarms?kind=job&limit=200&object_id=7&state=ended",
		`PUT /xxl-job-admin/v1/alarms/rules {"kind":"group","object_id":8,"what":"nobody","limit_ms":60000}`,
		"DELETE /xxl-job-admin/v1/alarms/rules?kind=group&object_id=8&what=nobody",
		`PUT /xxl-job-admin/v1/alarms/mutes {"kind":"job","object_id":7,"until":"2026-11-22T03:00:00Z","reason":"deploy"}`,
		"DELETE /xxl-job-admin/v1/alarms/mutes?kind=job&object_id=7",
		`POST /xxl-job-admin/v1/alarms/test {"channel":"ding"}`,
		"GET /xxl-job-admin/v1/sessions?limit=200&user_id=7",
		"DELETE /xxl-job-admin/v1/sessions/0123456789abcdef",
	}, a.seen)
}

// TestRetention: every limit is sent, also one of 0, which is for ever.
func TestRetention(t *testing.T) {
	t.Parallel()
	c, a := newClient(t,
		ok(`{"run_days":0,"keep_per_job":5,"audit_days":0,"source":"setting","last_cleaned":{"node":"n1","runs":3}}`),
		ok(`{"run_days":30,"source":"node","last_cleaned":null}`), ok(`{"ended":2}`))
	got, err := c.SetRetention(t.Context(), RetentionInput{KeepPerJob: 5})
	require.NoError(t, err)
	assert.Equal(t, &Retention{
		RetentionInput: RetentionInput{KeepPerJob: 5}, Source: RetentionOfSetting,
		LastCleaned: &Cleaned{Node: "n1", Runs: 3},
	}, got)
	got, err = c.ResetRetention(t.Context())
	require.NoError(t, err)
	assert.Equal(t, &Retention{RetentionInput: RetentionInput{RunDays: 30}, Source: RetentionOfNode}, got)
	ended, err := c.EndLogins(t.Context(), 7)
	require.NoError(t, err)
	assert.Equal(t, 2, ended)
	assert.Equal(t, []string{
		`PUT /xxl-job-admin/v1/retention {"run_days":0,"keep_per_job":5,"audit_days":0}`,
		"DELETE /xxl-job-admin/v1/retention", "DELETE /xxl-job-admin/v1/users/7/sessions",
	}, a.seen)
}
