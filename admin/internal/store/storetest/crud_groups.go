package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func crudGroups(t *testing.T, f *fixture) {
	t.Run("a group comes back as it went in", f.groupRoundTrip)
	t.Run("list", f.groupList)
	t.Run("limits", f.groupLimits)
	t.Run("delete", f.groupDelete)
	t.Run("bring back", f.groupRestore)
	t.Run("addresses of a group", f.groupAddresses)
	t.Run("heartbeats", f.beats)
	t.Run("heartbeats of two nodes", f.beatsAtOnce)
	t.Run("many heartbeats", f.manyBeats)
	t.Run("what is known of addresses", f.addressInfo)
}

func sameGroup(t *testing.T, want, got *model.Group) {
	t.Helper()
	sameTime(t, want.UpdateTime, got.UpdateTime, "UpdateTime")
	w, g := *want, *got
	w.UpdateTime, g.UpdateTime = time.Time{}, time.Time{}
	assert.Equal(t, w, g)
}

func (f *fixture) groupRoundTrip(t *testing.T) {
	ctx := t.Context()
	g := &model.Group{
		AppName: "app-one", Title: "执行器 Ü", Manual: true, AddressList: model.T("http://a:1/,http://b:2/"),
		AccessToken: "s3cret'?", UpdateTime: noon,
	}
	require.NoError(t, f.CreateGroup(ctx, g))
	require.Positive(t, g.ID)
	got, err := f.Group(ctx, g.ID)
	require.NoError(t, err)
	sameGroup(t, g, got)
	assert.Equal(t, f.info.GroupToken, f.number(t, "SELECT COUNT(*) FROM xxljob_group WHERE group_id = ?", g.ID) == 0,
		"the token lies in Java's column where there is one")

	g.AppName, g.Title, g.UpdateTime = "app-two", "t", noon.Add(time.Second)
	g.Manual, g.AddressList = false, model.Text{}
	for _, token := range []string{"other", ""} {
		g.AccessToken = token
		require.NoError(t, f.UpdateGroup(ctx, g))
		got, err = f.Group(ctx, g.ID)
		require.NoError(t, err)
		sameGroup(t, g, got)
	}
	for _, old := range []*model.OldToken{{Token: "before", Until: noon}, {Token: ""}, nil} {
		require.NoError(t, f.SetGroupToken(ctx, g.ID, "next", old, noon.Add(time.Second)))
		got, err = f.Group(ctx, g.ID)
		require.NoError(t, err)
		assert.Equal(t, "next", got.AccessToken)
		assert.Equal(t, old == nil, got.Old == nil)
		if old != nil {
			assert.Equal(t, old.Token, got.Old.Token)
			assert.Equal(t, old.Until.IsZero(), got.Old.Until.IsZero())
			assert.True(t, old.Until.IsZero() || old.Until.Equal(got.Old.Until))
		}
	}
	require.NoError(t, f.SetGroupToken(ctx, g.ID, "", &model.OldToken{Token: "x"}, noon))
	require.NoError(t, f.EndOldToken(ctx, g.ID))
	require.NoError(t, f.EndOldToken(ctx, g.ID))
	require.ErrorIs(t, f.SetGroupToken(ctx, 1<<30, "", nil, noon), store.ErrNotFound)
	require.ErrorIs(t, f.SetGroupToken(ctx, g.ID, strings.Repeat("t", 256), nil, noon), store.ErrTooLong)
	_, err = f.Group(ctx, 1<<30)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, f.UpdateGroup(ctx, &model.Group{ID: 1 << 30, AppName: "none"}), store.ErrNotFound)

	again := &model.Group{AppName: "app-two", Title: "second"}
	err = f.CreateGroup(ctx, again)
	if f.info.Generation == "S5" {
		require.ErrorIs(t, err, store.ErrDuplicate)
		return
	}
	require.NoError(t, err, "app names are not unique before S5")
	require.NoError(t, f.DeleteGroup(ctx, again.ID))
}

func (f *fixture) groupList(t *testing.T) {
	ctx := t.Context()
	for _, g := range []struct{ app, title string }{
		{"list-b", "Beta"}, {"list-a", "zz_1"}, {"list-c%", "zzX1"}, {"list-d", "beta2"},
	} {
		require.NoError(t, f.CreateGroup(ctx, &model.Group{AppName: g.app, Title: g.title}))
	}
	tests := []struct {
		name  string
		give  model.GroupFilter
		want  string
		total int
	}{
		{name: "app name", give: model.GroupFilter{AppName: "LIST-"}, want: "list-a,list-b,list-c%,list-d", total: 4},
		{name: "title", give: model.GroupFilter{Title: "bETA"}, want: "list-b,list-d", total: 2},
		{name: "both", give: model.GroupFilter{AppName: "list-d", Title: "beta"}, want: "list-d", total: 1},
		{name: "percent", give: model.GroupFilter{AppName: "%"}, want: "list-c%", total: 1},
		{name: "underscore", give: model.GroupFilter{Title: "zz_1"}, want: "list-a", total: 1},
		{
			name: "page", give: model.GroupFilter{AppName: "list-", Offset: 1, Limit: 2},
			want: "list-b,list-c%", total: 4,
		},
		{name: "none", give: model.GroupFilter{AppName: "nobody"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, total, err := f.Groups(t.Context(), tt.give)
			require.NoError(t, err)
			names := make([]string, len(list))
			for i, g := range list {
				names[i] = g.AppName
			}
			assert.Equal(t, tt.want, strings.Join(names, ","))
			assert.Equal(t, tt.total, total)
		})
	}
	all, err := f.AllGroups(ctx)
	require.NoError(t, err)
	assert.Len(t, all, int(f.number(t, "SELECT COUNT(*) FROM xxl_job_group")))
}

func (f *fixture) groupLimits(t *testing.T) {
	ctx := t.Context()
	if f.info.Generation == "S1" {
		require.Equal(t, 12, f.info.TitleMax)
	}
	title := strings.Repeat("题", f.info.TitleMax)
	g := &model.Group{AppName: strings.Repeat("a", 64), Title: title, AddressList: model.T(strings.Repeat("x", 65535))}
	require.NoError(t, f.CreateGroup(ctx, g), "every text as long as may be")
	got, err := f.Group(ctx, g.ID)
	require.NoError(t, err)
	sameGroup(t, g, got)

	refused(t, f.CreateGroup(ctx, &model.Group{AppName: strings.Repeat("a", 65)}), store.ErrTooLong, "app name")
	refused(t, f.CreateGroup(ctx, &model.Group{AppName: "a", Title: title + "x"}), store.ErrTooLong, "title")
	refused(t, f.CreateGroup(ctx, &model.Group{AppName: "a", AddressList: model.T(strings.Repeat("x", 65536))}),
		store.ErrTooLong, "address list")
	refused(t, f.CreateGroup(ctx, &model.Group{AppName: "a", AccessToken: strings.Repeat("t", 256)}),
		store.ErrTooLong, "access token")
	refused(t, f.UpdateGroup(ctx, &model.Group{ID: g.ID, AppName: "a\x00"}), store.ErrBadText, "app name")
}

func (f *fixture) groupDelete(t *testing.T) {
	ctx := t.Context()
	g, other := &model.Group{AppName: "gone", AccessToken: "t"}, &model.Group{AppName: "stay", AccessToken: "u"}
	require.NoError(t, f.CreateGroup(ctx, g))
	require.NoError(t, f.CreateGroup(ctx, other))
	require.NoError(t, f.SaveBeats(ctx, []model.Beat{
		{Group: "EXECUTOR", Key: "gone", Value: "http://a/", At: noon},
		{Group: "EXECUTOR", Key: "stay", Value: "http://b/", At: noon},
	}))
	require.NoError(t, f.DeleteGroup(ctx, g.ID))
	require.NoError(t, f.DeleteGroup(ctx, g.ID), "one that is gone is no error")
	_, err := f.Group(ctx, g.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_registry WHERE registry_key = 'gone'"))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_group WHERE group_id = ?", g.ID))
	assert.Equal(t, int64(1), f.number(t, "SELECT COUNT(*) FROM xxl_job_registry WHERE registry_key = 'stay'"))
	got, err := f.Group(ctx, other.ID)
	require.NoError(t, err)
	assert.Equal(t, "u", got.AccessToken)
	require.NoError(t, f.DeleteBeats(ctx, []model.Beat{{Group: "EXECUTOR", Key: "stay", Value: "http://b/"}}))
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxl_job_registry"))
}

func (f *fixture) groupAddresses(t *testing.T) {
	ctx := t.Context()
	auto := &model.Group{AppName: "auto", AddressList: model.T("http://old/"), UpdateTime: noon}
	manual := &model.Group{AppName: "manual", Manual: true, AddressList: model.T("http://typed/"), UpdateTime: noon}
	require.NoError(t, f.CreateGroup(ctx, auto))
	require.NoError(t, f.CreateGroup(ctx, manual))
	for _, list := range []model.Text{model.T("http://a/,http://b/"), {}} {
		require.NoError(t, f.SetAddresses(ctx, auto.ID, list, noon.Add(time.Minute)))
		got, err := f.Group(ctx, auto.ID)
		require.NoError(t, err)
		assert.Equal(t, list, got.AddressList)
		sameTime(t, noon.Add(time.Minute), got.UpdateTime, "UpdateTime")
	}
	require.NoError(t, f.SetAddresses(ctx, manual.ID, model.T("http://a/"), noon.Add(time.Minute)))
	got, err := f.Group(ctx, manual.ID)
	require.NoError(t, err)
	assert.Equal(t, "http://typed/", got.AddressList.S, "what was typed stays")
	require.NoError(t, f.SetAddresses(ctx, 1<<30, model.T("x"), noon))
	long := model.T(strings.Repeat("x", 65536))
	refused(t, f.SetAddresses(ctx, auto.ID, long, noon), store.ErrTooLong, "address list")
}

// liveOf lists the values of an app's live heartbeats.
func (f *fixture) liveOf(t *testing.T, app string, since time.Time) []string {
	t.Helper()
	beats, err := f.LiveBeats(t.Context(), since)
	require.NoError(t, err)
	list := []string{}
	for _, b := range beats {
		if b.Key == app {
			list = append(list, b.Value+" "+b.At.In(Zone).Format("04:05"))
		}
	}
	return list
}

func (f *fixture) beats(t *testing.T) {
	ctx := t.Context()
	beat := func(value string, seconds int) model.Beat {
		return model.Beat{
			Group: "EXECUTOR", Key: "app", Value: "http://" + value + "/",
			At: noon.Add(time.Duration(seconds) * time.Second),
		}
	}
	require.NoError(t, f.SaveBeats(ctx, nil))
	require.NoError(t, f.SaveBeats(ctx, []model.Beat{beat("b", 0), beat("a", 1), beat("b", 5), beat("c", 2)}))
	assert.Equal(t, []string{"http://a/ 00:01", "http://b/ 00:05", "http://c/ 00:02"}, f.liveOf(t, "app", noon))
	rows := f.number(t, "SELECT COUNT(*) FROM xxl_job_registry WHERE registry_key = 'app'")
	assert.Equal(t, int64(3), rows)
	before := f.number(t, "SELECT MAX(id) FROM xxl_job_registry")
	require.NoError(t, f.SaveBeats(ctx, []model.Beat{beat("b", 3), beat("a", 30), beat("d", 30)}))
	assert.Equal(t, []string{"http://a/ 00:30", "http://b/ 00:05", "http://c/ 00:02", "http://d/ 00:30"},
		f.liveOf(t, "app", noon), "an older time changes nothing")
	assert.Equal(t, before+1, f.number(t, "SELECT MAX(id) FROM xxl_job_registry"), "known addresses use up no ids")
	assert.Equal(t, []string{"http://a/ 00:30", "http://d/ 00:30"}, f.liveOf(t, "app", noon.Add(5*time.Second)))

	n, err := f.ExpireBeats(ctx, noon.Add(5*time.Second))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, []string{"http://a/ 00:30", "http://b/ 00:05", "http://d/ 00:30"}, f.liveOf(t, "app", noon))
	require.NoError(t, f.DeleteBeats(ctx, nil))
	require.NoError(t, f.DeleteBeats(ctx, []model.Beat{beat("d", 0), beat("d", 9), beat("nobody", 0)}))
	assert.Equal(t, []string{"http://a/ 00:30", "http://b/ 00:05"}, f.liveOf(t, "app", noon))
	// What a collation takes for the same is another registration.
	require.NoError(t, f.DeleteBeats(ctx, []model.Beat{
		{Group: "EXECUTOR", Key: "APP", Value: "http://a/"},
		{Group: "EXECUTOR", Key: "app", Value: "http://B/"},
		{Group: "executor", Key: "app", Value: "http://a/"},
		{Group: "EXECUTOR", Key: "app ", Value: "http://a/"},
	}))
	assert.Equal(t, []string{"http://a/ 00:30", "http://b/ 00:05"}, f.liveOf(t, "app", noon))

	if !f.info.UniqueRegistry { // rows that a newer Java admin leaves on an old schema
		f.exec(t, "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) "+
			"VALUES ('EXECUTOR', 'app', 'http://a/', ?)", wall(noon))
		require.NoError(t, f.SaveBeats(ctx, []model.Beat{beat("a", 40)}))
		assert.Equal(t, []string{"http://a/ 00:40", "http://a/ 00:40", "http://b/ 00:05"}, f.liveOf(t, "app", noon))
		require.NoError(t, f.DeleteBeats(ctx, []model.Beat{beat("a", 0)}))
		assert.Equal(t, []string{"http://b/ 00:05"}, f.liveOf(t, "app", noon))
	}
	refused(t, f.SaveBeats(ctx, []model.Beat{{Group: strings.Repeat("g", 51)}}), store.ErrTooLong, "registry group")
	refused(t, f.SaveBeats(ctx, []model.Beat{{Key: strings.Repeat("g", 256)}}), store.ErrTooLong, "app name")
	refused(t, f.SaveBeats(ctx, []model.Beat{{Value: "\xff"}}), store.ErrBadText, "address")
}

func (f *fixture) beatsAtOnce(t *testing.T) {
	beats := make([]model.Beat, 100)
	for i := range beats {
		beats[i] = model.Beat{Group: "EXECUTOR", Key: "both", Value: fmt.Sprintf("http://h%03d/", i), At: noon}
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for n := range errs {
		wg.Go(func() { errs[n] = f.SaveBeats(t.Context(), beats) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	if f.info.UniqueRegistry {
		assert.Len(t, f.liveOf(t, "both", noon.Add(-time.Second)), len(beats))
	}
	require.NoError(t, f.DeleteBeats(t.Context(), beats))
	assert.Empty(t, f.liveOf(t, "both", noon.Add(-time.Second)))
}

func (f *fixture) manyBeats(t *testing.T) {
	beats := make([]model.Beat, 1500) // more than one statement takes
	for i := range beats {
		beats[i] = model.Beat{
			Group: "EXECUTOR", Key: fmt.Sprint("many", i%7), Value: fmt.Sprint(i), At: noon.Add(-time.Hour),
		}
	}
	require.NoError(t, f.SaveBeats(t.Context(), beats))
	assert.Len(t, f.liveOf(t, "many3", noon.Add(-2*time.Hour)), 1500/7)
	n, err := f.ExpireBeats(t.Context(), noon.Add(-time.Minute))
	require.NoError(t, err)
	assert.Equal(t, 1500, n)
}

func (f *fixture) addressInfo(t *testing.T) {
	ctx := t.Context()
	require.NoError(t, f.SaveAddressInfo(ctx, nil))
	require.NoError(t, f.SaveAddressInfo(ctx, []store.AddressInfo{
		{Address: "http://b/", Dialect: "run", SeenMs: 1},
		{Address: "http://a/", Dialect: "trigger", Native: true, SeenMs: 2},
	}))
	require.NoError(t, f.SaveAddressInfo(ctx, []store.AddressInfo{
		{Address: "http://b/", Dialect: "x", SeenMs: 2},
		{Address: "http://b/", Dialect: "trigger", Native: true, SeenMs: 3},
	}))
	list, err := f.AddressInfos(ctx)
	require.NoError(t, err)
	assert.Equal(t, []store.AddressInfo{
		{Address: "http://a/", Dialect: "trigger", Native: true, SeenMs: 2},
		{Address: "http://b/", Dialect: "trigger", Native: true, SeenMs: 3},
	}, list)
	n, err := f.ExpireAddressInfos(ctx, 3)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	long := strings.Repeat("a", 256)
	refused(t, f.SaveAddressInfo(ctx, []store.AddressInfo{{Address: long}}), store.ErrTooLong, "address")
	refused(t, f.SaveAddressInfo(ctx, []store.AddressInfo{{Dialect: long[:17]}}), store.ErrTooLong, "dialect")
}
