package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// roles reads the roles of a user.
func (f *fixture) roles(t *testing.T, id int32) string {
	t.Helper()
	u, err := f.User(t.Context(), id)
	require.NoError(t, err)
	return model.RolesText(u.Roles())
}

func (f *fixture) userRoles(t *testing.T) {
	ctx := t.Context()
	u := &model.User{Username: "roles1", JavaHash: "x"}
	u.SetRoles(map[int32]model.Role{31: model.RoleViewer, 32: model.RoleAdmin, 33: model.RoleEditor})
	require.NoError(t, f.CreateUser(ctx, u))
	got, err := f.User(ctx, u.ID)
	require.NoError(t, err)
	assert.Equal(t, u, got)
	got, err = f.UserByName(ctx, "roles1")
	require.NoError(t, err)
	assert.Equal(t, u, got)
	other := f.addUser(t, "roles2", false)

	list, _, err := f.Users(ctx, model.UserFilter{Username: "roles"})
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "31=viewer 32=admin 33=editor", model.RolesText(list[0].Roles()))
	assert.Equal(t, "1=editor 2=editor", model.RolesText(list[1].Roles()))
	for group, want := range map[int32]string{31: "roles1", 33: "roles1", 2: "roles1,roles2", 39: ""} {
		list, _, err = f.Users(ctx, model.UserFilter{Username: "roles", GroupID: group}) // 2 is a part of 32 too
		require.NoError(t, err)
		names := make([]string, len(list))
		for i, one := range list {
			names[i] = one.Username
		}
		assert.Equal(t, want, strings.Join(names, ","), group)
	}
	list, _, err = f.Users(ctx, model.UserFilter{Username: "roles", AfterID: u.ID})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, other.ID, list[0].ID)

	got.Grant(31, model.RoleNone)
	got.Grant(33, model.RoleOperator)
	require.NoError(t, f.UpdateUser(ctx, got))
	assert.Equal(t, "32=admin 33=operator", f.roles(t, u.ID))
	before, after, err := f.SetRole(ctx, u.ID, 32, model.RoleViewer)
	require.NoError(t, err)
	assert.Equal(t, "32=admin 33=operator", model.RolesText(before.Roles()))
	assert.Equal(t, "32=viewer 33=operator", model.RolesText(after.Roles()))
	assert.Empty(t, after.JavaHash+after.Hash)
	assert.Equal(t, "32=viewer 33=operator", f.roles(t, u.ID))
	_, _, err = f.SetRole(ctx, 1<<30, 32, model.RoleViewer)
	require.ErrorIs(t, err, store.ErrNotFound)

	// Several at the same time, each in its group: none is lost.
	var wg sync.WaitGroup
	for group := range int32(8) {
		wg.Go(func() {
			_, _, err := f.SetRole(ctx, other.ID, 100+group, model.Roles()[group%4])
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	var want []string
	for group := range int32(8) {
		want = append(want, fmt.Sprintf("%d=%v", 100+group, model.Roles()[group%4]))
	}
	assert.Equal(t, "1=editor 2=editor "+strings.Join(want, " "), f.roles(t, other.ID))

	full := f.addUser(t, "roles3", false)
	full.Permission = model.T(strings.Repeat("12345,", 42))
	require.NoError(t, f.UpdateUser(ctx, full))
	for group := int32(1_000_000); err == nil || group == 1_000_000; group++ {
		_, _, err = f.SetRole(ctx, full.ID, group, model.RoleEditor)
	}
	require.ErrorIs(t, err, store.ErrTooLong)

	require.NoError(t, f.DeleteUser(ctx, u.ID))
	assert.Zero(t, f.number(t, fmt.Sprintf("SELECT COUNT(*) FROM xxljob_group_role WHERE user_id = %d", u.ID)))
}

// tidyRoles: what a Java console has overtaken goes, what counts stays.
func (f *fixture) tidyRoles(t *testing.T) {
	ctx := t.Context()
	_, err := f.TidyRoles(ctx) // what other tests have left
	require.NoError(t, err)
	groups := make([]int32, 3)
	for i := range groups {
		g := &model.Group{AppName: fmt.Sprintf("tidy-%d", i), Title: "t"}
		require.NoError(t, f.CreateGroup(ctx, g))
		groups[i] = g.ID
	}
	u := &model.User{Username: "tidy1", JavaHash: "x"}
	u.SetRoles(map[int32]model.Role{
		groups[0]: model.RoleAdmin, groups[1]: model.RoleViewer, groups[2]: model.RoleOperator,
		1 << 30: model.RoleViewer,
	})
	require.NoError(t, f.CreateUser(ctx, u))
	gone := &model.User{Username: "tidy2", JavaHash: "x", Own: map[int32]model.Role{groups[1]: model.RoleViewer}}
	require.NoError(t, f.CreateUser(ctx, gone))
	n, err := f.TidyRoles(ctx)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "of a group that is not there")

	// As a Java console writes: the admin's group goes, a viewer gets one.
	f.exec(t, "UPDATE xxl_job_user SET permission = ? WHERE id = ?", fmt.Sprint(groups[1]), u.ID)
	f.exec(t, "DELETE FROM xxl_job_user WHERE id = ?", gone.ID)
	assert.Equal(t, fmt.Sprintf("%d=editor %d=operator", groups[1], groups[2]), f.roles(t, u.ID))
	n, err = f.TidyRoles(ctx)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	n, err = f.TidyRoles(ctx)
	require.NoError(t, err)
	assert.Zero(t, n)
	f.exec(t, "UPDATE xxl_job_user SET permission = ? WHERE id = ?", fmt.Sprint(groups[0]), u.ID)
	assert.Equal(t, fmt.Sprintf("%d=editor %d=operator", groups[0], groups[2]), f.roles(t, u.ID),
		"no leftover admin, no leftover viewer")
}
