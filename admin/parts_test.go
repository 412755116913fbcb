package admin

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/route"
)

// TestOneShardAgain: a shard of a broadcast runs alone, with its own number, at the
// address that is named, or where a retry of it would go.
func TestOneShardAgain(t *testing.T) {
	t.Parallel()
	st := openTest(t)
	client, err := execclient.New(execclient.Config{})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	group := &model.Group{ID: 1, AddressList: model.T("http://127.0.0.1:1/,http://127.0.0.1:2/,http://127.0.0.1:3/")}
	d, err := dispatch.New(t.Context(), dispatch.Config{
		Client: client, Router: route.New(), Group: func(int32) (*model.Group, bool) { return group, true },
		MaySend: func(int32, int64) bool { return true }, Report: func(model.Outcome) {}, SetAddresses: st.SetRunAddresses,
	})
	require.NoError(t, err)
	m := manual{store: st, dispatcher: d, now: time.Now}
	j := &model.Job{ID: 1, GroupID: 1, Route: model.RouteShardingBroadcast, GlueType: model.GlueBean}
	by := model.Cause{Kind: model.CauseAgain, Parent: 5, Who: "ann"}
	for _, tt := range []struct {
		name  string
		at    []string
		route model.Route
		want  string
	}{
		{"where it ran", []string{"http://127.0.0.1:3/"}, model.RouteShardingBroadcast, "http://127.0.0.1:3/"},
		{"its executor is gone", nil, model.RouteShardingBroadcast, "http://127.0.0.1:2/"},
		{"its job is no broadcast any more", []string{"http://127.0.0.1:3/"}, model.RouteFirst, "http://127.0.0.1:3/"},
	} {
		j.Route = tt.route
		in := ops.TriggerInput{Shard: &ops.Shard{Index: 1, Total: 4}, Addresses: tt.at, Cause: by}
		ids, err := m.Trigger(t.Context(), j, in)
		require.NoError(t, err, tt.name)
		require.Len(t, ids, 1, tt.name)
		l, err := st.Log(t.Context(), ids[0])
		require.NoError(t, err)
		require.NoError(t, st.SetCauses(t.Context(), []*model.Log{l}))
		assert.Equal(t, "1/4", l.ShardingParam.S, tt.name)
		assert.Equal(t, tt.want, l.Address.S, tt.name)
		assert.Equal(t, by, l.Cause, tt.name)
	}
	j.Route = model.RouteShardingBroadcast
	ids, err := m.Trigger(t.Context(), j, ops.TriggerInput{})
	require.NoError(t, err)
	assert.Len(t, ids, 3, "the whole broadcast")
}
