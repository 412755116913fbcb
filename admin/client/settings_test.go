package client

import (
	"strings"
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
	require.NoError(t, drain(c.Logins(ctx, LoginFilter{UserID: 7})))
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
		ok(`{"run_days":0,"keep_per_job":5,"audit_days":0,"alarm_days":9,"source":"setting","last_cleaned":{"node":"n1","runs":3}}`),
		ok(`{"run_days":9,"runs":{"before":null,"rows":4,"more":false}}`), ok(`{}`),
		ok(`{"runs":{"rows":100000,"more":true},"open":{"rows":0,"more":false}}`),
		ok(`{"run_days":30,"source":"node","last_cleaned":null}`), ok(`{"ended":2}`))
	got, err := c.SetRetention(t.Context(), RetentionInput{KeepPerJob: 5, AlarmDays: 9})
	require.NoError(t, err)
	assert.Equal(t, &Retention{
		RetentionInput: RetentionInput{KeepPerJob: 5, AlarmDays: 9}, Source: RetentionOfSetting,
		LastCleaned: &Cleaned{Node: "n1", Runs: 3},
	}, got)
	goes, err := c.PreviewRetention(t.Context(), &RetentionInput{RunDays: 9})
	require.NoError(t, err)
	assert.Equal(t, 4, goes.Runs.Rows)
	assert.Nil(t, goes.Runs.Before)
	_, err = c.PreviewRetention(t.Context(), nil)
	require.NoError(t, err)
	clears, err := c.PreviewClear(t.Context(), ClearInput{JobID: 3, What: AllRuns})
	require.NoError(t, err)
	assert.Equal(t, Counted{Rows: 100_000, More: true}, clears.Runs)
	got, err = c.ResetRetention(t.Context())
	require.NoError(t, err)
	assert.Equal(t, &Retention{RetentionInput: RetentionInput{RunDays: 30}, Source: RetentionOfNode}, got)
	ended, err := c.EndLogins(t.Context(), 7)
	require.NoError(t, err)
	assert.Equal(t, 2, ended)
	assert.Equal(t, []string{
		`PUT /xxl-job-admin/v1/retention {"run_days":0,"keep_per_job":5,"audit_days":0,"alarm_days":9}`,
		"GET /xxl-job-admin/v1/retention/preview?alarm_days=0&audit_days=0&keep_per_job=0&run_days=9",
		"GET /xxl-job-admin/v1/retention/preview?default=true",
		"GET /xxl-job-admin/v1/runs/clear?job_id=3&what=all",
		"DELETE /xxl-job-admin/v1/retention", "DELETE /xxl-job-admin/v1/users/7/sessions",
	}, a.seen)
}

// TestAuditFilter: the filter selects what is listed and what is exported.
func TestAuditFilter(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 21, 1, 2, 3, 4_000_000, time.FixedZone("UTC+8", 8*3600))
	f := AuditFilter{User: "anna", Action: "job", Object: "job 7", Text: "a&b", From: from, To: from.Add(time.Hour)}
	c, a := newClient(t, ok(`{"items":[{"id":3,"user":"anna"}],"next_cursor":null}`), says(200, "text/csv", "id\n"), ok(`{"items":[]}`))
	var got []int64
	for line, err := range c.Audit(t.Context(), f) {
		require.NoError(t, err)
		got = append(got, line.ID)
	}
	assert.Equal(t, []int64{3}, got)
	var out strings.Builder
	require.NoError(t, c.ExportAudit(t.Context(), f, "csv", &out))
	assert.Equal(t, "id\n", out.String())
	require.NoError(t, drain(c.Audit(t.Context(), AuditFilter{})))
	const query = "from=2026-11-20T17%3A02%3A03.004Z&"
	const rest = "object=job+7&text=a%26b&to=2026-11-20T18%3A02%3A03.004Z&user=anna"
	assert.Equal(t, []string{
		"GET /xxl-job-admin/v1/audit?action=job&" + query + "limit=200&" + rest,
		"GET /xxl-job-admin/v1/audit/export?action=job&format=csv&" + query + rest,
		"GET /xxl-job-admin/v1/audit?limit=200",
	}, a.seen)
}
