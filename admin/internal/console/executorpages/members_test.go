package executorpages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/executorpages"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMembers: the admin of a group says who may do what in it.
func TestMembers(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	group := w.Group("golden", "gold", "")
	owen := w.As(w.Member("owen", model.RoleAdmin, group))
	vera := w.As(w.User("vera", false, ""))
	at := parts.ExecutorPath(group)
	set := func(name, role string) string {
		owen.Post(at+"/members", url.Values{"username": {name}, "role": {role}})
		return owen.Text(at)
	}
	assert.Equal(t, http.StatusForbidden, vera.Get(at).Code)
	assert.Contains(t, set("vera", "viewer"), "vera is viewer now.")
	assert.Equal(t, http.StatusOK, vera.Get(at).Code, "at the next request")
	assert.Contains(t, set("vera", "admin"), "vera is group admin now.")
	assert.Contains(t, vera.Text(at), "Members")
	assert.Contains(t, set("owen", "viewer"), "Nobody changes their own role", "not oneself")
	assert.Contains(t, set("nobody-at-all", "viewer"), "The user name does not exist")
	assert.Contains(t, set("vera", "boss"), "Go back", "no such role")
	vera.Post(at+"/members", url.Values{"username": {"owen"}, "role": {"editor"}})
	assert.NotContains(t, owen.Text(at), "Members")
	vera.Post(at+"/members/remove", url.Values{"username": {"owen"}})
	assert.Equal(t, http.StatusForbidden, owen.Get(at).Code)

	for i := range executorpages.MembersPerPage + 1 {
		w.Member(fmt.Sprintf("many%02d", i), model.RoleViewer, group)
	}
	first := vera.Text(at)
	assert.Contains(t, first, "many40")
	assert.NotContains(t, first, "many50")
	_, next, _ := strings.Cut(first, `rel="next" href="`)
	next, _, _ = strings.Cut(next, "#")
	assert.Contains(t, vera.Text(strings.ReplaceAll(next, "&amp;", "&")), "many50")
}
