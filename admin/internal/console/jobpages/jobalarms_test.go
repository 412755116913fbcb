package jobpages_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

// TestJobAlarms: what concerns a job, and a mute and a rule in one step.
func TestJobAlarms(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	g := w.Group("orders", "Orders", "")
	j, other := w.Job(g, "settle"), w.Job(g, "other")
	at := consoletest.PathOf(j) + "?tab=alarms"
	page := v.Text(at)
	assert.Contains(t, page, "Nobody is told")
	assert.Contains(t, page, "Nothing is muted.")
	assert.NotContains(t, page, "has no executor for", "that is a rule of groups")
	id := strconv.Itoa(int(j.ID))
	back := func(path string, form map[string]string) {
		t.Helper()
		rec := v.Post(path, values(form))
		require.Equal(t, at, rec.Header().Get("Location"))
	}
	back("/alarms/mute", map[string]string{"job": id, "minutes": "15", "reason": "deploy " + consoletest.Evil, "back": at})
	back("/alarms/rules", map[string]string{"job": id, "what": "late", "limit": "90", "back": at})
	v.Post("/alarms/rules", values(map[string]string{"group": strconv.Itoa(int(g)), "what": "long", "limit": "60"}))
	v.Post("/alarms/mute", values(map[string]string{"job": strconv.Itoa(int(other.ID)), "minutes": "20", "reason": "not mine"}))
	page = v.Text(at)
	for _, want := range []string{"deploy ", "fires later than", "1 min 30 s", "rule of the group", "runs longer than"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "not mine")
	assert.NotContains(t, v.Get(at).Body.String(), "<script>alert")
	back("/alarms/unmute", map[string]string{"job": id, "back": at})
	back("/alarms/rules/delete", map[string]string{"job": id, "what": "late", "back": at})
	page = v.Text(at)
	assert.NotContains(t, page, "deploy ")
	assert.NotContains(t, page, "1 min 30 s")
}

// values makes a form.
func values(pairs map[string]string) url.Values {
	v := url.Values{}
	for name, value := range pairs {
		v.Set(name, value)
	}
	return v
}
