package settingspages_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// found are the texts that an expression finds in a page.
func found(page, expression string) (list []string) {
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(page, -1) {
		list = append(list, m[1])
	}
	return list
}

// TestListsAreSorted: users, keys, logins and the audit log by what their heads
// and the choice on phones offer, and pages go on in that order.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for i := range 105 {
		require.NoError(t, w.DB.CreateKey(t.Context(), &model.Key{
			Name: fmt.Sprintf("key%03d", (i*7)%105), Hash: fmt.Sprintf("%064d", i), Verbs: []model.Verb{model.VerbRead},
			AllGroups: true, Created: consoletest.Noon,
		}))
	}
	page := v.Text("/settings/keys?sort=name")
	names := found(page, `>(key\d{3})<`)
	next := found(page, `rel="next" href="([^"]+)"`)
	require.Len(t, next, 1)
	names = append(names, found(v.Text(strings.ReplaceAll(next[0], "&amp;", "&")), `>(key\d{3})<`)...)
	assert.Len(t, names, 105)
	assert.True(t, slices.IsSorted(names))
	assert.Contains(t, page, `aria-sort="ascending" scope="col"><a href="/settings/keys?sort=-name">`)
	assert.Contains(t, page, `<option value="name" selected>What it is for, ascending</option>`)

	w.User("aaron1", false, "")
	assert.Equal(t, []string{"aaron1", "admin"}, found(v.Text("/settings/users?sort=username"), `href="/settings/users/\d+">(\w+)<`))
	assert.Equal(t, []string{"admin", "aaron1"}, found(v.Text("/settings/users?sort=-username"), `href="/settings/users/\d+">(\w+)<`))

	for i := range 3 {
		require.NoError(t, w.DB.AddAudit(t.Context(), model.Audit{
			At: consoletest.Noon.Add(time.Duration(i) * time.Minute), User: "anna", Action: "order.test", Detail: fmt.Sprintf("line%d", i),
		}))
	}
	assert.Equal(t, []string{"line0", "line1", "line2"}, found(v.Text("/settings/audit?user=anna&sort=at"), `>(line\d)<`))
	assert.Equal(t, []string{"line2", "line1", "line0"}, found(v.Text("/settings/audit?user=anna"), `>(line\d)<`))
	assert.Contains(t, v.Text("/settings/audit?sort=at"), "/settings/audit.csv\"", "a file is newest first")
	for _, sort := range []string{"username", "-seen_at", "created_at", "expires_at", "nonsense"} {
		assert.Contains(t, v.Text("/settings/sessions?who=all&sort="+sort), "/settings/sessions?")
	}
	assert.Contains(t, v.Text("/settings/sessions?who=all&sort=username"), `<input type="hidden" name="who" value="all">`)
}
