package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// sentTo is the acceptance of a run by an executor at an address.
func sentTo(address string) *model.Outcome {
	return &model.Outcome{Trigger: &model.TriggerResult{Code: 200, Address: address, AtMs: noon.UnixMilli()}}
}

// standingWorld is a world in which the second address of the group gold does not
// answer, and calls are on their way to the first.
func standingWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(cfg *Config) {
		cfg.LastBeat = func(app string) time.Time {
			return map[string]time.Time{"golden-app": noon.Add(-time.Second), "bronze-app": noon.Add(-time.Hour)}[app]
		}
		cfg.States = func(_ context.Context, groups []*model.Group) (map[int32]map[string]model.AddressState, error) {
			states := map[int32]map[string]model.AddressState{}
			for _, g := range groups {
				if states[g.ID] = map[string]model.AddressState{}; g.AppName == "golden-app" {
					states[g.ID]["http://10.0.0.1:9999/"] = model.AddressState{InFlight: 2, Queued: 5}
					states[g.ID]["http://10.0.0.2:9999"] = model.AddressState{DeadSince: noon, Queued: 1}
				}
			}
			return states, nil
		}
	})
}

// TestStandings: a group has its calls, its beat and its open runs, those too at
// addresses that it does not have any more; nobody hears of foreign groups.
func TestStandings(t *testing.T) {
	t.Parallel()
	w := standingWorld(t)
	ctx := t.Context()
	mine, foreign := w.create(bean(w.gold, everySecond)), w.create(bean(w.silver))
	require.NoError(t, w.StartJob(ctx, w.mine, mine))
	w.run(mine, noon, sentTo("http://10.0.0.2:9999/"))
	w.run(mine, noon, sentTo("http://10.0.0.2:9999"))
	w.run(mine, noon, sentTo("http://10.0.0.3:9999/"))
	w.run(mine, noon, sentTo("http://10.0.0.1:9999/"), handled(200, ""))
	w.run(mine, noon)
	w.run(foreign, noon, sentTo("http://10.0.9.1:9999/"))

	list, err := w.Standings(ctx, w.mine)
	require.NoError(t, err)
	require.Len(t, list, 1)
	st := list[0]
	assert.Equal(t, "golden-app", st.AppName)
	assert.Equal(t, []any{1, 2, 6, 3, 1, noon.Add(-time.Second)},
		[]any{st.Dead, st.InFlight, st.Queued, st.Open, st.Started, st.LastBeat})
	require.Len(t, st.At, 2)
	assert.Equal(t, []int{0, 2}, []int{st.At[0].Open, st.At[1].Open}, "a slash at the end makes no difference")
	assert.Equal(t, []AddressStanding{{Address: "http://10.0.0.3:9999/", Open: 1}}, st.Gone)

	_, err = w.Standing(ctx, w.mine, w.silver)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
	one, err := w.Standing(ctx, w.admin, w.silver)
	require.NoError(t, err)
	assert.Equal(t, 1, one.At[0].Open)
	open, err := w.OpenAt(ctx, w.admin, w.silver)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 0}, []int{open("http://10.0.9.1:9999"), open("http://10.0.0.2:9999")})
	_, err = w.OpenAt(ctx, w.mine, w.silver)
	assert.Equal(t, Forbidden, asError(t, err).Kind)
}

// TestStandingOrder: each order, both ways; equal ones by their ids.
func TestStandingOrder(t *testing.T) {
	t.Parallel()
	w := standingWorld(t)
	lonely, idle := w.group("bronze-app", "http://10.0.7.1:1/"), w.group("copper-app", "http://10.0.8.1:1/")
	for _, id := range []int32{lonely, idle} {
		g, err := w.db.Group(t.Context(), id)
		require.NoError(t, err)
		g.AddressList, g.Title = model.T(""), strings.ToUpper(g.AppName)
		require.NoError(t, w.db.UpdateGroup(t.Context(), g))
	}
	require.NoError(t, w.StartJob(t.Context(), w.admin, w.create(bean(lonely, everySecond))))
	w.run(w.create(bean(w.silver)), noon, sentTo("http://10.0.9.1:9999/"))
	list, err := w.Standings(t.Context(), w.admin)
	require.NoError(t, err)
	want := map[string]string{
		"need": "bgsc", "-need": "csgb", "name": "bcgs", "-name": "gscb", "addresses": "bcsg", "-addresses": "gsbc",
		"beat": "scbg", "-beat": "gbsc", "open": "gbcs", "-open": "sgbc", "inflight": "sbcg", "-inflight": "gsbc",
		"queued": "sbcg", "-queued": "gsbc",
	}
	for _, sort := range StandingSorts() {
		for _, sort := range []string{sort, "-" + sort} {
			slices.SortFunc(list, func(a, b *Standing) int { return ComparePlaces(sort, a.Place(sort), b.Place(sort)) })
			var got strings.Builder
			for _, st := range list {
				fmt.Fprint(&got, st.AppName[:1])
			}
			assert.Equal(t, want[sort], got.String(), sort)
		}
	}
}
