package legacy

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A job's own time zone, which Java has not, is set and shown by the endpoints
// of both dialects, and jobs without one look as Java's.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	chief, err := w.store.UserByName(t.Context(), "chief")
	require.NoError(t, err)
	cookie := cookieA + "=" + w.session(t, chief)
	group := w.addGroup(t, "zones", "")
	job := w.addJob(t, group, "in a zone")
	id32 := func(n int32) string { return strconv.Itoa(int(n)) }
	edit := func(zone string) string {
		return jobForm + "&jobGroup=" + id32(group) + "&id=" + id32(job.ID) + "&timeZone=" + zone
	}
	list := func() string {
		rec := w.do(t, http.MethodPost, "/jobinfo/pageList", "jobGroup="+id32(group)+"&triggerStatus=-1&start=0&length=5", "Cookie", cookie)
		return rec.Body.String()
	}
	assert.NotContains(t, list(), "timeZone")
	rec := w.do(t, http.MethodPost, "/jobinfo/update", edit("America/New_York"), "Cookie", cookie)
	require.Contains(t, rec.Body.String(), `"code":200`, rec.Body.String())
	assert.Contains(t, list(), `"timeZone":"America/New_York"`)
	rec = w.do(t, http.MethodPost, "/jobinfo/update", edit("Nowhere/At_All"), "Cookie", cookie)
	assert.Contains(t, rec.Body.String(), `"code":500`)
	rec = w.do(t, http.MethodPost, "/jobinfo/update", edit("server"), "Cookie", cookie)
	require.Contains(t, rec.Body.String(), `"code":200`, rec.Body.String())
	assert.NotContains(t, list(), "timeZone")
}
