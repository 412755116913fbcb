package console

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMuteOfADeploy: one click on the page of an executor mutes it for a quarter
// of an hour, and another one ends that.
func TestMuteOfADeploy(t *testing.T) {
	t.Parallel()
	w, _ := alarming(t)
	group := w.group("golden", "gold", "")
	at := executorPath(group)
	olga, vera := w.as(w.member("olga", model.RoleOperator, group)), w.as(w.member("vera", model.RoleViewer, group))
	click := url.Values{"group": {strconv.Itoa(int(group))}, "minutes": {"15"}, "back": {at}}

	assert.Contains(t, olga.text(at), "Mute alarms for 15 minutes")
	assert.NotContains(t, vera.text(at), "Mute alarms")
	rec := olga.post("/alarms/mute", click)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	require.Equal(t, at, rec.Header().Get("Location"))
	const muted = "Executor group gold: alarms are muted until 2026-11-21 12:15:00 UTC"
	page := olga.text(at + "?part=1")
	assert.Contains(t, page, muted)
	assert.Contains(t, page, `action="/alarms/unmute"`)
	assert.NotContains(t, page, "Mute alarms for")
	page = vera.text(at)
	assert.Contains(t, page, muted)
	assert.NotContains(t, page, "/alarms/unmute")
	rec = olga.post("/alarms/unmute", click)
	require.Equal(t, at, rec.Header().Get("Location"))
	assert.Contains(t, olga.text(at), "Mute alarms for 15 minutes")
}

// TestMuteOfEveryGroup: what the visitor operates is muted at once, but for
// windows that end later, and all windows are ended at once.
func TestMuteOfEveryGroup(t *testing.T) {
	t.Parallel()
	w, _ := alarming(t)
	one, two, foreign := w.group("one", "one", ""), w.group("two", "two", ""), w.group("foreign", "foreign", "")
	olga := w.as(w.member("olga", model.RoleOperator, one))
	v := w.as(w.admin)
	until := func() map[int32]time.Time {
		list, err := w.db.Mutes(t.Context(), noon)
		require.NoError(t, err)
		ends := map[int32]time.Time{}
		for _, m := range list {
			ends[m.ObjectID] = m.Until.UTC()
		}
		return ends
	}
	every := url.Values{"group": {"all"}, "minutes": {"15"}, "reason": {"new network"}}
	assert.NotContains(t, olga.text("/alarms"), `value="all"`, "it is one executor alone")
	olga.post("/alarms/mute", every)
	assert.Equal(t, map[int32]time.Time{one: noon.Add(15 * time.Minute)}, until())

	v.post("/alarms/mute", url.Values{"group": {strconv.Itoa(int(two))}, "minutes": {"60"}})
	assert.Contains(t, v.text("/alarms"), `<option value="all">all 3 executor groups</option>`)
	v.post("/alarms/mute", url.Values{"group": {"all"}, "minutes": {"30"}})
	assert.Equal(t, map[int32]time.Time{
		one: noon.Add(30 * time.Minute), two: noon.Add(time.Hour), foreign: noon.Add(30 * time.Minute),
	}, until())

	assert.NotContains(t, olga.text("/alarms"), "End all", "it is one window")
	olga.post("/alarms/unmute", url.Values{"group": {"all"}})
	assert.NotContains(t, until(), one)
	assert.Len(t, until(), 2, "the others are not hers")
	assert.Contains(t, v.text("/alarms"), "End all 2 now")
	v.post("/alarms/unmute", url.Values{"group": {"all"}})
	assert.Empty(t, until())

	v.post("/alarms/mute", url.Values{"group": {"all"}})
	assert.Empty(t, until(), "a window without a length is refused")
}
