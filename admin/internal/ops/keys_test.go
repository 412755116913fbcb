package ops

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	now := noon
	w := newWorld(t, func(c *Config) { c.Now = func() time.Time { return now } })
	ctx := t.Context()
	in := KeyInput{
		Name: " ci ", Verbs: []model.Verb{model.VerbRead, model.VerbRun}, GroupIDs: []int32{w.gold, w.gold},
		Expires: noon.Add(time.Hour),
	}
	_, _, err := w.CreateKey(ctx, w.mine, in)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	k, secret, err := w.CreateKey(ctx, w.admin, in)
	require.NoError(t, err)
	assert.Equal(t, "ci", k.Name)
	assert.True(t, strings.HasPrefix(secret, k.Prefix))
	assert.Empty(t, k.Hash, "the hash stays in the database")
	row, err := w.db.Key(ctx, k.ID)
	require.NoError(t, err)
	assert.NotContains(t, secret, row.Hash)
	assert.NotContains(t, w.lastAudit(), secret)

	found, err := w.FindKey(ctx, secret)
	require.NoError(t, err)
	assert.Equal(t, k.ID, found.ID)
	row, err = w.db.Key(ctx, k.ID)
	require.NoError(t, err)
	assert.True(t, noon.Equal(row.Used))

	p := KeyPrincipal(found)
	assert.Equal(t, model.RoleOperator, p.RoleIn(w.gold), "read and run")
	assert.Equal(t, model.RoleNone, p.RoleIn(w.silver))
	assert.False(t, p.Admin)
	for _, wrong := range []string{"", "xja_", secret[:len(secret)-1], secret + "0", strings.ToUpper(secret), row.Hash} {
		_, err := w.FindKey(ctx, wrong)
		require.ErrorIs(t, err, ErrNoKey, wrong)
	}
	now = noon.Add(time.Hour)
	_, err = w.FindKey(ctx, secret)
	require.ErrorIs(t, err, ErrNoKey, "it has expired")
	now = noon
	require.NoError(t, w.RevokeKey(ctx, w.admin, k.ID))
	_, err = w.FindKey(ctx, secret)
	require.ErrorIs(t, err, ErrNoKey, "it is revoked")
	list, err := w.ListKeys(ctx, w.admin, model.KeyFilter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Empty(t, list[0].Hash)
	assert.Equal(t, NotFound, asError(t, w.RevokeKey(ctx, w.admin, 99)).Kind)
}

func TestKeyInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := KeyInput{Name: "ci", Verbs: []model.Verb{model.VerbRead}, AllGroups: true}
	tests := []struct {
		name   string
		change func(*KeyInput)
		want   string
	}{
		{"no name", func(k *KeyInput) { k.Name = " " }, "please input Name of the API key"},
		{"markup", func(k *KeyInput) { k.Name = "<b>" }, "Name of the API keyillegal"},
		{"long name", func(k *KeyInput) { k.Name = strings.Repeat("x", 65) }, "Name of the API key Length limit[0-64]"},
		{"no verb", func(k *KeyInput) { k.Verbs = nil }, "please choose Permissions of the API key"},
		{"unknown verb", func(k *KeyInput) { k.Verbs = []model.Verb{"fly"} }, "Permissions of the API keyillegal"},
		{
			"administrator of one group",
			func(k *KeyInput) { k.AllGroups, k.GroupIDs, k.Verbs = false, []int32{1}, []model.Verb{model.VerbAdmin} },
			"Permissions of the API keyillegal",
		},
		{"no group", func(k *KeyInput) { k.AllGroups = false }, "please choose Permission"},
		{"past end", func(k *KeyInput) { k.Expires = noon }, "End of the API keyillegal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := good
			tt.change(&in)
			_, _, err := w.CreateKey(t.Context(), w.admin, in)
			refusal(t, err, Invalid, tt.want)
		})
	}
	k, _, err := w.CreateKey(t.Context(), w.admin, good)
	require.NoError(t, err)
	everywhere := KeyPrincipal(k)
	assert.Equal(t, model.RoleViewer, everywhere.RoleIn(w.gold))
	assert.Equal(t, model.RoleViewer, everywhere.RoleIn(w.silver))
	w.create(bean(w.silver))
	jobs, _, err := w.ListJobs(t.Context(), everywhere, model.JobFilter{})
	require.NoError(t, err)
	assert.NotEmpty(t, jobs, "lists hold every group")
	_, _, err = w.ListUsers(t.Context(), everywhere, model.UserFilter{})
	assert.Equal(t, Forbidden, asError(t, err).Kind, "everywhere is not an administrator")
	assert.False(t, Principal{Everywhere: model.RoleEditor}.Can(w.gold, model.RoleViewer), "nobody may nothing")
}

func TestRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold))
	run := &model.Run{
		JobID: id, GroupID: w.gold, Type: model.TriggerManual, TriggerMs: noon.UnixMilli(), ShardTotal: 1,
		Param: model.T("that of the run"),
	}
	require.NoError(t, w.db.CreateRuns(ctx, []*model.Run{run}))
	_, err := w.Retry(ctx, w.mine, run.LogID)
	refusal(t, err, Conflict, "This run has not ended yet")
	require.NoError(t, w.done.Results(ctx, []*model.Outcome{{
		LogID: run.LogID, Handle: &model.HandleResult{Code: model.CodeFail, AtMs: noon.UnixMilli()},
	}}))
	ids, err := w.Retry(ctx, w.mine, run.LogID)
	require.NoError(t, err)
	assert.Equal(t, []int64{41, 42}, ids)
	assert.Equal(t, "that of the run", *w.disp.in.Param)
	assert.Nil(t, w.disp.in.Shard)
	_, err = w.Retry(ctx, Principal{Name: "x", Source: "login"}, run.LogID)
	assert.Equal(t, Forbidden, asError(t, err).Kind)

	shard := &model.Run{
		JobID: id, GroupID: w.gold, Type: model.TriggerManual, TriggerMs: noon.UnixMilli(),
		Sharded: true, ShardIndex: 1, ShardTotal: 2, Address: "http://10.0.0.2:9999/",
	}
	require.NoError(t, w.db.CreateRuns(ctx, []*model.Run{shard}))
	require.NoError(t, w.done.Results(ctx, []*model.Outcome{{
		LogID: shard.LogID, Handle: &model.HandleResult{Code: model.CodeFail, AtMs: noon.UnixMilli()},
	}}))
	_, err = w.Retry(ctx, w.mine, shard.LogID)
	require.NoError(t, err)
	assert.Equal(t, &Shard{1, 2}, w.disp.in.Shard)
	assert.Equal(t, []string{"http://10.0.0.2:9999"}, w.disp.in.Addresses, "where it ran")
	assert.Equal(t, model.Cause{Kind: model.CauseAgain, Parent: shard.LogID, Who: w.mine.Name}, w.disp.in.Cause)

	gone := &model.Run{
		JobID: id, GroupID: w.gold, Type: model.TriggerManual, TriggerMs: noon.UnixMilli(),
		Sharded: true, ShardTotal: 2, Address: "http://10.0.0.99:9999/",
	}
	require.NoError(t, w.db.CreateRuns(ctx, []*model.Run{gone}))
	require.NoError(t, w.done.Results(ctx, []*model.Outcome{{
		LogID: gone.LogID, Handle: &model.HandleResult{Code: model.CodeFail, AtMs: noon.UnixMilli()},
	}}))
	_, err = w.Retry(ctx, w.mine, gone.LogID)
	require.NoError(t, err)
	assert.Equal(t, &Shard{0, 2}, w.disp.in.Shard)
	assert.Empty(t, w.disp.in.Addresses, "its executor is gone: another one")
}
