package runpages_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestStreamsEndWithTheAdmin: a log that is followed does not hold up a stop.
func TestStreamsEndWithTheAdmin(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	w := consoletest.New(t, func(c *console.Config) { c.Stopping = stopping })
	asked := make(chan struct{}, 1)
	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		select {
		case asked <- struct{}{}:
		default:
		}
		return wire.LogResult{FromLineNum: 1, ToLineNum: 0}, nil
	}
	j := w.Job(w.Group("golden", "gold", "http://10.0.0.1:9999/"), "settle")
	run := w.Run(j, consoletest.Noon, 0, 0, "")
	v := w.As(w.Admin)
	ended := make(chan string, 1)
	go func() { ended <- v.Get("/runs/" + strconv.FormatInt(run, 10) + "/log/stream").Body.String() }()
	<-asked
	close(stopping)
	assert.Contains(t, <-ended, "event: state")
}
