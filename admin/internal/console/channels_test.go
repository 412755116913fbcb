package console

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// TestChannelsOnPages: editors see channels by name, others how many there are,
// and administrators what is tried in them.
func TestChannelsOnPages(t *testing.T) {
	t.Parallel()
	w, played := alarming(t)
	group := w.group("golden", "gold", "")
	j := w.job(group, "settle")
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	require.NoError(t, w.db.RaiseAlarms(t.Context(), []model.AlarmRecord{{AlarmKey: key, GroupID: group, Last: noon, Count: 1}}))
	require.NoError(t, w.db.SaveDelivery(t.Context(), key, model.AlarmDelivery{Channel: "ding", At: noon}))
	tab := "/jobs/" + strconv.Itoa(int(j.ID)) + "?tab=alarms"
	for _, role := range model.Roles() {
		v := w.as(w.member(role.String()+"1", role, group))
		for _, page := range []string{"/alarms", "/alarms?part=open", "/alarms?part=channels", tab} {
			text := v.text(page)
			if role >= model.RoleEditor {
				assert.Contains(t, text, "ding", "%s for a %v", page, role)
				continue
			}
			assert.NotContains(t, text, "ding</", "%s for a %v", page, role)
			assert.NotContains(t, text, "dingtalk", "%s for a %v", page, role)
			if page != "/alarms?part=open" {
				assert.Contains(t, text, "2 channels, which editors see by name", "%s for a %v", page, role)
			}
		}
	}

	v := w.as(w.admin)
	assert.Contains(t, v.text("/alarms?part=channels"), "nothing sent yet")
	played.trying = &ops.ChannelTry{Attempt: 2, Attempts: 4, Next: noon.Add(2 * time.Second), Error: "answered HTTP 503 " + evil}
	text := v.text("/alarms?part=channels")
	assert.Contains(t, text, "trying: attempt 2 of 4 at 12:00:02 · 3 more wait")
	assert.Contains(t, text, "answered HTTP 503 ")
	played.trying.Next = time.Time{}
	assert.Contains(t, v.text("/alarms?part=channels"), "sending: attempt 2 of 4")
}
