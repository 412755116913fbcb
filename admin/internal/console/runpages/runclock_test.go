package runpages_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/admin/internal/console/runpages"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestClockIsKept: what a log has said of an ended run is still known when its
// executor is gone.
func TestClockIsKept(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	ended, open := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, ""), w.Run(j, consoletest.Noon.Add(-time.Minute), 0, 0, "")
	w.Parts.Text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: 1, IsEnd: true, LogContent: "2026-11-21 19:59:01 [a#b]-[1]-[job] " + wire.LogStart + "x\n",
		}, nil
	}
	const began = "<span>2026-11-21 11:59:01 UTC</span>"
	assert.Contains(t, v.Text(consoletest.RunPath(open)), began)
	assert.Contains(t, v.Text(consoletest.RunPath(ended)), began+" <span class=\"muted\">(the executor's clock, from its log)")
	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	gone := v.Text(consoletest.RunPath(ended))
	assert.Contains(t, gone, "it says 2026-11-21 19:59:01: its time zone is 8 h ahead of this page's")
	assert.NotContains(t, gone, "its clock is about")
	assert.Contains(t, gone, "connection refused")
	assert.Contains(t, gone, began+" <span class=\"muted\">(the executor's clock, read from its log at 2026-11-21 12:00:00 UTC)")
	assert.NotContains(t, v.Text(consoletest.RunPath(open)), began, "it is not over")
}

// TestRunPageWaitsForNobody: an executor that hangs does not hold the page.
func TestRunPageWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := consoletest.New(t)
		j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
		v := w.As(w.Admin)
		w.Parts.Hangs = true
		id := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")
		began := time.Now()
		page := v.Text(consoletest.RunPath(id))
		assert.Equal(t, runpages.PageLog, time.Since(began))
		assert.Contains(t, page, "The executor did not answer within 2 s")
		assert.Contains(t, page, "The executor has reported success.")
	})
}

// TestWrongClock: a clock that is wrong is said to be so.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	w.Parts.Text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: 1, IsEnd: true, LogContent: "2026-11-21 12:37:00 [a#b]-[1]-[job] " + wire.LogStart + "x\n",
		}, nil
	}
	page := w.As(w.Admin).Text(consoletest.RunPath(w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")))
	assert.Contains(t, page, "its clock is about 38 min ahead of this page's")
	assert.NotContains(t, page, "time zone is")
}

// TestZoneIsSaidOnce: not for the begin and for the end too.
func TestZoneIsSaidOnce(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	w.Parts.Text = func(r wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: 2, IsEnd: true, LogContent: "2026-11-21 19:59:01 [a#b]-[1]-[job] " +
				wire.LogStart + "x\n2026-11-21 19:59:02 [a#b]-[1]-[job] " + wire.LogEnd + "200" + "\n",
		}, nil
	}
	page := w.As(w.Admin).Text(consoletest.RunPath(w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")))
	assert.Contains(t, page, "<span>2026-11-21 11:59:02 UTC</span>", "the end, too, by the zone of the page")
	assert.Equal(t, 1, strings.Count(page, "time zone is 8 h ahead"))
}
