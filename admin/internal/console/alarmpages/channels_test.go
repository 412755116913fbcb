package alarmpages_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// TestChannelsOnPages: editors see channels by name, others how many there are,
// and administrators what is tried in them.
func TestChannelsOnPages(t *testing.T) {
	t.Parallel()
	w, played := consoletest.Alarming(t)
	group := w.Group("golden", "gold", "")
	j := w.Job(group, "settle")
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{AlarmKey: key, GroupID: group, Last: consoletest.Noon, Count: 1}}))
	require.NoError(t, w.DB.SaveDelivery(t.Context(), key, model.AlarmDelivery{Channel: "ding", At: consoletest.Noon}))
	tab := "/jobs/" + strconv.Itoa(int(j.ID)) + "?tab=alarms"
	for _, role := range model.Roles() {
		v := w.As(w.Member(role.String()+"1", role, group))
		for _, page := range []string{"/alarms", "/alarms?part=open", "/alarms?part=channels", tab} {
			text := v.Text(page)
			if role >= model.RoleEditor {
				assert.Contains(t, text, "ding", "%s for a %v", page, role)
				continue
			}
			assert.NotContains(t, text, " ding</", "%s for a %v", page, role)
			assert.NotContains(t, text, "dingtalk", "%s for a %v", page, role)
			if page != "/alarms?part=open" {
				assert.Contains(t, text, "2 channels, which editors see by name", "%s for a %v", page, role)
			}
		}
	}

	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/alarms?part=channels"), "nothing sent yet")
	played.Trying = &ops.ChannelTry{Attempt: 2, Attempts: 4, Next: consoletest.Noon.Add(2 * time.Second), Error: "answered HTTP 503 " + consoletest.Evil}
	text := v.Text("/alarms?part=channels")
	assert.Contains(t, text, "trying: attempt 2 of 4 at 12:00:02 · 3 more wait")
	assert.Contains(t, text, "answered HTTP 503 ")
	played.Trying.Next = time.Time{}
	assert.Contains(t, v.Text("/alarms?part=channels"), "sending: attempt 2 of 4")
}
