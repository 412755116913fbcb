package api

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

func beatOf(app string) string {
	return `{"registryGroup":"EXECUTOR","registryKey":"` + app + `","registryValue":"http://h:1/"}`
}

// TestWhoMayRegister is the proof of lessons.md B1, #3938: a token of one group
// is worth that group, and the common one is worth nothing for a group that has
// its own.
func TestWhoMayRegister(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, token, app, key string
		refused               string
	}{
		{name: "common token", token: common, key: "orders"},
		{name: "common token, named", token: common, app: "orders", key: "orders"},
		{name: "common token, app without a group", token: common, app: "new", key: "new"},
		{name: "own token, named", token: ownToken, app: "billing", key: "billing"},
		{name: "own token, of before master", token: ownToken, key: "billing"},
		{name: "own token for another app", token: ownToken, app: "billing", key: "orders", refused: wire.TextTokenInvalid},
		{name: "own token for another app, of before master", token: ownToken, key: "orders", refused: wire.TextTokenWrong},
		{name: "own token, other name", token: ownToken, app: "orders", key: "orders", refused: wire.TextTokenInvalid},
		{name: "own token for a new app", token: ownToken, key: "new", refused: wire.TextTokenWrong},
		{name: "common token for a group with its own", token: common, key: "billing", refused: wire.TextTokenWrong},
		{name: "common token for it, named", token: common, app: "billing", key: "billing", refused: wire.TextTokenInvalid},
		{name: "common token for it, under a false name", token: common, app: "orders", key: "billing", refused: wire.TextTokenInvalid},
		{name: "other case", token: common, key: "Billing", refused: wire.TextTokenWrong},
		{name: "blanks round it", token: common, key: " billing ", refused: wire.TextTokenWrong},
		{name: "accent, that a database may ignore", token: common, key: "bílling", refused: wire.TextTokenWrong},
		{name: "control character, that a database may ignore", token: common, key: `billing\u0001`, refused: wire.TextTokenWrong},
		{name: "no token", token: "-", key: "billing", refused: wire.TextTokenWrong},
		{name: "token of no group", token: "x", app: "billing", key: "billing", refused: wire.TextTokenInvalid},
	}
	for _, tt := range tests {
		for _, call := range []string{"registry", "registryRemove"} {
			t.Run(tt.name+", "+call, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				header := []string{wire.HeaderToken, tt.token}
				if tt.app != "" {
					header = append(header, wire.HeaderAppName, tt.app)
				}
				res := post(t, w.serve(t), "/api/"+call, beatOf(tt.key), header...)
				if tt.refused != "" {
					assert.Equal(t, wire.Response{Code: 500, Msg: wire.Str(tt.refused)}, res)
					assert.Empty(t, w.beats)
					assert.Empty(t, w.removes)
					return
				}
				assert.Equal(t, int32(200), res.Code, res.Msg.String)
				assert.Len(t, append(w.beats, w.removes...), 1)
			})
		}
	}
}

// TestWhoseResultsCount: results for foreign runs change nothing, and their
// neighbours are stored.
func TestWhoseResultsCount(t *testing.T) {
	t.Parallel()
	const post3 = `[{"logId":10,"handleCode":200},{"logId":20,"handleCode":200},{"logId":99,"handleCode":200}]`
	tests := []struct {
		name, token, app string
		code             int32
		msg              string
		want             []int64
	}{
		{name: "common token", token: common, code: 500, msg: wire.TextTokenWrong + " logId:20 is a run of another group.", want: []int64{10, 99}},
		{name: "own token", token: ownToken, app: "billing", code: 500, msg: wire.TextTokenInvalid + " logId:10 is a run of another group.", want: []int64{20, 99}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			header := []string{wire.HeaderToken, tt.token}
			if tt.app != "" {
				header = append(header, wire.HeaderAppName, tt.app)
			}
			res := post(t, w.serve(t), "/api/callback", post3, header...)
			assert.Equal(t, tt.code, res.Code)
			assert.Equal(t, tt.msg, res.Msg.String)
			var ids []int64
			for _, s := range w.results() {
				ids = append(ids, s.id)
			}
			assert.Equal(t, tt.want, ids)
		})
	}
}

// TestNoLookupWithoutGroupTokens: where no group has a token, results cost no
// question to the database.
func TestNoLookupWithoutGroupTokens(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.groups[1].AccessToken = ""
	res := post(t, w.serve(t), "/api/callback", `[{"logId":10,"handleCode":200}]`)
	assert.Equal(t, int32(200), res.Code)
	assert.Zero(t, w.lookups)
}

// TestOpenAdmin: without a common token everybody is let in, but not to the
// group that has one.
func TestOpenAdmin(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.serve(t, func(c *Config) { c.Token = "" })
	assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("orders"), wire.HeaderToken, "-").Code)
	assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("orders"), wire.HeaderToken, "-", wire.HeaderAppName, "orders").Code)
	assert.Equal(t, int32(500), post(t, h, "/api/registry", beatOf("billing"), wire.HeaderToken, "-").Code)
	assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("billing"), wire.HeaderToken, ownToken).Code)
}

// TestTokenChange: a changed token counts within a second.
func TestTokenChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		h := w.serve(t)
		assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("stock")).Code)
		w.groups = append([]*model.Group{}, w.groups[:2]...)
		w.groups = append(w.groups, &model.Group{ID: 3, AppName: "stock", AccessToken: "new"})
		advance(t, tableLife)
		assert.Equal(t, int32(500), post(t, h, "/api/registry", beatOf("stock")).Code)
		assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("stock"), wire.HeaderToken, "new").Code)
	})
}

// TestOldTokenCountsToo: until it ends, an executor may show the token from before.
func TestOldTokenCountsToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		h := w.serve(t)
		code := func(token ...string) int32 {
			if len(token) > 0 {
				token = []string{wire.HeaderToken, token[0]}
			}
			return post(t, h, "/api/registry", beatOf("stock"), token...).Code
		}
		set := func(g model.Group) {
			g.ID, g.AppName = 3, "stock"
			w.groups = append(append([]*model.Group{}, w.groups[:2]...), &g)
			advance(t, tableLife)
		}
		set(model.Group{AccessToken: "new", Old: &model.OldToken{Token: "old", Until: time.Now().Add(time.Hour)}})
		assert.Equal(t, []int32{200, 200, 500}, []int32{code("new"), code("old"), code()})
		advance(t, time.Hour)
		assert.Equal(t, []int32{200, 500, 500}, []int32{code("new"), code("old"), code()})
		set(model.Group{AccessToken: "new", Old: &model.OldToken{Token: ""}})
		assert.Equal(t, []int32{200, 500, 200}, []int32{code("new"), code("old"), code()}, "the common one was the old one")
		set(model.Group{Old: &model.OldToken{Token: "old"}})
		assert.Equal(t, []int32{500, 200, 200}, []int32{code("new"), code("old"), code()}, "the common one is the new one")
	})
}

// TestTwoGroupsOfOneToken: the app name tells them apart.
func TestTwoGroupsOfOneToken(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.groups[2].AccessToken = ownToken
	h := w.serve(t)
	assert.Equal(t, int32(200), post(t, h, "/api/registry", beatOf("stock"), wire.HeaderToken, ownToken).Code)
	assert.Equal(t, int32(500),
		post(t, h, "/api/registry", beatOf("stock"), wire.HeaderToken, ownToken, wire.HeaderAppName, "billing").Code)
}
