//go:build browser

package browsertest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAddress looks at an address as an operator does: it is probed, what runs
// there appears by itself, and is killed from there.
func TestAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	b, other := w.operator(t), w.operator(t)
	group := fmt.Sprintf("/executors/%d", w.seeds.groups[0])
	b.reload("/executors", `document.querySelector('main a[href*="/address?at="]')`)
	b.clean("executors")
	b.visit(group)
	b.follow(click(`main td a[href*="/address?at="]`)...)
	assert.Equal(t, w.addressPath(0, w.address), b.text(`location.pathname + location.search`))
	b.clean("an address")
	b.follow(click(`form[action$="/address/probe"] button`)...)
	b.until(`document.querySelector('.verdict .state-ok')`)
	said := b.text(`document.querySelector('.verdict').innerText`)
	for _, want := range []string{"/beat", "/idleBeat", "/log", "our Go executor", "XXL-JOB-EXECUTOR"} {
		assert.Contains(t, said, want)
	}
	b.clean("a probe")
	b.picture("address-probed-1440")
	b.size(390)
	b.clean("a probe on a phone")
	b.picture("address-probed-390")
	b.prefer("zh-CN", "dark")
	b.visit(w.addressPath(0, w.address))
	b.follow(click(`form[action$="/address/probe"] button`)...)
	b.clean("a probe in the dark")
	b.picture("address-probed-dark-390")
	b.size(1440)
	b.picture("address-probed-dark-1440")
	b.prefer("en", "light")

	b.visit(w.addressPath(0, w.address))
	run := other.runJob(w.seeds.jobs[2], "run")
	kill := fmt.Sprintf(`form[action$="/runs/%d/kill"]`, run)
	b.until(`document.querySelector('` + kill + `')`)
	b.clean("what runs there")
	b.picture("address-running-1440")
	b.follow(click(`details:has(`+kill+`) > summary`, kill+` button.primary`)...)
	assert.Equal(t, "/executors/"+fmt.Sprint(w.seeds.groups[0])+"/address", b.text(`location.pathname`))
	assert.Contains(t, b.text(`document.querySelector('.toast').textContent`), "Asked to stop")
	b.until(`!document.querySelector('` + kill + `')`)
	b.clean("nothing runs there any more")

	other.visit(fmt.Sprintf("/runs/%d", run))
	other.follow(click(`main a[href*="/address?at="]`)...)
	assert.Equal(t, w.addressPath(0, w.address), other.text(`location.pathname + location.search`), "a run leads to its address")
}

// TestExecutorsInTrouble looks at a list with a wrong token, addresses that do not
// answer, and more than fit.
func TestExecutorsInTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plain)
	w.executor(t)
	for i := range 12 {
		w.register(t, appName, fmt.Sprintf("http://10.0.%d.7:9999/", i))
	}
	w.wrongToken(t, "stranger<b>", "http://10.9.9.9:9999/")
	b := w.operator(t)
	for _, size := range []struct {
		wide  int64
		theme string
	}{{1440, "light"}, {390, "dark"}} {
		b.size(size.wide)
		b.prefer("en", size.theme)
		b.visit("/")
		b.until(`document.querySelector('main a[href$="/executors#refused"]')`)
		b.reload("/executors", `document.querySelector('.ats + details')`)
		b.do(click(`.ats + details summary`)...)
		b.until(`document.querySelector('#refused').innerText.includes('stranger<b>')`)
		b.clean("executors in trouble")
		b.picture("executors trouble " + size.theme)
	}
}
