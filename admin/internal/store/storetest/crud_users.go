package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func crudUsers(t *testing.T, f *fixture) {
	t.Run("a user comes back as it went in", f.userRoundTrip)
	t.Run("list", f.userList)
	t.Run("limits", f.userLimits)
	t.Run("passwords", f.passwords)
	t.Run("token of the Java admin", f.javaToken)
	t.Run("roles", f.userRoles)
	t.Run("roles that do not count", f.tidyRoles)
	t.Run("delete", f.userDelete)
	t.Run("sessions", f.sessions)
	t.Run("settings", f.settings)
	t.Run("a setting that is set once", f.settingOnce)
	t.Run("audit", f.audit)
	t.Run("orders", f.listOrders)
	t.Run("cluster", f.cluster)
}

func (f *fixture) addUser(t *testing.T, name string, admin bool) *model.User {
	t.Helper()
	u := &model.User{
		Username: name, JavaHash: "java-" + name, Hash: "own-" + name, Admin: admin, Permission: model.T("1,2"),
	}
	require.NoError(t, f.CreateUser(t.Context(), u))
	return u
}

func (f *fixture) userRoundTrip(t *testing.T) {
	ctx := t.Context()
	u := f.addUser(t, "anna", true)
	require.Positive(t, u.ID)
	got, err := f.User(ctx, u.ID)
	require.NoError(t, err)
	assert.Equal(t, u, got)
	got, err = f.UserByName(ctx, "anna")
	require.NoError(t, err)
	assert.Equal(t, u, got)

	change := *u
	change.Username, change.Admin, change.Permission = "änne", false, model.Text{}
	change.JavaHash, change.Hash = "no", "no"
	require.NoError(t, f.UpdateUser(ctx, &change))
	got, err = f.User(ctx, u.ID)
	require.NoError(t, err)
	change.JavaHash, change.Hash = u.JavaHash, u.Hash
	assert.Equal(t, &change, got, "passwords stay")

	for _, name := range []string{"anna", "", "' OR 1=1 --", strings.Repeat("x", 500), "a\x00", "\xff"} {
		_, err = f.UserByName(ctx, name)
		require.ErrorIs(t, err, store.ErrNotFound, "%q", name)
	}
	_, err = f.User(ctx, 1<<30)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.ErrorIs(t, f.UpdateUser(ctx, &model.User{ID: 1 << 30, Username: "x"}), store.ErrNotFound)
	require.ErrorIs(t, f.CreateUser(ctx, &model.User{Username: "änne"}), store.ErrDuplicate)
	other := f.addUser(t, "otto", false)
	other.Username = "änne"
	require.ErrorIs(t, f.UpdateUser(ctx, other), store.ErrDuplicate)

	java := f.number(t, "SELECT COALESCE(MAX(id), 0) + 1 FROM xxl_job_user")
	f.exec(t, "INSERT INTO xxl_job_user (id, username, password, role, permission) "+
		"VALUES (?, 'java', 'md5', 0, NULL)", java)
	got, err = f.UserByName(ctx, "java")
	require.NoError(t, err)
	assert.Equal(t, &model.User{ID: int32(java), Username: "java", JavaHash: "md5"}, got)
	f.exec(t, "DELETE FROM xxl_job_user WHERE username = 'java'") // its id was not the database's
}

func (f *fixture) userList(t *testing.T) {
	for i, name := range []string{"list_a", "listXa", "LIST_b"} {
		f.addUser(t, name, i == 1)
	}
	tests := []struct {
		name  string
		give  model.UserFilter
		want  string
		total int
	}{
		{name: "name", give: model.UserFilter{Username: "list"}, want: "list_a,listXa,LIST_b", total: 3},
		{name: "underscore", give: model.UserFilter{Username: "List_"}, want: "list_a,LIST_b", total: 2},
		{name: "administrators", give: model.UserFilter{Username: "list", Admin: new(true)}, want: "listXa", total: 1},
		{name: "others", give: model.UserFilter{Username: "list", Admin: new(false)}, want: "list_a,LIST_b", total: 2},
		{name: "page", give: model.UserFilter{Username: "list", Offset: 1, Limit: 1}, want: "listXa", total: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, total, err := f.Users(t.Context(), tt.give)
			require.NoError(t, err)
			names := make([]string, len(list))
			for i, u := range list {
				names[i] = u.Username
				assert.Empty(t, u.JavaHash+u.Hash, "a list has no hashes")
				assert.Equal(t, "1,2", u.Permission.S)
			}
			assert.Equal(t, tt.want, strings.Join(names, ","))
			assert.Equal(t, tt.total, total)
		})
	}
}

func (f *fixture) userLimits(t *testing.T) {
	ctx := t.Context()
	if f.info.Generation == "S1" {
		require.Equal(t, 50, f.info.PasswordMax)
	}
	fits := &model.User{
		Username: strings.Repeat("名", 50), JavaHash: strings.Repeat("h", f.info.PasswordMax),
		Hash: strings.Repeat("o", 255), Permission: model.T(strings.Repeat("1", 255)),
	}
	require.NoError(t, f.CreateUser(ctx, fits))
	got, err := f.User(ctx, fits.ID)
	require.NoError(t, err)
	assert.Equal(t, fits, got)
	for field, u := range map[string]model.User{
		"user name":                  {Username: strings.Repeat("n", 51)},
		"permission":                 {Username: "n", Permission: model.T(strings.Repeat("1", 256))},
		"password of the Java admin": {Username: "n", JavaHash: strings.Repeat("h", f.info.PasswordMax+1)},
		"password hash":              {Username: "n", Hash: strings.Repeat("h", 256)},
	} {
		refused(t, f.CreateUser(ctx, &u), store.ErrTooLong, field)
	}
	refused(t, f.UpdateUser(ctx, &model.User{ID: fits.ID, Username: "a\x00"}), store.ErrBadText, "user name")
	long := strings.Repeat("h", f.info.PasswordMax+1)
	refused(t, f.SetPassword(ctx, fits.ID, long, ""), store.ErrTooLong, "Java admin")
}

func (f *fixture) passwords(t *testing.T) {
	ctx := t.Context()
	u := f.addUser(t, "pw", false)
	for _, hash := range []string{"first", "second", ""} {
		require.NoError(t, f.SetPassword(ctx, u.ID, "j"+hash, hash))
		require.NoError(t, f.SetPassword(ctx, u.ID, "j"+hash, hash), "the same again")
		got, err := f.User(ctx, u.ID)
		require.NoError(t, err)
		assert.Equal(t, []string{"j" + hash, hash}, []string{got.JavaHash, got.Hash})
	}
	f.exec(t, "UPDATE xxl_job_user SET password = 'by Java' WHERE id = ?", u.ID)
	require.NoError(t, f.SetOwnHash(ctx, u.ID, "own"))
	got, err := f.User(ctx, u.ID)
	require.NoError(t, err)
	assert.Equal(t, []string{"by Java", "own"}, []string{got.JavaHash, got.Hash})
	require.ErrorIs(t, f.SetOwnHash(ctx, 1<<30, "own"), store.ErrNotFound)
	refused(t, f.SetOwnHash(ctx, u.ID, strings.Repeat("h", 1000)), store.ErrTooLong, "password hash")
	require.ErrorIs(t, f.SetPassword(ctx, 1<<30, "a", "b"), store.ErrNotFound)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_user WHERE user_id = ?", 1<<30))
}

func (f *fixture) javaToken(t *testing.T) {
	ctx := t.Context()
	u := f.addUser(t, "tok", false)
	for _, want := range []string{"", "abc", "def", ""} {
		if want != "" {
			require.NoError(t, f.SetJavaToken(ctx, u.ID, want))
		}
		got, err := f.JavaToken(ctx, u.ID)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		if want == "def" {
			require.NoError(t, f.SetJavaToken(ctx, u.ID, ""))
		}
	}
	got, err := f.User(ctx, u.ID)
	require.NoError(t, err)
	assert.Equal(t, u.Hash, got.Hash, "the password stays")
	if f.info.TokenColumn {
		f.exec(t, "UPDATE xxl_job_user SET token = 'by Java' WHERE id = ?", u.ID)
		token, err := f.JavaToken(ctx, u.ID)
		require.NoError(t, err)
		assert.Equal(t, "by Java", token)
	}
	require.ErrorIs(t, f.SetJavaToken(ctx, 1<<30, "x"), store.ErrNotFound)
	_, err = f.JavaToken(ctx, 1<<30)
	require.ErrorIs(t, err, store.ErrNotFound)
	refused(t, f.SetJavaToken(ctx, u.ID, strings.Repeat("t", 101)), store.ErrTooLong, "login token")
}

func (f *fixture) userDelete(t *testing.T) {
	ctx := t.Context()
	u, other := f.addUser(t, "del", false), f.addUser(t, "keep", false)
	for i, id := range []int32{u.ID, other.ID} {
		require.NoError(t, f.CreateSession(ctx, &model.Session{Key: fmt.Sprint("del", i), UserID: id, Expires: noon}))
	}
	require.NoError(t, f.DeleteUser(ctx, u.ID))
	require.NoError(t, f.DeleteUser(ctx, u.ID), "one who is gone is no error")
	_, err := f.User(ctx, u.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = f.Session(ctx, "del0")
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = f.Session(ctx, "del1")
	require.NoError(t, err)
	assert.Zero(t, f.number(t, "SELECT COUNT(*) FROM xxljob_user WHERE user_id = ?", u.ID))
	f.addUser(t, "del", false) // the name is free again
}

func (f *fixture) sessions(t *testing.T) {
	ctx := t.Context()
	session := func(key string, user int32, minutes int) *model.Session {
		return &model.Session{
			Key: key, UserID: user, Created: noon, Seen: noon.Add(time.Millisecond),
			Expires: noon.Add(time.Duration(minutes) * time.Minute),
		}
	}
	for _, v := range []*model.Session{
		session("k1", 501, 10), session("k2", 501, 20), session("k3", 502, 10), session("k4", 503, 30),
	} {
		require.NoError(t, f.CreateSession(ctx, v))
	}
	require.ErrorIs(t, f.CreateSession(ctx, session("k1", 504, 1)), store.ErrDuplicate)
	refused(t, f.CreateSession(ctx, session(strings.Repeat("k", 65), 1, 1)), store.ErrTooLong, "session key")
	got, err := f.Session(ctx, "k2")
	require.NoError(t, err)
	assert.Equal(t, []any{"k2", int32(501)}, []any{got.Key, got.UserID})
	sameTime(t, noon, got.Created, "Created")
	sameTime(t, noon.Add(time.Millisecond), got.Seen, "Seen")
	sameTime(t, noon.Add(20*time.Minute), got.Expires, "Expires")

	require.NoError(t, f.TouchSession(ctx, "k2", noon.Add(time.Hour)))
	require.NoError(t, f.TouchSession(ctx, "k2", noon), "an earlier use changes nothing")
	require.NoError(t, f.TouchSession(ctx, "nobody", noon))
	got, err = f.Session(ctx, "k2")
	require.NoError(t, err)
	sameTime(t, noon.Add(time.Hour), got.Seen, "Seen")

	gone := func(key string) {
		t.Helper()
		_, err := f.Session(ctx, key)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	gone("K1")
	require.NoError(t, f.DeleteSession(ctx, "k3"))
	require.NoError(t, f.DeleteSession(ctx, "k3"))
	gone("k3")
	require.NoError(t, f.DeleteUserSessions(ctx, 503))
	gone("k4")
	n, err := f.ExpireSessions(ctx, noon.Add(10*time.Minute))
	require.NoError(t, err)
	assert.Positive(t, n)
	gone("k1")
	_, err = f.Session(ctx, "k2")
	require.NoError(t, err)
	f.listSessions(t)
}

func (f *fixture) settings(t *testing.T) {
	ctx := t.Context()
	_, ok, err := f.Setting(ctx, "colour")
	require.NoError(t, err)
	assert.False(t, ok)
	for _, want := range []string{"blue", "", strings.Repeat("ü", 20000)} {
		require.NoError(t, f.SetSetting(ctx, "colour", want))
		got, ok, err := f.Setting(ctx, "colour")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	_, ok, err = f.Setting(ctx, "COLOUR")
	require.NoError(t, err)
	assert.False(t, ok)
	refused(t, f.SetSetting(ctx, strings.Repeat("n", 191), ""), store.ErrTooLong, "name of the setting")
	refused(t, f.SetSetting(ctx, "n", strings.Repeat("v", 65536)), store.ErrTooLong, "setting")
}

func (f *fixture) settingOnce(t *testing.T) {
	ctx := t.Context()
	var won atomic.Int32
	var winner atomic.Value
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for n := range errs {
		wg.Go(func() {
			ok, err := f.SetSettingOnce(ctx, "once", fmt.Sprint(n))
			if errs[n] = err; ok {
				won.Add(1)
				winner.Store(fmt.Sprint(n))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	assert.Equal(t, int32(1), won.Load())
	got, _, err := f.Setting(ctx, "once")
	require.NoError(t, err)
	assert.Equal(t, winner.Load(), got)
}

func (f *fixture) audit(t *testing.T) {
	ctx := t.Context()
	for i := range 5 {
		require.NoError(t, f.AddAudit(ctx, model.Audit{
			At: noon.Add(time.Duration(i) * time.Second), User: "anna", Action: fmt.Sprint("job.", i), Object: "job 7",
			Detail: "<b>'?",
		}))
	}
	require.NoError(t, f.AddAudit(ctx, model.Audit{
		At: noon.Add(time.Hour), User: strings.Repeat("ü", 100), Object: strings.Repeat("o", 300),
		Detail: "\xff\x00" + strings.Repeat("界", 40_000),
	}), "what does not fit is cut")
	list, err := f.Audits(ctx, model.AuditFilter{Limit: 2})
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, strings.Repeat("ü", 63)+"…", list[0].User)
	assert.Equal(t, strings.Repeat("o", 189)+"…", list[0].Object)
	assert.True(t, strings.HasPrefix(list[0].Detail, "\uFFFD\uFFFD界界") && strings.HasSuffix(list[0].Detail, "界…"))
	assert.Equal(t, []string{"anna", "job.4", "job 7", "<b>'?"},
		[]string{list[1].User, list[1].Action, list[1].Object, list[1].Detail})
	sameTime(t, noon.Add(4*time.Second), list[1].At, "At")
	list, err = f.Audits(ctx, model.AuditFilter{BeforeID: list[1].ID})
	require.NoError(t, err)
	require.Len(t, list, 4)
	assert.Equal(t, "job.3", list[0].Action)

	f.auditFilters(t)

	for _, tt := range []struct{ limit, want int }{{1, 1}, {10, 2}, {10, 0}, {0, 0}} {
		n, err := f.DeleteAudits(ctx, noon.Add(3*time.Second), tt.limit)
		require.NoError(t, err)
		assert.Equal(t, tt.want, n)
	}
	list, err = f.Audits(ctx, model.AuditFilter{})
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, "job.3", list[2].Action)
}

// auditFilters selects among the lines that audit has written: job.0 to job.4 of
// anna, and a long one.
func (f *fixture) auditFilters(t *testing.T) {
	t.Helper()
	for _, tt := range []struct {
		name string
		f    model.AuditFilter
		want []string
	}{
		{"user", model.AuditFilter{User: "NN"}, []string{"job.4", "job.3", "job.2", "job.1", "job.0"}},
		{"nobody", model.AuditFilter{User: "a%a"}, nil},
		{"action", model.AuditFilter{Action: "job.3"}, []string{"job.3"}},
		{"actions", model.AuditFilter{Action: "job", Limit: 2}, []string{"job.4", "job.3"}},
		{"half an action", model.AuditFilter{Action: "jo"}, nil},
		{"object", model.AuditFilter{Object: "job 7", BeforeID: 0, Limit: 1}, []string{"job.4"}},
		{"objects", model.AuditFilter{Object: "job", Limit: 1}, []string{"job.4"}},
		{"another object", model.AuditFilter{Object: "job 77"}, nil},
		{"begin of an object", model.AuditFilter{Object: "job "}, nil},
		{"text", model.AuditFilter{Text: "<B>'?", Limit: 1}, []string{"job.4"}},
		{"no text", model.AuditFilter{Text: "%"}, nil},
		{
			"time",
			model.AuditFilter{From: noon.Add(time.Second), To: noon.Add(3 * time.Second)},
			[]string{"job.2", "job.1"},
		},
		{"no text of a database", model.AuditFilter{Action: "\xff", Object: "\x00"}, nil},
	} {
		list, err := f.Audits(t.Context(), tt.f)
		require.NoError(t, err, tt.name)
		var got []string
		for _, a := range list {
			got = append(got, a.Action)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

// listSessions lists logins by use, finds one by its id, and forgets where those
// came from that have ended.
func (f *fixture) listSessions(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	add := func(key string, user int32, seen, life time.Duration) *model.Session {
		v := &model.Session{
			Key: strings.Repeat(key, 64), UserID: user, Created: noon, Seen: noon.Add(seen), Expires: noon.Add(life),
			Client: "192.0.2.7", Agent: strings.Repeat("ü", 300),
		}
		require.NoError(t, f.CreateSession(ctx, v))
		return v
	}
	a := add("a", 601, 10*time.Minute, 50*time.Minute)
	b := add("b", 601, 20*time.Minute, 50*time.Minute)
	add("c", 601, 0, 50*time.Minute)              // not used for long
	long := add("d", 601, 0, 3*time.Hour)         // the same, but remembered
	add("e", 601, 30*time.Minute, 30*time.Minute) // expired
	filter := model.SessionFilter{
		UserID: 601, Now: noon.Add(30 * time.Minute), Idle: 25 * time.Minute, Long: time.Hour, LongIdle: time.Hour,
	}
	keys := func(f2 model.SessionFilter) (list []string) {
		all, err := f.Sessions(ctx, f2)
		require.NoError(t, err)
		for _, v := range all {
			list = append(list, v.ID()[:1])
		}
		return list
	}
	assert.Equal(t, []string{"b", "a", "d"}, keys(filter))
	filter.Offset, filter.Limit = 1, 1
	assert.Equal(t, []string{"a"}, keys(filter))
	filter.UserID, filter.Offset, filter.Limit = 0, 0, 1000
	assert.GreaterOrEqual(t, len(keys(filter)), 3, "those of everybody")

	got, err := f.SessionByID(ctx, a.ID())
	require.NoError(t, err)
	assert.Equal(t, []any{a.Key, "192.0.2.7", strings.Repeat("ü", 254) + "…"}, []any{got.Key, got.Client, got.Agent})
	for _, id := range []string{"", "a", strings.Repeat("f", 16), strings.Repeat("%", 16), strings.Repeat("A", 16)} {
		_, err = f.SessionByID(ctx, id)
		require.ErrorIs(t, err, store.ErrNotFound, id)
	}
	require.NoError(t, f.DeleteSession(ctx, b.Key))
	_, err = f.ExpireSessions(ctx, noon.Add(time.Hour-time.Minute))
	require.NoError(t, err)
	assert.Equal(t, int64(1), f.number(t, "SELECT COUNT(*) FROM xxljob_session_client"))
	_, err = f.SessionByID(ctx, long.ID())
	require.NoError(t, err)
	require.NoError(t, f.DeleteUserSessions(ctx, 601))
}

func (f *fixture) cluster(t *testing.T) {
	ctx := t.Context()
	require.NoError(t, f.SaveNodeInfo(ctx, "b", "{}"))
	require.NoError(t, f.SaveNodeInfo(ctx, "a", `{"host":"h ü"}`))
	require.NoError(t, f.SaveNodeInfo(ctx, "b", `{"n":2}`))
	list, err := f.NodeInfos(ctx)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, []string{"a", `{"host":"h ü"}`, "b", `{"n":2}`},
		[]string{list[0].Name, list[0].Info, list[1].Name, list[1].Info})
	assert.InDelta(t, time.Now().UnixMilli(), list[0].SeenMs, 60_000)
	refused(t, f.SaveNodeInfo(ctx, strings.Repeat("n", 191), ""), store.ErrTooLong, "name of the node")
	require.NoError(t, f.ForgetNodeInfos(ctx, time.Hour))
	list, err = f.NodeInfos(ctx)
	require.NoError(t, err)
	assert.Len(t, list, 2)
	require.NoError(t, f.ForgetNodeInfos(ctx, -time.Hour))
	list, err = f.NodeInfos(ctx)
	require.NoError(t, err)
	assert.Empty(t, list)

	n, err := f.Migration(ctx)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, n, int64(5))
	lines, err := f.CountAudits(ctx, noon.AddDate(100, 0, 0), 2)
	require.NoError(t, err)
	assert.LessOrEqual(t, lines, 2)
}
