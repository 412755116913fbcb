package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

// TestJobRenewsItself: every tab of a job renews itself, in one answer with the
// head, the switch and the strip; what an older page of the history says stays.
func TestJobRenewsItself(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", "http://10.0.0.1:9999/"), "settle")
	w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, "boom")
	v := w.As(w.Admin)
	for name, want := range map[string]string{
		"runs": "boom", "times": "every day", "children": "No child", "settings": "<dl", "alarms": "Nothing is wrong",
		"history": "", // nothing was changed yet
	} {
		address := consoletest.PathOf(j) + "?tab=" + name
		page, now := v.Text(address), v.Text(address+"&part=now")
		for _, part := range []string{"head", "switch", "strip", "tab"} {
			assert.Equal(t, 1, strings.Count(page, `data-renew="`+consoletest.PathOf(j)+`?part=now&tab=`+name+`" data-part="`+part+`" data-every="3"`), part)
			_, rest, found := strings.Cut(now, `<div data-part="`+part+`">`)
			assert.True(t, found, "%s of %s", part, name)
			text, _, _ := strings.Cut(rest, `<div data-part=`)
			text = strings.TrimSuffix(strings.TrimSpace(text), "</div>")
			assert.True(t, strings.Contains(page, text), "%s of %s is not what the page has", part, name)
		}
		assert.Contains(t, now, want)
		assert.NotContains(t, now, "data-renew")
		assert.NotContains(t, now, "part=now", "a form leads back to the page, not to its part")
	}
	viewer := w.As(w.User("viewer", false, ""))
	assert.Equal(t, http.StatusForbidden, viewer.Get(consoletest.PathOf(j)+"?part=now").Code)
	v.Post(consoletest.PathOf(j)+"/start", url.Values{})
	assert.NotContains(t, v.Text(consoletest.PathOf(j)+"?tab=history&before=1"), `data-part="tab"`)
	assert.Contains(t, v.Text(consoletest.PathOf(j)+"?tab=history&part=now"), `name="back" value="`+consoletest.PathOf(j)+`?tab=history"`)
}

// TestUnchangedPart: what is as it was is not sent again, though the relative times
// in it have gone on.
func TestUnchangedPart(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("orders", "Orders", ""), "settle")
	w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, "boom")
	v := w.As(w.Admin)
	now := consoletest.Noon
	w.Now = func() time.Time { return now }
	for _, path := range []string{"/?part=1", "/runs?part=1", "/jobs?part=1&here=%2Fjobs", consoletest.PathOf(j) + "?part=now"} {
		delete(v.Header, "If-None-Match")
		first := v.Get(path)
		v.Header["If-None-Match"] = first.Header().Get("ETag")
		assert.NotEmpty(t, first.Header().Get("ETag"), path)
		now = now.Add(time.Second)
		again := v.Get(path)
		assert.Equal(t, http.StatusNotModified, again.Code, path)
		assert.Empty(t, again.Body.String(), path)
		w.Run(j, now, time.Second, 200, "")
		changed := v.Get(path)
		assert.Equal(t, http.StatusOK, changed.Code, path)
		assert.NotEqual(t, first.Header().Get("ETag"), changed.Header().Get("ETag"), path)
	}
}

// TestAsOf: the foot of every page says of when it is and leads to it again, until
// a script says that something renews itself; the answer to a form leads nowhere.
func TestAsOf(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	for _, path := range []string{"/help", "/settings", "/jobs?name=x", "/nowhere"} {
		assert.Contains(t, v.Get(path).Body.String(), `<span aria-hidden="true">○</span> as of</span>
<span><time id="clock">12:00:00</time> UTC <a id="again" href="`+path+`">`, path)
	}
	rec := v.Post("/jobs/new", url.Values{"do": {"save"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	assert.Contains(t, rec.Body.String(), "as of")
	assert.NotContains(t, rec.Body.String(), `id="again"`, "what was typed would be lost")
}
