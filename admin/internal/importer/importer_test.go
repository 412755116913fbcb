package importer

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dsn string, migrate bool) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	if migrate {
		require.NoError(t, s.Migrate(t.Context()))
	}
	return s
}

func addJob(t *testing.T, s *store.Store, j model.Job) *model.Job {
	t.Helper()
	j.AddTime, j.UpdateTime, j.GlueUpdated = noon, noon, noon
	if j.ScheduleType == "" {
		j.ScheduleType = model.ScheduleNone
	}
	j.Misfire, j.Block = model.MisfireDoNothing, model.BlockSerial
	if j.Route == "" {
		j.Route = model.RouteFirst
	}
	if j.GlueType == "" {
		j.GlueType = model.GlueBean
	}
	require.NoError(t, s.CreateJob(t.Context(), &j))
	return &j
}

func addGroup(t *testing.T, s *store.Store, g model.Group) *model.Group {
	t.Helper()
	g.UpdateTime = noon
	require.NoError(t, s.CreateGroup(t.Context(), &g))
	return &g
}

func doImport(t *testing.T, source, target *store.Store, change func(*Config)) *Report {
	t.Helper()
	cfg := Config{Source: source, Target: target, SourceName: "the source", TargetName: "the target", Now: noon}
	if change != nil {
		change(&cfg)
	}
	report, err := Run(t.Context(), cfg)
	require.NoError(t, err)
	return report
}

func snapshot(t *testing.T, s *store.Store) *store.Snapshot {
	t.Helper()
	snap, err := s.Snapshot(t.Context())
	require.NoError(t, err)
	return snap
}

// crowded makes a source with everything that is followed or refused.
func crowded(t *testing.T, s *store.Store) (ended, open *model.Log) {
	t.Helper()
	orders := addGroup(t, s, model.Group{AppName: "orders", Title: "Orders", AddressList: model.T("http://10.0.0.1:9999")})
	manual := addGroup(t, s, model.Group{
		AppName: "mail", Title: "Mail", Manual: true, AddressList: model.T("http://10.0.0.2:9999"), AccessToken: "mail-token",
	})
	settle := addJob(t, s, model.Job{
		GroupID: orders.ID, Name: "settle <b>", ScheduleType: model.ScheduleCron, ScheduleConf: model.T("0 0 3 * * ?"),
		Running: true, NextMs: 1_772_420_400_000, Handler: model.T("settle"), Param: model.T(`{"day":1}`), Retries: 2,
	})
	chain := addJob(t, s, model.Job{
		GroupID: manual.ID, Name: "chain", Handler: model.T("chain"), Children: model.T(fmt.Sprintf("%d, 99,x", settle.ID)),
	})
	addJob(t, s, model.Job{GroupID: 77, Name: "orphan", Handler: model.T("orphan")})
	addJob(t, s, model.Job{
		GroupID: orders.ID, Name: "broken", ScheduleType: model.ScheduleCron, ScheduleConf: model.T("every day"),
		Handler: model.T("broken"),
	})
	script := addJob(t, s, model.Job{
		GroupID: orders.ID, Name: "script", GlueType: "GLUE_SHELL", GlueSource: model.T("echo 1"), GlueRemark: model.T("one"),
	})
	for i := range 3 {
		require.NoError(t, s.SaveGlue(t.Context(), &model.GlueVersion{
			JobID: script.ID, GlueType: "GLUE_SHELL", Source: model.T(fmt.Sprintf("echo %d", i)), Remark: fmt.Sprintf("v%d", i),
			User:    "boss",
			AddTime: noon.Add(time.Duration(i) * time.Hour), Updated: noon.Add(time.Duration(i) * time.Hour),
		}))
	}
	for _, u := range []model.User{
		{Username: "boss", JavaHash: "e10adc3949ba59abbe56e057f20f883e", Admin: true},
		{Username: "clerk", JavaHash: "x", Permission: model.T(fmt.Sprintf("%d,%d,55", orders.ID, manual.ID))},
	} {
		require.NoError(t, s.CreateUser(t.Context(), &u))
	}
	ended = &model.Log{
		ID: 7, GroupID: orders.ID, JobID: settle.ID, Address: model.T("http://10.0.0.1:9999"), TriggerTime: noon,
		TriggerCode: 200, HandleCode: 500, HandleMsg: model.T("no money"), HandleTime: noon.Add(time.Second),
	}
	open = &model.Log{ID: 8, GroupID: orders.ID, JobID: settle.ID, TriggerTime: noon, TriggerCode: 200}
	old := &model.Log{ID: 3, GroupID: manual.ID, JobID: chain.ID, TriggerTime: noon.AddDate(0, -1, 0), TriggerCode: 200, HandleCode: 200}
	_, err := s.ImportLogs(t.Context(), []*model.Log{old, ended, open}, "test", "x")
	require.NoError(t, err)
	return ended, open
}

// targets are empty databases of each kind; databases_test.go adds servers.
var targets = map[string]func(testing.TB) string{"sqlite": dbtest.SQLite}

// TestImport: everything arrives, ids that are taken change and what refers to
// them follows, and a second import changes nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	for kind, dsn := range targets {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			source, target := open(t, dbtest.SQLite(t), true), open(t, dsn(t), true)
			crowded(t, source)
			own := addGroup(t, target, model.Group{AppName: "own", Title: "Own"})
			addJob(t, target, model.Job{GroupID: own.ID, Name: "mine", Handler: model.T("mine")})
			require.NoError(t, target.CreateUser(t.Context(), &model.User{Username: "Boss", JavaHash: "y"}))
			_, err := target.ImportLogs(t.Context(), []*model.Log{{ID: 7, GroupID: 1, JobID: 1, TriggerTime: noon, HandleCode: 200}}, "t", "x")
			require.NoError(t, err)

			withLogs := func(c *Config) { c.LogsAt = noon.AddDate(0, 0, -3) }
			before := snapshot(t, target)
			dry := doImport(t, source, target, func(c *Config) { withLogs(c); c.DryRun = true })
			assert.Equal(t, before, snapshot(t, target), "a dry run writes nothing")
			report := doImport(t, source, target, withLogs)
			assert.Equal(t, Section{Copied: 2, Remapped: 1, Items: []Item{
				{Action: Remapped, ID: 1, NewID: 3, Name: "orders"},
			}}, report.Groups)
			var text bytes.Buffer
			require.NoError(t, report.WriteText(&text))
			for _, want := range []string{
				`remapped 1 to 6 "settle <b>"`, `child 99 left out`, `child "x" left out`, `skipped 3 "orphan": its group 77 is not there`,
				`its schedule "every day" is refused`, `permission on group "55" left out`, "1 of the copied jobs are switched on",
				`present 1 "boss": is an administrator on one side only`,
			} {
				assert.Contains(t, text.String(), want)
			}
			assert.Equal(t, [4]int{4, 1, 0, 1}, [4]int{report.Jobs.Copied, report.Jobs.Remapped, report.Jobs.Present, report.Jobs.Skipped})
			assert.Equal(t, 4, report.Versions.Copied, "and what the job had before")
			assert.Equal(t, [3]int{1, 1, 1}, [3]int{report.Logs.Copied, report.Logs.Remapped, report.Logs.Skipped})
			dry.DryRun = false
			dry.Logs.Remapped = report.Logs.Remapped // known when it happens
			assert.Equal(t, report, dry, "a dry run says what will be done")

			checkImported(t, target)
			after := snapshot(t, target)
			again := doImport(t, source, target, withLogs)
			assert.False(t, again.Changes())
			assert.Equal(t, after, snapshot(t, target))
			assert.Equal(t, 4, again.Jobs.Present)
			for _, it := range again.Jobs.Items {
				assert.NotContains(t, strings.Join(it.Notes, ""), "differs", "%+v", it)
			}
			addJob(t, target, model.Job{GroupID: own.ID, Name: "next"})
			addGroup(t, target, model.Group{AppName: "later", Title: "Later"})
		})
	}
}

// checkImported looks at what TestImport has copied.
func checkImported(t *testing.T, target *store.Store) {
	t.Helper()
	snap := snapshot(t, target)
	byName := make(map[string]*model.Job)
	for _, j := range snap.Jobs {
		byName[j.Name] = j
	}
	settle, chain := byName["settle <b>"], byName["chain"]
	require.NotNil(t, settle)
	require.NotNil(t, chain)
	assert.Equal(t, int32(6), settle.ID)
	assert.Equal(t, int32(3), settle.GroupID)
	assert.Equal(t, int64(1_772_420_400_000), settle.NextMs)
	assert.True(t, settle.Running)
	assert.Equal(t, noon, settle.AddTime)
	assert.Equal(t, `{"day":1}`, settle.Param.S)
	assert.Equal(t, int32(2), chain.ID)
	assert.Equal(t, "6", chain.Children.S)
	versions, err := target.GlueVersions(t.Context(), byName["script"].ID)
	require.NoError(t, err)
	require.Len(t, versions, 4)
	assert.Equal(t, "v2", versions[0].Remark)
	clerk, err := target.UserByName(t.Context(), "clerk")
	require.NoError(t, err)
	assert.Equal(t, "3,2", clerk.Permission.S)
	assert.Regexp(t, "^![0-9a-f]{40}$", clerk.JavaHash)
	assert.Empty(t, clerk.Hash)
	for _, g := range snap.Groups {
		switch g.AppName {
		case "orders":
			assert.False(t, g.AddressList.Valid, "what registers by itself is not copied")
		case "mail":
			assert.Equal(t, "http://10.0.0.2:9999", g.AddressList.S)
			assert.Equal(t, "mail-token", g.AccessToken)
		}
	}
	logs, _, err := target.Logs(t.Context(), model.LogFilter{JobID: settle.ID})
	require.NoError(t, err)
	require.Len(t, logs, 1)
	assert.NotEqual(t, int64(7), logs[0].ID)
	assert.Equal(t, "no money", logs[0].HandleMsg.S)
	assert.Equal(t, noon, logs[0].TriggerTime)
}

// TestImportAgain: what was edited, deleted or added since is respected.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	source, target := open(t, dbtest.SQLite(t), true), open(t, dbtest.SQLite(t), true)
	crowded(t, source)
	passwords := func(c *Config) {
		c.Passwords = func(context.Context) (string, string, string, error) { return "secret", "!java", "own", nil }
		c.Stopped, c.JobZone = true, "Asia/Tokyo"
	}
	first := doImport(t, source, target, passwords)
	assert.Nil(t, first.Logs)
	assert.Zero(t, first.Running)
	assert.Equal(t, "secret", first.Users.Items[0].Password)
	snap := snapshot(t, target)
	assert.Equal(t, "Asia/Tokyo", snap.Jobs[0].TimeZone)
	assert.False(t, snap.Jobs[0].Running)
	assert.Zero(t, snap.Jobs[0].NextMs)

	edited := *snap.Jobs[0]
	edited.Name = "settled"
	require.NoError(t, target.UpdateJob(t.Context(), &edited, nil))
	require.NoError(t, target.DeleteJob(t.Context(), snap.Jobs[1].ID))
	addJob(t, source, model.Job{GroupID: 1, Name: "added", Children: model.T("1,2")})
	again := doImport(t, source, target, passwords)
	assert.Equal(t, 1, again.Jobs.Copied)
	assert.Zero(t, again.Users.Copied+again.Groups.Copied+again.Versions.Copied)
	var text bytes.Buffer
	require.NoError(t, again.WriteText(&text))
	assert.Contains(t, text.String(), `present 1 "settle <b>": is left as it is, though the source differs in name`)
	assert.Contains(t, text.String(), `skipped 2 "chain": was imported before and deleted here since`)
	assert.Contains(t, text.String(), `"added": child 2 left out`)
	snap = snapshot(t, target)
	assert.Equal(t, "settled", snap.Jobs[0].Name)
	assert.Equal(t, "1", snap.Jobs[len(snap.Jobs)-1].Children.S)

	other := doImport(t, source, target, func(c *Config) { passwords(c); c.SourceName = "by another name" })
	assert.Equal(t, 2, other.Groups.Present)
	assert.Equal(t, 3, other.Jobs.Present, "known by what they say: %+v", other.Jobs)
	assert.Equal(t, 2, other.Jobs.Copied, "the edited one and the deleted one")
}

// TestImportNothing: a database without tables is refused, one that is not
// migrated can be a target of a dry run.
func TestImportNothing(t *testing.T) {
	t.Parallel()
	source, empty := open(t, dbtest.SQLite(t), true), open(t, dbtest.SQLite(t), false)
	_, err := Run(t.Context(), Config{Source: empty, Target: source, SourceName: "nothing"})
	require.ErrorContains(t, err, "nothing has no tables of xxl-job")
	crowded(t, source)
	report := doImport(t, source, empty, func(c *Config) { c.DryRun = true; c.LogsAt = noon })
	assert.Equal(t, 4, report.Jobs.Copied)
	assert.True(t, report.Changes())
	assert.Empty(t, empty.Info().Generation)
}

// TestMarks: what is encoded decodes to the same.
// TestBroken: rows that a Java database has though they say nothing sensible come
// over, and the report says what will not work.
func TestBroken(t *testing.T) {
	t.Parallel()
	source, target := open(t, dbtest.SQLite(t), true), open(t, dbtest.SQLite(t), true)
	group := addGroup(t, source, model.Group{AppName: "orders", Title: "Orders"})
	notes := map[string]string{
		"rate":  `its schedule "abc" is refused`,
		"minus": `its schedule "-5" is refused`,
		"delay": `its schedule type "FIX_DELAY" is unknown`,
		"route": `its route strategy "NEAREST" is unknown`,
		"ruby":  `its code type "GLUE_RUBY" is unknown`,
		"comma": "child \"x\" left out",
	}
	for name, change := range map[string]func(*model.Job){
		"rate":  func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("abc") },
		"minus": func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("-5") },
		"delay": func(j *model.Job) { j.ScheduleType, j.ScheduleConf = "FIX_DELAY", model.T("30") },
		"route": func(j *model.Job) { j.Route = "NEAREST" },
		"ruby":  func(j *model.Job) { j.GlueType = "GLUE_RUBY" },
		"comma": func(j *model.Job) { j.Children = model.T(",x,,") },
		"fine":  func(*model.Job) {},
	} {
		j := model.Job{GroupID: group.ID, Name: name, Handler: model.T("h")}
		change(&j)
		added := addJob(t, source, j)
		if name != "fine" {
			continue
		}
		_, err := source.ImportLogs(t.Context(), []*model.Log{{
			ID: 5, GroupID: 77, JobID: added.ID, TriggerTime: noon, TriggerCode: 200, HandleCode: 200, HandleTime: noon,
		}}, "test", "x")
		require.NoError(t, err)
	}
	report := doImport(t, source, target, func(c *Config) { c.LogsAt = noon.AddDate(0, 0, -1) })
	assert.Equal(t, 7, report.Jobs.Copied)
	found := make(map[string]string)
	for _, it := range report.Jobs.Items {
		require.Len(t, it.Notes, 1, it.Name)
		found[it.Name] = it.Notes[0]
	}
	require.Len(t, found, len(notes))
	for name, want := range notes {
		assert.Contains(t, found[name], want)
	}
	log, err := target.Log(t.Context(), 5)
	require.NoError(t, err)
	assert.Equal(t, snapshot(t, target).Groups[0].ID, log.GroupID, "its group of then is gone: the job's of now")
}

func TestMarks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := ids(rapid.MapOf(rapid.Int32Range(1, 60), rapid.Int32Range(1, 60)).Draw(t, "ids"))
		got := ids{}
		for _, part := range want.encode(rapid.IntRange(1, 40).Draw(t, "size")) {
			if err := got.decode(part); err != nil {
				t.Fatal(err)
			}
		}
		assert.Equal(t, want, got)
	})
	assert.Equal(t, []string{"1-3,5>9,7-8>10"}, ids{1: 1, 2: 2, 3: 3, 5: 9, 7: 10, 8: 11}.encode(100))
	for _, text := range []string{"", "x", "1-", "3-1", "1>", "99999999999", "1-2147483647"} {
		assert.Error(t, ids{}.decode(text), text)
	}
	_, err := readMarks(map[string]string{"p.jobs.0": "?"}, "p.")
	assert.ErrorContains(t, err, "setting p.jobs.0")
}
