package importer

import (
	"bytes"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// ownRows fills those tables of ours that crowded leaves empty; %d is an hour
// after noon. A table that is new belongs here, and in copiedTables or
// leftTables.
var ownRows = []string{
	"UPDATE xxljob_user SET password_hash = 'own-boss' WHERE user_id = 1",
	"INSERT INTO xxljob_old_token VALUES (2, 'old-mail-token', %d)",
	"INSERT INTO xxljob_group_role VALUES (2, 1, 'admin')",
	"INSERT INTO xxljob_code_editor VALUES (2)",
	"INSERT INTO xxljob_view VALUES (2, 'runs', 'mine', 'group=1&job=1&status=failed')",
	"INSERT INTO xxljob_tag VALUES (1, 'money'), (1, 'nightly'), (2, 'nightly')",
	"INSERT INTO xxljob_mute VALUES ('job', 1, %d, 'boss', 'deploy'), ('group', 2, %d, 'boss', '')",
	"INSERT INTO xxljob_alarm_rule VALUES ('job', 1, 'late', 60000, 'boss', 5), ('group', 1, 'long', 9000, 'boss', 6)",
	"INSERT INTO xxljob_key (name, prefix, secret_hash, verbs, group_ids, created_by, created_ms, expires_ms, used_ms, " +
		"revoked_ms) VALUES ('ci', 'xj_1', 'hash-of-ci', 'read,run', '1,2', 'boss', 1, %d, 2, 0), " +
		"('all', 'xj_2', 'hash-of-all', 'admin', NULL, 'boss', 1, 0, 0, 0)",
	"INSERT INTO xxljob_setting VALUES ('declared/1/0a', '{\"fields\":{\"name\":\"x\"},\"job\":1,\"name\":\"settle\"}')",
	`INSERT INTO xxljob_change (at_ms, username, kind, object_id, action, before_json, after_json) VALUES
		(1, 'boss', 'job', 1, 'update', '{"children":"2","group_id":1,"name":"was"}',
			'{"children":"","group_id":2,"name":"settle \u003cb\u003e"}'),
		(2, 'boss', 'group', 2, 'create', NULL, '{"app_name":"mail"}'),
		(3, 'boss', 'rule', 1, 'create', NULL, '{"kind":"group","limit_ms":9000,"object_id":1,"what":"long"}'),
		(4, 'boss', 'mute', 2, 'delete', '{"kind":"group","object_id":2}', NULL),
		(5, 'boss', 'job', 5, 'code', '{"code_version":2,"group_id":1}', '{"code_version":3,"group_id":1}')`,
	"INSERT INTO xxljob_log_end VALUES (7, 100, 200, 300, 2), (3, NULL, 1, 2, 1)",

	"INSERT INTO xxljob_setting VALUES ('retention', '{}')",
	"INSERT INTO xxljob_log_cause VALUES (7, 2, 3, NULL)",
	"INSERT INTO xxljob_run VALUES (8, 1, 1, 0, 0, 1, 'CRON', 1, 1)",
	"INSERT INTO xxljob_node VALUES ('n1', 1)",
	"INSERT INTO xxljob_node_info VALUES ('n1', 1, '{}')",
	"INSERT INTO xxljob_shard VALUES (99, 'n1', 1, 1)",
	"INSERT INTO xxljob_address VALUES ('http://10.0.0.1:9999', 'v2', 1, 1)",
	"INSERT INTO xxljob_session VALUES ('k', 1, 1, 1, 1)",
	"INSERT INTO xxljob_session_client VALUES ('k', 'c', 'a')",
	"INSERT INTO xxljob_audit (at_ms, username, action, object, detail) VALUES (1, 'boss', 'job.update', 'job 1', '')",
	"INSERT INTO xxljob_idempotency VALUES ('key 1', 'r', 'f', 1, 200, '{}', '')",
	"INSERT INTO xxljob_alarm (what, kind, object_id, group_id, first_ms, last_ms, recovered_ms, raised, muted, log_id, " +
		"message) VALUES ('failed', 'job', 1, 1, 1, 1, 0, 1, 0, 7, '')",
	"INSERT INTO xxljob_alarm_ack VALUES (1, 1, 1, 'boss')",
	"INSERT INTO xxljob_alarm_delivery VALUES (1, 'mail', 1, '')",
	"INSERT INTO xxljob_deleted VALUES (77, 'job', 70, 1, 'gone', 1, 1, 'boss', 1)",
	"INSERT INTO xxljob_deleted_code VALUES (77, 0, 'BEAN', NULL, '', 1, 1, 'boss')",
}

// copiedTables are those whose rows arrive as they are, where no id is taken;
// of xxljob_setting it is those of declared jobs.
var copiedTables = []string{
	"xxljob_group", "xxljob_old_token", "xxljob_user", "xxljob_group_role", "xxljob_code_editor", "xxljob_view",
	"xxljob_tag", "xxljob_mute", "xxljob_alarm_rule", "xxljob_key", "xxljob_change", "xxljob_code_version",
	"xxljob_log_end", "xxljob_setting",
}

// filled makes a database of ours with a row in each table.
func filled(t *testing.T) (s *store.Store, dsn string) {
	t.Helper()
	dsn = dbtest.SQLite(t)
	s = open(t, dsn, true)
	crowded(t, s)
	db := raw(t, dsn)
	later := noon.Add(time.Hour).UnixMilli()
	for _, text := range ownRows {
		_, err := db.ExecContext(t.Context(), strings.ReplaceAll(text, "%d", fmt.Sprint(later)))
		require.NoError(t, err, text)
	}
	return s, dsn
}

// raw opens a database beside the store.
func raw(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	driver, name := "pgx", dsn
	switch kind, rest, _ := strings.Cut(dsn, ":"); kind {
	case "sqlite":
		driver, name = "sqlite", rest
	case "mysql":
		addr, base, _ := strings.Cut(strings.TrimPrefix(dsn, "mysql://root@"), "/")
		driver, name = "mysql", "root@tcp("+addr+")/"+base
	}
	db, err := sql.Open(driver, name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// rowsIn returns the rows of a table as texts, without columns that the database
// fills in.
func rowsIn(t *testing.T, db *sql.DB, table string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table)
	require.NoError(t, err)
	defer rows.Close()
	cols, err := rows.Columns()
	require.NoError(t, err)
	var list []string
	for rows.Next() {
		vals := make([]any, len(cols))
		to := make([]any, len(cols))
		for i := range vals {
			to[i] = &vals[i]
		}
		require.NoError(t, rows.Scan(to...))
		var b strings.Builder
		for i, v := range vals {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			if cols[i] != "id" {
				fmt.Fprintf(&b, "%s=%v ", cols[i], v)
			}
		}
		list = append(list, b.String())
	}
	require.NoError(t, rows.Err())
	slices.Sort(list)
	return list
}

// isDeclared reports whether an import copies this row of xxljob_setting.
func isDeclared(row string) bool { return strings.HasPrefix(row, "name=declared/") }

func onlyDeclared(rows []string) []string {
	return slices.DeleteFunc(rows, func(row string) bool { return !isDeclared(row) })
}

func withLogs(c *Config) {
	c.LogsAt = noon.AddDate(0, -2, 0)
	c.Carry = func(java, own string) (string, string, bool) { return java, own, own != "" }
}

// sourceTables lists our tables.
func sourceTables(t *testing.T, db *sql.DB) (names []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'xxljob%' "+
		"ORDER BY name")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}

// TestOwnTables: each table of ours is either copied as it is or named as left
// out, so that nobody adds one that is lost without a word.
func TestOwnTables(t *testing.T) {
	t.Parallel()
	for kind, dsn := range targets {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			source, file := filled(t)
			at := dsn(t)
			target := open(t, at, true)
			from, to := raw(t, file), raw(t, at)
			dry := doImport(t, source, target, func(c *Config) { withLogs(c); c.DryRun = true })
			for _, table := range copiedTables {
				assert.Empty(t, onlyDeclared(rowsIn(t, to, table)), "a dry run writes nothing into %s", table)
			}
			report := doImport(t, source, target, withLogs)
			dry.DryRun = false
			assert.Equal(t, report, dry, "a dry run says what will be done")
			for _, table := range sourceTables(t, from) {
				want := rowsIn(t, from, table)
				require.NotEmpty(t, want, "%s is new: give it a row in ownRows, and copy it or name it in leftTables", table)
				left := slices.IndexFunc(leftTables, func(l leftTable) bool { return l.name == table })
				switch got := rowsIn(t, to, table); {
				case table == "xxljob_setting":
					assert.Equal(t, onlyDeclared(want), onlyDeclared(got))
				case slices.Contains(copiedTables, table):
					assert.Negative(t, left, "%s is copied, and named as left out", table)
					assert.Equal(t, want, got, table)
				default:
					require.GreaterOrEqual(t, left, 0, "%s is neither copied nor named in leftTables", table)
					if l := leftTables[left]; l.what != "" {
						i := slices.IndexFunc(report.Own.Left, func(r Left) bool { return r.What == l.what })
						require.GreaterOrEqual(t, i, 0, "%s is not in the report", table)
						assert.Equal(t, len(want), report.Own.Left[i].Rows)
						assert.Empty(t, got, table)
					}
				}
			}
			before := dumped(t, to)
			again := doImport(t, source, target, withLogs)
			assert.False(t, again.Changes())
			assert.Equal(t, before, dumped(t, to), "once more changes nothing")
		})
	}
}

func dumped(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, table := range copiedTables {
		all[table] = rowsIn(t, db, table)
	}
	return all
}

// TestOwnMoved: where ids are taken, what refers to them follows; what was here
// already stays as it is.
func TestOwnMoved(t *testing.T) {
	t.Parallel()
	for kind, dsn := range targets {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			source, _ := filled(t)
			at := dsn(t)
			target := open(t, at, true)
			own := addGroup(t, target, model.Group{AppName: "own", Title: "Own"})
			addJob(t, target, model.Job{GroupID: own.ID, Name: "mine", Handler: model.T("mine")})
			require.NoError(t, target.CreateUser(t.Context(), &model.User{Username: "boss", JavaHash: "y"}))
			require.NoError(t, target.CreateUser(t.Context(), &model.User{Username: "other", JavaHash: "y"}))
			require.NoError(t, target.CreateKey(t.Context(), &model.Key{
				Name: "here", Hash: "hash-of-all", Verbs: []model.Verb{model.VerbRead}, AllGroups: true, Created: noon,
			}))
			_, err := target.ImportLogs(t.Context(), []*model.Log{
				{ID: 7, GroupID: 1, JobID: 1, TriggerTime: noon, HandleCode: 200},
				{ID: 3, GroupID: 1, JobID: 1, TriggerTime: noon, HandleCode: 200},
			}, "t", "x")
			require.NoError(t, err)
			report := doImport(t, source, target, withLogs)
			db := raw(t, at)
			has := func(table, part string) {
				t.Helper()
				assert.Contains(t, strings.Join(rowsIn(t, db, table), "\n"), part, table)
			}
			// Group 1 is 3 here, job 1 is 6, user 2 is 3.
			has("xxljob_group_role", "user_id=3 group_id=3 role=admin")
			has("xxljob_code_editor", "user_id=3")
			has("xxljob_view", "user_id=3 page=runs name=mine query=group=3&job=6&status=failed")
			has("xxljob_tag", "job_id=6 tag=money")
			has("xxljob_tag", "job_id=2 tag=nightly")
			has("xxljob_mute", "kind=job object_id=6")
			has("xxljob_mute", "kind=group object_id=2")
			has("xxljob_alarm_rule", "kind=group object_id=3 what=long limit_ms=9000")
			has("xxljob_key", "secret_hash=hash-of-ci verbs=read,run group_ids=3,2")
			has("xxljob_setting", `name=declared/3/0a value={"fields":{"name":"x"},"job":6,"name":"settle"}`)
			has("xxljob_change", `object_id=6 action=update before_json={"children":"2","group_id":3,"name":"was"} `+
				`after_json={"children":"","group_id":2,`)
			has("xxljob_change", `kind=rule object_id=3 action=create before_json=<nil> after_json={"kind":"group",`+
				`"limit_ms":9000,"object_id":3,"what":"long"}`)
			has("xxljob_log_end", "planned_ms=100 sent_ms=200 ended_ms=300 kind=2")
			assert.Len(t, rowsIn(t, db, "xxljob_log_end"), 2)
			settle, _, err := target.Logs(t.Context(), model.LogFilter{JobID: 6})
			require.NoError(t, err)
			require.Len(t, settle, 1)
			assert.Equal(t, int64(300), settle[0].End.EndedMs, "the end has followed its run")
			assert.NotContains(t, strings.Join(rowsIn(t, db, "xxljob_user"), ""), "own-boss", "boss was here already")
			assert.Equal(t, Section{Copied: 1, Present: 1}, Section{Copied: report.Own.Keys.Copied, Present: report.Own.Keys.Present})
			versions, err := target.GlueVersions(t.Context(), 5)
			require.NoError(t, err)
			require.Len(t, versions, 4)
			assert.Equal(t, "boss", versions[0].User)
			has("xxljob_change", fmt.Sprintf(`action=code before_json={"code_version":%d,"group_id":3} after_json={"code_version":%d,`,
				versions[2].ID, versions[1].ID))
			var text bytes.Buffer
			require.NoError(t, report.WriteText(&text))
			for _, want := range []string{
				"1 lines of the audit log: they tell", "1 settings: retention", "1 logins: everybody logs in again", "roles in groups",
			} {
				assert.Contains(t, text.String(), want)
			}
		})
	}
}

// TestOwnKept: what belongs to what was here before is not touched, and the
// report says so; what has ended stays behind.
func TestOwnKept(t *testing.T) {
	t.Parallel()
	source, _ := filled(t)
	target := open(t, dbtest.SQLite(t), true)
	mail := addGroup(t, target, model.Group{AppName: "mail", Title: "Mail"})
	addGroup(t, target, model.Group{AppName: "orders", Title: "Orders"})
	require.NoError(t, target.CreateUser(t.Context(), &model.User{Username: "clerk", JavaHash: "y"}))
	report := doImport(t, source, target, func(c *Config) { c.Now = noon.Add(2 * time.Hour) })
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	for _, want := range []string{
		"skipped \"2 rows\": that have ended", `skipped 1 "ci": it was revoked or has expired`,
		`copied 2 "all": it counts for all groups, also for those that were here before`,
		"skipped \"1 row\": of what was here already, and stays as it is", "skipped \"1 row\": that do not count any more",
	} {
		assert.Contains(t, text.String(), want)
	}
	list, err := target.AlarmRules(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1, "that of the job, which is new here")
	assert.Equal(t, model.ChangeJob, list[0].Kind)
	clerk, err := target.UserByName(t.Context(), "clerk")
	require.NoError(t, err)
	assert.Empty(t, clerk.Own)
	assert.False(t, clerk.Code)
	group, err := target.Group(t.Context(), mail.ID)
	require.NoError(t, err)
	assert.Empty(t, group.AccessToken)
	assert.Nil(t, group.Old)
}

// TestOwnOlder: a source that an earlier release has made lacks tables.
func TestOwnOlder(t *testing.T) {
	t.Parallel()
	dsn := dbtest.SQLite(t)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))
	crowded(t, s)
	require.NoError(t, s.Close())
	db := raw(t, dsn)
	for _, table := range sourceTables(t, db) {
		if !slices.Contains([]string{"xxljob_setting", "xxljob_run", "xxljob_audit", "xxljob_group", "xxljob_user"}, table) {
			_, err := db.ExecContext(t.Context(), "DROP TABLE "+table)
			require.NoError(t, err)
		}
	}
	source, target := open(t, dsn, false), open(t, dbtest.SQLite(t), true)
	report := doImport(t, source, target, func(c *Config) { c.LogsAt = noon.AddDate(0, -2, 0) })
	assert.Equal(t, [2]int{2, 4}, [2]int{report.Groups.Copied, report.Jobs.Copied})
	assert.Equal(t, 2, report.Logs.Copied)
	assert.Zero(t, report.Own.Changes.Copied)
}
