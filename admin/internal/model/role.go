package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Role is what a user may do in a group. Each holds what those below it hold.
type Role uint8

// The roles.
const (
	RoleNone     Role = iota // nothing: for the user the group is not there
	RoleViewer               // sees jobs, runs, logs, addresses and alarms
	RoleOperator             // also runs, kills, retries, starts, stops, probes and mutes
	RoleEditor               // also changes jobs, tags and alarm rules, and clears logs
	RoleAdmin                // also sets title, addresses and token of the group, and who has which role in it
)

var roleNames = [...]string{"", "viewer", "operator", "editor", "admin"}

// Roles lists the roles, the least one first, without RoleNone.
func Roles() []Role { return []Role{RoleViewer, RoleOperator, RoleEditor, RoleAdmin} }

// String returns the name of the role, "" for RoleNone.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return ""
}

// ParseRole reads what String has written; ok is false for what is no role, and
// for "".
func ParseRole(name string) (r Role, ok bool) {
	i := slices.Index(roleNames[:], name)
	if i <= 0 {
		return RoleNone, false
	}
	return Role(i), true
}

// Roles returns what the user may do, by group; administrators may everything
// without it.
//
// A Java admin on the same database knows the column Permission alone, and lets
// the user do everything in the groups that it names. So a role of ours never
// gives more there than it gives here:
//
//   - A group in the column is one of an editor, or of the group's admin where
//     Own says so.
//   - Viewers and operators stand in Own alone. To a Java admin they are nobody.
//   - An admin in Own counts only while the column has the group: where a Java
//     console takes the group away, nothing is left, and where it gives the group
//     to a viewer or operator, that is an editor now.
//
// Rows of Own that do not count any more are deleted when the user is changed,
// and by the cleaner, within a minute.
func (u *User) Roles() map[int32]Role {
	roles := make(map[int32]Role)
	for id, r := range u.Own {
		if r == RoleViewer || r == RoleOperator {
			roles[id] = r
		}
	}
	for _, id := range u.Groups() {
		if roles[id] = RoleEditor; u.Own[id] == RoleAdmin {
			roles[id] = RoleAdmin
		}
	}
	return roles
}

// SetRoles makes these the roles of the user, and no others: it writes
// Permission and Own.
func (u *User) SetRoles(roles map[int32]Role) {
	u.Own = nil
	var column []string
	for _, id := range slices.Sorted(maps.Keys(roles)) {
		r := roles[id]
		if r >= RoleEditor {
			column = append(column, strconv.Itoa(int(id)))
		}
		if r != RoleNone && r != RoleEditor {
			if u.Own == nil {
				u.Own = make(map[int32]Role)
			}
			u.Own[id] = r
		}
	}
	u.Permission = T(strings.Join(column, ","))
}

// Grant gives the user a role in a group, or with RoleNone takes it away; all
// else stays as it is.
func (u *User) Grant(group int32, role Role) {
	roles := u.Roles()
	roles[group] = role
	u.SetRoles(roles)
}

// SetGroups writes Permission as a console of the Java admin does: the user is
// an editor of these groups, or stays their admin, and has no role in those that
// the list has no more. Viewers and operators of other groups stay that: such a
// console does not show them.
func (u *User) SetGroups(permission Text) {
	u.Permission = permission
	for _, id := range u.Stale() {
		u.Own = maps.Clone(u.Own)
		delete(u.Own, id)
	}
	if len(u.Own) == 0 {
		u.Own = nil
	}
}

// Stale lists the groups of rows in Own that do not count, in order.
func (u *User) Stale() []int32 {
	var stale []int32
	column := u.Groups()
	for _, id := range slices.Sorted(maps.Keys(u.Own)) {
		if (u.Own[id] == RoleAdmin) != slices.Contains(column, id) {
			stale = append(stale, id)
		}
	}
	return stale
}

// RolesText writes roles down for people, in the order of the groups:
// "3=viewer 7=admin".
func RolesText(roles map[int32]Role) string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(roles)) {
		if roles[id] != RoleNone {
			list = append(list, fmt.Sprintf("%d=%s", id, roles[id]))
		}
	}
	return strings.Join(list, " ")
}
