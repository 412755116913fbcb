package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/importer"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// sourceFile makes a database with one group, job and user.
func sourceFile(t *testing.T) string {
	t.Helper()
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "old.db")
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	group := &model.Group{AppName: "orders", Title: "Orders", UpdateTime: at}
	require.NoError(t, s.CreateGroup(t.Context(), group))
	require.NoError(t, s.CreateJob(t.Context(), &model.Job{
		GroupID: group.ID, Name: "settle", AddTime: at, UpdateTime: at, GlueType: model.GlueBean, Handler: model.T("settle"),
		ScheduleType: model.ScheduleCron, ScheduleConf: model.T("0 0 3 * * ?"), Misfire: model.MisfireDoNothing,
		Route: model.RouteFirst, Block: model.BlockSerial, Running: true, NextMs: 1_772_420_400_000,
	}))
	require.NoError(t, s.CreateUser(t.Context(), &model.User{Username: "clerk", JavaHash: "x", Permission: model.T("1")}))
	require.NoError(t, s.Close())
	return dsn
}

// TestImport: a dry run makes nothing, an import copies and prints what it did,
// and a second one changes nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	from, data := sourceFile(t), filepath.Join(t.TempDir(), "data")
	args := []string{
		"import", "--from", from, "--data-dir", data, "--time-zone", "UTC", "--from-time-zone", "Asia/Tokyo",
		"--log-level", "error",
	}
	code, out, errOut := call(t, "", append(args, "--dry-run", "--json")...)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.NoDirExists(t, data)
	var report importer.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.True(t, report.DryRun)
	assert.Equal(t, [3]int{1, 1, 1}, [3]int{report.Groups.Copied, report.Jobs.Copied, report.Users.Copied})

	code, out, errOut = call(t, "", append(args, "--new-passwords", "--logs", "7")...)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Regexp(t, `copied 1 "clerk", password [a-z2-7]{20}`, out)
	assert.Contains(t, out, "1 of the copied jobs are switched on: stop the other admin")
	code, out, errOut = call(t, "", append(args, "--json")...)
	require.Equal(t, cli.ExitOK, code, errOut)
	report = importer.Report{}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.False(t, report.Changes())
	assert.Equal(t, 1, report.Jobs.Present)

	s, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(data, databaseFile), Location: time.UTC})
	require.NoError(t, err)
	defer s.Close()
	snap, err := s.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Asia/Tokyo", snap.Jobs[0].TimeZone)
	clerk, err := s.UserByName(t.Context(), "clerk")
	require.NoError(t, err)
	assert.NotEmpty(t, clerk.Hash)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mysql://h:3306/x", place("mysql://u:s3cret@h:3306/x?timeout=1s"))
	assert.Equal(t, "sqlite:/a/b.db", place("sqlite:///a/b.db"))
	assert.Equal(t, "database", place("mysql://u:%zz@h/x"))
}
