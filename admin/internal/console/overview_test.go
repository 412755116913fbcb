package console_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/forecast"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
)

// verdict is the sentence at the top of the overview, without its markup.
func verdict(page string) string {
	_, rest, _ := strings.Cut(page, `<section class="block verdict`)
	_, rest, _ = strings.Cut(rest, "<h2>")
	text, _, _ := strings.Cut(rest, "</h2>")
	var b strings.Builder
	for part := range strings.SplitSeq(text, "<") {
		_, after, ok := strings.Cut(part, ">")
		if !ok {
			after = part
		}
		b.WriteString(after)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestOverviewSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := pulse.New(func() time.Time { return consoletest.Noon })
	lanes := map[string]model.AddressState{}
	cluster := console.Cluster{Node: "node-a", Held: 16, Total: 16}
	w := consoletest.New(t, func(cfg *console.Config) {
		cfg.Pulse, cfg.Executors.Lanes = p, func() map[string]model.AddressState { return lanes }
		cfg.Cluster = func(context.Context) console.Cluster { return cluster }
	})
	v := w.As(w.Admin)
	page := v.Text("/")
	assert.Equal(t, "✓ All is well", verdict(page))
	assert.Contains(t, page, "No executor has connected yet")
	assert.Contains(t, page, "Nothing failed in the last 24 hours")
	assert.Contains(t, page, "over its 0 scheduled fires")

	started := func(j *model.Job) { j.Running = true }
	gold, silver := w.Group("golden", "gold", ""), w.Group("silver", "silver", "http://10.0.0.1:9999/,http://10.0.0.2:9999/")
	j := w.Job(gold, "settle", started)
	well := w.Job(silver, "report", started)
	w.Run(j, consoletest.Noon.Add(-time.Hour), time.Second, model.CodeFail, "no money")
	w.Run(j, consoletest.Noon.Add(-2*time.Hour), time.Second, model.CodeFail, "no money before")
	w.Run(well, consoletest.Noon.Add(-time.Hour), time.Second, model.CodeFail, "once")
	w.Run(well, consoletest.Noon.Add(-time.Minute), time.Second, model.CodeSuccess, "")
	page = v.Text("/")
	assert.Equal(t, "✕ 1 job is failing; 1 executor with started jobs has no address.", verdict(page))
	assert.Contains(t, page, "No address of the executor “gold” is registered (started jobs: 1)")
	assert.Contains(t, page, "no money")
	assert.Contains(t, page, `href="/runs?result=failed&job=`+strconv.Itoa(int(j.ID))+`">2</a>`)
	assert.Contains(t, page, "works again")

	p.Sent(3 * time.Second)
	p.Ended(model.EndOK)
	p.Ended(model.EndTimeout)
	p.Ended(model.EndKilled)
	lanes["http://10.0.0.2:9999"] = model.AddressState{DeadSince: consoletest.Noon.Add(-time.Minute), Queued: 1200, InFlight: 2}
	cluster.Faults, cluster.Orphans = []string{"leases are not renewed"}, 2
	cluster.Nodes = []console.ClusterNode{{Name: "node-a", Seen: consoletest.Noon, Shards: 14, Me: true}, {Name: "node-b", Seen: consoletest.Noon}}
	cluster.Silent = []string{"node-c"}
	cluster.JavaSeen = consoletest.Noon.Add(-2 * time.Minute)
	page = v.Text("/")
	assert.Contains(t, page, `c-failed">✕ failed<`)
	assert.Contains(t, page, `c-timeout">✕ timed out<`, "the sign that it has in lists")
	assert.Contains(t, page, `c-lost">? lost<`)
	assert.Contains(t, page, "<td>1</td><td>0</td><td>1</td><td>0</td>", "who was killed has not failed")
	assert.Equal(t, "✕ 1 job is failing; 1 executor with started jobs has no address; "+
		"1 fire of the last 10 minutes was more than 1 s late; 1 executor address does not answer; "+
		"1 node holds no lease; 1 node has no heartbeat; 2 scheduling shards are held by no node; something is wrong with this node.", verdict(page))
	assert.Contains(t, page, "Executor “silver”: 1 of 2 addresses does not answer")
	assert.Contains(t, page, `<a href="/settings/cluster">Node node-c has no heartbeat, and has not said that it stops</a>`)
	assert.Contains(t, page, "This node: leases are not renewed")
	assert.Contains(t, page, "Triggers that wait to be sent · 1,200")
	assert.Contains(t, page, "A Java admin works on this database too")
	assert.Contains(t, page, "14/16")

	// Who has one group sees its numbers alone, and nothing that all groups share.
	w.Run(well, consoletest.Noon, time.Second, model.CodeNone, "")
	member := w.As(w.User("golden1", false, strconv.Itoa(int(gold)))).Text("/")
	assert.Contains(t, member, "These are the numbers of your executors alone.")
	for _, hidden := range []string{"Triggers so far", "Lateness", "Runs of the last 14 days", "ended within the hour"} {
		assert.Contains(t, page, hidden)
		assert.NotContains(t, member, hidden)
	}
	assert.Contains(t, member, `<dt>Jobs</dt><dd><a href="/jobs">1</a>`)
	assert.Contains(t, member, `<dt>Executor addresses</dt><dd><a href="/executors">0</a>`)

	// Others see nothing of groups that are not theirs.
	other := w.As(w.User("nobody1", false, "")).Text("/")
	for _, hidden := range []string{"gold", "silver", "settle", "no money", "1,200"} {
		assert.NotContains(t, other, hidden)
	}
}

// TestOverviewLeavesOutWhatIsAcknowledged: a failure that somebody has seen is no
// news, until the next one.
func TestOverviewLeavesOutWhatIsAcknowledged(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	j := w.Job(w.Group("golden", "gold", ""), "settle")
	w.Run(j, consoletest.Noon.Add(-time.Hour), time.Second, model.CodeFail, "no money")
	raise := func() {
		require.NoError(t, w.DB.RaiseAlarms(t.Context(), []model.AlarmRecord{{
			AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID},
			GroupID:  j.GroupID, Last: consoletest.Noon, Count: 1,
		}}))
	}
	raise()
	const wrong = "✕ 1 job is failing; 1 alarm is open."
	assert.Equal(t, wrong, verdict(v.Text("/")))
	open, err := w.DB.Alarms(t.Context(), model.AlarmFilter{})
	require.NoError(t, err)
	_, err = w.DB.AckAlarm(t.Context(), open[0].ID, "anna", consoletest.Noon)
	require.NoError(t, err)
	page := v.Text("/")
	assert.Equal(t, "✓ All is well", verdict(page))
	assert.Contains(t, page, "1 alarm is acknowledged")
	assert.Contains(t, page, "○</span> acknowledged", "its line says so")
	raise()
	page = v.Text("/")
	assert.Equal(t, wrong, verdict(page))
	assert.NotContains(t, page, "acknowledged")
}

func TestOverviewOfTheComingHour(t *testing.T) {
	t.Parallel()
	hour, known := &forecast.Hour{Start: consoletest.Noon, Counted: consoletest.Noon}, false
	var saw func(int32) bool
	w := consoletest.New(t, func(cfg *console.Config) {
		cfg.Forecast = func(_ context.Context, see func(int32) bool) (*forecast.Hour, bool) {
			saw = see
			return hour, known
		}
	})
	gold := w.Group("golden", "gold", "")
	v := w.As(w.Admin)
	assert.Contains(t, v.Text("/"), "It is being counted")
	known = true
	assert.Contains(t, v.Text("/"), "No job is started")
	assert.True(t, saw(gold) && saw(99))
	hour.Started = 1
	assert.Contains(t, v.Text("/"), "None of the started jobs has a next time")
	hour.Next = &forecast.Next{ID: 7, Name: "<b>late", At: consoletest.Noon.Add(3 * time.Hour)}
	page := v.Get("/").Body.String()
	assert.Contains(t, page, "The next one:")
	assert.Contains(t, page, `<a href="/jobs/7">&lt;b&gt;late</a>`)
	assert.Contains(t, page, "in 3 h")
	hour.Cells[5] = forecast.Cell{Fires: 70, Jobs: 12, Names: []string{"a", "<i>b"}}
	page = v.Get("/").Body.String()
	assert.Contains(t, page, "12:05 · 70\na\n&lt;i&gt;b\nand 10 more")
	assert.NotContains(t, page, "as they were")
	hour.Counted = consoletest.Noon.Add(-time.Minute)
	assert.Contains(t, v.Get("/").Body.String(), `From the jobs as they were <time class="when" datetime="2026-11-21T11:59:00Z"`)
	w.As(w.User("nobody1", false, "")).Text("/")
	assert.False(t, saw(gold))
}

// TestPartsThatRenew: the overview and the alarms renew what tells of now, and
// answer with that part alone.
func TestPartsThatRenew(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	w.Run(w.Job(w.Group("orders", "Orders", ""), "settle"), consoletest.Noon.Add(-time.Minute), time.Second, 500, "boom")
	v := w.As(w.Admin)
	for _, tt := range []struct{ page, part, want string }{
		{"/", "/?part=1", "1 job is failing"},
		{"/alarms", "/alarms?part=open", "Nothing is wrong"},
		{"/alarms", "/alarms?part=mutes", "Nothing is muted"},
		{"/alarms", "/alarms?part=recent", "None yet"},
	} {
		page, part := v.Text(tt.page), v.Text(tt.part)
		assert.Contains(t, page, `data-renew="`+tt.part+`" data-every="3"`)
		assert.Contains(t, page, `id="live"`)
		assert.Contains(t, page, part)
		assert.Contains(t, part, tt.want)
		assert.NotContains(t, part, "<main", tt.part)
		assert.NotContains(t, part, "data-renew", tt.part)
	}
	assert.NotContains(t, v.Text("/alarms?before=9"), "part=recent", "an older page stays as it is")
}
