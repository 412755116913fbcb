package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRoleNames(t *testing.T) {
	t.Parallel()
	for _, r := range Roles() {
		got, ok := ParseRole(r.String())
		assert.True(t, ok)
		assert.Equal(t, r, got)
	}
	for _, bad := range []string{"", "none", "Admin", "owner", "administrator"} {
		r, ok := ParseRole(bad)
		assert.False(t, ok, bad)
		assert.Equal(t, RoleNone, r)
	}
	assert.Empty(t, Role(9).String())
}

// TestUserRoles: what the column of the Java admin and our own rows make together.
func TestUserRoles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		permission string
		own        map[int32]Role
		want       string
		stale      []int32
	}{
		{name: "nothing"},
		{name: "the column alone, as of old", permission: " 7,x,3", want: "3=editor 7=editor"},
		{name: "ours alone", own: map[int32]Role{3: RoleViewer, 7: RoleOperator}, want: "3=viewer 7=operator"},
		{name: "admin of a group", permission: "3", own: map[int32]Role{3: RoleAdmin}, want: "3=admin"},
		{name: "Java took the admin's group away", own: map[int32]Role{3: RoleAdmin}, stale: []int32{3}},
		{
			name: "Java gave a viewer the group", permission: "3", own: map[int32]Role{3: RoleViewer, 7: RoleOperator},
			want: "3=editor 7=operator", stale: []int32{3},
		},
		{name: "a row of an editor is no more than the column", own: map[int32]Role{3: RoleEditor}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &User{Permission: T(tt.permission), Own: tt.own}
			assert.Equal(t, tt.want, RolesText(u.Roles()))
			assert.Equal(t, tt.stale, u.Stale())
		})
	}
}

// TestSetRoles: what is set is what is there, a Java admin sees editors and admins
// alone, and nothing stale is left.
func TestSetRoles(t *testing.T) {
	t.Parallel()
	u := &User{Permission: T("9"), Own: map[int32]Role{9: RoleAdmin, 8: RoleViewer}}
	roles := map[int32]Role{1: RoleViewer, 2: RoleOperator, 30: RoleEditor, 4: RoleAdmin, 5: RoleNone}
	u.SetRoles(roles)
	assert.Equal(t, "4,30", u.Permission.S)
	assert.Equal(t, map[int32]Role{1: RoleViewer, 2: RoleOperator, 4: RoleAdmin}, u.Own)
	delete(roles, 5)
	assert.Equal(t, roles, u.Roles())
	assert.Empty(t, u.Stale())

	u.Grant(4, RoleViewer)
	u.Grant(1, RoleNone)
	u.Grant(6, RoleAdmin)
	assert.Equal(t, "2=operator 4=viewer 6=admin 30=editor", RolesText(u.Roles()))
	assert.Equal(t, "6,30", u.Permission.S)
	u.SetRoles(nil)
	assert.Equal(t, User{Permission: T("")}, *u)
}

// TestSetGroups: a console of the Java admin writes the column, and sees nothing
// else.
func TestSetGroups(t *testing.T) {
	t.Parallel()
	own := map[int32]Role{1: RoleViewer, 2: RoleAdmin, 3: RoleAdmin, 4: RoleOperator}
	u := &User{Permission: T("2,3,5"), Own: own}
	u.SetGroups(T("4,3,6"))
	assert.Equal(t, "1=viewer 3=admin 4=editor 6=editor", RolesText(u.Roles()))
	assert.Equal(t, map[int32]Role{1: RoleViewer, 3: RoleAdmin}, u.Own)
	assert.Len(t, own, 4, "the map of another user is not touched")
	u.SetGroups(T("2"))
	assert.Equal(t, "1=viewer 2=editor", RolesText(u.Roles()), "it comes back as an editor")
}
