package alarmpages_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestAlarmsAreSorted: open ones by how often and when last, ended ones by when they
// ended, page by page, each without disturbing the other list.
func TestAlarmsAreSorted(t *testing.T) {
	t.Parallel()
	w, _ := consoletest.Alarming(t)
	group := w.Group("golden", "gold", "")
	raise := func(id int, count int64) {
		require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{
			AlarmKey: model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: int32(id)},
			GroupID:  group, Last: consoletest.Noon, Count: count, Message: fmt.Sprintf("m%03d", id),
		}}))
	}
	for i := range 60 {
		raise(100+i, 1)
	}
	open, err := w.DB.Alarms(t.Context(), model.AlarmFilter{Limit: 100})
	require.NoError(t, err)
	for i, a := range open { // the newest ends first
		_, err := w.DB.EndAlarm(t.Context(), a.ID, consoletest.Noon.Add(time.Duration(i)*time.Minute))
		require.NoError(t, err)
	}
	raise(1, 5)
	raise(2, 9)
	raise(3, 7)
	v := w.As(w.Admin)
	messages := func(path string) (list []string, next string) {
		page := v.Text(path)
		for _, m := range regexp.MustCompile(`title="(m\d{3})"`).FindAllStringSubmatch(page, -1) {
			list = append(list, m[1])
		}
		if m := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page); m != nil {
			next = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		return list, next
	}
	first, next := messages("/alarms?open=-count&sort=recovered_at")
	require.Len(t, first, 3+50)
	assert.Equal(t, []string{"m002", "m003", "m001", "m159", "m158"}, first[:5])
	require.NotEmpty(t, next)
	last, end := messages(strings.TrimSuffix(next, "#ended"))
	require.Len(t, last, 3+10)
	assert.Equal(t, []string{"m002", "m003", "m001", "m109"}, last[:4], "the order of the open ones stays")
	assert.Equal(t, "m100", last[12])
	assert.Empty(t, end)
	part, _ := messages("/alarms?open=count&part=open")
	assert.Equal(t, []string{"m001", "m003", "m002"}, part)
	assert.Contains(t, v.Text("/alarms?open=count"), "/alarms?open=count&part=open", "what renews itself keeps its order")
}
