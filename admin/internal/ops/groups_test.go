package ops

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestGroupChecks(t *testing.T) {
	w := newWorld(t)
	tests := []struct {
		name       string
		app, title string
		manual     bool
		list       string
		want       string
	}{
		{name: "no appname", title: "x", want: "please input AppName"},
		{name: "short appname", app: "abc", title: "x", want: "AppName length is limited to 4~64"},
		{name: "long appname", app: strings.Repeat("a", 65), title: "x", want: "AppName length is limited to 4~64"},
		{name: "markup appname", app: "ab<script>x</script>", title: "x", want: "AppNameillegal"},
		{name: "appname of two lines", app: "abcd\nef", title: "x", want: "AppNameillegal"},
		{name: "no title", app: "abcd", title: " ", want: "please input Title"},
		{name: "markup title", app: "abcd", title: "<script>x</script>", want: "Titleillegal"},
		{name: "long title", app: "abcd", title: strings.Repeat("t", 65), want: "Title Length limit[0-64]"},
		{
			name: "manual without address", app: "abcd", title: "x", manual: true,
			want: "Manually registration type, the machine address must not be empty",
		},
		{name: "empty item", app: "abcd", title: "x", manual: true, list: "http://a/,,http://b/", want: "registry machine address is illegal"},
		{name: "empty item before scheme", app: "abcd", title: "x", manual: true, list: "a,,b", want: "registry machine address is illegal"},
		{name: "no scheme", app: "abcd", title: "x", manual: true, list: "<", want: "registry machine address is illegal[2]"},
		{name: "other scheme", app: "abcd", title: "x", manual: true, list: "ftp://a/", want: "registry machine address is illegal[2]"},
		{name: "taken", app: "golden-app", title: "x", want: "AppName already exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := &model.Group{AppName: tt.app, Title: tt.title, Manual: tt.manual, AddressList: model.T(tt.list)}
			kind := Invalid
			if tt.name == "taken" {
				kind = Conflict
			}
			_, err := w.CreateGroup(t.Context(), w.admin, in)
			refusal(t, err, kind, tt.want)
			in.ID = w.silver
			refusal(t, w.UpdateGroup(t.Context(), w.admin, in), kind, tt.want)
		})
	}
}

// What an administrator may not make the admin talk to.
func TestGroupAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{
		"http://169.254.169.254/", "http://[fe80::1]:80/", "http://[::ffff:169.254.169.254]/", "http://0.0.0.0:80/",
		"http://224.0.0.1/", "http://2852039166/", "http://0xa9fea9fe/", "http://169.254.43518/", "http://user:pw@10.0.0.1/",
		"http://10.0.0.1/?x=1", "http://10.0.0.1/#x", "http://10.0.0.1/?", "http://", "http:///x", "http://a b/", "http://a\x7f/",
		"http://10.0.0.1:port/", "http://[::1/", "http://a/<b>", "http://" + strings.Repeat("a", 250), "http://10.0.0.1/#",
	} {
		_, e := checkAddresses(addr)
		if assert.NotNil(t, e, addr) {
			refusal(t, e, Invalid, "registry machine address is illegal("+cut(addr, maxValue)+")")
		}
	}
	for _, addr := range []string{
		"http://10.0.0.5:9999/", "https://exec.example:8443", "HTTP://Host/", "http://[fd00::5]:9999/", "http://127.0.0.1:9999/",
		"http://executor-7.svc.cluster.local.:9999/xxl", "http://10.0.0.5:9999/,http://10.0.0.6:9999/",
	} {
		_, e := checkAddresses(addr)
		assert.Nil(t, e, addr)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.reg.changed = 0

	g, err := w.Group(ctx, w.mine, w.gold)
	require.NoError(t, err)
	assert.Equal(t, []string{"http://10.0.0.1:9999/", "http://10.0.0.2:9999"}, g.Addresses())
	_, err = w.Group(ctx, w.mine, w.silver)
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
	_, err = w.Group(ctx, w.mine, 99999)
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
	_, err = w.Group(ctx, w.admin, 99999)
	refusal(t, err, NotFound, "")
	assert.Equal(t, "there is no executor (group) 99999", err.Error())
	refusal(t, w.UpdateGroup(ctx, w.admin, &model.Group{ID: 99999, AppName: "abcd", Title: "x"}), NotFound, "")

	require.NoError(t, w.UpdateGroup(ctx, w.admin, &model.Group{
		ID: w.gold, AppName: "golden-app", Title: " golden2 ", Manual: true, AddressList: model.T(" http://10.0.0.7:1/ , http://10.0.0.8:1/"),
	}))
	assert.Equal(t, 1, w.reg.changed)
	assert.Contains(t, w.lastAudit(), `title: "title" → "golden2"`)
	row, err := w.db.Group(ctx, w.gold)
	require.NoError(t, err)
	assert.Equal(t, "golden2", row.Title)
	assert.Equal(t, "http://10.0.0.7:1/,http://10.0.0.8:1/", row.AddressList.S)

	require.NoError(t, w.UpdateGroup(ctx, w.admin, &model.Group{
		ID: w.gold, AppName: "golden-app", Title: "golden2", AddressList: model.T("http://attacker.example/"),
	}))
	row, err = w.db.Group(ctx, w.gold)
	require.NoError(t, err)
	assert.Equal(t, model.Text{}, row.AddressList, "the registry fills the list of an automatic group")

	list, err := w.PermittedGroups(ctx, w.mine)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, w.gold, list[0].ID)
	all, total, err := w.ListGroups(ctx, w.admin, model.GroupFilter{AppName: "app"})
	require.NoError(t, err)
	assert.Len(t, all, total)
	assert.Equal(t, 2, total)
}

func TestDeleteGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold))
	refusal(t, w.DeleteGroup(ctx, w.admin, w.gold), Conflict, "Refuse to delete, the executor is being used")
	refusal(t, w.DeleteGroup(ctx, w.admin, 99999), NotFound, "")
	require.NoError(t, w.DeleteJob(ctx, w.admin, id))
	require.NoError(t, w.DeleteGroup(ctx, w.admin, w.gold))
	refusal(t, w.DeleteGroup(ctx, w.admin, w.silver), Conflict, "Refuse to delete, one executor at least must remain")
}

func TestGroupToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	token, err := w.RotateToken(ctx, w.admin, w.gold, 0)
	require.NoError(t, err)
	assert.Nil(t, checkToken(token))
	other, err := w.RotateToken(ctx, w.admin, w.silver, 0)
	require.NoError(t, err)
	assert.NotEqual(t, token, other)
	stored := func() string {
		g, err := w.db.Group(ctx, w.gold)
		require.NoError(t, err)
		return g.AccessToken
	}
	assert.Equal(t, token, stored())

	require.NoError(t, w.UpdateGroup(ctx, w.admin, &model.Group{
		ID: w.gold, AppName: "golden-app", Title: "x", AccessToken: "attacker-chosen-token",
	}))
	assert.Equal(t, token, stored(), "an edit never touches the token")

	g, err := w.Group(ctx, w.mine, w.gold)
	require.NoError(t, err)
	assert.True(t, g.TokenSet)
	list, _, err := w.ListGroups(ctx, w.admin, model.GroupFilter{})
	require.NoError(t, err)
	permitted, err := w.PermittedGroups(ctx, w.admin)
	require.NoError(t, err)
	audits, err := w.Audits(ctx, w.admin, model.AuditFilter{Limit: 0})
	require.NoError(t, err)
	for _, seen := range []any{g, list, permitted, audits} {
		body, err := json.Marshal(seen)
		require.NoError(t, err)
		assert.NotContains(t, string(body), token, "a token is shown when it is made, and never again")
	}

	for _, bad := range []string{"default_token", "short", "with blank in the middle", "tökentökentöken16", strings.Repeat("x", 256)} {
		refusal(t, w.SetGroupToken(ctx, w.admin, w.gold, bad, 0), Invalid, "Access tokenillegal")
	}
	require.NoError(t, w.SetGroupToken(ctx, w.admin, w.gold, "a-token-of-16-chars", 0))
	assert.Equal(t, "a-token-of-16-chars", stored())
	require.NoError(t, w.SetGroupToken(ctx, w.admin, w.gold, "", 0))
	assert.Empty(t, stored())
	assert.Equal(t, "admin | group.token | group "+id32(w.gold)+" | taken away", w.lastAudit())
	refusal(t, w.SetGroupToken(ctx, w.admin, 99999, "", 0), NotFound, "")
}

// TestGroupTokenOverlap: the old token counts until it ends, and is never shown.
func TestGroupTokenOverlap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	first, err := w.RotateToken(ctx, w.admin, w.gold, 0)
	require.NoError(t, err)
	stored := func() *model.OldToken {
		g, err := w.db.Group(ctx, w.gold)
		require.NoError(t, err)
		return g.Old
	}
	assert.Nil(t, stored())
	_, err = w.RotateToken(ctx, w.admin, w.gold, time.Hour)
	require.NoError(t, err)
	until := noon.Add(time.Hour)
	assert.Equal(t, first, stored().Token)
	assert.Equal(t, until.UnixMilli(), stored().Until.UnixMilli())
	assert.Contains(t, w.lastAudit(), "set, the old one counts until "+until.UTC().Format(time.RFC3339))
	g, err := w.Group(ctx, w.mine, w.gold)
	require.NoError(t, err)
	assert.True(t, g.OldCounts)
	assert.Equal(t, until.UnixMilli(), g.OldUntil.UnixMilli())
	body, err := json.Marshal(g)
	require.NoError(t, err)
	assert.NotContains(t, string(body), first)

	require.NoError(t, w.UpdateGroup(ctx, w.admin, &model.Group{ID: w.gold, AppName: "golden-app", Title: "x"}))
	assert.Equal(t, first, stored().Token, "an edit never touches it")
	require.NoError(t, w.EndOldToken(ctx, w.admin, w.gold))
	assert.Nil(t, stored())
	refusal(t, w.EndOldToken(ctx, w.admin, 99999), NotFound, "")

	require.NoError(t, w.SetGroupToken(ctx, w.admin, w.gold, "", OverlapEndless))
	assert.True(t, stored().Until.IsZero())
	_, err = w.RotateToken(ctx, w.admin, w.gold, 2*time.Hour)
	require.NoError(t, err)
	assert.Empty(t, stored().Token, "the common one")
	for _, bad := range []time.Duration{-time.Second, MaxOverlap + 1} {
		_, err = w.RotateToken(ctx, w.admin, w.gold, bad)
		refusal(t, err, Invalid, "Access tokenillegal")
	}
	_, err = w.RotateToken(ctx, w.admin, w.gold, 0)
	require.NoError(t, err)
	assert.Nil(t, stored(), "none of those before counts any more")
}
