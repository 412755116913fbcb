//go:build browser

package browsertest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSortsOnAPhone: tables have no heads there, and the filter has a choice of
// orders instead, which works without scripts. Where there are heads it is not
// there.
func TestSortsOnAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, few)
	b := w.enter(t, 390, false)
	names := func() string {
		return b.text(`[...document.querySelectorAll('tr[data-row] td.main .name')].map((e) => e.textContent).join('|')`)
	}
	b.visit("/jobs")
	b.pick(`.filters select[name=sort]`, "name")
	b.follow(click(`.filters button`)...)
	up := names()
	b.clean("jobs by name on a phone")
	b.pick(`.filters select[name=sort]`, "-name")
	b.follow(click(`.filters button`)...)
	assert.NotEqual(t, up, names(), "the other way round")
	for _, path := range []string{
		"/runs", "/executors", "/alarms", "/settings/users", "/settings/sessions?who=all", "/settings/audit",
		"/jobs/deleted",
	} {
		b.visit(path)
		assert.Equal(t, "true", b.text(`String(document.querySelector('select[name=sort], select[name=open]').checkVisibility())`), path)
		b.clean(path + " on a phone")
		b.picture("lists" + path)
	}
	b.size(1440)
	for _, path := range []string{"/jobs", "/alarms", "/settings/users"} {
		b.visit(path)
		assert.Equal(t, "false", b.text(`String([...document.querySelectorAll('.sorts')].some((e) => e.checkVisibility()))`), path)
		b.picture("wide" + path)
	}
	b.prefer("zh-CN", "dark")
	b.visit("/alarms")
	b.picture("dark")
}
