package ops

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestUserChecks(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	_, err := w.CreateUser(ctx, w.admin, UserInput{Username: "golden1", Password: "pass1234"})
	require.NoError(t, err)
	tests := []struct {
		name string
		in   UserInput
		kind Kind
		want string
	}{
		{"no name", UserInput{Password: "pass1234"}, Invalid, "please input Username"},
		{"short name", UserInput{Username: "abc", Password: "pass1234"}, Invalid, "Length limit[4-20]"},
		{"long name", UserInput{Username: strings.Repeat("a", 21), Password: "pass1234"}, Invalid, "Length limit[4-20]"},
		{"markup", UserInput{Username: "<b>x</b>", Password: "pass1234"}, Invalid, "Usernameillegal"},
		{"no password", UserInput{Username: "golden2"}, Invalid, "please input Password"},
		{"short password", UserInput{Username: "golden2", Password: "abc"}, Invalid, "Length limit[4-20]"},
		{"long password", UserInput{Username: "golden2", Password: strings.Repeat("x", 21)}, Invalid, "Length limit[4-20]"},
		{"name before password", UserInput{}, Invalid, "please input Username"},
		{"duplicate", UserInput{Username: " golden1 ", Password: "pass1234"}, Conflict, "Username Repeat"},
		{"permission", UserInput{Username: "golden2", Password: "pass1234", Permission: "1,x"}, Invalid, "Permissionillegal"},
		{
			"long permission",
			UserInput{Username: "golden2", Password: "pass1234", Permission: strings.Repeat("12345,", 60)},
			Invalid, "Permission Length limit[0-255]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.CreateUser(t.Context(), w.admin, tt.in)
			refusal(t, err, tt.kind, tt.want)
		})
	}
}

func TestPasswordLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PasswordMin, c.PasswordMax = 12, 72 })
	_, err := w.CreateUser(t.Context(), w.admin, UserInput{Username: "golden2", Password: "pass1234"})
	refusal(t, err, Invalid, "Length limit[12-72]")
	_, err = w.CreateUser(t.Context(), w.admin, UserInput{Username: "golden2", Password: strings.Repeat("x", 72)})
	require.NoError(t, err)
}

// login logs a user in and returns the session id.
func (w *world) login(name, password string) string {
	w.t.Helper()
	l, err := w.auth.Login(w.t.Context(), auth.LoginRequest{Name: name, Password: password})
	require.NoError(w.t, err)
	return l.ID
}

func (w *world) loggedIn(session string) bool {
	w.t.Helper()
	u, err := w.auth.Authenticate(w.t.Context(), session)
	return err == nil && u != nil
}

func TestUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id, err := w.CreateUser(ctx, w.admin, UserInput{Username: "golden1", Password: "pass1234", Permission: fmt.Sprintf(" %d ,,%d", w.silver, w.gold)})
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("admin | user.create | user %d | username: golden1; roles: group %d none → editor, group %d none → editor",
		id, w.gold, w.silver), w.lastAudit())

	list, total, err := w.ListUsers(ctx, w.admin, model.UserFilter{Username: "golden1"})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	assert.Equal(t, model.User{ID: id, Username: "golden1", Permission: model.T(fmt.Sprintf("%d,%d", w.silver, w.gold))}, *list[0], "no hash")

	session := w.login("golden1", "pass1234")
	require.NoError(t, w.UpdateUser(ctx, w.admin, id, UserInput{Username: "golden1", Permission: id32(w.silver)}))
	assert.True(t, w.loggedIn(session), "another permission takes effect in the session")
	u, err := w.auth.Authenticate(ctx, session)
	require.NoError(t, err)
	assert.Equal(t, Principal{UserID: id, Name: "golden1", Roles: SameRole(model.RoleEditor, w.silver), Source: "login"}, UserPrincipal(u))

	require.NoError(t, w.UpdateUser(ctx, w.admin, id, UserInput{Admin: true, Permission: id32(w.silver)}))
	assert.False(t, w.loggedIn(session), "another role ends the sessions")
	session = w.login("golden1", "pass1234")
	require.NoError(t, w.UpdateUser(ctx, w.admin, id, UserInput{Admin: true, Password: "other123"}))
	assert.False(t, w.loggedIn(session), "another password too")
	assert.Contains(t, w.lastAudit(), "password: changed")
	session = w.login("golden1", "other123")

	refusal(t, w.UpdateUser(ctx, w.admin, id, UserInput{Password: "abc"}), Invalid, "Length limit[4-20]")
	refusal(t, w.UpdateUser(ctx, w.admin, id, UserInput{Permission: "-1"}), Invalid, "Permissionillegal")
	refusal(t, w.UpdateUser(ctx, w.admin, 99999, UserInput{Username: "x"}), NotFound, "Usernamenot exist")
	refusal(t, w.UpdateUser(ctx, w.admin, w.admin.UserID, UserInput{}), Conflict, "Operation of current login account is not allowed")
	refusal(t, w.UpdateUser(ctx, w.admin, id, UserInput{Username: "admin"}), Conflict, "Operation of current login account is not allowed")
	refusal(t, w.DeleteUser(ctx, w.admin, w.admin.UserID), Conflict, "Operation of current login account is not allowed")

	require.NoError(t, w.DeleteUser(ctx, w.admin, id))
	assert.False(t, w.loggedIn(session))
	require.NoError(t, w.DeleteUser(ctx, w.admin, id), "a user who is gone")
	assert.Equal(t, "admin | user.delete | user "+id32(id)+" | username: golden1", w.lastAudit())
}

// TestLastAdministrator: an API key takes the last administrator away neither by
// deleting nor by another role.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	byKey := Principal{Name: "key:deploy", Admin: true, Source: sourceKey}
	var admins []int32
	list, _, err := w.ListUsers(ctx, w.admin, model.UserFilter{Limit: 100})
	require.NoError(t, err)
	for _, u := range list {
		if u.Admin {
			admins = append(admins, u.ID)
		}
	}
	for _, name := range []string{"chief1", "chief2"} {
		id, err := w.CreateUser(ctx, byKey, UserInput{Username: name, Password: "pass1234", Admin: true})
		require.NoError(t, err)
		admins = append(admins, id)
	}
	last := admins[len(admins)-1]
	for _, id := range admins[:len(admins)-1] {
		require.NoError(t, w.DeleteUser(ctx, byKey, id))
	}
	refusal(t, w.DeleteUser(ctx, byKey, last), Conflict, "This is the last administrator")
	refusal(t, w.UpdateUser(ctx, byKey, last, UserInput{}), Conflict, "This is the last administrator")
	require.NoError(t, w.UpdateUser(ctx, byKey, last, UserInput{Admin: true, Password: "other123"}), "its password may change")
}

func TestChangeOwnPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id, err := w.CreateUser(ctx, w.admin, UserInput{Username: "golden1", Password: "pass1234"})
	require.NoError(t, err)
	p := Principal{UserID: id, Name: "golden1", Source: "login"}
	session := w.login("golden1", "pass1234")

	refusal(t, w.ChangeOwnPassword(ctx, p, "", "newpass1"), Invalid, "please input old password")
	refusal(t, w.ChangeOwnPassword(ctx, p, "pass1234", " "), Invalid, "please input old password")
	refusal(t, w.ChangeOwnPassword(ctx, p, "pass1234", "abc"), Invalid, "Length limit[4-20]")
	refusal(t, w.ChangeOwnPassword(ctx, p, "wrongone", "newpass1"), Forbidden, "old passwordillegal")
	refusal(t, w.ChangeOwnPassword(ctx, Principal{Name: "app", Admin: true, Source: "api"}, "pass1234", "newpass1"),
		Forbidden, "Permission limit")
	assert.True(t, w.loggedIn(session))

	require.NoError(t, w.ChangeOwnPassword(ctx, p, "pass1234", "newpass1"))
	assert.False(t, w.loggedIn(session))
	assert.True(t, w.loggedIn(w.login("golden1", "newpass1")))

	body, err := json.Marshal(mustAudits(t, w))
	require.NoError(t, err)
	for _, secret := range []string{"pass1234", "newpass1", "argon2"} {
		assert.NotContains(t, string(body), secret)
	}
}

func mustAudits(t *testing.T, w *world) []model.Audit {
	t.Helper()
	list, err := w.Audits(t.Context(), w.admin, model.AuditFilter{Limit: 1000})
	require.NoError(t, err)
	return list
}
