package alarmpages_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestMuteOfADeploy: one click on the page of an executor mutes it for a quarter
// of an hour, and another one ends that.
func TestMuteOfADeploy(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	group := w.Group("golden", "gold", "")
	at := parts.ExecutorPath(group)
	olga, vera := w.As(w.Member("olga", model.RoleOperator, group)), w.As(w.Member("vera", model.RoleViewer, group))
	click := url.Values{"group": {strconv.Itoa(int(group))}, "minutes": {"15"}, "back": {at}}

	assert.Contains(t, olga.Text(at), "Mute alarms for 15 minutes")
	assert.NotContains(t, vera.Text(at), "Mute alarms")
	rec := olga.Post("/alarms/mute", click)
	require.Equal(t, http.StatusSeeOther, rec.Code)
	require.Equal(t, at, rec.Header().Get("Location"))
	const muted = "Executor group gold: alarms are muted until 2026-11-21 12:15:00 UTC"
	page := olga.Text(at + "?part=1")
	assert.Contains(t, page, muted)
	assert.Contains(t, page, `action="/alarms/unmute"`)
	assert.NotContains(t, page, "Mute alarms for")
	page = vera.Text(at)
	assert.Contains(t, page, muted)
	assert.NotContains(t, page, "/alarms/unmute")
	rec = olga.Post("/alarms/unmute", click)
	require.Equal(t, at, rec.Header().Get("Location"))
	assert.Contains(t, olga.Text(at), "Mute alarms for 15 minutes")
}

// TestMuteOfEveryGroup: what the visitor operates is muted at once, but for
// windows that end later, and all windows are ended at once.
func TestMuteOfEveryGroup(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	one, two, foreign := w.Group("one", "one", ""), w.Group("two", "two", ""), w.Group("foreign", "foreign", "")
	olga := w.As(w.Member("olga", model.RoleOperator, one))
	v := w.As(w.Admin)
	until := func() map[int32]time.Time {
		list, err := w.DB.Mutes(t.Context(), consoletest.Noon)
		require.NoError(t, err)
		ends := map[int32]time.Time{}
		for _, m := range list {
			ends[m.ObjectID] = m.Until.UTC()
		}
		return ends
	}
	every := url.Values{"group": {"all"}, "minutes": {"15"}, "reason": {"new network"}}
	assert.NotContains(t, olga.Text("/alarms"), `value="all"`, "it is one executor alone")
	olga.Post("/alarms/mute", every)
	assert.Equal(t, map[int32]time.Time{one: consoletest.Noon.Add(15 * time.Minute)}, until())

	v.Post("/alarms/mute", url.Values{"group": {strconv.Itoa(int(two))}, "minutes": {"60"}})
	assert.Contains(t, v.Text("/alarms"), `<option value="all">all 3 executor groups</option>`)
	v.Post("/alarms/mute", url.Values{"group": {"all"}, "minutes": {"30"}})
	assert.Equal(t, map[int32]time.Time{
		one: consoletest.Noon.Add(30 * time.Minute), two: consoletest.Noon.Add(time.Hour), foreign: consoletest.Noon.Add(30 * time.Minute),
	}, until())

	assert.NotContains(t, olga.Text("/alarms"), "End all", "it is one window")
	olga.Post("/alarms/unmute", url.Values{"group": {"all"}})
	assert.NotContains(t, until(), one)
	assert.Len(t, until(), 2, "the others are not hers")
	assert.Contains(t, v.Text("/alarms"), "End all 2 now")
	v.Post("/alarms/unmute", url.Values{"group": {"all"}})
	assert.Empty(t, until())

	v.Post("/alarms/mute", url.Values{"group": {"all"}})
	assert.Empty(t, until(), "a window without a length is refused")
}
