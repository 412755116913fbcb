package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// TestSettingsCommands types what there is about logins, retention, the audit log
// and alarms, mistakes too.
func TestSettingsCommands(t *testing.T) {
	t.Parallel()
	k := newKitchen(t)
	defer k.close()
	c := k.boss(t)
	k.must(t, "executor", "create", "kitchen", "--title", "Kitchen")
	k.addressed(t, c)

	k.logins(t)
	k.retention(t)
	k.mistakesWithAlarms(t)

	k.must(t, "audit", "list", "--action", "settings", "--since", "1h", "-n", "5")
	k.must(t, "audit", "list", "--user", "boss", "--object", "retention", "--text", "audit: 365", "-o", "json")
	var records []client.AuditRecord
	require.NoError(t, json.Unmarshal(k.rest, &records))
	require.Len(t, records, 1)
	assert.Equal(t, "key:boss", records[0].User)
	k.must(t, "audit", "export", "--action", "group", "--format", "csv")
	assert.True(t, strings.HasPrefix(string(k.rest), "id,at,user,action,object,detail\n"))
	k.must(t, "audit", "export", "--since", "1h")
	var one client.AuditRecord
	require.NoError(t, json.NewDecoder(strings.NewReader(string(k.rest))).Decode(&one))
	assert.NotZero(t, one.ID)
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "audit", "list", "--since", "1h", "--until", "2h"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "audit", "export", "--format", "xml"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "audit", "list", "-n", "0"))
}

// logins types what has to do with logins.
func (k *kitchen) logins(t *testing.T) {
	t.Helper()
	form := url.Values{"userName": {"admin"}, "password": {"correct-horse"}}
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url+"/auth/doLogin", strings.NewReader(form.Encode()))
		require.NoError(t, err)
		status, _ := do(t, req, "Content-Type", "application/x-www-form-urlencoded")
		require.Equal(t, http.StatusOK, status)
	}
	k.must(t, "session", "list", "--user", "admin", "-o", "json")
	var list []client.Login
	require.NoError(t, json.Unmarshal(k.rest, &list))
	require.Len(t, list, 2)
	assert.Equal(t, "127.0.0.1", list[0].Client)
	k.must(t, "session", "list")
	assert.Equal(t, 3, strings.Count(string(k.rest), "\n"))
	assert.Contains(t, string(k.rest), list[1].ID)
	k.must(t, "session", "end", list[0].ID)
	assert.Equal(t, cli.ExitNotFound, k.here(t, "", "session", "end", list[0].ID))
	k.must(t, "session", "end", "--user", "admin")
	assert.Equal(t, "logins of admin that were ended: 1\n", string(k.rest))
	assert.Equal(t, cli.ExitNotFound, k.here(t, "", "session", "list", "--user", "nobody"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "session", "end"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "session", "end", list[0].ID, "--user", "admin"))
}

// retention types what has to do with how long rows are kept.
func (k *kitchen) retention(t *testing.T) {
	t.Helper()
	k.must(t, "retention", "get")
	assert.Regexp(t, `alarms that have ended +30 days`, string(k.rest))
	assert.Regexp(t, `source +as the node was started`, string(k.rest))
	assert.Equal(t, cli.ExitFault, k.here(t, "n\n", "retention", "set", "--run-days", "90"))
	assert.Equal(t, cli.ExitOK, k.here(t, "y\n", "retention", "set", "--run-days", "90", "--alarm-days", "60"))
	assert.Contains(t, string(k.rest), "Nothing goes now; what goes later does not come back. [y/N]")
	k.must(t, "retention", "preview", "--run-days", "3", "--keep-per-job", "10")
	assert.Regexp(t, `runs +3 days +20\d\d-\S+ 00:00:00 +0\n`, string(k.rest))
	assert.Regexp(t, `runs of each job +10 runs +- +not counted`, string(k.rest))
	k.must(t, "retention", "preview", "--reset", "-o", "json")
	var goes client.RetentionEffect
	require.NoError(t, json.Unmarshal(k.rest, &goes))
	assert.Equal(t, 30, goes.RunDays)
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "preview", "--reset", "--run-days", "5"))
	k.must(t, "retention", "clean", "all", "--dry-run")
	assert.Equal(t, "0 runs of all groups.\n", string(k.rest))
	k.must(t, "retention", "clean", "older_than_1_month", "--group", "kitchen", "--dry-run", "-o", "json")
	assert.Equal(t, cli.ExitFault, k.here(t, "n\n", "retention", "clean", "all", "--group", "kitchen"))
	assert.Contains(t, string(k.rest), "Delete these? 0 runs of group kitchen. They do not come back. [y/N]")
	k.must(t, "retention", "clean", "all", "--yes")
	assert.Equal(t, "0 runs of all groups deleted\n", string(k.rest))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "clean", "some"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "clean", "all", "-o", "json"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "clean", "all", "--group", "kitchen", "--job", "1"))
	assert.Equal(t, cli.ExitNotFound, k.here(t, "", "retention", "clean", "all", "--job", "99", "--dry-run"))
	k.must(t, "retention", "set", "--audit-days", "0", "--yes", "-o", "json")
	var r client.Retention
	require.NoError(t, json.Unmarshal(k.rest, &r))
	assert.Equal(t, client.RetentionInput{RunDays: 90, AlarmDays: 60}, r.RetentionInput)
	assert.Equal(t, cli.ExitFault, k.here(t, "", "retention", "set", "--run-days", "2", "--yes"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "set"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "set", "--run-days", "5", "-o", "json"))
	assert.Equal(t, cli.ExitUsage, k.here(t, "", "retention", "reset", "-o", "json"))
	assert.Equal(t, cli.ExitOK, k.here(t, "y\n", "retention", "reset"))
	assert.Regexp(t, `source +as the node was started`, string(k.rest))
}

// mistakesWithAlarms types what cannot be done about alarms.
func (k *kitchen) mistakesWithAlarms(t *testing.T) {
	t.Helper()
	k.must(t, "alarm", "list", "--ended", "--group", "kitchen", "-o", "json")
	assert.Equal(t, "[]\n", string(k.rest))
	k.must(t, "alarm", "channels")
	k.must(t, "alarm", "unmute", "--group", "kitchen")
	k.must(t, "alarm", "rule", "delete", "--group", "1", "long")
	for _, tt := range []struct {
		code int
		args []string
	}{
		{cli.ExitNotFound, []string{"test", "hook"}},
		{cli.ExitNotFound, []string{"list", "--job", "nobody"}},
		{cli.ExitNotFound, []string{"mute", "--group", "garage", "1m"}},
		{cli.ExitNotFound, []string{"rule", "set", "--job", "99", "late", "1m"}},
		{cli.ExitUsage, []string{"mute", "1m"}},
		{cli.ExitUsage, []string{"mute", "--group", "kitchen", "soon"}},
		{cli.ExitUsage, []string{"mute", "--group", "kitchen", "10ms"}},
		{cli.ExitUsage, []string{"list", "--job", "1", "--group", "1"}},
		{cli.ExitUsage, []string{"list", "-n", "0"}},
		{cli.ExitUsage, []string{"rule", "set", "--group", "kitchen", "late", "1500ms"}},
		{cli.ExitUsage, []string{"rule", "set", "--group", "kitchen", "failed", "1m"}},
		{cli.ExitUsage, []string{"rule", "set", "late", "1m"}},
		{cli.ExitUsage, []string{"rule", "delete", "late"}},
		{cli.ExitUsage, []string{"unmute"}},
		{cli.ExitFault, []string{"mute", "--group", "kitchen", "800h"}},
	} {
		assert.Equal(t, tt.code, k.here(t, "", append([]string{"alarm"}, tt.args...)...), tt.args)
	}
}
