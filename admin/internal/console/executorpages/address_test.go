package executorpages_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	here  = "http://10.0.0.1:9999/"
	there = "http://10.0.0.3:1/"
)

// probing is a world whose executors answer probes: that of port 9999 as Java's
// 3.3.0 to 3.4.2 do. It tells which addresses were asked.
func probing(t *testing.T, change ...func(*console.Config)) (w *consoletest.World, probed *[]string) {
	t.Helper()
	probed = &[]string{}
	var mu sync.Mutex
	w = consoletest.New(t, append([]func(*console.Config){func(c *console.Config) {
		c.Executors = console.Executors{
			Addresses: func(_ context.Context, _ string, addresses []string) (map[string]model.AddressState, error) {
				states := map[string]model.AddressState{}
				for _, a := range addresses {
					st := model.AddressState{
						LastBeat: consoletest.Noon.Add(-7 * time.Second), Since: consoletest.Noon.Add(-time.Hour), InFlight: 3, Queued: 41, Conns: 2,
						Release: model.Release{From: "2.2.0", To: "3.1.1"}, Dialect: "run",
					}
					if !strings.Contains(a, ":9999") {
						st = model.AddressState{DeadSince: consoletest.Noon.Add(-time.Minute), Faults: []model.AddressFault{{
							First: consoletest.Noon.Add(-2 * time.Minute), Last: consoletest.Noon.Add(-time.Minute), Count: 12, Path: "/run",
							Text: "Connection <refused>",
						}}}
					}
					states[a] = st
				}
				return states, nil
			},
			Probe: func(_ context.Context, address string, g *model.Group) *model.Probe {
				mu.Lock()
				*probed = append(*probed, address)
				mu.Unlock()
				if g.AccessToken == "" || !strings.Contains(address, ":9999") {
					return &model.Probe{Address: address, Steps: []model.ProbeStep{{
						Name: model.ProbeBeat, Text: "connection <refused>", Took: 2 * time.Millisecond,
					}}}
				}
				step := func(name, said string) model.ProbeStep {
					return model.ProbeStep{Name: name, OK: true, Code: 200, Text: said, Took: time.Millisecond}
				}
				return &model.Probe{
					Address: address, Release: model.Release{From: "3.3.0", To: "3.4.2"},
					Steps: []model.ProbeStep{
						step(model.ProbeBeat, "Success"), step(model.ProbeIdleBeat, "Success"),
						step(model.ProbeLog, "readLog fail <script>x</script>"), step(model.ProbeUnnamed, "Success"),
					},
					Evidence: []model.Evidence{{What: model.SawSuccess}, {What: model.SawData}, {What: model.SawForeign, Text: "Server: <b>"}},
				}
			},
		}
	}}, change...)...)
	return w, probed
}

func TestAddressPage(t *testing.T) {
	t.Parallel()
	w, probed := probing(t)
	g := w.Group("orders", "Orders", here+","+there)
	j := w.Job(g, "settle")
	other := w.Group("reports", "Reports", here)
	foreign := w.Job(other, "of-reports")
	w.At(j, here, 500, "it broke <b>")
	w.At(foreign, here, 500, "secret of reports")
	w.At(j, "http://10.0.0.1:99999/", 500, "another address")
	v := w.As(w.Admin)
	page := v.Text(parts.AddressPath(g, here))
	for _, want := range []string{
		"7 s ago", ">41<", ">3<", ">2<", "Java 2.2.0–3.1.1, or alike", "registered since", "connected", "it broke <b>",
		"secret of reports", `data-renew="` + parts.AddressPath(g, here) + "&part=1", "/runs?address=", "Orders",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "another address")
	assert.NotContains(t, page, "s3cret", "no token")
	assert.Contains(t, v.Text(parts.ExecutorPath(g)), `href="`+parts.AddressPath(g, here)+`"`, "the page of the group leads here")

	page = v.Text(parts.AddressPath(g, there))
	for _, want := range []string{"no answer to calls since", "Connection <refused>", ">12<", "/run", "None.", "Nothing."} {
		assert.Contains(t, page, want)
	}
	assert.Empty(t, *probed, "looking asks nobody")

	user := w.As(w.User("lin", false, strconv.Itoa(int(g))))
	page = user.Text(parts.AddressPath(g, here))
	assert.Contains(t, page, "it broke")
	assert.NotContains(t, page, "secret of reports", "runs of groups that the user may not see")
	assert.Equal(t, http.StatusForbidden, user.Get(parts.AddressPath(other, here)).Code)
	assert.Equal(t, http.StatusForbidden, user.Post(parts.ExecutorPath(other)+"/address/probe", url.Values{"at": {here}}).Code)
}

func TestAddressProbe(t *testing.T) {
	t.Parallel()
	w, probed := probing(t)
	g := w.Group("orders", "Orders", here+","+there)
	v := w.As(w.Admin)
	rec := v.Post(parts.ExecutorPath(g)+"/address/probe", url.Values{"at": {here}})
	require.Equal(t, http.StatusOK, rec.Code)
	for _, want := range []string{
		"answers (4 ms)", "/idleBeat, for job 0", "Java 3.3.0–3.4.2, or alike", "a log stands under “data”", "Server: &lt;b&gt;",
		"readLog fail &lt;script&gt;", "it does not",
	} {
		assert.Contains(t, rec.Body.String(), want)
	}
	assert.NotContains(t, rec.Body.String(), "<script>x")
	rec = v.Post(parts.ExecutorPath(g)+"/address/probe", url.Values{"at": {there}})
	assert.Contains(t, rec.Body.String(), "does not answer")
	assert.Contains(t, rec.Body.String(), "connection &lt;refused&gt;")
	assert.NotContains(t, rec.Body.String(), "What it is", "nobody has said anything")
	assert.Equal(t, []string{here, there}, *probed)

	rec = v.Post(parts.ExecutorPath(g)+"/probe", nil)
	assert.Contains(t, rec.Body.String(), "Java 3.3.0–3.4.2, or alike", "the page of the group tells too")
	assert.NotContains(t, rec.Body.String(), "data-renew", "what was said stays")
}

// TestOnlyAddressesOfTheGroupAreAsked is the record's SSRF: whatever address a
// visitor names, only what is registered or typed is spoken to.
func TestOnlyAddressesOfTheGroupAreAsked(t *testing.T) {
	t.Parallel()
	w, probed := probing(t)
	g := w.Group("orders", "Orders", here)
	j := w.Job(g, "settle")
	const was = "http://10.0.0.9:7/"
	w.At(j, was, 500, "gone since")
	w.Group("reports", "Reports", there)
	v := w.As(w.Admin)
	for _, at := range []string{
		"", "http://169.254.169.254/", "http://127.0.0.1:1/", there, "http://10.0.0.1:9999@evil/", here + "../x", here + "?x=1",
		"//10.0.0.1:9999/", "javascript:alert(1)", "http://10.0.0.1:9999/\r\nX: y", strings.Repeat("x", 2000), `"><script>x</script>`,
	} {
		rec := v.Get(parts.ExecutorPath(g) + "/address" + web.Query("at", at))
		assert.Equal(t, http.StatusNotFound, rec.Code, at)
		assert.NotContains(t, rec.Body.String(), "<script>x")
		rec = v.Post(parts.ExecutorPath(g)+"/address/probe", url.Values{"at": {at}})
		assert.Equal(t, http.StatusNotFound, rec.Code, at)
		v.Post(parts.ExecutorPath(g)+"/probe", url.Values{"address": {at + " "}})
	}
	*probed = nil // the empty one names all of the group
	page := v.Text(parts.AddressPath(g, was))
	assert.Contains(t, page, "No program of this executor is at this address now")
	assert.Contains(t, page, "gone since")
	assert.NotContains(t, page, "/address/probe", "what is gone is not asked")
	rec := v.Post(parts.ExecutorPath(g)+"/address/probe", url.Values{"at": {was}})
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Empty(t, *probed)
	v.Post(parts.ExecutorPath(g)+"/address/probe", url.Values{"at": {strings.TrimSuffix(here, "/")}})
	assert.Equal(t, []string{here}, *probed, "in the spelling that is on record")
}

// TestAddressMarkers: what executors may register and say is text wherever it is
// shown.
func TestAddressMarkers(t *testing.T) {
	t.Parallel()
	const marker = `"><script>x</script>`
	w, _ := probing(t)
	g := w.Group("orders", "Orders", here)
	j := w.Job(g, "settle")
	address := "http://10.0.0.1:9999/" + marker
	run := w.At(j, address, 500, marker)
	v := w.As(w.Admin)
	for _, path := range []string{
		parts.AddressPath(g, address), "/runs", "/runs/" + strconv.FormatInt(run, 10), "/jobs/" + strconv.Itoa(int(j.ID)), "/runs" + web.Query("address", address),
	} {
		page := v.Get(path).Body.String()
		assert.NotContains(t, page, "<script>x", path)
		assert.Contains(t, page, "&lt;script&gt;x", path)
		if strings.HasPrefix(path, "/runs") || strings.HasPrefix(path, "/jobs") {
			assert.Contains(t, page, `href="`+parts.AddressPath(g, address)+`"`, "%s leads to the address", path)
		}
	}
}

func TestWhatRunsAtAnAddress(t *testing.T) {
	t.Parallel()
	w, _ := probing(t)
	g := w.Group("orders", "Orders", here)
	j := w.Job(g, "settle")
	run := w.At(j, here, 0, "")
	v := w.As(w.Admin)
	page := v.Text(parts.AddressPath(g, here))
	assert.Contains(t, page, "/runs/"+strconv.FormatInt(run, 10)+"/kill")
	part := v.Text(parts.AddressPath(g, here) + "&part=1")
	assert.NotContains(t, part, "<html")
	assert.Contains(t, part, "/kill")
	part = v.Text(parts.AddressPath(g, here) + "&part=last")
	assert.NotContains(t, part, "<html")
	assert.NotContains(t, part, "/kill")
	assert.Contains(t, part, "/runs/"+strconv.FormatInt(run, 10))
	rec := v.Post("/runs/"+strconv.FormatInt(run, 10)+"/kill", url.Values{"back": {parts.AddressPath(g, here)}})
	assert.Equal(t, parts.AddressPath(g, here), rec.Header().Get("Location"))
	rec = v.Post("/runs/"+strconv.FormatInt(run, 10)+"/kill", url.Values{"back": {"//evil/"}})
	assert.Equal(t, "/runs/"+strconv.FormatInt(run, 10), rec.Header().Get("Location"))
}

func TestExecutorsListRenews(t *testing.T) {
	t.Parallel()
	w, _ := probing(t, func(c *console.Config) {
		c.Executors.Lanes = func() map[string]model.AddressState {
			return map[string]model.AddressState{
				parts.LaneKey(here): {Queued: 17, InFlight: 23}, parts.LaneKey(there): {Queued: 2, DeadSince: consoletest.Noon},
			}
		}
		c.Executors.LastBeat = func(app string) time.Time {
			return map[string]time.Time{"orders": consoletest.Noon.Add(-9 * time.Second)}[app]
		}
		c.Cluster = func(context.Context) console.Cluster {
			return console.Cluster{Node: "node-a", Nodes: []console.ClusterNode{{Name: "node-a", Me: true}, {Name: "node-b"}}}
		}
	})
	well := w.Group("again", "Again", here)
	sick := w.Group("orders", "Orders", here+","+there)
	empty := w.Group("zebra", "Zebra", "")
	w.Job(empty, "stripes", func(j *model.Job) { j.Running = true })
	v := w.As(w.Admin)
	page := v.Text("/executors")
	for _, want := range []string{">19<", ">23<", "9 s ago", "as this node (node-a) sees them", `data-renew="/executors?part=1"`} {
		assert.Contains(t, page, want)
	}
	at := func(id int32) int { return strings.Index(page, `"`+parts.ExecutorPath(id)+`"`) }
	assert.Less(t, at(empty), at(sick), "no address comes first")
	assert.Less(t, at(sick), at(well), "then what does not answer")
	for sort, want := range map[string][]int32{
		"name": {well, sick, empty}, "-name": {empty, sick, well}, "-queued": {sick, well, empty},
		"-addresses": {sick, well, empty}, "beat": {well, empty, sick}, "nonsense": {empty, sick, well},
	} {
		page := v.Text("/executors?sort=" + sort)
		at := func(i int) int { return strings.Index(page, `"`+parts.ExecutorPath(want[i])+`"`) }
		assert.True(t, at(0) < at(1) && at(1) < at(2), "%s: %d %d %d", sort, at(0), at(1), at(2))
	}
	sorted := v.Text("/executors?sort=-queued")
	for _, want := range []string{
		`aria-sort="descending" scope="col"><a href="/executors?sort=queued"`, `data-renew="/executors?part=1&sort=-queued"`,
	} {
		assert.Contains(t, sorted, want)
	}
	part := v.Text("/executors?part=1")
	assert.NotContains(t, part, "<html")
	assert.Contains(t, part, ">19<")
	part = v.Text(parts.ExecutorPath(sick) + "?part=1")
	assert.NotContains(t, part, "<html")
	assert.Contains(t, part, here)
}
